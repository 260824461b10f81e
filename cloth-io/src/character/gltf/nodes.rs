//! From nodes to a skeleton: which nodes become joints, and what is above them.
//!
//! ```text
//! Armature (static)          becomes the map above the root
//!   Hips (joint)             a root of the skeleton
//!     helper (static)        a joint, for it is between joints
//!       Hand (joint)
//!         camera (static)    left out
//! ```

use cloth_character::{Affine, Joint, Skeleton, Transform};
use nalgebra::{Matrix4, Quaternion, UnitQuaternion, Vector3};

use super::document::{Document, Node};

/// The parents of all nodes and an order with parents first.
pub(super) struct Hierarchy {
    pub(super) parents: Vec<Option<usize>>,
    order: Vec<usize>,
}

impl Hierarchy {
    /// Fails if a node has two parents, is its own ancestor, or has a child that does not exist.
    pub(super) fn new(document: &Document) -> Result<Self, String> {
        let nodes = &document.nodes;
        let mut parents = vec![None; nodes.len()];
        for (parent, node) in nodes.iter().enumerate() {
            for &child in &node.children {
                match parents.get_mut(child) {
                    None => {
                        return Err(format!(
                            "node {parent} has the child {child}, but there are {} nodes",
                            nodes.len()
                        ));
                    }
                    Some(Some(other)) => {
                        return Err(format!("node {child} is a child of node {other} and of node {parent}"));
                    }
                    Some(slot) => *slot = Some(parent),
                }
            }
        }
        let mut order: Vec<usize> = (0..nodes.len()).filter(|&n| parents[n].is_none()).collect();
        let mut next = 0;
        while let Some(&node) = order.get(next) {
            order.extend(&nodes[node].children);
            next += 1;
        }
        if order.len() < nodes.len() {
            return Err("some nodes are their own ancestors: the nodes of a glTF file form trees".into());
        }
        Ok(Self { parents, order })
    }

    /// The map from the space of a node to the world, where no animation moves the node.
    pub(super) fn world_map(&self, document: &Document, node: usize) -> Result<Affine, String> {
        let mut map = local_map(node, &document.nodes[node])?;
        let mut next = self.parents[node];
        while let Some(parent) = next {
            map = local_map(parent, &document.nodes[parent])? * map;
            next = self.parents[parent];
        }
        Ok(map)
    }

    /// Whether one of some nodes is this one or above it.
    pub(super) fn is_below(&self, mut node: usize, nodes: &[bool]) -> bool {
        while !nodes.get(node).is_some_and(|&found| found) {
            match self.parents[node] {
                Some(parent) => node = parent,
                None => return false,
            }
        }
        true
    }

    /// Which nodes a scene contains.
    pub(super) fn in_scene(&self, document: &Document) -> Result<Vec<bool>, String> {
        let scenes = &document.scenes;
        let roots = match document.scene.or((!scenes.is_empty()).then_some(0)) {
            None => return Ok(vec![true; document.nodes.len()]),
            Some(scene) => {
                &scenes
                    .get(scene)
                    .ok_or_else(|| format!("the scene is {scene}, but there are {}", scenes.len()))?
                    .nodes
            }
        };
        let mut inside = vec![false; document.nodes.len()];
        for &root in roots {
            *inside
                .get_mut(root)
                .ok_or_else(|| format!("a scene has the node {root}, which does not exist"))? = true;
        }
        for &node in &self.order {
            inside[node] |= self.parents[node].is_some_and(|parent| inside[parent]);
        }
        Ok(inside)
    }
}

/// A skeleton, and for each node its joint.
pub(super) struct Joints {
    pub(super) skeleton: Skeleton,
    pub(super) by_node: Vec<Option<usize>>,
}

/// Makes a skeleton of the nodes in `needed` and those between them; what is above becomes the map above a
/// root.
pub(super) fn build(
    document: &Document,
    hierarchy: &Hierarchy,
    mut needed: Vec<bool>,
    notes: &mut Vec<String>,
) -> Result<Joints, String> {
    let nodes = &document.nodes;
    let (mut above, mut below) = (vec![false; nodes.len()], needed.clone());
    for &node in hierarchy.order.iter().rev() {
        if let Some(parent) = hierarchy.parents[node] {
            below[parent] |= below[node];
        }
    }
    for &node in &hierarchy.order {
        above[node] = hierarchy.parents[node].is_some_and(|parent| above[parent] || needed[parent]);
        needed[node] |= above[node] && below[node];
    }

    let mut by_node = vec![None; nodes.len()];
    let mut joints = Vec::new();
    for (node, data) in nodes.iter().enumerate().filter(|&(node, _)| needed[node]) {
        by_node[node] = Some(joints.len());
        let name = if data.name.is_empty() { format!("node {node}") } else { data.name.clone() };
        let rest = local_transform(node, data, notes)?;
        joints.push((node, Joint { name, parent: None, rest }));
    }
    // From the space of a node above the skeleton to the world.
    let mut maps = vec![Affine::IDENTITY; nodes.len()];
    for &node in hierarchy.order.iter().filter(|&&node| !needed[node] && below[node]) {
        let parent = hierarchy.parents[node].map_or(Affine::IDENTITY, |parent| maps[parent]);
        maps[node] = parent * local_map(node, &nodes[node])?;
    }
    let mut roots = Vec::new();
    for (node, joint) in &mut joints {
        let parent = hierarchy.parents[*node];
        joint.parent = parent.and_then(|parent| by_node[parent]);
        if let (None, Some(parent), Some(root)) = (joint.parent, parent, by_node[*node]) {
            roots.push((root, maps[parent]));
        }
    }
    let mut skeleton =
        Skeleton::new(joints.into_iter().map(|(_, joint)| joint).collect()).map_err(|e| e.to_string())?;
    for (root, map) in roots {
        skeleton.set_root_map(root, map).map_err(|e| e.to_string())?;
    }
    Ok(Joints { skeleton, by_node })
}

/// The local map of a node, exact even where a matrix shears.
fn local_map(node: usize, data: &Node) -> Result<Affine, String> {
    let map = match &data.matrix {
        Some(matrix) => Affine::from_matrix(&Matrix4::from_column_slice(matrix)),
        None => trs(data).to_affine(),
    };
    if map.is_finite() { Ok(map) } else { Err(not_finite(node)) }
}

/// The local transform of a node; a matrix is decomposed.
fn local_transform(node: usize, data: &Node, notes: &mut Vec<String>) -> Result<Transform, String> {
    let Some(_) = &data.matrix else {
        let transform = trs(data);
        return if transform.is_finite() { Ok(transform) } else { Err(not_finite(node)) };
    };
    let map = local_map(node, data)?;
    let transform = map.to_transform();
    let error = (transform.to_affine().linear - map.linear).norm();
    // glTF allows no shear in a matrix; single precision leaves 1e-7 of one.
    if error > 1e-5 * map.linear.norm() {
        notes.push(format!(
            "the matrix of node {node} shears, which glTF does not allow; the shear is left out"
        ));
    }
    if transform.is_finite() { Ok(transform) } else { Err(not_finite(node)) }
}

fn trs(data: &Node) -> Transform {
    let rotation = data.rotation.map_or(UnitQuaternion::identity(), |[x, y, z, w]| {
        let quaternion = Quaternion::new(w, x, y, z);
        // A zero quaternion has no direction; files that write it mean no rotation.
        if quaternion.norm() > 0.0 {
            UnitQuaternion::new_normalize(quaternion)
        } else {
            UnitQuaternion::identity()
        }
    });
    Transform {
        translation: data.translation.map_or(Vector3::zeros(), Vector3::from),
        rotation,
        scale: data.scale.map_or(Vector3::repeat(1.0), Vector3::from),
    }
}

fn not_finite(node: usize) -> String {
    format!("the transform of node {node} is not finite")
}
