//! The arguments of `cloth pairs`.

use std::path::PathBuf;

use clap::Args;

use super::number::non_negative;

/// Counts the pairs of boxes that overlap while a mesh moves from one frame to the next, and times each
/// method.
///
/// A box bounds a vertex, an edge or a face at both ends of a linear motion. Pairs that share a vertex are
/// excluded. Boxes are closed and exact, so every method finds the same pairs.
#[derive(Debug, Args)]
#[command(
    after_help = "Exit status: 0 all methods agree and miss nothing, 1 they do not, 2 it could not run.\n\n\
    Example:\n  cloth pairs --start a.ply --end b.ply --method all --expect ee.json"
)]
pub(crate) struct PairsArgs {
    /// Read the mesh at the start of the motion (OBJ, PLY, STL, OFF, NPZ).
    #[arg(long, value_name = "MESH")]
    pub(crate) start: PathBuf,
    /// Read the same mesh at the end of the motion.
    #[arg(long, value_name = "MESH")]
    pub(crate) end: PathBuf,
    /// Select the method: parry-bvh, block-tree, sweep-grid, spatial-hash, kd-tree, sweep-and-prune,
    /// brute-force, or all (without brute-force where it would take minutes).
    #[arg(long, value_name = "M", default_value = "block-tree")]
    pub(crate) method: String,
    /// Grow each box by this much on every side (in the unit of the file).
    #[arg(long, value_name = "R", default_value_t = 0.0, allow_negative_numbers = true,
          value_parser = non_negative)]
    pub(crate) inflate: f64,
    /// Require these pairs to be found: a JSON array of [i, j], numbered vertices first, then edges, then
    /// faces; may be repeated.
    #[arg(long, value_name = "FILE")]
    pub(crate) expect: Vec<PathBuf>,
    /// Time each method this many times and report the shortest.
    #[arg(long, value_name = "N", default_value_t = 3,
          value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) repeat: u32,
    /// Write the figures as JSON.
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
}
