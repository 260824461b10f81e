use cloth_broadphase::ParryBvh;
use cloth_geom::fixtures;
use rand_pcg::Pcg32;
use rand_pcg::rand_core::{Rng, SeedableRng};

use super::*;

/// Two flat sheets of 3 x 3 vertices, the upper one 1 m above the lower.
fn two_sheets() -> (Vec<Point3<f64>>, Topology) {
    let sheet = fixtures::sheet(3, 3, [1.0, 1.0]).unwrap().mesh;
    let upper = sheet.positions.iter().map(|p| Point3::new(p.x + 0.1, p.y + 1.0, p.z + 0.05));
    let faces: Vec<_> =
        sheet.faces.iter().copied().chain(sheet.faces.iter().map(|f| f.map(|v| v + 9))).collect();
    let positions: Vec<_> = sheet.positions.iter().copied().chain(upper).collect();
    let topology = Topology::new(positions.len(), &faces).unwrap();
    (positions, topology)
}

fn agreed(t0: &[Point3<f64>], t1: &[Point3<f64>], topology: &Topology) -> Impacts {
    let found = ImpactFinder::default().find(t0, t1, topology).unwrap();
    assert_eq!(ImpactFinder::with_broad_phase(ParryBvh::default()).find(t0, t1, topology).unwrap(), found);
    assert_eq!(find_brute_force(t0, t1, topology).unwrap(), found);
    found
}

fn upper_moved(t0: &[Point3<f64>], by: f64) -> Vec<Point3<f64>> {
    t0.iter().enumerate().map(|(v, p)| if v < 9 { *p } else { Point3::new(p.x, p.y + by, p.z) }).collect()
}

#[test]
fn finds_a_sheet_that_jumps_through_another_between_two_clean_states() {
    let (t0, topology) = two_sheets();
    let t1 = upper_moved(&t0, -2.0);
    for state in [&t0, &t1] {
        assert!(crate::intersect::find(state, &topology).unwrap().is_clean());
    }
    let found = agreed(&t0, &t1, &topology);
    assert!(found.vertex_faces.len() >= 4 && found.edge_edges.len() > 4, "{found:?}");
}

#[test]
fn finds_a_sheet_that_touches_another_but_not_one_stopping_short() {
    let (t0, topology) = two_sheets();
    assert_eq!(agreed(&t0, &upper_moved(&t0, -0.999), &topology), Impacts::default());
    assert!(agreed(&t0, &upper_moved(&t0, -1.0), &topology).count() > 0);
}

#[test]
fn agrees_with_brute_force_on_randomly_moved_sheets() {
    let (rest, topology) = two_sheets();
    let mut dice = Pcg32::seed_from_u64(11);
    let mut number = || f64::from(dice.next_u32()) / f64::from(u32::MAX) - 0.5;
    let mut total = 0;
    for _ in 0..4 {
        let mut shaken = || -> Vec<Point3<f64>> {
            rest.iter().map(|p| p + nalgebra::Vector3::new(number(), number(), number()) * 3.0).collect()
        };
        let (t0, t1) = (shaken(), shaken());
        total += agreed(&t0, &t1, &topology).count();
    }
    assert!(total > 50, "too tame: {total}");
}

#[test]
fn names_a_vertex_that_is_not_finite_even_without_a_face() {
    let (t0, _) = two_sheets();
    let topology = Topology::new(t0.len(), &[[0, 1, 3]]).unwrap();
    let mut t1 = t0.clone();
    t1[17].z = f64::NAN;
    let error = ImpactFinder::default().find(&t0, &t1, &topology).unwrap_err();
    assert!(matches!(error, IntersectError::NotFinite { vertex: 17, .. }), "{error}");
    assert!(find_brute_force(&t1, &t0, &topology).is_err());
    let error = ImpactFinder::default().find(&t0[1..], &t1, &topology).unwrap_err();
    assert!(matches!(error, IntersectError::PositionCount { positions: 17, vertices: 18 }), "{error}");
}
