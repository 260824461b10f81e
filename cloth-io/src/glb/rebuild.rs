//! A document made of a [`Character`], for characters without a glTF file: joints as nodes, meshes with skins
//! and one colour each.

use std::collections::BTreeMap;

use cloth_character::{Affine, Character, CharacterMesh, Skin};
use serde_json::{Value, json};

use super::asset::{self, Asset, Use};

/// Makes a document; returns it, the node of each joint, and the roots of its scene.
pub(super) fn rebuild(
    character: &Character,
    notes: &mut Vec<String>,
) -> Result<(Asset, Vec<usize>, Vec<usize>), String> {
    let mut asset = Asset::default();
    let mut roots = add_joints(&mut asset, character);
    let joints = (0..character.skeleton.len()).collect();
    let mut skins: Vec<(&Skin, usize)> = Vec::new();
    for mesh in &character.meshes {
        if mesh.skin.is_empty() || mesh.faces.is_empty() {
            continue;
        }
        let same = |(skin, _): &&(&Skin, usize)| {
            skin.joints() == mesh.skin.joints() && skin.inverse_binds() == mesh.skin.inverse_binds()
        };
        let skin = match skins.iter().find(same) {
            Some(&(_, number)) => number,
            None => {
                let number = add_skin(&mut asset, &mesh.skin);
                skins.push((&mesh.skin, number));
                number
            }
        };
        let number = add_mesh(&mut asset, mesh)?;
        roots.push(asset.push("nodes", json!({ "name": mesh.name, "mesh": number, "skin": skin })));
    }
    if character.meshes.is_empty() {
        notes.push("the character has no mesh: its joints are nodes that nothing shows".into());
    }
    Ok((asset, joints, roots))
}

/// Adds a node for each joint, by the joint's number, and one above each root whose map is not the identity.
/// Returns the roots.
fn add_joints(asset: &mut Asset, character: &Character) -> Vec<usize> {
    let skeleton = &character.skeleton;
    for (joint, data) in skeleton.joints().iter().enumerate() {
        let mut node = asset::transform_json(&data.rest);
        node.insert("name".into(), json!(data.name));
        let children: Vec<usize> = skeleton.children(joint).collect();
        if !children.is_empty() {
            node.insert("children".into(), json!(children));
        }
        asset.push("nodes", node.into());
    }
    let mut roots = Vec::new();
    for (joint, _) in skeleton.joints().iter().enumerate().filter(|(_, data)| data.parent.is_none()) {
        let map = skeleton.root_map(joint);
        roots.push(if map == Affine::IDENTITY {
            joint
        } else {
            asset.push(
                "nodes",
                json!({ "name": "above", "matrix": matrix(&map).as_slice(), "children": [joint] }),
            )
        });
    }
    roots
}

/// The columns of the homogeneous matrix.
fn matrix(map: &Affine) -> [f32; 16] {
    let matrix = map.to_matrix().cast::<f32>();
    std::array::from_fn(|i| matrix[i])
}

fn add_skin(asset: &mut Asset, skin: &Skin) -> usize {
    let binds: Vec<[f32; 16]> = skin.inverse_binds().iter().map(matrix).collect();
    let binds = asset.push_floats(&binds, Use::Other);
    asset.push("skins", json!({ "joints": skin.joints(), "inverseBindMatrices": binds }))
}

fn add_mesh(asset: &mut Asset, mesh: &CharacterMesh) -> Result<usize, String> {
    let skin = &mesh.skin;
    let positions: Vec<[f32; 3]> = skin.positions().iter().map(|&p| p.into()).collect();
    let mut attributes = json!({ "POSITION": asset.push_floats(&positions, Use::Vertices) });
    // A normal without direction is not valid.
    if !skin.normals().is_empty() && skin.normals().iter().all(|n| n.norm_squared() > 0.5) {
        let normals: Vec<[f32; 3]> = skin.normals().iter().map(|&n| n.into()).collect();
        attributes["NORMAL"] = json!(asset.push_floats(&normals, Use::Vertices));
    }
    if !mesh.vertex_colors.is_empty() && mesh.vertex_colors.len() == skin.len() {
        let colors: Vec<_> = mesh.vertex_colors.iter().map(|c| c.map(|x| x.clamp(0.0, 1.0))).collect();
        attributes["COLOR_0"] = json!(asset.push_floats(&colors, Use::Vertices));
    }
    add_influences(asset, mesh, &mut attributes)?;
    let material = asset.push("materials", asset::matt_material(&mesh.name, mesh.color));
    let indices = asset.push_faces(&mesh.faces);
    let primitive = json!({ "attributes": attributes, "indices": indices, "material": material });
    Ok(asset.push("meshes", json!({ "name": mesh.name, "primitives": [primitive] })))
}

/// Adds `JOINTS_n` and `WEIGHTS_n`, as many sets as a vertex needs.
fn add_influences(asset: &mut Asset, mesh: &CharacterMesh, attributes: &mut Value) -> Result<(), String> {
    let skin = &mesh.skin;
    // Of a joint that the skin lists twice the first entry: `Skin` does not tell them apart.
    let mut entries = BTreeMap::new();
    for (entry, &joint) in skin.joints().iter().enumerate() {
        let entry = u16::try_from(entry)
            .map_err(|_| format!("mesh {:?} has more joints than 65,536, the limit of glTF", mesh.name))?;
        entries.entry(joint).or_insert(entry);
    }
    let most = (0..skin.len()).map(|v| skin.influences(v).count()).max().unwrap_or_default();
    for set in 0..most.div_ceil(4) {
        let (mut joints, mut weights) = (vec![[0u16; 4]; skin.len()], vec![[0.0f32; 4]; skin.len()]);
        for vertex in 0..skin.len() {
            for (k, (joint, weight)) in skin.influences(vertex).skip(4 * set).take(4).enumerate() {
                joints[vertex][k] = entries[&joint];
                weights[vertex][k] = weight;
            }
        }
        attributes[format!("JOINTS_{set}")] = json!(asset.push_joints(&joints));
        attributes[format!("WEIGHTS_{set}")] = json!(asset.push_floats(&weights, Use::Vertices));
    }
    Ok(())
}
