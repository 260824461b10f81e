//! From primitives to skinned meshes.

use cloth_character::{Affine, CharacterMesh, MAX_INFLUENCES, SkinDescription};
use nalgebra::{Matrix4, Point3, Vector3};

use super::{
    accessor::Buffers,
    document::{Primitive, Skin},
    nodes::Joints,
};

/// The most vertices of a character. Primitives may share their accessors, so that a small file can ask for
/// any number.
const MAX_VERTICES: usize = 1 << 24;

/// Where a primitive stands, and what moves it.
pub(super) struct Place<'a> {
    /// The name of the mesh.
    pub(super) name: String,
    /// The joint of its node, for a mesh without a skin.
    pub(super) joint: Option<usize>,
    /// Its skin and the number of it.
    pub(super) skin: Option<(usize, &'a Skin)>,
}

/// Reads one primitive; `None` if there is nothing of a surface in it, and a note says so.
pub(super) fn read(
    buffers: &Buffers<'_>,
    joints: &Joints,
    place: &Place<'_>,
    primitive: &Primitive,
    vertices_so_far: usize,
    notes: &mut Vec<String>,
) -> Result<Option<CharacterMesh>, String> {
    let name = &place.name;
    let Some(&positions) = primitive.attributes.get("POSITION") else {
        notes.push(format!("mesh {name:?} has no positions and is left out"));
        return Ok(None);
    };
    let mode = primitive.mode.unwrap_or(4);
    if !(4..=6).contains(&mode) {
        notes.push(format!("mesh {name:?} consists of points or lines and is left out"));
        return Ok(None);
    }
    if !primitive.targets.is_empty() {
        notes.push(format!(
            "mesh {name:?} has morph targets, which are not supported; its base shape is used"
        ));
    }
    note_compression(name, primitive, notes);

    let positions = buffers.read::<3>(positions, &format!("the positions of mesh {name:?}"))?;
    let count = positions.len();
    if vertices_so_far.saturating_add(count) > MAX_VERTICES {
        return Err(format!("the meshes have more than {MAX_VERTICES} vertices"));
    }
    let normals = match primitive.attributes.get("NORMAL") {
        Some(&normals) => buffers.read::<3>(normals, &format!("the normals of mesh {name:?}"))?,
        None => Vec::new(),
    };
    let mut description = SkinDescription {
        positions: positions.iter().map(|p| Point3::from(p.map(|x| x as f32))).collect(),
        normals: normals.iter().map(|n| Vector3::from(n.map(|x| x as f32))).collect(),
        ..SkinDescription::default()
    };
    match (place.skin, place.joint) {
        (Some((index, skin)), _) => {
            attach_to_skin(buffers, joints, index, skin, &mut description)?;
            read_influences(buffers, name, primitive, &mut description, notes)?;
        }
        (None, joint) => attach_to_joint(joint.ok_or("a mesh without a joint")?, &mut description),
    }
    let skin = description.build(joints.skeleton.len()).map_err(|e| format!("mesh {name:?}: {e}"))?;
    let faces = read_faces(buffers, name, primitive, mode, count)?;
    let mut mesh =
        CharacterMesh { name: name.clone(), skin, faces, color: [1.0; 4], vertex_colors: Vec::new() };
    if let Some(&colors) = primitive.attributes.get("COLOR_0") {
        mesh.vertex_colors = read_colors(buffers, colors, name)?;
        if mesh.vertex_colors.len() != count {
            notes.push(format!(
                "mesh {name:?} has {} colours for {count} vertices; they are left out",
                mesh.vertex_colors.len()
            ));
            mesh.vertex_colors.clear();
        }
    }
    Ok(Some(mesh))
}

fn note_compression(name: &str, primitive: &Primitive, notes: &mut Vec<String>) {
    for extension in primitive.extensions.keys().filter(|e| e.contains("compression")) {
        notes.push(format!(
            "mesh {name:?} is compressed by {extension}, which is not supported; its plain arrays are used"
        ));
    }
}

fn attach_to_joint(joint: usize, description: &mut SkinDescription) {
    let count = description.positions.len();
    description.joints = vec![joint];
    description.influences = 1;
    description.entries = vec![0; count];
    description.weights = vec![1.0; count];
}

fn attach_to_skin(
    buffers: &Buffers<'_>,
    joints: &Joints,
    index: usize,
    skin: &Skin,
    description: &mut SkinDescription,
) -> Result<(), String> {
    let joint = |&node: &usize| joints.by_node.get(node).copied().flatten();
    description.joints = skin
        .joints
        .iter()
        .map(|node| {
            joint(node).ok_or_else(|| format!("skin {index} has the joint {node}, which is not a node"))
        })
        .collect::<Result<_, _>>()?;
    if let Some(binds) = skin.inverse_bind_matrices {
        let mut matrices =
            buffers.read::<16>(binds, &format!("the inverse bind matrices of skin {index}"))?;
        // More matrices than joints are allowed; the rest is not used.
        matrices.truncate(skin.joints.len());
        description.inverse_binds =
            matrices.iter().map(|m| Affine::from_matrix(&Matrix4::from_column_slice(m))).collect();
    }
    Ok(())
}

/// Reads `JOINTS_0` and `WEIGHTS_0`, and the second set if there is one.
fn read_influences(
    buffers: &Buffers<'_>,
    name: &str,
    primitive: &Primitive,
    description: &mut SkinDescription,
    notes: &mut Vec<String>,
) -> Result<(), String> {
    let count = description.positions.len();
    let set = |k: usize| {
        let attribute = |word: &str| primitive.attributes.get(&format!("{word}_{k}")).copied();
        attribute("JOINTS").zip(attribute("WEIGHTS"))
    };
    let sets: Vec<_> = (0..MAX_INFLUENCES / 4).map_while(set).collect();
    if sets.is_empty() {
        return Err(format!("mesh {name:?} has a skin but no JOINTS_0 and WEIGHTS_0"));
    }
    if primitive.attributes.contains_key("JOINTS_2") {
        notes.push(format!(
            "mesh {name:?} has more than {MAX_INFLUENCES} joints per vertex; the rest is left out"
        ));
    }
    description.influences = 4 * sets.len();
    description.entries = vec![0; count * description.influences];
    description.weights = vec![0.0; count * description.influences];
    for (k, (joints, weights)) in sets.into_iter().enumerate() {
        let joints = buffers.read_integers::<4>(joints, &format!("JOINTS_{k} of mesh {name:?}"))?;
        let weights = buffers.read::<4>(weights, &format!("WEIGHTS_{k} of mesh {name:?}"))?;
        if joints.len() != count || weights.len() != count {
            return Err(format!(
                "JOINTS_{k} or WEIGHTS_{k} of mesh {name:?} has not {count} entries, as the positions have"
            ));
        }
        for (vertex, (joints, weights)) in joints.iter().zip(&weights).enumerate() {
            let at = vertex * description.influences + 4 * k;
            description.entries[at..at + 4].copy_from_slice(joints);
            description.weights[at..at + 4].copy_from_slice(&weights.map(|w| w as f32));
        }
    }
    follow_first_joint_without_weight(name, description, notes);
    Ok(())
}

/// glTF requires a positive weight; what has none follows the first joint of its skin, as in other viewers.
fn follow_first_joint_without_weight(name: &str, description: &mut SkinDescription, notes: &mut Vec<String>) {
    let mut found = 0;
    for weights in description.weights.chunks_mut(description.influences) {
        if weights.iter().all(|&w| w == 0.0) {
            weights[0] = 1.0;
            found += 1;
        }
    }
    if found > 0 {
        notes.push(format!(
            "{found} vertices of mesh {name:?} have no weight; they follow the first joint named for them"
        ));
    }
}

/// The triangles of a primitive of `count` vertices.
pub(super) fn read_faces(
    buffers: &Buffers<'_>,
    name: &str,
    primitive: &Primitive,
    mode: u64,
    count: usize,
) -> Result<Vec<[u32; 3]>, String> {
    let corners: Vec<u32> = match primitive.indices {
        Some(indices) => {
            let corners = buffers.read_integers::<1>(indices, &format!("the indices of mesh {name:?}"))?;
            corners.into_iter().map(|[corner]| corner).collect()
        }
        None => (0..count as u32).collect(),
    };
    if let Some(at) = corners.iter().position(|&c| c as usize >= count) {
        let corner = corners[at];
        return Err(format!("index {at} of mesh {name:?} refers to vertex {corner}, but there are {count}"));
    }
    Ok(match mode {
        4 => corners.chunks_exact(3).map(|c| [c[0], c[1], c[2]]).collect(),
        5 => corners
            .windows(3)
            .enumerate()
            // Every second triangle of a strip is the other way round.
            .map(|(i, c)| if i % 2 == 0 { [c[0], c[1], c[2]] } else { [c[1], c[0], c[2]] })
            .filter(|[a, b, c]| a != b && b != c && c != a)
            .collect(),
        _ => corners.windows(2).skip(1).map(|c| [corners[0], c[0], c[1]]).collect(),
    })
}

fn read_colors(buffers: &Buffers<'_>, accessor: usize, name: &str) -> Result<Vec<[f32; 4]>, String> {
    let what = format!("the colours of mesh {name:?}");
    let is_rgb = buffers.document.accessors.get(accessor).is_some_and(|a| a.kind == "VEC3");
    if is_rgb {
        let colors = buffers.read::<3>(accessor, &what)?;
        return Ok(colors.iter().map(|&[r, g, b]| [r as f32, g as f32, b as f32, 1.0]).collect());
    }
    Ok(buffers.read::<4>(accessor, &what)?.iter().map(|c| c.map(|x| x as f32)).collect())
}
