//! The arguments of `cloth check`.

use std::path::PathBuf;

use clap::Args;

use super::MeshArgs;

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
    #[command(flatten)]
    pub(crate) common: MeshArgs,
    /// Name this many intersections of each mesh, those of its worst frame, and as many pairs that passed through.
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub(crate) examples: usize,
}
