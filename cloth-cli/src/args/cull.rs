//! The arguments of `cloth cull`.

use std::path::PathBuf;

use clap::Args;

use super::MeshArgs;

/// Compares the methods that spare patches of a mesh from the search for self-intersections.
///
/// Counted are unordered pairs of distinct triangles that share no vertex: before, those whose closed boxes overlap;
/// after, those of them that a method leaves to the exact test; in brackets the same with pairs that share a vertex.
/// Missed are pairs that intersect, exactly, and that a method spared: there must be none.
#[derive(Debug, Args)]
#[command(
    after_help = "Exit status: 0 nothing was missed, 1 a pair was missed, 2 a file was refused (the others are \
    still judged).\n\nExample:\n  cloth cull horse.obj run/ --json cull.json"
)]
pub(crate) struct CullArgs {
    /// Take the poses of this PC2 cache, with the faces of the one MESH.
    #[arg(long, value_name = "C.pc2")]
    pub(crate) cache: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) common: MeshArgs,
}
