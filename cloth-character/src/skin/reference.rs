//! The reference implementation of skinning: each joint moves the vertex on its own by 4x4 products in `f64`,
//! and the results are averaged.

use nalgebra::{Matrix4, Point3, Vector3};

use super::Skin;

/// The position of a vertex for world matrices of all joints, see
/// [`compute_world_by_matrices`](crate::compute_world_by_matrices).
///
/// # Panics
/// If the vertex or one of its joints does not exist.
#[must_use]
pub fn deform_position_by_matrices(skin: &Skin, world: &[Matrix4<f64>], vertex: usize) -> Point3<f64> {
    let position = skin.positions()[vertex].cast::<f64>().to_homogeneous();
    let moved = weighted_matrices(skin, world, vertex).map(|(matrix, weight)| matrix * position * weight);
    Point3::from(moved.sum::<nalgebra::Vector4<f64>>().xyz())
}

/// The unit normal of a vertex by the inverse transpose of its blended matrix, and the condition number of
/// that matrix; `None` where the skin has no normals, the matrix has no inverse, or the normal is zero.
///
/// # Panics
/// If the vertex or one of its joints does not exist.
#[must_use]
pub fn deform_normal_by_matrices(
    skin: &Skin,
    world: &[Matrix4<f64>],
    vertex: usize,
) -> Option<(Vector3<f64>, f64)> {
    let normal = skin.normals().get(vertex)?.cast::<f64>();
    let blended: Matrix4<f64> =
        weighted_matrices(skin, world, vertex).map(|(matrix, weight)| matrix * weight).sum();
    let linear = blended.fixed_view::<3, 3>(0, 0).into_owned();
    let singular = linear.singular_values();
    let inverse = linear.try_inverse()?;
    let conditioning = (singular.max() / singular.min()).powi(2);
    Some(((inverse.transpose() * normal).try_normalize(0.0)?, conditioning))
}

fn weighted_matrices(
    skin: &Skin,
    world: &[Matrix4<f64>],
    vertex: usize,
) -> impl Iterator<Item = (Matrix4<f64>, f64)> {
    skin.influences(vertex).map(move |(joint, weight)| {
        let entry =
            skin.joints().iter().position(|&j| j == joint).expect("influences name joints of the skin");
        (world[joint] * skin.inverse_binds()[entry].to_matrix(), f64::from(weight))
    })
}
