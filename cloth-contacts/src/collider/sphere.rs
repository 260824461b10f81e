//! Nearest point on a sphere around the origin.

use nalgebra::{Point3, Vector3};

use super::{Nearest, TINY};

/// From the very centre every way out is equally short: the answer is up.
pub(super) fn nearest(p: &Point3<f32>, radius: f32) -> Nearest {
    let length = p.coords.norm();
    let normal = if length > TINY { p.coords / length } else { Vector3::y() };
    Nearest { normal, distance: length - radius }
}
