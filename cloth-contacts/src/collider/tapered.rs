//! Nearest point on a tapered capsule: the convex hull of two balls on the y axis.
//!
//! In the half-plane of the point and the axis the hull consists of two discs and a straight side tangent to
//! both. With `s = (bottom - top) / length`, the outward normal of the side is `(c, s)`, `c = sqrt(1 - s²)`.
//! The coordinate of the point along the side decides which of the three is nearest, also inside: where the
//! foot point is between the discs, the supporting line of the side is nearest.
//!
//! ```text
//!        ___ top
//!       /   \     (c, s)
//!      |  .  \  /
//!      |      \/        If one ball contains the other there is no side, and the hull is the larger ball.
//!     /   .    \
//!     \________/ bottom
//! ```

use nalgebra::{Point3, Vector3};

use super::{Nearest, TINY, sphere};

/// The side of a tapered capsule, or the ball that contains the other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Taper {
    /// Normal `(c, s)` of the side across and along the axis, and its length (m).
    Side { c: f32, s: f32, length: f32 },
    /// One ball is all: its height on the axis and its radius (m).
    Ball { y: f32, radius: f32 },
}

impl Taper {
    /// In `f64`: the side of balls that almost contain each other is a root of a small difference.
    pub(super) fn new(half_length: f32, bottom: f32, top: f32) -> Self {
        let (length, difference) = (2.0 * f64::from(half_length), f64::from(bottom) - f64::from(top));
        if length <= difference.abs() {
            let up = top > bottom;
            let y = if up { half_length } else { -half_length };
            return Self::Ball { y, radius: if up { top } else { bottom } };
        }
        let c = ((length - difference) * (length + difference)).sqrt();
        Self::Side { c: (c / length) as f32, s: (difference / length) as f32, length: c as f32 }
    }
}

/// From the axis itself the way out is sideways, along x.
pub(super) fn nearest(p: &Point3<f32>, half_length: f32, bottom: f32, top: f32) -> Nearest {
    let (c, s, length) = match Taper::new(half_length, bottom, top) {
        Taper::Side { c, s, length } => (c, s, length),
        Taper::Ball { y, radius } => return sphere::nearest(&Point3::new(p.x, p.y - y, p.z), radius),
    };
    let across = (p.x * p.x + p.z * p.z).sqrt();
    let up = p.y + half_length;
    let along = c * up - s * across;
    if along < 0.0 {
        return sphere::nearest(&Point3::new(p.x, up, p.z), bottom);
    }
    if along > length {
        return sphere::nearest(&Point3::new(p.x, p.y - half_length, p.z), top);
    }
    let sideways = if across > TINY { [p.x / across, p.z / across] } else { [1.0, 0.0] };
    let normal = Vector3::new(c * sideways[0], s, c * sideways[1]);
    Nearest { normal, distance: (c * across + s * up) - bottom }
}
