//! Nearest point on a capsule along y.

use nalgebra::{Point3, Vector3};

use super::{Nearest, TINY, sphere};

/// From the axis itself the way out is sideways, along x; from an end, along the axis.
pub(super) fn nearest(p: &Point3<f32>, half_length: f32, radius: f32) -> Nearest {
    let on_axis = p.y.clamp(-half_length, half_length);
    let from_axis = Point3::new(p.x, p.y - on_axis, p.z);
    let mut found = sphere::nearest(&from_axis, radius);
    if from_axis.coords.norm() <= TINY {
        found.normal = match on_axis.abs() < half_length {
            true => Vector3::x(),
            false if on_axis < 0.0 => -Vector3::y(),
            false => Vector3::y(),
        };
    }
    found
}
