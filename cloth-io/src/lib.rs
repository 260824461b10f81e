#![doc = include_str!("../README.md")]

pub mod character;
mod contact_file;
mod error;
mod format;
mod frame_bytes;
#[cfg(feature = "gltf")]
pub mod glb;
mod half;
mod input;
pub mod mdd;
mod mesh;
mod numpy;
pub mod obj;
mod obj_sequence;
pub mod off;
mod output;
mod pairs;
pub mod pc2;
pub mod ply;
mod point_cache;
mod polygon;
pub mod queries;
pub mod stl;
mod usd;

pub use character::{GltfShapes, LoadedCharacter, read_character, read_shapes};
pub use cloth_character;
pub use cloth_geom;
pub use contact_file::ContactFile;
pub use error::{FileError, one_line, quoted};
pub use format::{CACHE_EXTENSIONS, MESH_EXTENSIONS, is_mesh_file, known_meshes, split_prim};
#[cfg(feature = "gltf")]
pub use glb::{GlbCharacter, GlbGarment, GlbOptions, GlbReport, GlbScene, write_glb};
pub use input::{DEFAULT_MAX_INPUT, forget_files, input_at, provide_file, read_file, set_max_input};
pub use mdd::{MddReader, MddWriter};
pub use mesh::{Group, LoadedMesh, VertexUv, read_mesh, read_mesh_arrays, write_mesh};
pub use nalgebra;
pub use numpy::{ArrayNames, NpyWriter, NpzMesh, NpzWriter, is_npz};
pub use obj::{FaceEdit, ObjTemplate, write_obj};
pub use obj_sequence::{ObjSequence, ObjSequenceWriter, frame_number};
pub use output::{AtomicFile, FileMap, remove_temporary_files, write_atomically};
pub use pairs::{read_pairs, read_vertices};
pub use pc2::{Pc2Header, Pc2Reader, Pc2Writer};
pub use point_cache::{PointCache, PointCacheWriter};
pub use usd::{UsdMesh, UsdPrim, UsdWriter, is_usd, write_usd};
