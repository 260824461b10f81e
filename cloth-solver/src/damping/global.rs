//! Damping about the rigid motion of the whole cloth (Mueller et al. 2007, "Position based dynamics", section
//! 3.5).
//!
//! ```text
//!   v_c, L, I: velocity of the centre of mass, angular momentum and inertia about it;  w = I^-1 L
//!   v_i += share (v_c + w cross r_i - v_i)
//! ```
//!
//! Rigid motion, and with it both momenta, is unchanged. Pinned vertices are excluded: with their infinite
//! mass they would dominate it. Sums over the whole cloth are in `f64`.

use std::ops::Range;

use nalgebra::{Matrix3, Point3, Vector3};

use super::VelocityView;

/// The rigid motion that has the momenta of a cloth.
struct RigidMotion {
    centre: Point3<f64>,
    velocity: Vector3<f64>,
    turning: Vector3<f64>,
}

/// Removes a share of all motion relative to the rigid motion of these vertices.
pub(super) fn damp(vertices: Range<usize>, motion: &mut VelocityView<'_>, share: f32) {
    let Some(rigid) = rigid_motion(vertices.clone(), motion) else { return };
    for i in vertices.filter(|&i| motion.w[i] > 0.0) {
        let arm = motion.x[i].cast::<f64>() - rigid.centre;
        let wanted = rigid.velocity + rigid.turning.cross(&arm);
        motion.v[i] += (wanted.cast::<f32>() - motion.v[i]) * share;
    }
}

/// `None` if no vertex is free, or if the free ones are collinear, so that the angular velocity is not
/// determined.
fn rigid_motion(vertices: Range<usize>, motion: &VelocityView<'_>) -> Option<RigidMotion> {
    let free = || vertices.clone().filter(|&i| motion.w[i] > 0.0);
    let mass = |i: usize| 1.0 / f64::from(motion.w[i]);
    let total: f64 = free().map(mass).sum();
    let sum = |of: &dyn Fn(usize) -> Vector3<f64>| {
        free().fold(Vector3::zeros(), |sum: Vector3<f64>, i| sum + of(i) * mass(i))
    };
    let centre = Point3::from(sum(&|i| motion.x[i].coords.cast()) / total);
    let velocity = sum(&|i| motion.v[i].cast()) / total;
    let arm = |i: usize| motion.x[i].cast::<f64>() - centre;
    let angular_momentum = sum(&|i| arm(i).cross(&motion.v[i].cast()));
    let inertia = free().fold(Matrix3::zeros(), |sum: Matrix3<f64>, i| {
        let r = arm(i);
        sum + (Matrix3::identity() * r.norm_squared() - r * r.transpose()) * mass(i)
    });
    let size = inertia.trace();
    // The determinant of a line is zero against the cube of its size, but for rounding.
    if total.is_nan() || total <= 0.0 || inertia.determinant() <= 1e-12 * size * size * size {
        return None;
    }
    let turning = inertia.try_inverse()? * angular_momentum;
    Some(RigidMotion { centre, velocity, turning })
}
