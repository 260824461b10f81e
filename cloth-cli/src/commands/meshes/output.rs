//! A mesh with other positions or fewer faces, written in the format that the extension of a file says.

use std::path::Path;

use cloth_io::{FileError, MESH_EXTENSIONS, ObjTemplate, write_mesh, write_usd};
use cloth_show::program::Failure;
use nalgebra::Point3;

/// What is written besides positions.
pub(in crate::commands) enum MeshOutput {
    /// All that an OBJ file has.
    Obj(ObjTemplate),
    /// Faces, and the texture coordinates of their corners, to USD.
    Usd(Vec<[u32; 3]>, Option<Vec<[[f64; 2]; 3]>>),
    /// Faces alone, to any other format.
    Faces(Vec<[u32; 3]>),
}

impl MeshOutput {
    /// Writes it with these positions, in the unit and axes of its file.
    pub(in crate::commands) fn write(&self, out: &Path, positions: &[Point3<f64>]) -> Result<(), FileError> {
        match self {
            Self::Obj(template) => template.write(out, positions),
            Self::Usd(faces, uv) => write_usd(out, positions, faces, uv.as_deref()),
            Self::Faces(faces) => write_mesh(out, positions, faces),
        }
    }
}

/// Whether the extension of a file is this one, in either case.
pub(in crate::commands) fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case(extension))
}

/// Refuses a file that is no mesh by its extension; `role` is what it is to the command.
pub(in crate::commands) fn check_mesh_format(out: &Path, role: &str) -> Result<(), Failure> {
    if MESH_EXTENSIONS.iter().any(|known| has_extension(out, known)) {
        return Ok(());
    }
    let known = MESH_EXTENSIONS.join(", ");
    let text = format!("{}: {role} is no mesh format; give it one of the extensions {known}", out.display());
    Err(Failure::new(text))
}
