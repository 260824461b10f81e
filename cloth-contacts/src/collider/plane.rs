//! Nearest point on a plane: the half-space below `y = 0` is solid.

use nalgebra::{Point3, Vector3};

use super::Nearest;

pub(super) fn nearest(p: &Point3<f32>) -> Nearest {
    Nearest { normal: Vector3::y(), distance: p.y }
}
