//! The closest pair of points of two segments.
//!
//! The lines' parameter `s` comes from cross products and is clamped; then each parameter in turn is
//! projected from the other. Where the segments are nearly parallel `s` may be noise, `u M / sin` along the
//! segment, and harmless: projected from there, the segments lie `u M` further apart. Where they are
//! parallel, any `s` and the two projections are exact. Clamping first and projecting after is the scheme of
//! Ericson, "Real-time collision detection", 5.1.9, which takes `s` from a Gram determinant.

use nalgebra::{Point3, RealField};

use super::SegmentFeature;
use super::area::direction;
use super::point_segment::clamped_ratio;

/// The closest pair of points of two segments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SegmentSegment<T> {
    /// Parameter of the point of the first segment, 0 at its start and 1 at its end.
    pub s: T,
    /// Parameter of the point of the second segment.
    pub t: T,
    /// Squared distance (m²).
    pub distance_sq: T,
    /// Where on the first segment its point lies.
    pub feature_a: SegmentFeature,
    /// Where on the second segment its point lies.
    pub feature_b: SegmentFeature,
}

/// The closest points of the closed segments `a` and `b`. See [`super`] for error bound and range.
///
/// Parallel segments have many closest pairs; one of them is given. Segments of no length answer parameter 0.
#[must_use]
#[inline]
pub fn segment_segment<T: RealField + Copy>(
    [a0, a1]: [&Point3<T>; 2],
    [b0, b1]: [&Point3<T>; 2],
) -> SegmentSegment<T> {
    let (along_a, along_b, between) = (a1 - a0, b1 - b0, b0 - a0);
    let normal = along_a.cross(&along_b);
    let on_lines = match direction(&normal) {
        Some(direction) => clamped_ratio(between.cross(&along_b).dot(&direction), normal.dot(&direction)),
        None => T::zero(),
    };

    let t = clamped_ratio((along_a * on_lines - between).dot(&along_b), along_b.norm_squared());
    let s = clamped_ratio((along_b * t + between).dot(&along_a), along_a.norm_squared());
    // At an end, from that end: parameter 1 then costs no rounding.
    let apart = match (s < T::one(), t < T::one()) {
        (true, true) => between + along_b * t - along_a * s,
        (true, false) => (b1 - a0) - along_a * s,
        (false, true) => (b0 - a1) + along_b * t,
        (false, false) => b1 - a1,
    };
    SegmentSegment {
        s,
        t,
        distance_sq: apart.norm_squared(),
        feature_a: SegmentFeature::at(s),
        feature_b: SegmentFeature::at(t),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use SegmentFeature::{End, Interior, Start};

    type Segment = [[f64; 3]; 2];

    /// Checks the squared distance with the segments in all roles and directions; returns the answer as
    /// given.
    fn closest(a: Segment, b: Segment, distance_sq: f64) -> SegmentSegment<f64> {
        let answer = |[a0, a1]: Segment, [b0, b1]: Segment| {
            segment_segment([&a0.into(), &a1.into()], [&b0.into(), &b1.into()])
        };
        let turned = |[x, y]: Segment| [y, x];
        for (x, y) in [(a, b), (turned(a), b), (a, turned(b)), (turned(a), turned(b))] {
            assert_eq!(answer(x, y).distance_sq, distance_sq, "{x:?} {y:?}");
            assert_eq!(answer(y, x).distance_sq, distance_sq, "{y:?} {x:?}");
        }
        answer(a, b)
    }

    fn features(answer: SegmentSegment<f64>) -> [SegmentFeature; 2] {
        [answer.feature_a, answer.feature_b]
    }

    #[test]
    fn names_all_nine_pairs_of_features() {
        let a = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0]];
        let over = |x: f64| [[x, -2.0, 1.0], [x, 2.0, 1.0]];
        let beside = |x: f64| [[x, 1.0, 1.0], [x, 3.0, 1.0]];
        for (x, feature, gap_sq) in [(-1.0, Start, 1.0), (2.0, Interior, 0.0), (5.0, End, 1.0)] {
            assert_eq!(features(closest(a, over(x), 1.0 + gap_sq)), [feature, Interior]);
            let [start, end] = beside(x);
            assert_eq!(features(closest(a, [start, end], 2.0 + gap_sq)), [feature, Start]);
            assert_eq!(features(closest(a, [end, start], 2.0 + gap_sq)), [feature, End]);
        }
    }

    #[test]
    fn finds_parallel_segments_that_overlap_and_that_do_not() {
        let a = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0]];
        for (x0, x1, distance_sq) in [
            (1.0, 2.0, 9.0),
            (-1.0, 5.0, 9.0),
            (3.0, 6.0, 9.0),
            (4.0, 6.0, 9.0),
            (5.0, 6.0, 10.0),
            (-3.0, -2.0, 13.0),
        ] {
            closest(a, [[x0, 3.0, 0.0], [x1, 3.0, 0.0]], distance_sq);
        }
    }

    #[test]
    fn finds_collinear_segments_that_overlap_touch_and_miss() {
        let at = |s: f64| [2.0 * s, s, -2.0 * s];
        for (x0, x1, distance) in [(1.0, 2.0, 0.0), (3.0, 5.0, 0.0), (4.0, 5.0, 0.0), (5.0, 7.0, 3.0)] {
            closest([at(0.0), at(4.0)], [at(x0), at(x1)], distance * distance);
        }
    }

    #[test]
    fn takes_segments_of_no_length_as_points() {
        let a = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0]];
        let answer = closest(a, [[1.0, 2.0, 0.0]; 2], 4.0);
        assert_eq!((answer.s, answer.t), (0.25, 0.0));
        closest(a, [[5.0, 2.0, 0.0]; 2], 5.0);
        let answer = closest([[1.0, 0.0, 0.0]; 2], [[1.0, 2.0, 0.0]; 2], 4.0);
        assert_eq!((answer.s, answer.t), (0.0, 0.0));
    }

    #[test]
    fn finds_crossing_segments_and_shared_ends() {
        let answer = closest([[-1.0, -1.0, 0.0], [1.0, 1.0, 0.0]], [[-1.0, 1.0, 0.0], [1.0, -1.0, 0.0]], 0.0);
        assert_eq!((answer.s, answer.t), (0.5, 0.5));
        let shared = [1.0, 2.0, 3.0];
        closest([shared, [1.0, 6.0, 3.0]], [shared, [5.0, 2.0, 7.0]], 0.0);
    }
}
