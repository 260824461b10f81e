//! A glTF document under construction: the JSON and one binary chunk.

use cloth_character::Transform;
use serde_json::{Map, Value, json};

/// Bytes of a file without chunks, and of the head of a chunk.
const HEADER: usize = 12;
const CHUNK_HEADER: usize = 8;
/// Component types.
const U16: u32 = 5123;
const U32: u32 = 5125;
const F32: u32 = 5126;

/// What a buffer view is for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    /// Attributes of vertices.
    Vertices,
    /// Indices of corners.
    Indices,
    /// Keys, matrices and images.
    Other,
}

/// The JSON without its buffers, and the bytes of buffer 0.
#[derive(Default)]
pub(super) struct Asset {
    pub(super) json: Map<String, Value>,
    pub(super) binary: Vec<u8>,
}

impl Asset {
    /// Appends to one of the top-level arrays; returns the number of the new entry.
    pub(super) fn push(&mut self, list: &str, item: Value) -> usize {
        let slot = self.json.entry(list).or_insert_with(|| json!([]));
        if !slot.is_array() {
            *slot = json!([]);
        }
        let items = slot.as_array_mut().map(|items| {
            items.push(item);
            items.len()
        });
        items.unwrap_or_default().saturating_sub(1)
    }

    /// An entry of a top-level array.
    pub(super) fn entry_mut(&mut self, list: &str, index: usize) -> Option<&mut Map<String, Value>> {
        self.json.get_mut(list)?.as_array_mut()?.get_mut(index)?.as_object_mut()
    }

    /// Appends bytes as a buffer view, aligned to 4 bytes; `stride` is needed where several arrays of
    /// vertices share the view.
    pub(super) fn push_view(&mut self, bytes: &[u8], usage: Use, stride: Option<usize>) -> usize {
        let mut view = json!({ "buffer": 0, "byteOffset": self.append(bytes), "byteLength": bytes.len() });
        match usage {
            Use::Vertices => view["target"] = json!(34962),
            Use::Indices => view["target"] = json!(34963),
            Use::Other => {}
        }
        if let Some(stride) = stride {
            view["byteStride"] = json!(stride);
        }
        self.push("bufferViews", view)
    }

    /// Appends bytes at a multiple of 4; returns where.
    pub(super) fn append(&mut self, bytes: &[u8]) -> usize {
        self.binary.resize(self.binary.len().next_multiple_of(4), 0);
        let offset = self.binary.len();
        self.binary.extend(bytes);
        offset
    }

    /// Appends an array of `f32` with its bounds.
    pub(super) fn push_floats<const N: usize>(&mut self, values: &[[f32; N]], usage: Use) -> usize {
        let view = self.push_view(&bytes_of(values), usage, None);
        self.push_accessor(values, view, 0)
    }

    /// Appends the accessor of `values`, which begin at a byte of a view.
    pub(super) fn push_accessor<const N: usize>(
        &mut self,
        values: &[[f32; N]],
        view: usize,
        offset: usize,
    ) -> usize {
        let (mut min, mut max) = ([f32::INFINITY; N], [f32::NEG_INFINITY; N]);
        for value in values {
            for i in 0..N {
                min[i] = min[i].min(value[i]);
                max[i] = max[i].max(value[i]);
            }
        }
        let mut accessor =
            json!({ "bufferView": view, "componentType": F32, "count": values.len(), "type": type_of(N) });
        if offset > 0 {
            accessor["byteOffset"] = json!(offset);
        }
        // Matrices need no bounds.
        if N <= 4 {
            accessor["min"] = json!(min.as_slice());
            accessor["max"] = json!(max.as_slice());
        }
        self.push("accessors", accessor)
    }

    /// Appends the corners of triangles.
    pub(super) fn push_faces(&mut self, faces: &[[u32; 3]]) -> usize {
        let bytes: Vec<u8> = faces.iter().flatten().flat_map(|corner| corner.to_le_bytes()).collect();
        let view = self.push_view(&bytes, Use::Indices, None);
        let count = 3 * faces.len();
        self.push(
            "accessors",
            json!({ "bufferView": view, "componentType": U32, "count": count, "type": "SCALAR" }),
        )
    }

    /// Appends four indices of joints for each vertex.
    pub(super) fn push_joints(&mut self, joints: &[[u16; 4]]) -> usize {
        let bytes: Vec<u8> = joints.iter().flatten().flat_map(|joint| joint.to_le_bytes()).collect();
        let view = self.push_view(&bytes, Use::Vertices, None);
        let count = joints.len();
        self.push(
            "accessors",
            json!({ "bufferView": view, "componentType": U16, "count": count, "type": "VEC4" }),
        )
    }

    /// Makes one scene of these nodes.
    pub(super) fn set_scene(&mut self, roots: &[usize]) {
        self.json.insert("scene".into(), json!(0));
        self.json.insert("scenes".into(), json!([{ "nodes": roots }]));
    }

    /// The file: header, JSON chunk, binary chunk.
    pub(super) fn into_bytes(mut self) -> Result<Vec<u8>, String> {
        let asset = self.json.entry("asset").or_insert_with(|| json!({ "version": "2.0" }));
        asset["generator"] = json!(concat!("cloth-io ", env!("CARGO_PKG_VERSION")));
        if self.binary.is_empty() {
            self.json.remove("buffers");
        } else {
            self.json.insert("buffers".into(), json!([{ "byteLength": self.binary.len() }]));
        }
        // Empty arrays are not allowed.
        self.json.retain(|_, value| value.as_array().is_none_or(|items| !items.is_empty()));
        let mut text = serde_json::to_vec(&self.json).map_err(|e| format!("cannot write its JSON: {e}"))?;
        text.resize(text.len().next_multiple_of(4), b' ');
        self.binary.resize(self.binary.len().next_multiple_of(4), 0);
        let chunks = [(b"JSON", text), (b"BIN\0", self.binary)];
        let chunks = chunks.iter().filter(|(_, data)| !data.is_empty());
        let total = HEADER + chunks.clone().map(|(_, data)| CHUNK_HEADER + data.len()).sum::<usize>();
        let word = |n: usize| {
            u32::try_from(n).map(u32::to_le_bytes).map_err(|_| {
                format!("{total} bytes exceed the 4 GiB of a GLB: write fewer key frames or no normals")
            })
        };
        let mut bytes = Vec::with_capacity(total);
        bytes.extend(b"glTF");
        bytes.extend(2u32.to_le_bytes());
        bytes.extend(word(total)?);
        for (kind, data) in chunks {
            bytes.extend(word(data.len())?);
            bytes.extend(*kind);
            bytes.extend(data);
        }
        Ok(bytes)
    }
}

/// The bytes of an array.
pub(super) fn bytes_of<const N: usize>(values: &[[f32; N]]) -> Vec<u8> {
    values.iter().flatten().flat_map(|x| x.to_le_bytes()).collect()
}

fn type_of(width: usize) -> &'static str {
    match width {
        1 => "SCALAR",
        2 => "VEC2",
        3 => "VEC3",
        4 => "VEC4",
        _ => "MAT4",
    }
}

/// Translation, rotation and scale as the properties of a node, rounded to `f32`.
pub(super) fn transform_json(transform: &Transform) -> Map<String, Value> {
    let [t, r, s] = [
        json!(translation(transform).as_slice()),
        json!(rotation(transform).as_slice()),
        json!(scale(transform).as_slice()),
    ];
    [("translation", t), ("rotation", r), ("scale", s)]
        .map(|(key, value)| (key.to_owned(), value))
        .into_iter()
        .collect()
}

/// The translation as glTF has it.
pub(super) fn translation(transform: &Transform) -> [f32; 3] {
    transform.translation.cast::<f32>().into()
}

/// The quaternion as glTF has it: x, y, z, w.
pub(super) fn rotation(transform: &Transform) -> [f32; 4] {
    transform.rotation.coords.cast::<f32>().into()
}

/// The scale as glTF has it.
pub(super) fn scale(transform: &Transform) -> [f32; 3] {
    transform.scale.cast::<f32>().into()
}

/// The material of a surface of one colour: two-sided and matt.
pub(super) fn matt_material(name: &str, color: [f32; 4]) -> Value {
    let color = color.map(|x| x.clamp(0.0, 1.0));
    let mut material = json!({
        "name": name, "doubleSided": true,
        "pbrMetallicRoughness": {
            "baseColorFactor": color.as_slice(), "metallicFactor": 0.0, "roughnessFactor": 0.9
        }
    });
    if color[3] < 1.0 {
        material["alphaMode"] = json!("BLEND");
    }
    material
}
