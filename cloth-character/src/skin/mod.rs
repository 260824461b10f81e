//! A skinned mesh: vertices, and the joints that each of them follows.

mod deform;
mod description;
mod reference;

use nalgebra::{Point3, Vector3};

use crate::Affine;

pub use deform::SkinMatrix;
pub use description::SkinDescription;
pub use reference::{deform_normal_by_matrices, deform_position_by_matrices};

/// The most joints that a vertex can follow.
pub const MAX_INFLUENCES: usize = 8;

/// Vertices with up to [`MAX_INFLUENCES`] weighted joints each, for linear-blend skinning.
///
/// A skin has its own list of joints ([`Self::joints`]), each with its inverse bind matrix: the map from the
/// space in which the vertices are given to the space of the joint, in the pose in which the skin was made. A
/// rigid mesh is a skin of one joint.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Skin {
    positions: Vec<Point3<f32>>,
    normals: Vec<Vector3<f32>>,
    joints: Vec<usize>,
    inverse_binds: Vec<Affine>,
    /// Influences per vertex: 1, 4 or 8.
    stride: usize,
    /// Indices into `joints`; of a vertex the heaviest first.
    entries: Vec<u32>,
    /// Weights that add up to 1; zeros last.
    weights: Vec<f32>,
}

impl Skin {
    /// The number of vertices.
    #[must_use]
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether there is no vertex.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// Positions as the file has them, before any joint moves them, in the unit of the file.
    #[must_use]
    pub fn positions(&self) -> &[Point3<f32>] {
        &self.positions
    }

    /// Unit normals of the vertices as the file has them; empty if it has none.
    #[must_use]
    pub fn normals(&self) -> &[Vector3<f32>] {
        &self.normals
    }

    /// The joints of the skeleton that move this skin; influences refer to this list.
    #[must_use]
    pub fn joints(&self) -> &[usize] {
        &self.joints
    }

    /// For each joint of [`Self::joints`] the map from the space of [`Self::positions`] to the space of the
    /// joint.
    #[must_use]
    pub fn inverse_binds(&self) -> &[Affine] {
        &self.inverse_binds
    }

    /// The joints of the skeleton that a vertex follows and their weights, the heaviest first; the weights
    /// are positive and add up to 1.
    ///
    /// Empty for a vertex that does not exist.
    pub fn influences(&self, vertex: usize) -> impl Iterator<Item = (usize, f32)> {
        let range = vertex.saturating_mul(self.stride)..vertex.saturating_add(1).saturating_mul(self.stride);
        let weights = self.weights.get(range.clone()).unwrap_or_default();
        let entries = self.entries.get(range).unwrap_or_default();
        let pairs = entries.iter().zip(weights).take_while(|&(_, &weight)| weight > 0.0);
        pairs.map(|(&entry, &weight)| (self.joints[entry as usize], weight))
    }

    /// The joint of the skeleton with the largest weight at a vertex; of equal weights the first in
    /// [`Self::joints`].
    #[must_use]
    pub fn dominant_joint(&self, vertex: usize) -> Option<usize> {
        self.influences(vertex).next().map(|(joint, _)| joint)
    }

    /// Keeps the vertices of this list, in its order, without their normals: they may differ where vertices
    /// are merged.
    pub(crate) fn select(&self, vertices: &[usize]) -> Self {
        let pick = |v: usize| v * self.stride..(v + 1) * self.stride;
        Self {
            positions: vertices.iter().map(|&v| self.positions[v]).collect(),
            normals: Vec::new(),
            entries: vertices.iter().flat_map(|&v| self.entries[pick(v)].iter().copied()).collect(),
            weights: vertices.iter().flat_map(|&v| self.weights[pick(v)].iter().copied()).collect(),
            ..self.clone()
        }
    }

    /// What decides where a vertex moves, in bits: equal keys move together in every pose.
    pub(crate) fn motion_key(&self, vertex: usize) -> Vec<u32> {
        let position = self.positions[vertex].iter().map(|x| (x + 0.0).to_bits());
        let range = vertex * self.stride..(vertex + 1) * self.stride;
        let influences = self.entries[range.clone()].iter().zip(&self.weights[range]);
        position.chain(influences.flat_map(|(&entry, weight)| [entry, weight.to_bits()])).collect()
    }
}
