//! `PointGrid` from outside: in every kind of world it finds what a test of all pairs finds, and it refuses
//! by name.

use cloth_broadphase::{PointGrid, PointsError};
use nalgebra::Point3;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;

type Points = Vec<Point3<f32>>;

/// Points of one of the kinds, with a distance that fits them.
fn world() -> impl Strategy<Value = (Points, f64)> {
    let unit = || proptest::array::uniform3(-1.0f32..1.0);
    let many = |point: BoxedStrategy<[f32; 3]>, reach: f64| {
        (vec(point.prop_map(Point3::from), 0..200), (0.0..1.0f64).prop_map(move |share| share * reach))
    };
    let at = |offset: [f32; 3], scale: f32| {
        unit().prop_map(move |p| [0, 1, 2].map(|k| offset[k] + scale * p[k])).boxed()
    };
    let clusters = prop_oneof![at([0.0; 3], 0.01), at([1.0, 2.0, 3.0], 0.01), at([-4.0, 0.0, 0.1], 0.01)];
    let coplanar = unit().prop_map(|[x, _, z]| [x, 0.5, z]);
    let equal = Just([0.1f32, 0.2, 0.3]);
    // In single precision a hundredth is left at 1e5.
    let far = at([1e5, -1e5, 1e5], 1.0);
    let orders = (unit(), -9.0f32..0.0).prop_map(|(p, e)| p.map(|c| c * 10f32.powf(e)));
    // One point that makes all others share a few cells.
    let outlier = prop_oneof![9 => unit(), 1 => Just([1e30f32, -1e30, 1e30])];
    prop_oneof![
        many(unit().boxed(), 0.3),
        many(clusters.boxed(), 0.01),
        many(coplanar.boxed(), 0.2),
        many(equal.boxed(), 1.0),
        many(far, 0.2),
        many(orders.boxed(), 1e-3),
        many(outlier.boxed(), 0.3),
    ]
}

/// By the definition in the type's documentation.
fn every_pair(points: &Points, distance: f64) -> Vec<[u32; 2]> {
    let near = |a: usize, b: usize| {
        let [a, b] = [a, b].map(|i| points[i].map(f64::from));
        let [x, y, z] = [a.x - b.x, a.y - b.y, a.z - b.z];
        x * x + y * y + z * z <= distance * distance
    };
    let all = (0..points.len()).flat_map(|a| (a + 1..points.len()).map(move |b| [a, b]));
    all.filter(|&[a, b]| near(a, b)).map(|pair| pair.map(|i| i as u32)).collect()
}

fn found(grid: &PointGrid) -> Vec<[u32; 2]> {
    let mut pairs = Vec::new();
    grid.visit_pairs(&mut |a, b| pairs.push([a, b]));
    pairs.sort_unstable();
    pairs
}

proptest! {
    // No `main.rs` stands above this file, so failures are kept next to it.
    #![proptest_config(ProptestConfig {
        cases: 1000,
        failure_persistence: Some(Box::new(FileFailurePersistence::WithSource("proptest-regressions"))),
        ..ProptestConfig::default()
    })]

    #[test]
    fn equals_the_test_of_every_pair_in_every_world(worlds in vec(world(), 1..3)) {
        // One grid sees unrelated worlds, so nothing of the last may remain.
        let mut grid = PointGrid::default();
        for (points, distance) in &worlds {
            grid.update(points, None, *distance).unwrap();
            prop_assert_eq!(found(&grid), every_pair(points, *distance));
        }
    }
}

#[test]
fn refuses_any_coordinate_that_is_not_finite_and_names_the_first_point() {
    let fine: Points = (0..9).map(|i| Point3::new(i as f32, 0.0, 0.0)).collect();
    let mut grid = PointGrid::default();
    for axis in 0..3 {
        for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            let mut faulty = fine.clone();
            faulty[4][axis] = bad;
            faulty[7][axis] = bad;
            for (points, rest) in [(&faulty, None), (&faulty, Some(&fine)), (&fine, Some(&faulty))] {
                grid.update(&fine, None, 1.0).unwrap();
                let fault = grid.update(points, rest.map(Vec::as_slice), 1.0).unwrap_err();
                assert!(matches!(fault, PointsError::NotFinite { index: 4, .. }), "{fault}");
                assert!(found(&grid).is_empty(), "nothing is left of a refused set");
            }
        }
    }
}

#[test]
fn refuses_a_distance_that_is_none() {
    let mut grid = PointGrid::default();
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1e-300] {
        assert!(matches!(grid.update(&[], None, bad), Err(PointsError::Distance(_))), "{bad}");
    }
    // The greatest distance holds every pair, though its square does not fit a number.
    let points = [f32::MAX, -f32::MAX, 0.0].map(|c| Point3::new(c, c, -c));
    grid.update(&points, None, f64::MAX).unwrap();
    assert_eq!(found(&grid), [[0, 1], [0, 2], [1, 2]]);
}
