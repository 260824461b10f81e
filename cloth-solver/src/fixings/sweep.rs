//! How points move in a step, on the whole: found without keeping any.

use nalgebra::Vector3;

use super::movers::Fixing;

/// How a set of points moves in a step.
pub(super) struct Sweep {
    /// The means of their ways, and of their velocities times the duration (m).
    pub(super) way: Vector3<f64>,
    pub(super) expected: Vector3<f64>,
    /// The longest way (m).
    pub(super) longest: f64,
    /// How far (m) a way differs from the mean, and a point from the middle, at most.
    spread: f64,
    radius: f64,
}

impl Sweep {
    /// Of points with their velocities (m/s) in a step of `dt` seconds; none without any.
    pub(super) fn of(points: impl Iterator<Item = Fixing> + Clone, dt: f64) -> Option<Self> {
        let (mut middle, mut way, mut expected) = (Vector3::zeros(), Vector3::zeros(), Vector3::zeros());
        let (mut longest, mut count) = (0.0_f64, 0.0);
        for Fixing { ends: [from, to], velocity } in points.clone() {
            middle += from.coords;
            way += to - from;
            expected += velocity * dt;
            longest = longest.max((to - from).norm_squared());
            count += 1.0;
        }
        if count == 0.0 {
            return None;
        }
        let [middle, way, expected] = [middle, way, expected].map(|sum| sum / count);
        let (mut radius, mut spread) = (0.0_f64, 0.0_f64);
        if longest > 0.0 {
            for Fixing { ends: [from, to], .. } in points {
                radius = radius.max((from.coords - middle).norm_squared());
                spread = spread.max((to - from - way).norm_squared());
            }
        }
        let [longest, spread, radius] = [longest, spread, radius].map(f64::sqrt);
        Some(Self { way, expected, longest, spread, radius })
    }

    /// Whether the ways may be those of a turn by more than an angle (rad). A chord is twice the sine of half
    /// the angle; that of the farthest point is the longest, up to the error of the middle.
    pub(super) fn may_turn_by(&self, angle: f64) -> bool {
        let half = 0.5 * angle.min(std::f64::consts::PI);
        self.spread > 1.8 * libm::sin(half).min(0.8) * self.radius
    }
}
