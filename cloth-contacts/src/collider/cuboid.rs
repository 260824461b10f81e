//! Nearest point on a box around the origin.

use nalgebra::{Point3, Vector3};

use super::{Nearest, TINY};

/// Inside, the way out is through the nearest face; of equally near faces, the first of x, y, z.
pub(super) fn nearest(p: &Point3<f32>, half_extents: &Vector3<f32>) -> Nearest {
    let beyond = p.coords.abs() - half_extents;
    let sign = |k: usize| if p[k] < 0.0 { -1.0 } else { 1.0 };
    let outside = Vector3::from_fn(|k, _| beyond[k].max(0.0) * sign(k));
    let distance = outside.norm();
    if distance > TINY {
        return Nearest { normal: outside / distance, distance };
    }
    let k = beyond.imax();
    let mut normal = Vector3::zeros();
    normal[k] = sign(k);
    Nearest { normal, distance: beyond[k] }
}
