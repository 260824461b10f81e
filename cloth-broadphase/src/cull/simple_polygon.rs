//! Whether a contour is a strictly simple closed curve: only adjacent sides touch, in their common corner.
//!
//! A sweep along the longer side of the contour's box: a border of `n` sides costs about `n log n`. Two
//! disjoint segments that are not parallel are separated by the line of one of them; collinear ones have
//! disjoint boxes. Cases undecided by rounding count as touching.

use nalgebra::Vector2;

use super::view::{Contour, cross};

/// Whether the contour is certainly a strictly simple closed curve.
pub(super) fn is_simple(contour: &mut Contour) -> bool {
    let mut order = std::mem::take(&mut contour.scratch.order);
    let simple = Sides::from_contour(contour).is_some_and(|sides| sides.are_simple(&mut order));
    contour.scratch.order = order;
    simple
}

/// The sides of a contour: side `i` joins points `i` and `i + 1`.
struct Sides<'a> {
    points: &'a [Vector2<f64>],
    /// Coordinates further apart than this are apart in truth.
    gap: f64,
    /// Products beyond this have the sign that they seem to have.
    bound: f64,
    /// The axis of the sweep.
    axis: usize,
}

impl<'a> Sides<'a> {
    fn from_contour(contour: &'a Contour) -> Option<Self> {
        let points = contour.points.as_slice();
        let first = points.first().filter(|_| points.len() >= 3)?;
        let low = points.iter().fold(*first, |a, b| a.inf(b));
        let high = points.iter().fold(*first, |a, b| a.sup(b));
        let extent = high - low;
        let reach = extent.amax();
        // Of a difference: two errors and its own rounding.
        let error = 2.0 * contour.error + f64::EPSILON * reach;
        let bound = Contour::product_bound(reach, error);
        bound.is_finite().then(|| Self { points, gap: 2.0 * error, bound, axis: extent.imax() })
    }

    fn are_simple(&self, order: &mut Vec<u32>) -> bool {
        let count = self.points.len();
        if !(0..count).all(|i| self.corner_is_open(i)) {
            return false;
        }
        order.clear();
        order.extend(0..count as u32);
        order.sort_unstable_by(|&i, &j| self.low(i, self.axis).total_cmp(&self.low(j, self.axis)));
        (0..count).all(|n| {
            let i = order[n];
            let end = self.high(i, self.axis) + self.gap;
            let near = order[n + 1..].iter().take_while(|&&j| self.low(j, self.axis) <= end);
            near.clone().all(|&j| self.are_neighbours(i, j) || self.are_apart(i, j))
        })
    }

    fn side(&self, i: u32) -> [Vector2<f64>; 2] {
        let next = i as usize + 1;
        [self.points[i as usize], self.points[if next == self.points.len() { 0 } else { next }]]
    }

    fn low(&self, i: u32, axis: usize) -> f64 {
        let [p, q] = self.side(i);
        p[axis].min(q[axis])
    }

    fn high(&self, i: u32, axis: usize) -> f64 {
        let [p, q] = self.side(i);
        p[axis].max(q[axis])
    }

    fn are_neighbours(&self, i: u32, j: u32) -> bool {
        let apart = i.abs_diff(j);
        apart == 1 || apart as usize == self.points.len() - 1
    }

    /// Whether the sides at a corner certainly meet nowhere else: they turn, or go on.
    fn corner_is_open(&self, corner: usize) -> bool {
        let count = self.points.len();
        let here = self.points[corner];
        let (back, on) =
            (self.points[(corner + count - 1) % count] - here, self.points[(corner + 1) % count] - here);
        cross(back, on).abs() > self.bound || -back.dot(&on) > self.bound
    }

    fn are_apart(&self, i: u32, j: u32) -> bool {
        let across = 1 - self.axis;
        if self.low(j, across) > self.high(i, across) + self.gap
            || self.low(i, across) > self.high(j, across) + self.gap
        {
            return true;
        }
        self.one_side_of(self.side(i), self.side(j)) || self.one_side_of(self.side(j), self.side(i))
    }

    /// Whether a segment lies certainly and strictly on one side of the line through another.
    fn one_side_of(&self, [a, b]: [Vector2<f64>; 2], [p, q]: [Vector2<f64>; 2]) -> bool {
        let (p, q) = (cross(b - a, p - a), cross(b - a, q - a));
        p > self.bound && q > self.bound || -p > self.bound && -q > self.bound
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cloth_geom::exact::segment_meets_triangle;
    use nalgebra::Point3;
    use proptest::prelude::*;

    fn simple(points: &[[f64; 2]]) -> bool {
        is_simple(&mut Contour::through(points))
    }

    #[test]
    fn knows_simple_contours_that_are_no_stars() {
        let u =
            [[0.0, 0.0], [9.0, 0.0], [9.0, 9.0], [8.0, 9.0], [8.0, 1.0], [1.0, 1.0], [1.0, 9.0], [0.0, 9.0]];
        assert!(simple(&u));
        assert!(simple(&[[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]));
        // Corners that go straight on.
        assert!(simple(&[[0.0, 0.0], [1.0, 0.5], [2.0, 1.0], [4.0, 2.0], [0.0, 2.0]]));
    }

    #[test]
    fn refuses_contours_that_cross_touch_or_turn_back() {
        assert!(!simple(&[[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]]));
        // A corner on a side, and a corner on a corner.
        assert!(!simple(&[[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [2.0, 0.0], [0.0, 4.0]]));
        assert!(!simple(&[[0.0, 0.0], [4.0, 0.0], [2.0, 2.0], [4.0, 4.0], [0.0, 4.0], [2.0, 2.0]]));
        // A spike, a double point, and all on one line.
        assert!(!simple(&[[0.0, 0.0], [4.0, 0.0], [2.0, 2.0], [2.0, 4.0], [2.0, 2.0]]));
        assert!(!simple(&[[0.0, 0.0], [4.0, 0.0], [4.0, 0.0], [0.0, 4.0]]));
        assert!(!simple(&[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]]));
        assert!(!simple(&[[0.0, 0.0], [1.0, 0.0]]) && !simple(&[]));
    }

    #[test]
    fn refuses_what_the_error_of_the_points_might_have_made() {
        let slot = |width: f64, error: f64| {
            let mut contour = Contour::through(&[
                [0.0, 0.0],
                [9.0, 0.0],
                [9.0, 9.0],
                [5.0 + width, 1.0],
                [5.0, 9.0],
                [0.0, 9.0],
            ]);
            contour.points[4].x = 9.0 - 2.0 * width;
            contour.error = error;
            is_simple(&mut contour)
        };
        assert!(slot(1e-3, 1e-6));
        assert!(!slot(1e-3, 1e-2));
        assert!(!slot(1.0, f64::NAN) && !slot(1.0, f64::INFINITY) && !slot(f64::NAN, 0.0));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn passes_no_lattice_polygon_that_exact_signs_refuse(
            corners in proptest::collection::vec(proptest::array::uniform2(-4i8..5), 3..9),
        ) {
            let points: Vec<[f64; 2]> = corners.iter().map(|c| c.map(f64::from)).collect();
            prop_assert_eq!(simple(&points), exactly_simple(&points));
        }
    }

    /// Every side against every other, by exact signs: a segment is a triangle without area.
    fn exactly_simple(points: &[[f64; 2]]) -> bool {
        let count = points.len();
        let at = |i: usize| Point3::new(points[i % count][0], points[i % count][1], 0.0);
        let meets = |i: usize, j: usize| {
            let (p, q, a, b) = (at(i), at(i + 1), at(j), at(j + 1));
            segment_meets_triangle([&p, &q], [&a, &b, &b])
        };
        let folds = |i: usize| {
            let (back, on) = (at(i + count - 1) - at(i), at(i + 1) - at(i));
            back.cross(&on).norm() == 0.0 && back.dot(&on) >= 0.0
        };
        let neighbours = |i: usize, j: usize| j == i + 1 || (i == 0 && j == count - 1);
        !(0..count).any(folds) && !(0..count).any(|j| (0..j).any(|i| !neighbours(i, j) && meets(i, j)))
    }
}
