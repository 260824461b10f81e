//! The arguments of every command that judges meshes one by one.

use std::path::PathBuf;

use clap::Args;
use cloth_io::ArrayNames;

use super::number::non_negative;

// No doc comment: it would take the place of the help of the command that has these arguments.
#[derive(Clone, Debug, Args)]
pub(crate) struct MeshArgs {
    /// Meshes (OBJ, PLY, STL, OFF), glTF files with shape keys, as `cloth simulate` writes them, or with
    /// skins, NumPy archives (NPZ) of faces and frames, folders, or patterns such as 'run/shirt_*.obj'.
    #[arg(value_name = "MESH", required = true)]
    pub(crate) meshes: Vec<PathBuf>,
    /// Read these arrays of NumPy archives: POSITIONS,FACES, or POSITIONS alone, with --cache of the archive
    /// that it names; by default those that data sets name so, or else the only ones that fit.
    #[arg(long, value_name = "NAMES")]
    pub(crate) arrays: Option<ArrayNames>,
    /// Write the figures as JSON.
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
    /// Weld vertices that are at most this far apart (in the unit of the file), and none that are farther: of
    /// a longer chain of near vertices, parts; 0 welds equal positions; no welding by default.
    #[arg(long, value_name = "D", allow_negative_numbers = true, value_parser = non_negative)]
    pub(crate) weld: Option<f64>,
    /// Test at most this many pairs of triangles with overlapping boxes in a state; a million take about a
    /// second.
    #[arg(long, value_name = "N", default_value_t = 100_000_000)]
    pub(crate) max_pairs: u64,
}
