//! Wavefront OBJ, in and out: `v`, `vt` and `f`, in groups; polygons become triangles.
//!
//! ```text
//! bytes --statements--> lines --prepare--> clean text --tobj--> numbers, polygons --assemble--> LoadedMesh
//! ```
//!
//! The crate `tobj` parses the numbers and builds the polygons. By itself it numbers vertices in the order in
//! which faces first use them, drops unused ones, names no line in its errors, joins no continued lines,
//! takes `l` for faces and repeats the previous `vt` where a corner has none. Of 105 test files it alone
//! refused four that are valid and gave 31 others a different number of vertices. So `prepare.rs` hands it a
//! cleaned text, whose first polygon names every vertex in the file's order: that pins the numbering.
//!
//! [`ObjTemplate`] writes: a file with other positions and everything else as it was.

mod assemble;
mod normals;
mod prepare;
mod statements;
mod stitches;
mod template;
mod write;

pub(crate) use assemble::Polygons;
pub use stitches::{StitchRecord, read_stitches};
pub use template::ObjTemplate;
pub use write::write_obj;

use std::{borrow::Cow, fs, io::Cursor, path::Path};

use nalgebra::Point3;

use crate::{FileError, LoadedMesh};

/// Reads an OBJ file.
///
/// Points, lines, curves, normals, colours, weights and materials are left out; a missing `.mtl` is never
/// asked for.
///
/// # Errors
/// If the file cannot be read, has no vertices or no faces, or holds an index or a number that is not valid:
/// the error names the line.
pub fn read_obj(path: &Path) -> Result<LoadedMesh, FileError> {
    let bytes = fs::read(path).map_err(|e| FileError::io(path, "read", &e))?;
    parse_obj(path, &bytes)
}

/// Reads the bytes of an OBJ file; `path` only names it in errors.
///
/// # Errors
/// Those of [`read_obj`].
pub fn parse_obj(path: &Path, bytes: &[u8]) -> Result<LoadedMesh, FileError> {
    let (mesh, prepared) = parse(path, bytes)?;
    assemble::assemble(mesh, prepared).map_err(|p| p.in_file(path))
}

/// Reads positions and polygons of an OBJ file, each polygon with its corners as the file has them.
pub(crate) fn read_polygons(path: &Path) -> Result<(Vec<Point3<f64>>, Polygons), FileError> {
    let bytes = fs::read(path).map_err(|e| FileError::io(path, "read", &e))?;
    let (mesh, prepared) = parse(path, &bytes)?;
    assemble::polygons(mesh, &prepared).map_err(|p| p.in_file(path))
}

/// The parser's mesh, whose first polygon names every vertex.
fn parse(path: &Path, bytes: &[u8]) -> Result<(tobj::Mesh, prepare::Prepared), FileError> {
    let text = decode(path, bytes)?;
    let prepared = prepare::prepare(&text).map_err(|p| p.in_file(path))?;
    let mut reader = Cursor::new(prepared.text.as_bytes());
    let options = tobj::LoadOptions::default();
    let no_materials = |_: &Path| Err(tobj::LoadError::OpenFileFailed);
    match tobj::load_obj_buf(&mut reader, &options, no_materials) {
        // The text names no groups, so there is one model.
        Ok((models, _)) => match models.into_iter().next() {
            Some(model) => Ok((model.mesh, prepared)),
            None => Err(FileError::new(path, "has no faces; export the surface")),
        },
        Err(e) => Err(prepared.blame(reader.position(), e).in_file(path)),
    }
}

/// The text of the file. Bytes that are not UTF-8 are replaced: they occur in names and comments only.
fn decode<'a>(path: &Path, bytes: &'a [u8]) -> Result<Cow<'a, str>, FileError> {
    if bytes.starts_with(&[0xfe, 0xff]) || bytes.starts_with(&[0xff, 0xfe]) {
        return Err(FileError::new(path, "is UTF-16; save it as UTF-8 or ASCII"));
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if bytes.is_empty() {
        return Err(FileError::new(path, "is empty; export the mesh again"));
    }
    Ok(String::from_utf8_lossy(bytes))
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
