//! Characters from files: skeletons, skinned meshes and clips.

mod bvh;
#[cfg_attr(not(feature = "gltf"), path = "no_gltf.rs")]
mod gltf;

use std::path::Path;

use cloth_character::Character;

use crate::FileError;

pub use bvh::{BvhOptions, parse_bvh, read_bvh};
pub use gltf::{GltfShapes, parse_gltf, parse_shapes, read_gltf, read_shapes};
#[cfg(feature = "gltf")]
pub(crate) use gltf::{GltfSource, read_source, read_uri};

/// The extensions that [`read_character`] knows.
const KNOWN: [&str; 4] = ["glb", "gltf", "vrm", "bvh"];

/// Whether a path has an extension of glTF, in either case: `.glb`, `.gltf` or `.vrm` (a GLB).
#[must_use]
pub fn is_gltf(path: &Path) -> bool {
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
    ["glb", "gltf", "vrm"].iter().any(|known| extension.eq_ignore_ascii_case(known))
}

/// A character as a file gave it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LoadedCharacter {
    /// Skeleton, meshes and clips, in the unit and the axes of the file (glTF: m, y up).
    pub character: Character,
    /// What the file asks for and was left out or changed, a sentence each.
    pub notes: Vec<String>,
}

/// Reads a character; the extension, in either case, decides the format: `.glb`, `.gltf`, `.vrm` (a GLB) or
/// `.bvh`.
///
/// # Errors
/// If the extension is not known, or the file cannot be read, is not valid, or requires an extension that is
/// not supported.
pub fn read_character(path: &Path) -> Result<LoadedCharacter, FileError> {
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase();
    match extension.as_str() {
        _ if is_gltf(path) => read_gltf(path),
        "bvh" => read_bvh(path, &BvhOptions::default()),
        _ => Err(FileError::new(
            path,
            format!("extension {extension:?} is not a format of characters; known are: {}", KNOWN.join(", ")),
        )),
    }
}
