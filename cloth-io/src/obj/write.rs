//! Writes a mesh as OBJ so that every number reads back bit for bit, as `f64` and as `f32`.
//!
//! Each coordinate is printed as the shortest decimal of its `f64`. For a value that was `f32` that is longer
//! than its own shortest decimal, and needed: a verdict is about exact positions, and `0.1` read as `f64` is
//! not the `f32` that was simulated.

use std::path::Path;

use cloth_geom::TriMesh;

use super::ObjTemplate;
use crate::FileError;

/// Writes a mesh; the file appears whole or not at all.
///
/// # Errors
/// If a coordinate is not finite or the file cannot be written.
pub fn write_obj(path: &Path, mesh: &TriMesh) -> Result<(), FileError> {
    ObjTemplate::from_polygons(mesh.positions.len(), &mesh.faces).write(path, &mesh.positions)
}
