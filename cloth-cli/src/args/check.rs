//! The arguments of `cloth check`.

use std::path::PathBuf;

use clap::Args;

use super::MeshArgs;
use super::number::non_negative;

/// Counts the exact self-intersections of meshes, of sequences, or of a mesh with its cache.
///
/// An intersection is an edge and a face that share no vertex and have a point in common: crossing, touching, or in
/// one plane. There is no tolerance. The intersecting triangle pairs are what most tools count: pairs that share no
/// vertex and cross properly. Flat folds are reported apart and do not change the exit status.
///
/// Frames may all be clean although cloth went through cloth in between. So the way from each frame to the next is judged
/// too: every vertex moves on a straight line, and a vertex and a face, or two edges, that share no vertex and touch
/// on the way have passed through. There is no tolerance either.
#[derive(Clone, Debug, Args)]
#[command(
    after_help = "Exit status: 0 clean, 1 intersections found or something passed through between frames, 2 a file \
    was refused (the others are still judged).\n\nExample:\n  cloth check shirt.obj --cache shirt.pc2 --json shirt.json"
)]
pub(crate) struct CheckArgs {
    /// Judge the frames of this PC2 cache, with the faces of the one MESH.
    #[arg(long, value_name = "C.pc2")]
    pub(crate) cache: Option<PathBuf>,
    /// Judge the frames alone, not the ways between them: faster, and right for frames that are no motion.
    #[arg(long)]
    pub(crate) frames_only: bool,
    /// What is sewn together: a text file with a pair of vertices on each line, or an OBJ file with `stitch` records.
    ///
    /// Where the ends of a stitch are within --seam-distance, its vertices count as one, and pairs that share it are no intersection.
    #[arg(long, value_name = "FILE", requires = "seam_distance")]
    pub(crate) stitches: Option<PathBuf>,
    /// How far the two ends of a stitch may be apart for its seam to be closed, in the unit of the frames.
    #[arg(long, value_name = "D", allow_negative_numbers = true, value_parser = non_negative, requires = "stitches")]
    pub(crate) seam_distance: Option<f64>,
    #[command(flatten)]
    pub(crate) common: MeshArgs,
    /// Name this many intersections of each mesh, those of its worst frame, and as many pairs that passed through.
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub(crate) examples: usize,
}
