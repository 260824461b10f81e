//! Separating planes for eight pairs at a time in `f32`: certifies most pairs, and decides nothing about the
//! others.
//!
//! The direction is that of the closest points at the start; a plane normal to it has to separate the pair at
//! both ends, as in [`separation`](super::separation). A pair that is certified here is separated throughout,
//! and its final distance is sufficient.
//!
//! # Rounding
//!
//! With `u = 2^-24`. All vectors are relative to the first corner at the start: a coordinate of a difference
//! `d` rounds once, or from `f64` to `f32` once more and by less than `2^-52`. A height `n . d` has three
//! products and two sums, so its error is at most `gamma_4 s` with `s = sum |n_k d_k|`; `s` is computed with
//! as many roundings of positive numbers, so `gamma_8` times the computed value is an upper bound. A product
//! that underflows, or a coordinate that does when it becomes an `f32`, loses less than `2^-149`, for which
//! the bound has `2^-126`. The difference of two heights has both errors and one rounding: four bounds `E`
//! cover all of that and the rounding of `E` itself.
//!
//! The distance is at least the gap over `|n|`. A length, a reciprocal and a product make `n` longer than 1
//! by less than `gamma_8`, if the squares of the length do not underflow: pairs nearer than [`LEAST_LENGTH`]
//! are left to `f64`. The distance at the start is at most that of the computed closest points, whose
//! evaluation is accurate up to [`DISTANCE_ERROR`] of the largest distance of two corners; that is at most
//! twice the largest `|d|`, and no less than the length, so that its square does not underflow either.

use cloth_geom::MapInline;
use cloth_geom::bounds::{gamma_f32, raise_f32};
use cloth_geom::closest::lanes::{point_triangles, segment_segments};
use cloth_geom::lanes::{
    Instructions, LANES8, Level, Simd, WideLanes, dispatch, dot, greater, lesser, minus, norm, plus, scaled,
};
use nalgebra::Point3;

use super::separation::CLEARANCE_SHARE;
use crate::Coordinate;
use crate::narrow_phase_error::DISTANCE_ERROR;

/// Least length (m) that is normalised, `2^-62`: underflow takes at most `3 * 2^-150` from its square, less
/// than a rounding.
const LEAST_LENGTH: f32 = f32::from_bits((127 - 62) << 23);

/// Pairs that are tested at a time.
type EightPairs = [[u32; 4]; LANES8];

/// Corners of eight pairs at both ends of a motion, relative to the first corner at the start (m).
struct LaneCorners<S: Instructions> {
    t0: [[WideLanes<S>; 3]; 4],
    t1: [[WideLanes<S>; 3]; 4],
}

impl<S: Instructions> LaneCorners<S> {
    #[inline(always)]
    fn new<T: Coordinate>(simd: S, vertices: &EightPairs, [t0, t1]: [&[Point3<T>]; 2]) -> Self {
        let row = |k: usize| vertices.map_inline(|corners| corners[k]);
        let relative = |positions, k| T::gather_relative(simd, positions, row(k), t0, row(0));
        let from_origin = |positions| [0, 1, 2, 3].map_inline(|k| relative(positions, k));
        Self { t0: from_origin(t0), t1: from_origin(t1) }
    }
}

/// Tests eight pairs with the given clearances (m), and for distances at both ends greater than the `least`
/// (m); a bit mask of those that are certified. `split` corners of each belong to its first primitive: one for
/// a vertex and a face, two for two edges.
pub(super) fn prove<T: Coordinate>(
    level: Level,
    split: usize,
    vertices: &EightPairs,
    ends: [&[Point3<T>]; 2],
    clearance: &[f32; LANES8],
    least: f32,
) -> u32 {
    dispatch!(level, simd => {
        let corners = LaneCorners::new(simd, vertices, ends);
        let apart = if split == 1 { from_faces(&corners.t0) } else { between_edges(&corners.t0) };
        proved_lanes(&corners, split, &apart, simd.load_eight(clearance), least)
    })
}

/// From the closest points of faces to vertices (m).
#[inline(always)]
fn from_faces<L: Simd>([p, a, b, c]: &[[L; 3]; 4]) -> [L; 3] {
    let [u, v, w] = point_triangles(p, [a, b, c]).weights();
    minus(p, &plus(&plus(&scaled(a, u), &scaled(b, v)), &scaled(c, w)))
}

/// From the closest points of the second edges to those of the first (m).
#[inline(always)]
fn between_edges<L: Simd>([a, b, c, d]: &[[L; 3]; 4]) -> [L; 3] {
    let [s, t] = segment_segments([a, b], [c, d]).parameters();
    let one = s.like(1.0);
    let on_first = plus(&scaled(a, one - s), &scaled(b, s));
    let on_second = plus(&scaled(c, one - t), &scaled(d, t));
    minus(&on_first, &on_second)
}

/// Tests planes normal to `apart`, the vector from the second primitive to the first (m); `split` corners
/// belong to the first.
#[inline(always)]
fn proved_lanes<S: Instructions>(
    corners: &LaneCorners<S>,
    split: usize,
    apart: &[WideLanes<S>; 3],
    clearance: WideLanes<S>,
    least: f32,
) -> u32 {
    let length = norm(apart);
    let direction = scaled(apart, length.like(1.0) / length);
    let start = Gap::new(&direction, &corners.t0, split);
    let end = Gap::new(&direction, &corners.t1, split);
    let far = start.farthest_sq.sqrt() * 2.0;
    let at_most = length + far * (DISTANCE_ERROR as f32 * 2.0);
    let required = lesser(clearance, at_most) * (CLEARANCE_SHARE as f32 * (1.0 + gamma_f32(64)));
    let least = length.like(least * raise_f32(16));
    let apart = least.is_less(start.beyond_rounding())
        & greater(required, least).is_less(end.beyond_rounding())
        & length.like(0.0).is_less(required)
        & length.like(LEAST_LENGTH).is_less(length);
    WideLanes::<S>::bits(apart)
}

/// Gap between the projections onto a direction.
struct Gap<S: Instructions> {
    gap: WideLanes<S>,
    rounding: WideLanes<S>,
    farthest_sq: WideLanes<S>,
}

impl<S: Instructions> Gap<S> {
    #[inline(always)]
    fn new(direction: &[WideLanes<S>; 3], corners: &[[WideLanes<S>; 3]; 4], split: usize) -> Self {
        let heights = [0, 1, 2, 3].map_inline(|k| dot(direction, &corners[k]));
        let zero = direction[0].like(0.0);
        let (mut rounding, mut farthest_sq) = (zero, zero);
        for corner in corners {
            let parts = [direction[0] * corner[0], direction[1] * corner[1], direction[2] * corner[2]];
            let size = parts[0].magnitude() + parts[1].magnitude() + parts[2].magnitude();
            rounding = greater(rounding, size);
            farthest_sq = greater(farthest_sq, dot(corner, corner));
        }
        let [a, b, c, d] = heights;
        let gap = match split {
            1 => a - greater(greater(b, c), d),
            _ => lesser(a, b) - greater(c, d),
        };
        Self { gap, rounding, farthest_sq }
    }

    /// The gap reduced by its rounding error.
    #[inline(always)]
    fn beyond_rounding(&self) -> WideLanes<S> {
        let bound = self.rounding * gamma_f32(8) + f32::MIN_POSITIVE;
        self.gap - bound * 4.0
    }
}

#[cfg(test)]
mod tests {
    use cloth_geom::lanes::{available, baseline, level_named};
    use nalgebra::Vector3;
    use proptest::prelude::*;
    use proptest::strategy::ValueTree;

    use super::super::pair::PairCorners;
    use super::super::separation::{Separation, decide_exactly, prove_by_planes};
    use super::*;
    use crate::ccd::Filtered;

    /// The corners of eight pairs and their motions; on a lattice they touch, are coplanar or coincide.
    fn motion(lattice: bool) -> impl Strategy<Value = (Vec<Point3<f32>>, Vec<Point3<f32>>)> {
        let corner = move |size: f32| {
            [-size..size, -size..size, -size..size]
                .prop_map(move |p| Vector3::from(p.map(|x| if lattice { (2.0 * x).round() } else { x })))
        };
        let place = prop_oneof![
            Just((1.0_f32, 0.0_f32)),
            Just((1.0e-4, 0.0)),
            Just((1.0e4, 0.0)),
            Just((1.0, 1.0e5))
        ];
        (proptest::collection::vec((corner(1.0), corner(0.3)), 4 * LANES8), place).prop_map(
            |(corners, (scale, origin))| {
                let at = |v: Vector3<f32>| Point3::from(v * scale + Vector3::repeat(origin));
                corners.iter().map(|(p, d)| (at(*p), at(p + d))).unzip()
            },
        )
    }

    /// The vertices of eight pairs.
    fn pairs() -> EightPairs {
        std::array::from_fn(|l| [0, 1, 2, 3].map(|k| 4 * l as u32 + k))
    }

    /// The lanes that are proved: the same ones with all instructions.
    fn proved(split: usize, ends: [&[Point3<f32>]; 2], clearance: f32, least: f32) -> u32 {
        let levels = available().into_iter().filter_map(level_named);
        let mut all = levels.map(|level| prove(level, split, &pairs(), ends, &[clearance; LANES8], least));
        let first = all.next().unwrap();
        assert!(all.all(|other| other == first), "{ends:?}");
        first
    }

    fn check(t0: &[Point3<f32>], t1: &[Point3<f32>], clearance: f32) -> Result<[u32; 2], TestCaseError> {
        let (mut count, mut apart) = (0, 0);
        for split in [1, 2] {
            let proved_lanes = proved(split, [t0, t1], clearance, 0.0);
            for (l, vertices) in pairs().into_iter().enumerate() {
                let corners = PairCorners { vertices, split };
                let [start, end] = [corners.at(t0), corners.at(t1)];
                let closest = corners.closest(&start);
                let verdict = prove_by_planes(&corners, &closest, [&start, &end], clearance.into());
                apart += u32::from(verdict == Separation::Separated);
                if proved_lanes >> l & 1 == 1 {
                    count += 1;
                    prop_assert_ne!(verdict, Separation::TooClose, "{:?} {:?}", start, end);
                    prop_assert_eq!(
                        decide_exactly(&Filtered::default(), &corners, [start, end], 0.0),
                        Separation::Separated,
                        "{:?} {:?}",
                        start,
                        end
                    );
                }
            }
        }
        Ok([count, apart])
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]

        #[test]
        fn what_is_proved_is_apart_and_not_too_near_at_the_end(
            (t0, t1) in motion(false), clearance in prop_oneof![Just(0.01_f32), 0.0f32..2.0],
        ) {
            check(&t0, &t1, clearance)?;
        }

        #[test]
        fn what_touches_on_a_lattice_is_not_proved(
            (t0, t1) in motion(true), clearance in prop_oneof![Just(0.5_f32), Just(1.0)],
        ) {
            check(&t0, &t1, clearance)?;
        }
    }

    #[test]
    fn what_is_proved_keeps_its_distance_at_any_size() {
        let mut runner = proptest::test_runner::TestRunner::deterministic();
        let mut count = 0;
        for case in 0..8_000 {
            let (t0, t1) = motion(case % 4 == 0).new_tree(&mut runner).unwrap().current();
            let size = 2.0_f64.powi(case % 148 - 147) as f32;
            let [t0, t1] = [t0, t1].map(|at| at.iter().map(|p| p * size).collect::<Vec<_>>());
            for split in [1, 2] {
                let corners = pairs().map(|vertices| PairCorners { vertices, split });
                let start = corners.map(|c| c.closest(&c.at(&t0)).distance);
                let least = (start[0] * 0.8) as f32;
                let lanes = proved(split, [&t0, &t1], least, least);
                for (l, corners) in corners.iter().enumerate().filter(|(l, _)| lanes >> l & 1 == 1) {
                    let end = corners.closest(&corners.at(&t1)).distance;
                    let kept = f64::from(least) * (1.0 - 1.0e-12);
                    assert!(start[l] > kept && end > kept, "{l} {split}: {least:e} {t0:?} {t1:?}");
                    count += 1;
                }
            }
        }
        assert!(count > 500, "{count}");
    }

    #[test]
    fn one_evaluation_proves_four_fifths_of_what_planes_prove() {
        let mut runner = proptest::test_runner::TestRunner::deterministic();
        let (mut proved, mut apart) = (0, 0);
        for _ in 0..500 {
            let (t0, t1) = motion(false).new_tree(&mut runner).unwrap().current();
            let [p, a] = check(&t0, &t1, 0.001).unwrap();
            (proved, apart) = (proved + p, apart + a);
        }
        assert!(proved * 10 > apart * 8 && apart > 1000, "{proved} of {apart}");
    }

    #[test]
    fn what_rounding_could_have_added_is_taken_away() {
        let gap = |gap: f32, rounding: f32| {
            let [gap, rounding] = [gap, rounding].map(|number| baseline().splat_eight(number));
            Gap { gap, rounding, farthest_sq: gap }.beyond_rounding()[0]
        };
        // Heights of 1 have three roundings each, and their difference one.
        assert!(gap(1.0, 1.0) < 1.0 - 3.0 * f32::EPSILON && gap(1.0, 1.0) > 1.0 - 100.0 * f32::EPSILON);
        assert!(gap(0.0, 0.0) < 0.0, "touching is not apart");
    }
}
