//! The arguments of `cloth ccd`.

use std::path::PathBuf;

use clap::Args;
use cloth_io::queries::QueryKind;

/// Judges methods of continuous collision detection by files of queries with known answers, and times them.
///
/// A query is a vertex and a face, or two edges, whose corners move in straight lines over the closed interval of time [0, 1].
/// Coordinates are read exactly or refused. Labels stand in the seventh column, in a file of --labels, or where the public data
/// sets keep them: those of SCENE/queries/227ee.csv in SCENE/mma_bool/227ee_mma_bool.json.
#[derive(Debug, Args)]
#[command(
    after_help = "Exit status: 0 all verdicts and times are as the methods promise, 1 a collision was missed, a time is late, or a \
    method that claims to be exact is not; 2 it could not run.\n\nExample:\n  \
    cloth ccd data_0_0.csv data_0_1.csv --kind edge-edge --method all --toi exact_toi.csv"
)]
pub(crate) struct CcdArgs {
    /// Query files (CSV), or folders that are searched for them.
    #[arg(value_name = "QUERIES", required_unless_present = "frames", conflicts_with = "frames")]
    pub(crate) queries: Vec<PathBuf>,
    /// Method: exact, filtered, inclusion, additive, or all.
    #[arg(long, value_name = "M", default_value = "filtered")]
    pub(crate) method: String,
    /// What the queries are, where their path does not say it: vertex-face or edge-edge.
    #[arg(long, value_name = "KIND", value_parser = kind, conflicts_with = "frames")]
    pub(crate) kind: Option<QueryKind>,
    /// Labels (JSON) for each query file without, in their order; may be repeated.
    #[arg(long, value_name = "FILE")]
    pub(crate) labels: Vec<PathBuf>,
    /// Bounds of the exact times of impact (CSV), counted over all queries given; or a folder of them, one for each scene.
    #[arg(long, value_name = "FILE", conflicts_with = "candidates")]
    pub(crate) toi: Option<PathBuf>,
    /// A mesh at both ends of a motion (OBJ or PLY), in place of query files.
    #[arg(long, value_names = ["T0", "T1"], num_args = 2)]
    pub(crate) frames: Option<Vec<PathBuf>>,
    /// Pairs of that mesh to ask about (JSON array of [i, j], numbered vertices first, then edges, then faces); may be repeated.
    #[arg(long, value_name = "FILE", requires = "frames", conflicts_with = "queries")]
    pub(crate) boxes: Vec<PathBuf>,
    /// Ask about all pairs of that mesh whose boxes overlap and that share no vertex.
    #[arg(long, requires = "frames", conflicts_with = "queries")]
    pub(crate) candidates: bool,
    /// Threads, for --candidates; times are comparable only at the same number. 1 by default.
    #[arg(long, value_name = "N", requires = "candidates", conflicts_with = "queries")]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    /// Time each query this many times, and take the shortest.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
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
