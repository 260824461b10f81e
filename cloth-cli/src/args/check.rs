//! The arguments of `cloth check`.

use std::path::PathBuf;

use clap::Args;

use super::MeshArgs;

/// Counts the exact self-intersections of meshes, of sequences, or of a mesh with its cache.
///
/// An intersection is an edge and a face that share no vertex and have a point in common: crossing, touching, or in
/// one plane. There is no tolerance. The intersecting triangle pairs are what most tools count: pairs that share no
/// vertex and cross properly. Flat folds are reported apart and do not change the exit status.
#[derive(Debug, Args)]
#[command(
    after_help = "Exit status: 0 clean, 1 intersections found, 2 a file was refused (the others are still \
    judged).\n\nExample:\n  cloth check shirt.obj --cache shirt.pc2 --json shirt.json"
)]
pub(crate) struct CheckArgs {
    /// Judge the frames of this PC2 cache, with the faces of the one MESH.
    #[arg(long, value_name = "C.pc2")]
    pub(crate) cache: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) common: MeshArgs,
    /// Name this many intersections of each mesh, those of its worst frame.
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub(crate) examples: usize,
}
