//! The arguments of `cloth cull`.

use std::path::PathBuf;

use clap::Args;

use super::MeshArgs;

/// Compares culling methods for self-intersection tests.
///
/// Counted are unordered pairs of distinct triangles that share no vertex: before, those whose closed boxes
/// overlap; after, those that a method leaves to the exact test; in brackets the same with pairs that share a
/// vertex. Missed are intersecting pairs that a method culled; there must be none.
#[derive(Debug, Args)]
#[command(
    after_help = "Exit status: 0 nothing was missed, 1 a pair was missed, 2 a file was refused (the others \
    are still checked).\n\nExample:\n  cloth cull horse.obj run/ --json cull.json"
)]
pub(crate) struct CullArgs {
    /// Read the poses of this point cache (PC2, NPY, NPZ), with the faces of the single MESH.
    #[arg(long, value_name = "CACHE")]
    pub(crate) cache: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) common: MeshArgs,
}
