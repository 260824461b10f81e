//! Whether a pair stays separated during a motion: by a separating plane, or by exact continuous detection.
//!
//! If along some direction all corners of one primitive lie strictly before all corners of the other, at both
//! ends of a linear motion, the direction separates them throughout: the difference of any two heights is
//! linear in time and positive at both ends. The plane itself may move and need not be known.
//!
//! # Rounding
//!
//! With `u = 2^-53`. Coordinates and the direction `n` are exact as they are stored, whatever they are. A
//! height `n . p` has three products and two sums: three roundings on the longest path, and each product that
//! underflows loses at most `2^-1075` as well. Sums in the subnormal range are exact. The difference of two
//! heights adds one rounding, so that the gap is wrong by at most
//!
//! ```text
//! 2 gamma_4 s + 6 * 2^-1075        s = the greatest sum |n_k p_k| of a corner
//! ```
//!
//! `s` is computed with three roundings and three such losses of its own: `gamma_32` of it is a factor of
//! four more, and [`UNDERFLOW`] is more than all losses. What overflows makes the bound infinite, and proves
//! nothing.
//!
//! That a gap shows that two primitives are apart needs no length of `n`. The distance is at least the gap
//! over `|n|`, which [`Closest::direction`] bounds.

use cloth_geom::bounds::{U64, gamma};
use nalgebra::{Point3, Vector3};

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
    let separates = Direction::new(&at_end).is_some_and(|direction| {
        fault!(PlaneAtTheEndOnly, direction.separates(corners, t0).is_some())
            && direction.separates(corners, t1).is_some()
    });
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

/// More than what underflow can take from a gap of projections; see the module.
const UNDERFLOW: f64 = f64::MIN_POSITIVE;

/// The greatest length of a direction.
const LONGEST: f64 = 1.0 + gamma(8, U64);

/// A unit direction, up to rounding, along which the first primitive may lie before the second.
pub(super) struct Direction(Vector3<f64>);

impl Direction {
    /// That of the closest points; `None` if they coincide.
    pub(super) fn new(closest: &Closest) -> Option<Self> {
        closest.direction().map(Self)
    }

    /// The gap (m) between the projections, if it exceeds the rounding error.
    #[inline]
    pub(super) fn separates(&self, corners: &PairCorners, p: &[Point3<f64>; 4]) -> Option<f64> {
        let [gap, rounding] = self.gap(corners, p);
        (gap > rounding).then_some(gap)
    }

    /// Whether the projections show that the distance exceeds `least` (m).
    pub(super) fn keeps(&self, corners: &PairCorners, p: &[Point3<f64>; 4], least: f64) -> bool {
        let [gap, rounding] = self.gap(corners, p);
        gap - rounding > least * LONGEST
    }

    /// The gap (m) between the projections, and a bound on its rounding error (m).
    #[inline]
    fn gap(&self, corners: &PairCorners, p: &[Point3<f64>; 4]) -> [f64; 2] {
        let mut rounding = 0.0_f64;
        let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
        for (k, p) in p.iter().enumerate() {
            let parts = self.0.component_mul(&p.coords);
            let height = parts.x + parts.y + parts.z;
            rounding = rounding.max(parts.abs().sum());
            if k < corners.split {
                least = least.min(height);
            } else {
                most = most.max(height);
            }
        }
        [least - most, gamma(32, U64) * rounding + UNDERFLOW]
    }
}

#[cfg(test)]
mod tests {
    use rand_pcg::Pcg64Mcg;
    use rand_pcg::rand_core::{Rng, SeedableRng};

    use super::*;

    const LEAST: f64 = f64::from_bits(1);

    fn corners(split: usize) -> PairCorners {
        PairCorners { vertices: [0, 1, 2, 3], split }
    }

    /// A number times a power of two, in two steps of which none leaves the range.
    fn shifted(x: f64, exponent: i32) -> f64 {
        x * 2.0_f64.powi(exponent / 2) * 2.0_f64.powi(exponent - exponent / 2)
    }

    /// The error of a gap over its bound: the direction in units of `2^-53`, coordinates in those of
    /// `2^unit`.
    fn share(n: [i64; 3], p: [[i64; 3]; 4], unit: i32, split: usize) -> f64 {
        let direction = Direction(Vector3::from(n.map(|c| shifted(c as f64, -53))));
        let at = p.map(|p| Point3::from(p.map(|c| shifted(c as f64, unit))));
        let [gap, bound] = direction.gap(&corners(split), &at);
        let heights = p.map(|p| (0..3).map(|k| i128::from(n[k]) * i128::from(p[k])).sum::<i128>());
        let (first, second) = heights.split_at(split);
        let exact = first.iter().min().unwrap() - second.iter().max().unwrap();
        // A whole number of `2^(unit - 53)`, and of the least number.
        let finest = (53 - unit).min(1074);
        let computed = (shifted(gap, finest) as i128) << (53 - unit - finest);
        (computed - exact) as f64 / shifted(bound, 53 - unit)
    }

    #[test]
    fn the_error_of_a_gap_stays_within_a_tight_bound() {
        let mut dice = Pcg64Mcg::seed_from_u64(5);
        let mut largest = 0.0_f64;
        for case in 0..40_000 {
            let mut number = |bits: u32| (dice.next_u64() as i64) >> (63 - bits);
            let n = [(); 3].map(|()| number(53));
            let p = [(); 4].map(|()| [(); 3].map(|()| number(53)));
            largest = largest.max(share(n, p, -53, 1 + case % 2).abs());
            let few = [(); 4].map(|()| [(); 3].map(|()| number(1 + case as u32 % 20)));
            let subnormal = share(n, few, -1074, 1 + case % 2).abs();
            assert!(subnormal < 1.0, "{n:?} {few:?}: {subnormal}");
        }
        assert!(largest < 1.0, "exceeded: {largest}");
        assert!(largest > 0.05, "a twentieth of the bound would do: {largest}");
    }

    #[test]
    fn heights_that_underflow_show_no_gap() {
        let d = LEAST;
        let (apart, weights) = (Vector3::new(1.0, d, d), [1.0, 1.0, 0.0, 0.0]);
        let direction = Direction::new(&Closest { weights, apart, distance: 1.0 }).unwrap();
        let at = [[-d, 1.5, 1.5], [0.0; 3], [0.0, 2.5, 0.5], [0.0, 0.5, 2.5]].map(Point3::from);
        // The computed heights are 3 d and 2 d, the exact ones 2 d and 3 d.
        assert_eq!(direction.separates(&corners(1), &at), None);
    }

    #[test]
    fn a_direction_has_unit_length_at_every_size() {
        let mut dice = Pcg64Mcg::seed_from_u64(6);
        for exponent in -1074..1022 {
            for _ in 0..8 {
                let whole = Vector3::from([(); 3].map(|()| f64::from((dice.next_u32() % 7) as u8) - 3.0));
                let apart = whole.map(|c| shifted(c, exponent));
                let p = [apart, Vector3::zeros(), Vector3::zeros(), Vector3::zeros()].map(Point3::from);
                let closest = corners(1).closest(&p);
                let Some(direction) = closest.direction() else {
                    assert_eq!(whole, Vector3::zeros());
                    continue;
                };
                assert!((direction.norm() - 1.0).abs() <= 8.0 * U64, "{apart}: {direction}");
                assert!((direction - whole.normalize()).norm() <= 8.0 * U64, "{apart}: {direction}");
                let off = closest.distance - shifted(whole.norm(), exponent);
                assert!(off.abs() <= 8.0 * U64 * closest.distance + LEAST, "{apart}: {}", closest.distance);
            }
        }
    }
}
