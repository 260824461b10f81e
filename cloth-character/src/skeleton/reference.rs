//! The reference implementation of forward kinematics: homogeneous matrices, multiplied along each chain from
//! the joint to its root.

use nalgebra::{Matrix4, Scale3, Translation3};

use super::Skeleton;
use crate::Pose;

/// World matrices of all joints by homogeneous products, each chain on its own: slower than
/// [`Skeleton::compute_world`] by the depth of the skeleton, and without its order, its affine maps or its
/// rotation matrices.
#[must_use]
pub fn compute_world_by_matrices(skeleton: &Skeleton, pose: &Pose) -> Vec<Matrix4<f64>> {
    let local = |joint: usize| {
        let t = pose.locals.get(joint).copied().unwrap_or(skeleton.joints()[joint].rest);
        Translation3::from(t.translation).to_homogeneous()
            * t.rotation.to_homogeneous()
            * Scale3::from(t.scale).to_homogeneous()
    };
    let world = |mut joint: usize| {
        let mut matrix = local(joint);
        while let Some(parent) = skeleton.joints()[joint].parent {
            matrix = local(parent) * matrix;
            joint = parent;
        }
        skeleton.root_map(joint).to_matrix() * matrix
    };
    (0..skeleton.len()).map(world).collect()
}
