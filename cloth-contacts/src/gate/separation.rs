//! Whether a pair stays separated during a motion: by a separating plane, or by exact continuous detection.
//!
//! If along some direction all corners of one primitive lie strictly before all corners of the other, at both
//! ends of a linear motion, the direction separates them throughout: the difference of any two heights is
//! linear in time and positive at both ends. The plane itself may move and need not be known. Heights are
//! sums in `f64` of exact `f32` coordinates; the rounding of three products and two sums is bounded.

use cloth_geom::bounds::{U64, gamma};
use nalgebra::{Point3, Vector3};

use super::conditions::Conditions;
use super::pair::{Closest, PairCorners};
use crate::ccd::Ccd;

/// Result of a test of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Separation {
    /// Certified, and the final distance is sufficient.
    Separated,
    /// Certified, but the final distance is too small for the next step to move.
    TooClose,
    /// No separating plane was found; exact detection has to decide.
    Undecided,
    /// The primitives collide.
    Colliding,
}

/// Share of the clearance that must remain at the end of a motion; with less, the motion is corrected.
pub(super) const CLEARANCE_SHARE: f64 = 0.9;

/// Tests for separating planes. The pair should keep `clearance` (m), or its initial distance if that is
/// less.
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

/// Decides by exact continuous detection whether a pair stays farther apart than a distance (m).
pub(super) fn decide_exactly(
    ccd: &impl Ccd,
    corners: &PairCorners,
    [t0, t1]: [[Point3<f64>; 4]; 2],
    distance: f64,
) -> Separation {
    // Without an answer the pair counts as colliding. `Filtered` has one for all finite motions, and others
    // are rejected earlier.
    let free = ccd.is_free(&corners.query(t0, t1), distance).unwrap_or(false);
    if free { Separation::Separated } else { Separation::Colliding }
}

/// A unit direction, up to rounding, along which the first primitive may lie before the second.
pub(super) struct Direction(Vector3<f64>);

impl Direction {
    pub(super) fn new(closest: &Closest) -> Option<Self> {
        // `None` for a distance of 0 or NaN.
        (closest.distance > 0.0).then(|| Self(closest.apart / closest.distance))
    }

    /// The gap (m) between the projections, if it exceeds the rounding error.
    #[inline]
    pub(super) fn separates(&self, corners: &PairCorners, p: &[Point3<f64>; 4]) -> Option<f64> {
        let [gap, rounding] = self.gap(corners, p);
        (gap > rounding).then_some(gap)
    }

    /// Whether the gap between the projections exceeds a gap (m) by more than its rounding error.
    pub(super) fn keeps(&self, corners: &PairCorners, p: &[Point3<f64>; 4], least: f64) -> bool {
        let [gap, rounding] = self.gap(corners, p);
        gap - rounding > least
    }

    /// The gap (m) between the projections, and a bound on its rounding error (m).
    #[inline]
    fn gap(&self, corners: &PairCorners, p: &[Point3<f64>; 4]) -> [f64; 2] {
        let mut rounding = 0.0_f64;
        let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
        for (k, p) in p.iter().enumerate() {
            let parts = self.0.component_mul(&p.coords);
            let height = parts.x + parts.y + parts.z;
            // Three roundings on the longest path through the sum; the difference of two heights adds one.
            rounding = rounding.max(parts.abs().sum());
            if k < corners.split {
                least = least.min(height);
            } else {
                most = most.max(height);
            }
        }
        let gap = least - most;
        // Four roundings for each of two heights, with a factor of four for the rounding of this bound.
        [gap, gamma(32, U64) * rounding]
    }
}
