//! Nearest point on a sphere around the origin.

use nalgebra::{Point3, Vector3};

use super::Nearest;

/// From the very centre every way out is equally short: the answer is up.
pub(super) fn nearest(p: &Point3<f32>, radius: f32) -> Nearest {
    let length = p.coords.norm();
    if length > 0.0 {
        Nearest { normal: p.coords / length, distance: length - radius }
    } else {
        Nearest { normal: Vector3::y(), distance: -radius }
    }
}
