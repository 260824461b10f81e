//! Wavefront OBJ, in and out: `v`, `vt` and `f`, in groups; polygons become triangles.
//!
//! ```text
//! bytes --statements--> lines --plain, or surface--> numbers, polygons --assemble--> LoadedMesh
//! ```
//!
//! Vertices keep the numbers of the file: none is dropped for being unused, or split where texture
//! coordinates differ. Negative indices count back; continued lines are joined; an error names its line.
//!
//! [`ObjTemplate`] writes: a file with other positions and everything else as it was.

mod assemble;
mod normals;
mod plain;
mod statements;
mod stitches;
mod surface;
mod template;

pub use stitches::{StitchRecord, read_stitches};
pub(crate) use surface::Polygons;
pub use template::{FaceEdit, ObjTemplate, write_obj};

use std::{borrow::Cow, path::Path};

use nalgebra::Point3;

use crate::{FileError, LoadedMesh, read_file};
use surface::Surface;

/// Reads an OBJ file.
///
/// Points, lines, curves, normals, colours, weights and materials are left out; a missing `.mtl` is never
/// asked for.
///
/// # Errors
/// If the file cannot be read, has no vertices or no faces, or holds an index or a number that is not valid:
/// the error names the line.
pub fn read_obj(path: &Path) -> Result<LoadedMesh, FileError> {
    let bytes = read_file(path)?;
    parse_obj(path, &bytes)
}

/// Reads the bytes of an OBJ file; `path` only names it in errors.
///
/// # Errors
/// Those of [`read_obj`].
pub fn parse_obj(path: &Path, bytes: &[u8]) -> Result<LoadedMesh, FileError> {
    parse_surface(path, bytes).and_then(|s| assemble::assemble(s).map_err(|p| p.in_file(path)))
}

/// Reads positions and polygons of an OBJ file, each polygon with its corners as the file has them.
pub(crate) fn read_polygons(path: &Path) -> Result<(Vec<Point3<f64>>, Polygons), FileError> {
    let bytes = read_file(path)?;
    let surface = parse_surface(path, &bytes)?;
    Ok((surface.positions, surface.polygons))
}

/// Reads an OBJ file, and its polygons with their corners as the file has them.
pub(crate) fn read_with_polygons(path: &Path) -> Result<(LoadedMesh, Polygons), FileError> {
    let surface = parse_surface(path, &read_file(path)?)?;
    let polygons = surface.polygons.clone();
    Ok((assemble::assemble(surface).map_err(|p| p.in_file(path))?, polygons))
}

fn parse_surface(path: &Path, bytes: &[u8]) -> Result<Surface, FileError> {
    let text = decode(path, bytes)?;
    Surface::parse(&text).map_err(|p| p.in_file(path))
}

/// The text of the file. Bytes that are not UTF-8 are replaced: they occur in names and comments only.
pub(crate) fn decode<'a>(path: &Path, bytes: &'a [u8]) -> Result<Cow<'a, str>, FileError> {
    if bytes.starts_with(&[0xfe, 0xff]) || bytes.starts_with(&[0xff, 0xfe]) {
        return Err(FileError::new(path, "is UTF-16; save it as UTF-8 or ASCII"));
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if bytes.is_empty() {
        return Err(FileError::new(path, "is empty; export the mesh again"));
    }
    // Most files are UTF-8, which is checked many bytes at a time.
    Ok(std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed))
}

/// What is wrong, and in which line if one is to blame.
#[derive(Debug)]
struct Problem {
    line: Option<usize>,
    text: String,
}

impl Problem {
    fn at(line: usize, text: impl Into<String>) -> Self {
        Self { line: Some(line), text: text.into() }
    }

    fn whole(text: impl Into<String>) -> Self {
        Self { line: None, text: text.into() }
    }

    fn in_file(self, path: &Path) -> FileError {
        FileError { line: self.line, ..FileError::new(path, self.text) }
    }
}
