//! A garment: the mesh of its first frame, and a morph target for each further frame that has a key.

use nalgebra::Vector3;
use serde_json::json;

use super::{
    GlbGarment,
    animation::{self, AnimationBuilder},
    asset::{self, Asset, Use},
};

/// Bytes of three floats.
const STRIDE: usize = 12;
const U8: u32 = 5121;

/// Adds mesh, node and channel of a garment with keys at these frames, those of its cuts and those before
/// them among them; returns the node. The garment has been checked.
pub(super) fn add(
    asset: &mut Asset,
    animation: &mut AnimationBuilder,
    garment: &GlbGarment<'_>,
    keys: &[usize],
    times: &[f32],
    with_normals: bool,
) -> usize {
    let name = garment.name;
    let frame = |key: usize| garment.frames[key].iter().map(|p| [p.x, p.y, p.z]).collect::<Vec<[f32; 3]>>();
    let positions: Vec<Vec<[f32; 3]>> = keys.iter().map(|&key| frame(key)).collect();
    let mut attributes = json!({ "POSITION": asset.push_floats(&positions[0], Use::Vertices) });
    let targets = differences(&positions);
    let mut accessors = vec![("POSITION", push_targets(asset, &targets))];
    if with_normals {
        let normals: Vec<_> = positions.iter().map(|p| vertex_normals(p, garment.faces)).collect();
        attributes["NORMAL"] = json!(asset.push_floats(&normals[0], Use::Vertices));
        accessors.push(("NORMAL", push_targets(asset, &differences(&normals))));
    }
    if !garment.uvs.is_empty() {
        // v points down in glTF.
        let uvs: Vec<[f32; 2]> = garment.uvs.iter().map(|&[u, v]| [u, 1.0 - v]).collect();
        attributes["TEXCOORD_0"] = json!(asset.push_floats(&uvs, Use::Vertices));
    }
    let material = asset.push("materials", asset::matt_material(name, garment.color));
    let indices = asset.push_faces(garment.faces);
    let mut primitive = json!({ "attributes": attributes, "indices": indices, "material": material });
    let mut mesh = json!({ "name": name });
    if !targets.is_empty() {
        let target = |t: usize| {
            let entries = accessors.iter().map(|(word, list)| ((*word).to_owned(), json!(list[t])));
            entries.collect::<serde_json::Map<_, _>>()
        };
        primitive["targets"] = (0..targets.len()).map(target).collect::<Vec<_>>().into();
        let names: Vec<String> = keys[1..].iter().map(|key| format!("frame {key}")).collect();
        mesh["extras"] = json!({ "targetNames": names });
    }
    mesh["primitives"] = json!([primitive]);
    let mesh = asset.push("meshes", mesh);
    let node = asset.push("nodes", json!({ "name": name, "mesh": mesh }));
    if !targets.is_empty() {
        // Of the targets, the first is the mesh itself.
        let target = |frame: usize| keys.binary_search(&frame).ok();
        let keys = animation::with_cuts(times, garment.cuts).into_iter();
        let shown = keys.filter_map(|(time, frame)| Some((time, target(frame)?)));
        let (times, shown): (Vec<f32>, Vec<usize>) = shown.unzip();
        let input = animation::push_times(asset, &times);
        let output = push_weights(asset, &shown, targets.len());
        animation.push(node, "weights", input, output);
    }
    node
}

/// The differences of all arrays but the first from the first, rounded to `f32`.
fn differences(arrays: &[Vec<[f32; 3]>]) -> Vec<Vec<[f32; 3]>> {
    let from_first = |array: &Vec<[f32; 3]>| {
        let pairs = array.iter().zip(&arrays[0]);
        pairs.map(|(a, b)| std::array::from_fn(|i| a[i] - b[i])).collect()
    };
    arrays[1..].iter().map(from_first).collect()
}

/// Appends one view with all targets; returns their accessors.
fn push_targets(asset: &mut Asset, targets: &[Vec<[f32; 3]>]) -> Vec<usize> {
    if targets.is_empty() {
        return Vec::new();
    }
    let bytes: Vec<u8> = targets.iter().flat_map(|target| asset::bytes_of(target)).collect();
    let view = asset.push_view(&bytes, Use::Vertices, Some(STRIDE));
    let offsets =
        targets.iter().scan(0, |at, target| Some(std::mem::replace(at, *at + STRIDE * target.len())));
    targets.iter().zip(offsets).map(|(target, offset)| asset.push_accessor(target, view, offset)).collect()
}

/// Appends the weights of the keys: that of the target that a key shows, counted from 1; none at 0. A byte
/// each, 255 is 1.
fn push_weights(asset: &mut Asset, shown: &[usize], targets: usize) -> usize {
    let of_key = |&key: &usize| (1..=targets).map(move |t| if t == key { 255 } else { 0 });
    let weights: Vec<u8> = shown.iter().flat_map(of_key).collect();
    let view = asset.push_view(&weights, Use::Other, None);
    asset.push(
        "accessors",
        json!({
            "bufferView": view, "componentType": U8, "normalized": true,
            "count": weights.len(), "type": "SCALAR"
        }),
    )
}

/// The normals of the vertices: the sum of the area vectors of their faces, of length 1; upward where there
/// is no face.
fn vertex_normals(positions: &[[f32; 3]], faces: &[[u32; 3]]) -> Vec<[f32; 3]> {
    let mut sums = vec![Vector3::<f64>::zeros(); positions.len()];
    for face in faces {
        let [a, b, c] = face.map(|v| Vector3::from(positions[v as usize]).cast::<f64>());
        let area = (b - a).cross(&(c - a));
        face.iter().for_each(|&v| sums[v as usize] += area);
    }
    let unit = |sum: Vector3<f64>| {
        let normal = sum / sum.norm();
        if normal.iter().all(|x| x.is_finite()) { normal.cast::<f32>().into() } else { [0.0, 1.0, 0.0] }
    };
    sums.into_iter().map(unit).collect()
}
