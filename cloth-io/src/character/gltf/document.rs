//! The part of a glTF document that a character needs, as its JSON has it.
//!
//! Indices are `usize` and unchecked. What is not listed here is skipped, so that a mistake in a camera does
//! not reject a body.

use std::collections::BTreeMap;

use serde::{Deserialize, de::IgnoredAny};

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Document {
    pub(super) asset: AssetInfo,
    pub(super) scene: Option<usize>,
    pub(super) scenes: Vec<Scene>,
    pub(super) nodes: Vec<Node>,
    pub(super) meshes: Vec<Mesh>,
    pub(super) skins: Vec<Skin>,
    pub(super) animations: Vec<Animation>,
    pub(super) accessors: Vec<Accessor>,
    pub(super) buffer_views: Vec<BufferView>,
    pub(super) buffers: Vec<Buffer>,
    pub(super) materials: Vec<Material>,
    pub(super) textures: Vec<Texture>,
    pub(super) images: Vec<Image>,
    pub(super) extensions_used: Vec<String>,
    pub(super) extensions_required: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct AssetInfo {
    pub(super) version: String,
    pub(super) min_version: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Scene {
    pub(super) nodes: Vec<usize>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Node {
    pub(super) name: String,
    pub(super) children: Vec<usize>,
    pub(super) matrix: Option<[f64; 16]>,
    pub(super) translation: Option<[f64; 3]>,
    pub(super) rotation: Option<[f64; 4]>,
    pub(super) scale: Option<[f64; 3]>,
    pub(super) mesh: Option<usize>,
    pub(super) skin: Option<usize>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Mesh {
    pub(super) name: String,
    pub(super) primitives: Vec<Primitive>,
    /// Of its morph targets, where no animation moves them.
    pub(super) weights: Vec<f64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Primitive {
    pub(super) attributes: BTreeMap<String, usize>,
    pub(super) indices: Option<usize>,
    pub(super) material: Option<usize>,
    pub(super) mode: Option<u64>,
    pub(super) targets: Vec<MorphTarget>,
    pub(super) extensions: BTreeMap<String, IgnoredAny>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct MorphTarget {
    #[serde(rename = "POSITION")]
    pub(super) position: Option<usize>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Skin {
    pub(super) name: String,
    pub(super) joints: Vec<usize>,
    pub(super) inverse_bind_matrices: Option<usize>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Animation {
    pub(super) name: String,
    pub(super) channels: Vec<Channel>,
    pub(super) samplers: Vec<Sampler>,
    /// What a program that wrote it has added.
    pub(super) extras: serde_json::Value,
}

#[derive(Debug, Deserialize)]
pub(super) struct Channel {
    pub(super) sampler: usize,
    pub(super) target: Target,
}

#[derive(Debug, Deserialize)]
pub(super) struct Target {
    pub(super) node: Option<usize>,
    pub(super) path: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct Sampler {
    pub(super) input: usize,
    pub(super) output: usize,
    pub(super) interpolation: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Accessor {
    pub(super) buffer_view: Option<usize>,
    #[serde(default)]
    pub(super) byte_offset: usize,
    pub(super) component_type: u64,
    #[serde(default)]
    pub(super) normalized: bool,
    pub(super) count: usize,
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) sparse: Option<Sparse>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Sparse {
    pub(super) count: usize,
    pub(super) indices: SparseIndices,
    pub(super) values: SparseValues,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SparseIndices {
    pub(super) buffer_view: usize,
    #[serde(default)]
    pub(super) byte_offset: usize,
    pub(super) component_type: u64,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SparseValues {
    pub(super) buffer_view: usize,
    #[serde(default)]
    pub(super) byte_offset: usize,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BufferView {
    pub(super) buffer: usize,
    #[serde(default)]
    pub(super) byte_offset: usize,
    pub(super) byte_length: usize,
    pub(super) byte_stride: Option<usize>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Buffer {
    pub(super) byte_length: usize,
    pub(super) uri: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Material {
    pub(super) pbr_metallic_roughness: Pbr,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Pbr {
    pub(super) base_color_factor: Option<[f32; 4]>,
    pub(super) base_color_texture: Option<TextureReference>,
}

#[derive(Debug, Deserialize)]
pub(super) struct TextureReference {
    pub(super) index: usize,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Texture {
    pub(super) source: Option<usize>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Image {
    pub(super) uri: Option<String>,
    pub(super) buffer_view: Option<usize>,
}
