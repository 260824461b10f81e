//! Nearest point on a cone along y, its tip up.
//!
//! In the half-plane of the point and the axis the cone is a right triangle: its floor and its flank are
//! lines, and the nearest point outside lies on one of the two. In `f64`: flat cones have a flank that is
//! nearly the floor.

use nalgebra::{Point3, Vector2, Vector3};

use super::Nearest;

/// Inside, the way out is through the nearer of flank and floor; the floor if both are equally near. From the
/// axis sideways is along x.
pub(super) fn nearest(p: &Point3<f32>, half_length: f32, radius: f32) -> Nearest {
    let (wide, half, radius) = (p.cast::<f64>(), f64::from(half_length), f64::from(radius));
    let across = (wide.x * wide.x + wide.z * wide.z).sqrt();
    // From the rim of the floor.
    let from_rim = Vector2::new(across - radius, wide.y + half);
    let flank = Vector2::new(-radius, 2.0 * half);
    let length = flank.norm();
    let along = flank / length;
    let outward = Vector2::new(along.y, -along.x);
    let (above_flank, below_floor) = (outward.dot(&from_rim), -from_rim.y);
    let (normal, distance) = if above_flank <= 0.0 && below_floor <= 0.0 {
        if above_flank > below_floor {
            (outward, above_flank)
        } else {
            (Vector2::new(0.0, -1.0), below_floor)
        }
    } else {
        let to_floor = Vector2::new(from_rim.x.max(0.0), from_rim.y);
        let to_flank = from_rim - along * along.dot(&from_rim).clamp(0.0, length);
        let away = if to_floor.norm_squared() < to_flank.norm_squared() { to_floor } else { to_flank };
        let distance = away.norm();
        (away / distance, distance)
    };
    let sideways = if across > 0.0 { [wide.x / across, wide.z / across] } else { [1.0, 0.0] };
    let normal = Vector3::new(normal.x * sideways[0], normal.y, normal.x * sideways[1]);
    Nearest { normal: normal.cast(), distance: distance as f32 }
}
