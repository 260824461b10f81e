//! Separating planes for four pairs at a time in `f32`: certifies most pairs, and decides nothing about the
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
use cloth_geom::lanes::{LANES, Lanes, Lanes3, dot, greater, lesser, minus, norm, plus, scaled};
use nalgebra::Point3;

use super::separation::CLEARANCE_SHARE;
use crate::Coordinate;
use crate::narrow_phase_error::DISTANCE_ERROR;

/// Least length (m) that is normalised, `2^-62`: underflow takes at most `3 * 2^-150` from its square, less
/// than a rounding.
const LEAST_LENGTH: f32 = f32::from_bits((127 - 62) << 23);

/// Corners of four pairs at both ends of a motion, relative to the first corner at the start (m).
struct LaneCorners {
    t0: [Lanes3; 4],
    t1: [Lanes3; 4],
}

impl LaneCorners {
    #[inline]
    fn new<T: Coordinate>(vertices: &[[u32; 4]; LANES], [t0, t1]: [&[Point3<T>]; 2]) -> Self {
        let [p, q, r, s] = vertices;
        let row = |k: usize| [p[k], q[k], r[k], s[k]];
        let relative = |positions, k| T::gather_relative(positions, row(k), t0, row(0));
        let from_origin = |positions| [0, 1, 2, 3].map_inline(|k| relative(positions, k));
        Self { t0: from_origin(t0), t1: from_origin(t1) }
    }
}

/// Tests four vertices and faces with the given clearances (m), and for distances at both ends greater than
/// the `least` (m); a bit mask of those that are certified.
#[inline]
pub(super) fn prove_point_triangles<T: Coordinate>(
    vertices: &[[u32; 4]; LANES],
    ends: [&[Point3<T>]; 2],
    clearance: [f32; LANES],
    least: f32,
) -> u32 {
    let corners = LaneCorners::new(vertices, ends);
    let [p, a, b, c] = &corners.t0;
    let closest = point_triangles(p, [a, b, c]);
    let [u, v, w] = closest.weights();
    let foot = plus(&plus(&scaled(a, u), &scaled(b, v)), &scaled(c, w));
    proved_lanes(&corners, 1, &minus(p, &foot), clearance, least)
}

/// As [`prove_point_triangles`], four pairs of edges.
#[inline]
pub(super) fn prove_edge_edges<T: Coordinate>(
    vertices: &[[u32; 4]; LANES],
    ends: [&[Point3<T>]; 2],
    clearance: [f32; LANES],
    least: f32,
) -> u32 {
    let corners = LaneCorners::new(vertices, ends);
    let [a, b, c, d] = &corners.t0;
    let closest = segment_segments([a, b], [c, d]);
    let [s, t] = closest.parameters();
    let on_first = plus(&scaled(a, Lanes::ONE - s), &scaled(b, s));
    let on_second = plus(&scaled(c, Lanes::ONE - t), &scaled(d, t));
    proved_lanes(&corners, 2, &minus(&on_first, &on_second), clearance, least)
}

/// Tests planes normal to `apart`, the vector from the second primitive to the first (m); `split` corners
/// belong to the first.
#[inline]
fn proved_lanes(
    corners: &LaneCorners,
    split: usize,
    apart: &Lanes3,
    clearance: [f32; LANES],
    least: f32,
) -> u32 {
    let length = norm(apart);
    let direction = scaled(apart, Lanes::ONE / length);
    let start = Gap::new(&direction, &corners.t0, split);
    let end = Gap::new(&direction, &corners.t1, split);
    let far = start.farthest_sq.sqrt() * Lanes::splat(2.0);
    let at_most = length + far * Lanes::splat(DISTANCE_ERROR as f32 * 2.0);
    let required =
        lesser(Lanes::new(clearance), at_most) * Lanes::splat(CLEARANCE_SHARE as f32 * (1.0 + gamma_f32(64)));
    let least = Lanes::splat(least * raise_f32(16));
    let apart = start.beyond_rounding().simd_gt(least)
        & end.beyond_rounding().simd_gt(greater(required, least))
        & required.simd_gt(Lanes::ZERO)
        & length.simd_gt(Lanes::splat(LEAST_LENGTH));
    apart.to_bitmask() as u32
}

/// Gap between the projections onto a direction.
struct Gap {
    gap: Lanes,
    rounding: Lanes,
    farthest_sq: Lanes,
}

impl Gap {
    #[inline]
    fn new(direction: &Lanes3, corners: &[Lanes3; 4], split: usize) -> Self {
        let heights = [0, 1, 2, 3].map_inline(|k| dot(direction, &corners[k]));
        let (mut rounding, mut farthest_sq) = (Lanes::ZERO, Lanes::ZERO);
        for corner in corners {
            let parts = [direction[0] * corner[0], direction[1] * corner[1], direction[2] * corner[2]];
            rounding = greater(rounding, parts[0].abs() + parts[1].abs() + parts[2].abs());
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
    #[inline]
    fn beyond_rounding(&self) -> Lanes {
        let bound = self.rounding * Lanes::splat(gamma_f32(8)) + Lanes::splat(f32::MIN_POSITIVE);
        self.gap - bound * Lanes::splat(4.0)
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::Vector3;
    use proptest::prelude::*;
    use proptest::strategy::ValueTree;

    use super::super::pair::PairCorners;
    use super::super::separation::{Separation, decide_exactly, prove_by_planes};
    use super::*;
    use crate::ccd::Filtered;

    /// Sixteen corners and their motions; on a lattice they touch, are coplanar or coincide.
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
        (proptest::collection::vec((corner(1.0), corner(0.3)), 16), place).prop_map(
            |(corners, (scale, origin))| {
                let at = |v: Vector3<f32>| Point3::from(v * scale + Vector3::repeat(origin));
                corners.iter().map(|(p, d)| (at(*p), at(p + d))).unzip()
            },
        )
    }

    fn check(t0: &[Point3<f32>], t1: &[Point3<f32>], clearance: f32) -> Result<[u32; 2], TestCaseError> {
        let vertices = [0, 4, 8, 12].map(|k| [k, k + 1, k + 2, k + 3]);
        let (mut proved, mut apart) = (0, 0);
        for split in [1, 2] {
            let inspect = if split == 1 { prove_point_triangles } else { prove_edge_edges };
            let proved_lanes = inspect(&vertices, [t0, t1], [clearance; LANES], 0.0);
            for (l, vertices) in vertices.into_iter().enumerate() {
                let corners = PairCorners { vertices, split };
                let [start, end] = [corners.at(t0), corners.at(t1)];
                let closest = corners.closest(&start);
                let verdict = prove_by_planes(&corners, &closest, [&start, &end], clearance.into());
                apart += u32::from(verdict == Separation::Separated);
                if proved_lanes >> l & 1 == 1 {
                    proved += 1;
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
        Ok([proved, apart])
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
        let vertices = [0, 4, 8, 12].map(|k| [k, k + 1, k + 2, k + 3]);
        let mut proved = 0;
        for case in 0..8_000 {
            let (t0, t1) = motion(case % 4 == 0).new_tree(&mut runner).unwrap().current();
            let size = 2.0_f64.powi(case % 148 - 147) as f32;
            let [t0, t1] = [t0, t1].map(|at| at.iter().map(|p| p * size).collect::<Vec<_>>());
            for split in [1, 2] {
                let prove = if split == 1 { prove_point_triangles } else { prove_edge_edges };
                let corners = vertices.map(|vertices| PairCorners { vertices, split });
                let start = corners.map(|c| c.closest(&c.at(&t0)).distance);
                let least = (start[0] * 0.8) as f32;
                let lanes = prove(&vertices, [&t0, &t1], [least; LANES], least);
                for (l, corners) in corners.iter().enumerate().filter(|(l, _)| lanes >> l & 1 == 1) {
                    let end = corners.closest(&corners.at(&t1)).distance;
                    let kept = f64::from(least) * (1.0 - 1.0e-12);
                    assert!(start[l] > kept && end > kept, "{l} {split}: {least:e} {t0:?} {t1:?}");
                    proved += 1;
                }
            }
        }
        assert!(proved > 500, "{proved}");
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
            let [gap, rounding] = [gap, rounding].map(Lanes::splat);
            Gap { gap, rounding, farthest_sq: Lanes::ZERO }.beyond_rounding().to_array()[0]
        };
        // Heights of 1 have three roundings each, and their difference one.
        assert!(gap(1.0, 1.0) < 1.0 - 3.0 * f32::EPSILON && gap(1.0, 1.0) > 1.0 - 100.0 * f32::EPSILON);
        assert!(gap(0.0, 0.0) < 0.0, "touching is not apart");
    }
}
