//! The arguments of `cloth ccd`.

use std::path::PathBuf;

use clap::Args;
use cloth_io::queries::QueryKind;

/// Tests and times methods of continuous collision detection on files of queries with known answers.
///
/// A query is a vertex and a face, or two edges, whose vertices are in linear motion over the closed interval
/// of time [0, 1]. Coordinates are read exactly or refused. Labels stand in the seventh column, in a file of
/// --labels, or where the public data sets keep them: those of SCENE/queries/227ee.csv in
/// SCENE/mma_bool/227ee_mma_bool.json.
#[derive(Debug, Args)]
#[command(
    after_help = "Exit status: 0 all verdicts and times are as the methods promise, 1 a collision was \
    missed, a time is late, or a method that claims to be exact is not; 2 it could not run.\n\n\
    Example:\n  \
    cloth ccd data_0_0.csv data_0_1.csv --kind edge-edge --method all --toi exact_toi.csv"
)]
pub(crate) struct CcdArgs {
    /// Query files (CSV), or folders that are searched for them.
    #[arg(value_name = "QUERIES", required_unless_present = "frames", conflicts_with = "frames")]
    pub(crate) queries: Vec<PathBuf>,
    /// Select the method: exact, filtered, inclusion, additive, or all.
    #[arg(long, value_name = "M", default_value = "filtered")]
    pub(crate) method: String,
    /// Set the kind of queries where the path does not state it: vertex-face or edge-edge.
    #[arg(long, value_name = "KIND", value_parser = kind, conflicts_with = "frames")]
    pub(crate) kind: Option<QueryKind>,
    /// Read labels (JSON) for query files without labels, in their order; may be repeated.
    #[arg(long, value_name = "FILE")]
    pub(crate) labels: Vec<PathBuf>,
    /// Read bounds of the exact times of impact (CSV) for all queries, or a folder with one file per scene.
    #[arg(long, value_name = "FILE", conflicts_with = "candidates")]
    pub(crate) toi: Option<PathBuf>,
    /// Read a mesh at both ends of a motion (OBJ, PLY, OFF, NPZ) instead of query files.
    #[arg(long, value_names = ["T0", "T1"], num_args = 2)]
    pub(crate) frames: Option<Vec<PathBuf>>,
    /// Query these pairs of the mesh (JSON array of [i, j], numbered vertices first, then edges, then faces);
    /// may be repeated.
    #[arg(long, value_name = "FILE", requires = "frames", conflicts_with = "queries")]
    pub(crate) boxes: Vec<PathBuf>,
    /// Query all pairs of the mesh whose boxes overlap and that share no vertex.
    #[arg(long, requires = "frames", conflicts_with = "queries")]
    pub(crate) candidates: bool,
    /// Set the number of threads for --candidates; times are comparable only at the same number; 1 by
    /// default.
    #[arg(long, value_name = "N", requires = "candidates", conflicts_with = "queries")]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    /// Time each query this many times and report the shortest.
    #[arg(long, value_name = "N", default_value_t = 5,
          value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) repeat: u32,
    /// Write the figures as JSON.
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
}

fn kind(word: &str) -> Result<QueryKind, String> {
    let known = [QueryKind::VertexFace, QueryKind::EdgeEdge];
    known
        .into_iter()
        .find(|kind| kind.name() == word)
        .ok_or_else(|| "must be vertex-face or edge-edge".to_owned())
}
