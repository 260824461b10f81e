//! The arguments of `cloth check`.

use std::path::PathBuf;

use clap::Args;

use super::number::non_negative;

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
    /// Meshes (OBJ or PLY), folders of OBJ frames, or patterns such as 'run/shirt_*.obj'.
    #[arg(value_name = "MESH", required = true)]
    pub(crate) meshes: Vec<PathBuf>,
    /// Judge the frames of this PC2 cache, with the faces of the one MESH.
    #[arg(long, value_name = "C.pc2")]
    pub(crate) cache: Option<PathBuf>,
    /// Write the figures as JSON.
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
    /// Take vertices that are at most this far apart in the mesh for one (in the unit of the file); 0 joins equal ones.
    #[arg(long, value_name = "D", allow_negative_numbers = true, value_parser = non_negative)]
    pub(crate) weld: Option<f64>,
    /// Name this many intersections of each mesh, those of its worst frame.
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub(crate) examples: usize,
}
