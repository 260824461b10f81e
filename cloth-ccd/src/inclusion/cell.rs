//! A part of the domain of a query, time by parameters, with the hull of its image.

use nalgebra::Vector3;

use super::difference::{Difference, UNIT, UPWARD, edges};
use super::directions::any_direction;

/// Times are exact multiples of this, 2^-52.
const SHORTEST: f64 = f64::EPSILON;

/// No cell is cut more often: [`UPWARD`] allows for 2^9 roundings, and a cut takes one.
const DEEPEST: u32 = 256;

/// A cell is bisected in time, whatever its shape, if a direction certifies this first share of its time
/// free.
///
/// Bisection in time shortens the interval for all parameters at once. Without it, five times as many cells
/// around the impact are bisected where a point hits a triangle; with it for any free beginning, rounding
/// errors are taken from values that are still large, and half more of the public queries become false
/// positives.
const FREE_SHARE: f64 = 0.25;

/// A cell: a part of the parameters of the Minkowski difference over a part of the time.
///
/// Positions are affine in time and affine in the parameters of each primitive, so the image is inside the
/// hull of the corners at both ends of the time. (This is the inclusion function of the paper, which uses the
/// bounding box.)
#[derive(Clone, Debug)]
pub(super) struct Cell<const K: usize> {
    /// Corners at the start of the cell's time and at its end.
    ends: [[Vector3<f64>; K]; 2],
    /// How much any corner may be off, by axis.
    error: Vector3<f64>,
    /// Start of its time: a multiple of `duration`, exactly.
    pub(super) time: f64,
    /// Length of its time, a power of two.
    duration: f64,
    /// How many cuts led here.
    pub(super) depth: u32,
}

/// What is known of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CellVerdict {
    /// Its image is certainly farther from the origin than the distance.
    Free,
    /// It may not be free, but a first part of its time is.
    FreeAtFirst,
    /// Nothing.
    OpenCell,
}

/// A method of cutting a cell in two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bisection {
    /// In the middle of its time.
    Time,
    /// In the middle of these parallel edges of the difference.
    Edges(&'static [[usize; 2]]),
}

impl<const K: usize> Cell<K> {
    /// All of the query's domain.
    pub(super) fn whole(difference: &Difference<K>) -> Self {
        Self { ends: difference.ends, error: difference.error, time: 0.0, duration: 1.0, depth: 0 }
    }

    /// Whether the cell is free of points within `distance` of the origin.
    pub(super) fn verdict(&self, distance: f64) -> CellVerdict {
        let (low, high) = self.bounds();
        if (0..3).any(|axis| low[axis].max(-high[axis]) > (self.error[axis] + distance) * UPWARD) {
            return CellVerdict::Free;
        }
        // A dot product of three terms is off by less than 4 units of the sum of their sizes.
        let blur = self.error + low.abs().sup(&high.abs()) * (4.0 * UNIT);
        let [start, end] = &self.ends;
        let middle: [_; K] = std::array::from_fn(|k| (start[k] + end[k]) * 0.5);
        let mut verdict = CellVerdict::OpenCell;
        any_direction(&middle, &travel(start, end), |direction| {
            let sign = if direction.dot(&start[0]) < 0.0 { -1.0 } else { 1.0 };
            let slack = (direction.abs().dot(&blur) + direction.norm() * distance) * UPWARD;
            let heights = self.ends.map(|corners| corners.map(|corner| sign * direction.dot(&corner)));
            if let Some(found) = beyond(&heights, slack) {
                verdict = found;
            }
            verdict == CellVerdict::Free
        });
        verdict
    }

    /// How to cut the cell next; none if its image is no wider than `tolerance` or its own error, or has been
    /// cut too often.
    pub(super) fn bisection(&self, tolerance: f64, verdict: CellVerdict) -> Option<Bisection> {
        let [start, end] = &self.ends;
        let resolution = tolerance.max(self.error.amax());
        let moved = start.iter().zip(end).fold(0.0, |most: f64, (start, end)| most.max((end - start).amax()));
        let in_time = (self.duration > SHORTEST && moved > resolution).then_some((moved, Bisection::Time));
        if verdict == CellVerdict::FreeAtFirst && in_time.is_some() {
            return Some(Bisection::Time).filter(|_| self.depth < DEEPEST);
        }
        let length = |corners: &[Vector3<f64>; K], &[i, j]: &[usize; 2]| (corners[j] - corners[i]).amax();
        let along = |&parallel: &&'static [[usize; 2]]| {
            let lengths =
                self.ends.iter().flat_map(|corners| parallel.iter().map(move |edge| length(corners, edge)));
            (lengths.fold(0.0, f64::max), Bisection::Edges(parallel))
        };
        let wide = edges::<K>().iter().map(along).filter(|(width, _)| *width > resolution).chain(in_time);
        wide.max_by(|a, b| a.0.total_cmp(&b.0))
            .map(|(_, bisection)| bisection)
            .filter(|_| self.depth < DEEPEST)
    }

    /// The two halves, the earlier first.
    pub(super) fn bisect(mut self, bisection: Bisection) -> [Self; 2] {
        self.depth += 1;
        let mut bisect = [self.clone(), self];
        let [first, second] = &mut bisect;
        let mut loss = Vector3::zeros();
        match bisection {
            Bisection::Time => {
                for k in 0..K {
                    let middle = middle(&first.ends[0][k], &first.ends[1][k], &mut loss);
                    (first.ends[1][k], second.ends[0][k]) = (middle, middle);
                }
                first.duration *= 0.5;
                second.duration *= 0.5;
                second.time += second.duration;
            }
            Bisection::Edges(parallel) => {
                for (end, &[i, j]) in (0..2).flat_map(|end| parallel.iter().map(move |edge| (end, edge))) {
                    let middle = middle(&first.ends[end][i], &first.ends[end][j], &mut loss);
                    (first.ends[end][j], second.ends[end][i]) = (middle, middle);
                }
            }
        }
        first.error += loss;
        second.error += loss;
        bisect
    }

    /// The box around the corners.
    fn bounds(&self) -> (Vector3<f64>, Vector3<f64>) {
        let first = self.ends[0][0];
        self.ends
            .iter()
            .flatten()
            .fold((first, first), |(low, high), corner| (low.inf(corner), high.sup(corner)))
    }
}

/// A vector along the mean motion of the corners, `K` times as long.
pub(crate) fn travel<const K: usize>(start: &[Vector3<f64>; K], end: &[Vector3<f64>; K]) -> Vector3<f64> {
    start.iter().zip(end).fold(Vector3::zeros(), |sum, (start, end)| sum + (end - start))
}

/// What follows from the heights of all corners at the start and at the end.
fn beyond<const K: usize>([start, end]: &[[f64; K]; 2], slack: f64) -> Option<CellVerdict> {
    if !start.iter().all(|&height| height > slack) {
        return None;
    }
    if end.iter().all(|&height| height > slack) {
        return Some(CellVerdict::Free);
    }
    let later = |k: usize| start[k] + FREE_SHARE * (end[k] - start[k]);
    (0..K).all(|k| later(k) > slack).then_some(CellVerdict::FreeAtFirst)
}

/// The midpoint of two corners; raises `loss` to the exact rounding error (Knuth's two-sum).
///
/// The midpoint of two values with an error of at most `e` has an error of at most `e` plus that. Halving is
/// exact except for underflow, for which every error bound has a margin.
fn middle(a: &Vector3<f64>, b: &Vector3<f64>, loss: &mut Vector3<f64>) -> Vector3<f64> {
    let sum = a + b;
    let from_b = sum - a;
    let lost = (a - (sum - from_b)) + (b - from_b);
    *loss = loss.sup(&(lost.abs() * 0.5));
    sum * 0.5
}

#[cfg(test)]
mod tests {
    use nalgebra::Point3;
    use proptest::prelude::*;

    use super::*;
    use crate::Corners;

    /// Exact corners, as integers over 2 to the depth.
    type Exact<const K: usize> = [[[i128; 3]; K]; 2];

    fn exact_half<const K: usize>(exact: &Exact<K>, bisection: Bisection, second: bool) -> Exact<K> {
        let mut half = exact.map(|end| end.map(|corner| corner.map(|x| 2 * x)));
        let middle = |a: [i128; 3], b: [i128; 3]| [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
        match bisection {
            Bisection::Time => {
                for k in 0..K {
                    half[usize::from(!second)][k] = middle(exact[0][k], exact[1][k]);
                }
            }
            Bisection::Edges(parallel) => {
                for (end, &[i, j]) in (0..2).flat_map(|end| parallel.iter().map(move |edge| (end, edge))) {
                    half[end][if second { i } else { j }] = middle(exact[end][i], exact[end][j]);
                }
            }
        }
        half
    }

    /// Bisects a cell with 53-bit integer corners over and over, and compares every corner's error with exact
    /// arithmetic.
    fn check_errors<const K: usize, const N: usize>(corners: [[[i64; 3]; N]; 2], choices: &[(usize, bool)]) {
        let [t0, t1] = corners.map(|end| end.map(|corner| Point3::from(corner.map(|x| x as f64))));
        let difference = Difference::<K>::new(&Corners { t0, t1 }, 0.0);
        let pair = |end: usize, k: usize| {
            let [i, j] = if K == 4 { [k / 2, 2 + k % 2] } else { [0, k + 1] };
            [0, 1, 2].map(|axis| i128::from(corners[end][i][axis]) - i128::from(corners[end][j][axis]))
        };
        let mut exact: Exact<K> = [0, 1].map(|end| std::array::from_fn(|k| pair(end, k)));
        let mut cell = Cell::whole(&difference);
        for &(choice, second) in choices {
            let ways = edges::<K>();
            let bisection = ways
                .get(choice % (ways.len() + 1))
                .map_or(Bisection::Time, |parallel| Bisection::Edges(parallel));
            exact = exact_half(&exact, bisection, second);
            cell = cell.bisect(bisection)[usize::from(second)].clone();
            let units = 2.0_f64.powi(cell.depth as i32) / difference.scaled(1.0);
            for (end, k, axis) in
                (0..2).flat_map(|e| (0..K).flat_map(move |k| (0..3).map(move |a| (e, k, a))))
            {
                let stored = (cell.ends[end][k][axis] * units) as i128;
                let allowed = (cell.error[axis] * UPWARD * units) as i128;
                assert!(
                    (stored - exact[end][k][axis]).abs() <= allowed,
                    "depth {}: off by more than {allowed}",
                    cell.depth
                );
            }
        }
    }

    fn corners<const N: usize>() -> impl Strategy<Value = [[[i64; 3]; N]; 2]> {
        let limit = 1_i64 << 53;
        proptest::collection::vec(proptest::array::uniform3(-limit..limit), 2 * N)
            .prop_map(|flat| [0, N].map(|from| std::array::from_fn(|k| flat[from + k])))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]

        #[test]
        fn knows_how_far_each_corner_is_off(
            triangle in corners::<4>(),
            segment in corners::<3>(),
            choices in proptest::collection::vec((0..4usize, any::<bool>()), 1..60),
        ) {
            check_errors::<3, 4>(triangle, &choices);
            check_errors::<4, 4>(triangle, &choices);
            check_errors::<2, 3>(segment, &choices);
        }
    }

    #[test]
    fn halves_share_their_middle_and_cover_the_time() {
        let corners = [Point3::origin(), Point3::new(1.0, 2.0, 3.0)];
        let difference = Difference::<1>::new(&Corners { t0: corners, t1: [corners[1], corners[0]] }, 0.0);
        let [first, second] = Cell::whole(&difference).bisect(Bisection::Time);
        assert_eq!((first.time, first.duration, second.time, second.duration), (0.0, 0.5, 0.5, 0.5));
        assert_eq!(first.ends[1], second.ends[0]);
        assert_eq!((first.ends[0], second.ends[1]), (difference.ends[0], difference.ends[1]));
    }

    #[test]
    fn is_cut_in_time_while_its_beginning_is_free() {
        let corners =
            |y: f64| [(-9.0, y), (9.0, y), (0.0, 0.0), (0.0, 0.0)].map(|(x, y)| Point3::new(x, y, 0.0));
        let difference = Difference::<4>::new(&Corners { t0: corners(1.0), t1: corners(-1.0) }, 0.0);
        let cell = Cell::whole(&difference);
        assert_eq!(cell.verdict(0.0), CellVerdict::FreeAtFirst);
        assert_eq!(cell.bisection(0.0, CellVerdict::FreeAtFirst), Some(Bisection::Time));
        assert_eq!(cell.bisection(0.0, CellVerdict::OpenCell), Some(Bisection::Edges(edges::<4>()[0])));
        assert_eq!(cell.bisection(9.0, CellVerdict::FreeAtFirst), None);
    }
}
