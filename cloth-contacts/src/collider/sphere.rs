//! Nearest point on a sphere around the origin.

use nalgebra::{Point3, Vector3};

use super::{Nearest, TINY};

/// At the centre, where every way out is equally short, the normal points up.
pub(super) fn nearest(p: &Point3<f32>, radius: f32) -> Nearest {
    let length = p.coords.norm();
    let normal = if length > TINY { p.coords / length } else { Vector3::y() };
    Nearest { normal, distance: length - radius }
}
