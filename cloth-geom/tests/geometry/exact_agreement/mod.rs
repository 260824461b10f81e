//! The fast exact predicates give the verdict of integer arithmetic, always, on 125,000 configurations that
//! aim at degenerate ones; and both give the truth where the truth is known by construction.

mod cases;

use cases::{Lattice, Points, combine, nudge, placement, small, triple, wide, wild};
use cloth_geom::exact::{self, Axis, IntersectionKind, Sign, reference};
use proptest::prelude::*;
use proptest::test_runner::{TestCaseResult, TestRunner};
use std::cell::Cell;

const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [1, 0, 2], [0, 2, 1], [2, 1, 0]];

fn check<S: Strategy>(cases: u32, strategy: S, property: impl Fn(S::Value) -> TestCaseResult) {
    let config = ProptestConfig { cases, source_file: Some(file!()), ..ProptestConfig::default() };
    if let Err(failure) = TestRunner::new(config).run(&strategy, property) {
        panic!("{failure}");
    }
}

/// All orders of ends and corners give the verdict of the reference.
fn kind_agrees([p, q, a, b, c]: &Points<5>) -> Result<Option<IntersectionKind>, TestCaseError> {
    let verdict = reference::segment_triangle_kind([p, q], [a, b, c]);
    for order in ORDERS {
        let corners = order.map(|k| [a, b, c][k]);
        for ends in [[p, q], [q, p]] {
            prop_assert_eq!(exact::segment_triangle_kind(ends, corners), verdict);
        }
    }
    prop_assert_eq!(exact::segment_meets_triangle([p, q], [a, b, c]), verdict.is_some());
    prop_assert_eq!(reference::segment_meets_triangle([q, p], [b, a, c]), verdict.is_some());
    Ok(verdict)
}

/// All orders of the points give the sign of the reference, turned with the order.
fn signs_agree([a, b, c, d]: &Points<4>) -> Result<Sign, TestCaseError> {
    let side = reference::orient3d(a, b, c, d);
    let turns = Axis::ALL.map(|axis| reference::orient2d(a, b, c, axis));
    for (i, order) in ORDERS.into_iter().enumerate() {
        let turned = |sign: Sign| if i < 3 { sign } else { sign.opposite() };
        let [a, b, c] = order.map(|k| [a, b, c][k]);
        prop_assert_eq!(exact::orient3d(a, b, c, d), turned(side));
        prop_assert_eq!(exact::orient3d(d, a, b, c), turned(side).opposite());
        for (axis, turn) in Axis::ALL.into_iter().zip(turns) {
            prop_assert_eq!(exact::orient2d(a, b, c, axis), turned(turn));
        }
    }
    Ok(side)
}

/// A segment and a triangle, often meeting in a corner, an edge, the face, or the plane.
fn segment_and_triangle() -> impl Strategy<Value = [Lattice; 5]> {
    // A point of the plane (inside for weights of 0..=4 each way), times four.
    let of_plane = |[a, b, c]: [Lattice; 3], [s, t]: [i64; 2]| combine([(4 - s - t, a), (s, b), (t, c)]);
    let times_four = |t: [Lattice; 3]| t.map(|p| combine([(4, p)]));
    let weights = || prop_oneof![prop::array::uniform2(-1i64..=4), prop::array::uniform2(1i64..=2)];
    let constructed = (triple(), weights(), weights(), small(), -2i64..=2, any::<bool>()).prop_map(
        move |(triangle, at, other, away, back, in_plane)| {
            let [a, b, c] = times_four(triangle);
            let x = of_plane(triangle, at);
            let q = if in_plane { of_plane(triangle, other) } else { combine([(1, x), (1, away)]) };
            // p lies on the line of x and q, beyond x, on it, or short of it.
            [combine([(1 + back, x), (-back, q)]), q, a, b, c]
        },
    );
    let found = prop::array::uniform5(small());
    let flat = prop::array::uniform5(small()).prop_map(|points| points.map(|[x, y, _]| [x, y, x + y]));
    prop_oneof![4 => constructed, 2 => found, 1 => flat]
}

#[test]
fn segment_and_triangle_agree_with_integers() {
    let counts = [(); 4].map(|()| Cell::new(0));
    check(40_000, (segment_and_triangle(), placement(), nudge()), |(lattice, placement, nudge)| {
        let still = kind_agrees(&placement.place(lattice))?;
        kind_agrees(&nudge.apply(placement.place(lattice), &placement))?;
        let [p, q, a, b, c] = lattice.map(|p| p.map(|c| c as f64).into());
        let plain = exact::segment_triangle_kind([&p, &q], [&a, &b, &c]);
        prop_assert_eq!(plain, still, "a translation or a power of two changed the verdict");
        let slot = match still {
            None => 0,
            Some(IntersectionKind::Proper) => 1,
            Some(IntersectionKind::Touching) => 2,
            _ => 3,
        };
        counts[slot].set(counts[slot].get() + 1);
        Ok(())
    });
    // The cases aim: none of the four verdicts is rare.
    for count in &counts {
        assert!(count.get() > 40_000 / 25, "{counts:?}");
    }
}

#[test]
fn segment_and_triangle_agree_at_any_exponent() {
    check(15_000, wild::<5>(), |points| kind_agrees(&points).map(|_| ()));
}

#[test]
fn signs_agree_with_integers() {
    let coplanar = (triple(), prop::array::uniform2(-2i64..=2))
        .prop_map(|([a, b, c], [s, t])| [a, b, c, combine([(1 - s - t, a), (s, b), (t, c)])]);
    let four =
        prop_oneof![3 => coplanar, 1 => prop::array::uniform4(small()), 1 => prop::array::uniform4(wide())];
    let zeros = Cell::new(0);
    check(20_000, (four, placement(), nudge()), |(lattice, placement, nudge)| {
        let side = signs_agree(&placement.place(lattice))?;
        prop_assert_eq!(side, side_of_small_integers(lattice), "the reference itself is wrong");
        signs_agree(&nudge.apply(placement.place(lattice), &placement))?;
        zeros.set(zeros.get() + u32::from(side == Sign::Zero));
        Ok(())
    });
    assert!(zeros.get() > 20_000 / 4);
}

#[test]
fn signs_agree_at_any_exponent() {
    check(15_000, wild::<4>(), |points| signs_agree(&points).map(|_| ()));
}

#[test]
fn flat_folds_agree_with_integers() {
    let folded = (triple(), prop::array::uniform2(-2i64..=2), small(), any::<bool>()).prop_map(
        |([p, q, a], [s, t], away, off)| {
            let b = combine([(1 - s - t, p), (s, q), (t, a), (i64::from(off), away)]);
            [p, q, a, b]
        },
    );
    let four = prop_oneof![3 => folded, 1 => prop::array::uniform4(small())];
    let flat = Cell::new(0);
    let agrees = |[p, q, a, b]: &Points<4>| {
        let verdict = reference::is_flat_fold([p, q], a, b);
        for (edge, [a, b]) in [([p, q], [a, b]), ([q, p], [a, b]), ([p, q], [b, a]), ([q, p], [b, a])] {
            prop_assert_eq!(exact::is_flat_fold(edge, a, b), verdict);
        }
        Ok(verdict)
    };
    check(20_000, (four, placement(), nudge()), |(lattice, placement, nudge)| {
        let still = agrees(&placement.place(lattice))?;
        agrees(&nudge.apply(placement.place(lattice), &placement))?;
        flat.set(flat.get() + u32::from(still));
        Ok(())
    });
    assert!(flat.get() > 20_000 / 8, "{flat:?}");
    check(5_000, wild::<4>(), |points| agrees(&points).map(|_| ()));
}

#[test]
fn a_common_point_by_construction_is_found() {
    // Sixteenths: a point of the triangle, then ends on both sides of it, in whole steps along any direction.
    let inside = (0i64..=16).prop_flat_map(|s| (Just(s), 0..=16 - s));
    let steps = (wide(), 0i64..=3, 0i64..=3);
    check(
        5_000,
        (triple(), inside, steps, placement()),
        |([a, b, c], (s, t), (along, back, on), placement)| {
            let x = combine([(16 - s - t, a), (s, b), (t, c)]);
            let ends = [combine([(1, x), (-back, along)]), combine([(1, x), (on, along)])];
            let [a, b, c] = [a, b, c].map(|p| combine([(16, p)]));
            let points = placement.place([ends[0], ends[1], a, b, c]);
            prop_assert!(kind_agrees(&points)?.is_some());
            Ok(())
        },
    );
}

#[test]
fn a_gap_by_construction_is_respected() {
    // All corners on one side of a lattice plane, both ends at least one lattice step on the other.
    let normal = prop::array::uniform3(-3i64..=3);
    check(5_000, (segment_and_triangle(), normal, placement()), |([p, q, a, b, c], normal, placement)| {
        prop_assume!(normal != [0; 3]);
        let height = |x: Lattice| (0..3).map(|k| normal[k] * x[k]).sum::<i64>();
        let square = height(normal);
        let gap = [a, b, c].map(height).into_iter().max().unwrap() - height(p).min(height(q));
        let lift = gap.div_euclid(square) + 1;
        let lifted = |x: Lattice| combine([(1, x), (lift, normal)]);
        let points = placement.place([lifted(p), lifted(q), a, b, c]);
        prop_assert_eq!(kind_agrees(&points)?, None);
        Ok(())
    });
}

/// The sign of orient3d of integers so small that no product overflows.
fn side_of_small_integers([a, b, c, d]: [Lattice; 4]) -> Sign {
    let [u, v, w] = [b, c, d].map(|p| [0, 1, 2].map(|k| i128::from(p[k] - a[k])));
    let minor = |i: usize, j: usize| u[i] * v[j] - u[j] * v[i];
    let volume = w[0] * minor(1, 2) + w[1] * minor(2, 0) + w[2] * minor(0, 1);
    volume.cmp(&0).into()
}
