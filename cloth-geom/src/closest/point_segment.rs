//! The point of a segment closest to a point.

use nalgebra::{Point3, RealField};

/// The feature of a segment that contains a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SegmentFeature {
    /// The first end; also a segment of no length.
    Start,
    /// The second end.
    End,
    /// Strictly between the ends.
    Interior,
}

impl SegmentFeature {
    /// The feature at a parameter in [0, 1].
    #[inline]
    pub(super) fn at<T: RealField + Copy>(t: T) -> Self {
        if t <= T::zero() {
            Self::Start
        } else if t >= T::one() {
            Self::End
        } else {
            Self::Interior
        }
    }
}

/// The point of a segment closest to a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointSegment<T> {
    /// Weights of the two ends: within [0, 1], their sum 1.
    pub weights: [T; 2],
    /// Squared distance (m²).
    pub distance_sq: T,
    /// Where on the segment the closest point lies.
    pub feature: SegmentFeature,
}

/// The point of the closed segment `a b` closest to `p`. See [`super`] for error bound and range.
#[must_use]
#[inline]
pub fn point_segment<T: RealField + Copy>(p: &Point3<T>, a: &Point3<T>, b: &Point3<T>) -> PointSegment<T> {
    let (along, to_p) = (b - a, p - a);
    let t = clamped_ratio(to_p.dot(&along), along.norm_squared());
    // From the end itself, so that a point near it keeps its digits.
    let apart = if t < T::one() { to_p - along * t } else { p - b };
    PointSegment {
        weights: [T::one() - t, t],
        distance_sq: apart.norm_squared(),
        feature: SegmentFeature::at(t),
    }
}

/// `numerator / denominator` clamped to [0, 1], for a denominator that is not negative; 0 for 0 / 0.
///
/// The quotient is taken in any case and dropped where it is not wanted: a select is cheaper than a branch.
#[inline]
pub(super) fn clamped_ratio<T: RealField + Copy>(numerator: T, denominator: T) -> T {
    let ratio = numerator / denominator;
    let below_one = if numerator < denominator { ratio } else { T::one() };
    if numerator > T::zero() { below_one } else { T::zero() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn closest(p: [f64; 3], a: [f64; 3], b: [f64; 3]) -> PointSegment<f64> {
        point_segment(&p.into(), &a.into(), &b.into())
    }

    #[test]
    fn names_start_end_and_interior() {
        let (a, b) = ([1.0, 0.0, 0.0], [5.0, 0.0, 0.0]);
        let at = |x: f64| closest([x, 3.0, 0.0], a, b);
        assert_eq!(
            at(0.0),
            PointSegment { weights: [1.0, 0.0], distance_sq: 10.0, feature: SegmentFeature::Start }
        );
        assert_eq!(at(1.0).feature, SegmentFeature::Start);
        assert_eq!(
            at(2.0),
            PointSegment { weights: [0.75, 0.25], distance_sq: 9.0, feature: SegmentFeature::Interior }
        );
        assert_eq!(at(5.0).feature, SegmentFeature::End);
        assert_eq!(
            at(6.0),
            PointSegment { weights: [0.0, 1.0], distance_sq: 10.0, feature: SegmentFeature::End }
        );
    }

    #[test]
    fn takes_a_segment_of_no_length_as_its_start() {
        for size in [1.0, 1e-200, 1e150] {
            let answer = closest([3.0 * size, 0.0, 0.0], [size; 3], [size; 3]);
            assert_eq!((answer.weights, answer.feature), ([1.0, 0.0], SegmentFeature::Start));
        }
    }

    #[test]
    fn divides_by_nothing_when_squares_underflow() {
        let answer =
            point_segment(&Point3::new(1.0f32, 0.0, 0.0), &Point3::origin(), &Point3::new(1e-30, 0.0, 0.0));
        assert_eq!((answer.weights, answer.distance_sq), ([0.0, 1.0], 1.0));
    }

    #[test]
    fn measures_from_the_end_that_is_near() {
        let past = 0.1 + 1e-12;
        for (a, b) in [([-1e6, 0.0, 0.0], [0.1, 0.0, 0.0]), ([0.1, 0.0, 0.0], [-1e6, 0.0, 0.0])] {
            assert_eq!(closest([past, 0.0, 0.0], a, b).distance_sq, (past - 0.1) * (past - 0.1));
        }
    }

    #[test]
    fn gives_an_end_the_distance_zero() {
        let (a, b) = ([0.1, 0.7, -0.3], [0.3, 1e9, 0.9]);
        assert_eq!(closest(a, a, b).distance_sq, 0.0);
        assert_eq!(closest(b, a, b).distance_sq, 0.0);
    }
}
