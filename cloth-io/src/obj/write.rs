//! Writes a mesh as OBJ so that every number reads back bit for bit, as `f64` and as `f32`.
//!
//! Each coordinate is printed as the shortest decimal of its `f64`. For a value that was `f32` that is longer than
//! its own shortest decimal, and needed: a verdict is about exact positions, and `0.1` read as `f64` is not the
//! `f32` that was simulated.

use std::{
    io::{self, Write},
    path::Path,
};

use cloth_geom::TriMesh;
use nalgebra::Point3;

use crate::{FileError, write_atomically};

/// Writes a mesh; the file appears whole or not at all.
///
/// # Errors
/// If a coordinate is not finite or the file cannot be written.
pub fn write_obj(path: &Path, mesh: &TriMesh) -> Result<(), FileError> {
    write_parts(path, mesh.positions.iter().copied(), &mesh.faces)
}

/// Writes positions and faces that are not held as one mesh.
pub(crate) fn write_parts(
    path: &Path,
    positions: impl Iterator<Item = Point3<f64>> + Clone,
    faces: &[[u32; 3]],
) -> Result<(), FileError> {
    if let Some(v) = positions.clone().position(|p| !p.iter().all(|c| c.is_finite())) {
        return Err(FileError::new(path, format!("vertex {v} is not finite; nothing was written")));
    }
    write_atomically(path, |w| write_to(w, positions, faces))
}

fn write_to(
    w: &mut impl Write,
    positions: impl Iterator<Item = Point3<f64>>,
    faces: &[[u32; 3]],
) -> io::Result<()> {
    for p in positions {
        writeln!(w, "v {:?} {:?} {:?}", p.x, p.y, p.z)?;
    }
    for [a, b, c] in faces.iter().map(|f| f.map(|v| u64::from(v) + 1)) {
        writeln!(w, "f {a} {b} {c}")?;
    }
    Ok(())
}
