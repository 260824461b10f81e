//! What a scene writes: caches and pictures.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::number;

/// `[output]`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Output {
    /// The cache to write: a file for every frame (PC2, MDD, USD, NPY, NPZ) or for the last one, a folder for
    /// OBJ frames.
    pub cache: Option<PathBuf>,
    /// Its format; what the extension of `cache` says by default: `.pc2`, `.mdd`, `.usda`, `.npy` or `.npz`,
    /// or that of a mesh for the last frame alone.
    pub format: Option<CacheFormat>,
    /// The unit and axes of what is written; those of each garment's file by default.
    pub units: Units,
    /// Pictures to draw.
    pub pictures: Option<Pictures>,
}

/// The unit and axes of what is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Units {
    /// Those of the garment's file, so that the cache fits the mesh that it was made from.
    #[default]
    File,
    /// Metres, y up, as simulated.
    Metres,
}

/// How positions over time are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CacheFormat {
    /// One PC2 file for each garment, see [`cloth_io::pc2`].
    Pc2,
    /// One OBJ file a frame, see [`cloth_io::ObjSequenceWriter`].
    Obj,
}

/// Pictures of the run, spread evenly over its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pictures {
    /// How many.
    #[serde(deserialize_with = "number::count")]
    pub count: u32,
    /// Width and height (pixels).
    pub size: [u16; 2],
}
