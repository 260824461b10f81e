//! The motion of the Minkowski difference of two primitives, scaled to about 1: the input of both
//! conservative methods.
//!
//! Two primitives touch where their Minkowski difference contains the origin, and their distance is that of
//! the origin from it. The difference of two simplices is the convex hull of the differences of their
//! corners, which move linearly:
//!
//! ```text
//! K   primitives        corners of the difference      edges
//! 1   point, point      p - q                          none
//! 2   point, edge       p - e0, p - e1                 01
//! 3   point, triangle   p - f0, p - f1, p - f2         01, 12, 20
//! 4   edge, edge        a0-b0, a0-b1, a1-b0, a1-b1     02 and 13 along a, 01 and 23 along b
//! ```
//!
//! **Rounding.** Only differences of coordinates are used, and the error of each is computed exactly (Knuth's
//! two-sum; Shewchuk, "Adaptive precision floating-point arithmetic", 1997, theorem 7). For `f32` positions
//! it is usually zero. No error grows with the distance from the world origin.
//!
//! **Range.** Coordinates are scaled by a power of two that makes the largest difference about 1, so that
//! products of a few differences neither overflow nor underflow, unless they are far below all bounds.

use nalgebra::{Point3, Vector3};

use crate::Corners;

/// Unit roundoff of `f64`, 2^-53.
pub(crate) const UNIT: f64 = f64::EPSILON / 2.0;

/// Makes up for the rounding of an error bound itself, a sum or product of positive numbers: 2^-44 is 2^9
/// roundings.
pub(crate) const UPWARD: f64 = 1.0 + 256.0 * f64::EPSILON;

/// Part of every error, 2^-1022: an operation that underflows loses at most 2^-1075, so this covers 2^53 of
/// them.
const UNDERFLOW: f64 = f64::MIN_POSITIVE;

/// Coordinates above 2^1000 are first made smaller by 2^100, so that no difference overflows.
const GREAT: f64 = power_of_two(1000);

/// What that scaling loses where it underflows: half of the least subnormal 2^-1074 for each of two
/// coordinates and the distance.
const LOST_BY_SHRINKING: f64 = 2.0 * f64::from_bits(1);

/// The corners of a Minkowski difference in linear motion, scaled.
#[derive(Clone, Debug)]
pub(crate) struct Difference<const K: usize> {
    /// Corners at the start and at the end.
    pub(crate) ends: [[Vector3<f64>; K]; 2],
    /// How much any corner may be off, by axis; never 0.
    pub(crate) error: Vector3<f64>,
    /// The distance that was asked for; infinite if it is beyond the range.
    pub(crate) distance: f64,
    scales: [f64; 2],
}

impl<const K: usize> Difference<K> {
    /// The difference of two primitives with finite corners, `K + 1` of them, or 4 for two edges.
    pub(crate) fn new<const N: usize>(corners: &Corners<N>, distance: f64) -> Self {
        let shrink = if greatest_coordinate(corners) > GREAT { power_of_two(-100) } else { 1.0 };
        let exact = [&corners.t0, &corners.t1].map(|points| {
            pairs::<K>().map(|[i, j]| exact_difference(&(points[i] * shrink), &(points[j] * shrink)))
        });
        let greatest = exact.iter().flatten().fold(0.0, |most: f64, (corner, _)| most.max(corner.amax()));
        let scale = scale_to_one(greatest);
        let mut error = Vector3::repeat(UNDERFLOW);
        if shrink < 1.0 {
            error.add_scalar_mut(LOST_BY_SHRINKING * scale);
        }
        error +=
            exact.iter().flatten().fold(Vector3::zeros(), |most: Vector3<f64>, (_, lost)| most.sup(lost))
                * scale;
        Self {
            ends: exact.map(|end| end.map(|(corner, _)| corner * scale)),
            error,
            distance: distance * shrink * scale,
            scales: [shrink, scale],
        }
    }

    /// A length (m) in the units of the difference; for wishes, not for bounds: it may round to 0 or
    /// infinity.
    pub(crate) fn scaled(&self, length: f64) -> f64 {
        length * self.scales[0] * self.scales[1]
    }

    /// The greatest coordinate by axis, of all corners at both ends.
    pub(crate) fn extent(&self) -> Vector3<f64> {
        self.ends.iter().flatten().fold(Vector3::zeros(), |most, corner| most.sup(&corner.abs()))
    }
}

/// Which corner minus which, for each corner of the difference.
const fn pairs<const K: usize>() -> [[usize; 2]; K] {
    let mut pairs = [[0; 2]; K];
    let mut k = 0;
    while k < K {
        pairs[k] = if K == 4 { [k / 2, 2 + k % 2] } else { [0, k + 1] };
        k += 1;
    }
    pairs
}

/// The edges of a difference of `K` corners, those that are parallel together: the directions in which it can
/// be cut in two.
pub(crate) const fn edges<const K: usize>() -> &'static [&'static [[usize; 2]]] {
    match K {
        1 => &[],
        2 => &[&[[0, 1]]],
        3 => &[&[[0, 1]], &[[1, 2]], &[[2, 0]]],
        _ => &[&[[0, 2], [1, 3]], &[[0, 1], [2, 3]]],
    }
}

/// The rounded difference, and the size of what rounding took, which is a number, too, for want of overflow.
fn exact_difference(a: &Point3<f64>, b: &Point3<f64>) -> (Vector3<f64>, Vector3<f64>) {
    let difference = a - b;
    let lost = a.coords.zip_zip_map(&b.coords, &difference, |a, b, d| {
        let minus_b = d - a;
        ((a - (d - minus_b)) - (b + minus_b)).abs()
    });
    (difference, lost)
}

fn greatest_coordinate<const N: usize>(corners: &Corners<N>) -> f64 {
    corners.t0.iter().chain(&corners.t1).fold(0.0, |most, p| most.max(p.coords.amax()))
}

/// The power of two that brings a number near 1; not above 2^1000, which brings even the least subnormal to
/// 2^-74.
fn scale_to_one(greatest: f64) -> f64 {
    let exponent = (greatest.to_bits() >> 52) as i32 - 1023;
    if greatest > 0.0 { power_of_two((-exponent).clamp(-1022, 1000)) } else { 1.0 }
}

/// 2 to a power from -1022 to 1023.
const fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point_point(p: [f64; 3], q: [f64; 3]) -> Difference<1> {
        let corners = [Point3::from(p), Point3::from(q)];
        Difference::new(&Corners { t0: corners, t1: corners }, 1.0)
    }

    #[test]
    fn takes_nothing_from_differences_that_fit() {
        let found = point_point([3.0, 0.5, -7.0], [1.0, 0.25, 1.0]);
        assert_eq!(found.ends[0][0], Vector3::new(0.25, 0.03125, -1.0));
        assert_eq!((found.error, found.distance), (Vector3::repeat(f64::MIN_POSITIVE), 0.125));
    }

    #[test]
    fn knows_what_rounding_took() {
        let found =
            point_point([1.0, 1.0, 2.0_f64.powi(60)], [2.0_f64.powi(-54), -3.0 * 2.0_f64.powi(-54), 1.0]);
        let scale = 2.0_f64.powi(-60);
        assert_eq!(found.ends[0][0], Vector3::new(1.0, 1.0 + f64::EPSILON, 2.0_f64.powi(60)) * scale);
        assert_eq!(found.error, Vector3::new(2.0_f64.powi(-54), 2.0_f64.powi(-54), 1.0) * scale);
    }

    #[test]
    fn brings_any_size_near_one() {
        for size in [5e-324, 1e-310, 1e-200, 1.0, 1e200, f64::MAX] {
            let found = point_point([size, 0.0, 0.0], [-size, size, 0.0]);
            let greatest = found.extent().amax();
            assert!((1.0e-23..8.0).contains(&greatest), "{size} -> {greatest}");
        }
        assert_eq!(point_point([1e300; 3], [1e300; 3]).extent(), Vector3::zeros());
    }

    #[test]
    fn allows_for_what_shrinking_loses() {
        // Great coordinates that cancel leave one that loses half its size: 1.5 * 2^-1075 becomes 2^-1074.
        let great = 2.0_f64.powi(1010);
        let found = point_point([great, 1.5 * 2.0_f64.powi(-975), great], [great, 0.0, great]);
        let off = found.ends[0][0].y - 1.5 * 2.0_f64.powi(-75);
        assert!(off != 0.0 && off.abs() <= found.error.y, "{off} {}", found.error);
    }
}
