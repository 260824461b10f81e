//! What stands for `gltf` without the feature of that name: every file is refused by an error that says so.

use std::path::Path;

use cloth_geom::TriMesh;
use nalgebra::Point3;

use super::LoadedCharacter;
use crate::FileError;

/// Of no file in this build.
#[derive(Clone, Debug)]
pub struct GltfShapes {
    /// See the feature `gltf`.
    pub mesh: TriMesh,
    /// See the feature `gltf`.
    pub notes: Vec<String>,
    none: std::convert::Infallible,
}

impl GltfShapes {
    /// See the feature `gltf`.
    #[must_use]
    pub fn state_count(&self) -> usize {
        match self.none {}
    }

    /// See the feature `gltf`.
    #[must_use]
    pub fn time(&self, _state: usize) -> Option<f64> {
        match self.none {}
    }

    /// See the feature `gltf`.
    #[must_use]
    pub fn cuts(&self) -> &[usize] {
        match self.none {}
    }

    /// See the feature `gltf`.
    #[must_use]
    pub fn positions(&self, _state: usize) -> Vec<Point3<f64>> {
        match self.none {}
    }
}

/// Refuses the file.
///
/// # Errors
/// Always.
pub fn read_gltf(path: &Path) -> Result<LoadedCharacter, FileError> {
    Err(refusal(path))
}

/// Refuses the file.
///
/// # Errors
/// Always.
pub fn parse_gltf(path: &Path, _bytes: &[u8]) -> Result<LoadedCharacter, FileError> {
    Err(refusal(path))
}

/// Refuses the file.
///
/// # Errors
/// Always.
pub fn read_shapes(path: &Path) -> Result<Option<GltfShapes>, FileError> {
    Err(refusal(path))
}

/// Refuses the file.
///
/// # Errors
/// Always.
pub fn parse_shapes(path: &Path, _bytes: &[u8]) -> Result<Option<GltfShapes>, FileError> {
    Err(refusal(path))
}

fn refusal(path: &Path) -> FileError {
    FileError::new(
        path,
        "this build reads no glTF; the program `cloth` does, and cloth-io with its feature `gltf`",
    )
}
