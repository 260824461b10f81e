//! Whether a pair stays apart: a plane if there is one, exact continuous detection if there is none.
//!
//! A direction in which every corner of one primitive lies strictly before every corner of the other, at both ends of a linear
//! motion, separates them throughout: the difference of any two heights is linear in time, and positive at both ends. No point of the plane
//! needs to be known, and it may move. Heights are summed in `f64` of `f32` coordinates, which are exact; what the three
//! products and two sums lose is bounded.

use cloth_geom::bounds::{U64, gamma};
use nalgebra::{Point3, Vector3};

use super::conditions::Conditions;
use super::pair::{Closest, PairCorners};
use crate::ccd::{Ccd, Filtered};

/// What is known of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Separation {
    /// Proved apart, and no nearer at the end than it should be.
    Separated,
    /// Proved apart, but too near at the end for the next step to move.
    TooClose,
    /// No plane was found: exact detection has to say.
    Undecided,
    /// Not apart.
    Colliding,
}

/// Share of the clearance that a motion may use up before it is pulled back.
pub(super) const CLEARANCE_SHARE: f64 = 0.9;

/// Looks for a plane. `clearance` (m) is what the pair should keep; one that begins with less should keep that.
pub(super) fn prove_by_planes(
    corners: &PairCorners,
    closest: &Closest,
    [t0, t1]: [&[Point3<f64>; 4]; 2],
    clearance: f64,
    conditions: Conditions,
) -> Separation {
    let required = CLEARANCE_SHARE * clearance.min(closest.distance);
    let at_start = Direction::new(closest);
    if let Some(direction) = &at_start
        && direction.separates(corners, t0).is_some()
        && let Some(gap) = direction.separates(corners, t1)
    {
        let near = gap < required && corners.closest(t1).distance < required;
        return if near { Separation::TooClose } else { Separation::Separated };
    }
    let at_end = corners.closest(t1);
    let separates = Direction::new(&at_end).is_some_and(|d| conditions.separates(&d, corners, [t0, t1]));
    match separates {
        true if at_end.distance < required => Separation::TooClose,
        true => Separation::Separated,
        false => Separation::Undecided,
    }
}

/// What exact detection says.
pub(super) fn decide_exactly(
    corners: &PairCorners,
    t0: [Point3<f64>; 4],
    t1: [Point3<f64>; 4],
) -> Separation {
    // What has no answer is no finite motion, and none gets here; were it otherwise, it would not pass as free.
    let free = Filtered::default().is_free(&corners.query(t0, t1), 0.0).unwrap_or(false);
    if free { Separation::Separated } else { Separation::Colliding }
}

/// A direction in which the first primitive may lie before the second; of length 1, up to rounding.
pub(super) struct Direction(Vector3<f64>);

impl Direction {
    fn new(closest: &Closest) -> Option<Self> {
        // Not for a distance of 0, nor for one that is no number.
        (closest.distance > 0.0).then(|| Self(closest.apart / closest.distance))
    }

    /// How far (m) the first lies before the second, if that is more than rounding could make of nothing.
    #[inline]
    pub(super) fn separates(&self, corners: &PairCorners, p: &[Point3<f64>; 4]) -> Option<f64> {
        let mut rounding = 0.0_f64;
        let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
        for (k, p) in p.iter().enumerate() {
            let parts = self.0.component_mul(&p.coords);
            let height = parts.x + parts.y + parts.z;
            // Three roundings on the longest way through the sum; the difference of two heights adds one more.
            rounding = rounding.max(parts.abs().sum());
            if k < corners.split {
                least = least.min(height);
            } else {
                most = most.max(height);
            }
        }
        let gap = least - most;
        // Two heights of four roundings each, and as many again three times over for those of this bound.
        (gap > gamma(32, U64) * rounding).then_some(gap)
    }
}
