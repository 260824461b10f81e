//! Nearest point on a cylinder along y.

use nalgebra::{Point3, Vector3};

use super::{Nearest, TINY};

/// Inside, the way out is through the nearer of cap and side; the cap if both are equally near. From the axis
/// sideways is along x, from the middle up is up.
pub(super) fn nearest(p: &Point3<f32>, half_length: f32, radius: f32) -> Nearest {
    let across = (p.x * p.x + p.z * p.z).sqrt();
    let (side, cap) = (across - radius, p.y.abs() - half_length);
    let sideways = if across > TINY { Vector3::new(p.x / across, 0.0, p.z / across) } else { Vector3::x() };
    let up = if p.y < 0.0 { -Vector3::y() } else { Vector3::y() };
    let (beyond_side, beyond_cap) = (side.max(0.0), cap.max(0.0));
    let distance = (beyond_side * beyond_side + beyond_cap * beyond_cap).sqrt();
    if distance > TINY {
        let normal = sideways * (beyond_side / distance) + up * (beyond_cap / distance);
        return Nearest { normal, distance };
    }
    if side > cap {
        Nearest { normal: sideways, distance: side }
    } else {
        Nearest { normal: up, distance: cap }
    }
}
