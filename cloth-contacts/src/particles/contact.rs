//! Contact of two points (Lewin 2018, section 4.1).
//!
//! With `n = normalize(p_b - p_a)`, frozen at the start of the step, the constraint is
//!
//! ```text
//! C(p_a, p_b) = n . (p_b - p_a) - d_coll >= 0        dC/dp_a = -n        dC/dp_b = n
//! ```
//!
//! Equation (1) of the paper has `p_a - p_b` with the same `n`, which is negative for all separated
//! particles: every contact would pull its particles through each other. One of the two signs has to change.

use nalgebra::{Point3, Vector3};

use crate::Motion;
use crate::ccd::closest_approach::closest_approach;

/// Two vertices that come near each other in the step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointPoint {
    /// The vertices, ascending.
    pub vertices: [u32; 2],
    /// Unit vector from the first to the second where they were when the contact was found.
    pub normal: Vector3<f32>,
    /// How far apart they were then (m).
    pub gap: f32,
    /// Contact distance (m).
    pub distance: f32,
}

impl PointPoint {
    /// `C` of the module's first lines (m), at any positions (m) of the two vertices.
    #[must_use]
    pub fn value(&self, a: &Point3<f32>, b: &Point3<f32>) -> f32 {
        self.normal.dot(&(b - a)) - self.distance
    }

    /// The gradients of [`PointPoint::value`] by the position of the first and of the second vertex.
    #[must_use]
    pub fn gradients(&self) -> [Vector3<f32>; 2] {
        [-self.normal, self.normal]
    }
}

/// Relative position of two points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointApproach {
    /// Unit vector from the first to the second at the start.
    pub normal: Vector3<f32>,
    /// Their distance at the start (m).
    pub gap: f32,
}

/// Predicts whether two vertices come closer than `reach` (m) during the step, and their initial normal and
/// gap.
///
/// Coincident points take the direction of their relative motion as normal, so that it separates them, or the
/// y axis if there is none. Both vertices must exist in the motion.
#[must_use]
#[inline]
pub fn predict(motion: &Motion<'_>, [a, b]: [u32; 2], reach: f32) -> Option<PointApproach> {
    let [a, b] = [a as usize, b as usize];
    let (p, d) = (motion.positions, motion.displacements);
    let closest = closest_approach([&p[a], &p[b]], [&d[a], &d[b]]);
    // Written so that a NaN is no contact.
    let near = closest.distance_sq < reach * reach;
    near.then(|| {
        let apart = p[b] - p[a];
        let normal = direction(&apart).or_else(|| direction(&(d[b] - d[a])));
        PointApproach { normal: normal.unwrap_or_else(Vector3::y), gap: apart.norm() }
    })
}

/// Lengths (m) whose squares keep their digits in `f32`.
const LEAST_LENGTH: f32 = 1.0 / (1_u64 << 50) as f32;

/// The unit vector along another, however short that is; none for zero.
fn direction(v: &Vector3<f32>) -> Option<Vector3<f32>> {
    let length = v.norm();
    if length > LEAST_LENGTH {
        return Some(v / length);
    }
    // Its square is lost in f32, itself not.
    let largest = v.amax();
    if largest == 0.0 {
        return None;
    }
    Some((v / largest).normalize())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contact(a: [f32; 3], b: [f32; 3]) -> PointPoint {
        let positions = [a, b].map(Point3::from);
        let still = [Vector3::zeros(); 2];
        let motion = Motion { positions: &positions, displacements: &still };
        let PointApproach { normal, gap } = predict(&motion, [0, 1], f32::INFINITY).unwrap();
        PointPoint { vertices: [0, 1], normal, gap, distance: 0.5 }
    }

    #[test]
    fn apart_is_positive_and_too_near_is_negative() {
        let c = contact([1.0, 0.0, 0.0], [1.0, 2.0, 0.0]);
        assert_eq!((c.normal, c.gap), (Vector3::y(), 2.0));
        let value = |y: f32| c.value(&Point3::new(1.0, 0.0, 0.0), &Point3::new(1.3, y, 0.0));
        assert_eq!([value(2.0), value(0.5), value(0.0), value(-1.0)], [1.5, 0.0, -0.5, -1.5]);
    }

    #[test]
    fn gradients_are_those_of_finite_differences() {
        let c = contact([0.3, -0.2, 0.9], [-0.4, 0.7, 0.1]);
        let at = [Point3::new(0.1, 0.2, -0.3), Point3::new(-0.5, 0.4, 0.25)];
        let step = 1.0 / 1024.0;
        for (which, gradient) in c.gradients().iter().enumerate() {
            for k in 0..3 {
                let value = |by: f32| {
                    let mut at = at;
                    at[which][k] += by;
                    c.value(&at[0], &at[1])
                };
                let slope = (value(step) - value(-step)) / (2.0 * step);
                assert!((slope - gradient[k]).abs() < 2e-4, "{which} {k}: {slope} {}", gradient[k]);
            }
        }
        let rises = c.value(&(at[0] + c.gradients()[0]), &(at[1] + c.gradients()[1]));
        assert!(rises > c.value(&at[0], &at[1]) + 1.9);
    }

    #[test]
    fn points_that_coincide_get_the_direction_in_which_they_part_or_any() {
        let p = [Point3::new(1.0, 2.0, 3.0); 2];
        let d = [Vector3::x(), Vector3::new(1.0, 0.0, -2.0)];
        let found = predict(&Motion { positions: &p, displacements: &d }, [0, 1], 0.1).unwrap();
        assert_eq!(found, PointApproach { normal: -Vector3::z(), gap: 0.0 });
        let still = [Vector3::zeros(); 2];
        let found = predict(&Motion { positions: &p, displacements: &still }, [0, 1], 0.1).unwrap();
        assert_eq!(found, PointApproach { normal: Vector3::y(), gap: 0.0 });
        let tiny = [Point3::origin(), Point3::new(0.0, 0.0, 1e-30)];
        let found = predict(&Motion { positions: &tiny, displacements: &still }, [0, 1], 0.1).unwrap();
        assert_eq!(found.normal, Vector3::z());
    }

    #[test]
    fn only_points_that_pass_within_reach_make_a_contact() {
        let p = [Point3::origin(), Point3::new(4.0, 3.0, 0.0)];
        let d = [Vector3::new(6.0, 0.0, 0.0), Vector3::new(-2.0, 0.0, 0.0)];
        let motion = Motion { positions: &p, displacements: &d };
        assert_eq!(predict(&motion, [0, 1], 3.0), None);
        assert_eq!(predict(&motion, [0, 1], 3.001).map(|found| found.gap), Some(5.0));
    }
}
