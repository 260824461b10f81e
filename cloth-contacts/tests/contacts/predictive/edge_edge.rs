//! Edge against edge: the frozen constraint function, and when two edges are predicted to meet.

use cloth_contacts::EdgeEdge;
use cloth_contacts::edge_edge::{EdgeEdgePrediction, EdgeEdgeQuery, predict};
use nalgebra::{Point3, Vector3};

use crate::predictive::U;
use cloth_testing::Dice;

type Segment = [[f32; 3]; 2];

/// Along x, at y = 0.
const A: Segment = [[-2.0, 0.0, 0.0], [2.0, 0.0, 0.0]];

/// Along z, at height `y`.
fn across(y: f32) -> Segment {
    [[0.0, y, -2.0], [0.0, y, 2.0]]
}

/// The prediction for `a` that moves by `d_a` and `b` that moves by `d_b`.
fn meet(a: Segment, d_a: [f32; 3], b: Segment, d_b: [f32; 3], reach: f32) -> Option<EdgeEdgePrediction> {
    let ([a0, a1], [b0, b1]) = (a.map(Point3::from), b.map(Point3::from));
    let (d_a, d_b) = (Vector3::from(d_a), Vector3::from(d_b));
    let query = EdgeEdgeQuery {
        a: [&a0, &a1],
        b: [&b0, &b1],
        a_displacements: [&d_a; 2],
        b_displacements: [&d_b; 2],
    };
    predict(&query, reach)
}

const STILL: [f32; 3] = [0.0; 3];

#[test]
fn the_normal_leads_from_b_to_a() {
    for y in [1.0, -1.0] {
        let found = meet(A, STILL, across(y), [0.0, -3.0 * y, 0.0], 0.1).unwrap();
        assert_eq!(found.normal, Vector3::new(0.0, -y, 0.0));
        assert_eq!((found.s, found.t, found.gap, found.approach), (0.5, 0.5, 1.0, 3.0));
        let swapped = meet(across(y), [0.0, -3.0 * y, 0.0], A, STILL, 0.1).unwrap();
        assert_eq!((swapped.normal, swapped.approach), (Vector3::new(0.0, y, 0.0), 3.0));
    }
}

#[test]
fn a_receding_pair_is_a_contact_only_within_reach() {
    assert_eq!(meet(A, STILL, across(1.0), [0.0, 5.0, 0.0], 0.5), None);
    assert_eq!(meet(A, STILL, across(0.25), [0.0, 5.0, 0.0], 0.5).unwrap().approach, -5.0);
    assert_eq!(meet(A, [1.0, -70.0, 2.0], across(1.0), [1.0, -70.0, 2.0], 0.5), None);
}

#[test]
fn reach_is_open_at_rest_and_in_motion_from_both_sides() {
    for y in [0.25f32, -0.25] {
        assert_eq!(meet(A, STILL, across(y), STILL, 0.25), None);
        assert!(meet(A, STILL, across(y.signum() * y.abs().next_down()), STILL, 0.25).is_some());
        let toward = -3.0 * y;
        assert_eq!(meet(A, STILL, across(4.0 * y), [0.0, toward, 0.0], 0.25), None);
        let further = toward.signum() * toward.abs().next_up();
        assert!(meet(A, STILL, across(4.0 * y), [0.0, further, 0.0], 0.25).is_some());
    }
}

#[test]
fn an_end_that_is_closest_is_left_to_point_triangle_contacts() {
    assert_eq!(meet(A, STILL, [[0.0, 0.1, 0.0], [0.0, 3.0, 0.0]], STILL, 1.0), None);
    assert_eq!(meet([[0.0, 0.1, 0.0], [0.0, 3.0, 0.0]], STILL, A, STILL, 1.0), None);
    assert_eq!(meet(A, STILL, [[3.0, 0.1, -1.0], [3.0, 0.1, 1.0]], STILL, 2.0), None);
}

#[test]
fn edges_that_cross_exactly_part_against_their_motion() {
    for d in [1.0, -1.0] {
        let found = meet(A, [0.0, d, 0.0], across(0.0), STILL, 0.1).unwrap();
        assert_eq!((found.gap, found.approach), (0.0, 1.0));
        assert_eq!(found.normal, Vector3::new(0.0, -d, 0.0), "a came from there");
    }
    assert_eq!(meet(A, STILL, across(0.0), STILL, 0.1).unwrap().normal.norm(), 1.0);
}

#[test]
fn parallel_edges_have_a_normal_when_apart_and_none_when_they_touch() {
    let inside = |y: f32| [[-1.0, y, 0.0], [1.0, y, 0.0]];
    if let Some(found) = meet(A, STILL, inside(0.5), STILL, 1.0) {
        assert_eq!((found.normal, found.gap), (Vector3::new(0.0, -1.0, 0.0), 0.5));
    }
    assert_eq!(meet(A, STILL, inside(0.0), STILL, 1.0), None);
    assert_eq!(meet(A, STILL, [[1.0, 0.0, 0.0], [3.0, 0.0, 0.0]], STILL, 1.0), None);
}

#[test]
fn nearly_parallel_edges_have_a_unit_normal() {
    let mut dice = Dice::new(5);
    for power in 1..24 {
        let tilt = 0.5f32.powi(power);
        let b = [[-1.5, 0.25, -tilt], [1.5, 0.25, tilt]];
        let found = meet(A, [0.0, dice.between(-1.0, 1.0), 0.0], b, STILL, 0.5).unwrap();
        assert!((found.normal.norm() - 1.0).abs() <= 4.0 * U, "{tilt}");
        // The lines are 0.25 apart where they cross. Closest-point error: 64 u M with M = 4.
        assert!((found.gap - 0.25).abs() <= 64.0 * U * 4.0, "{tilt} {}", found.gap);
    }
}

#[test]
fn the_motion_of_each_end_counts_by_its_parameter() {
    let ([a0, a1], [b0, b1]) = (A.map(Point3::from), [[1.0, 1.0, -1.0], [1.0, 1.0, 3.0]].map(Point3::from));
    let (up, still) = (Vector3::y(), Vector3::zeros());
    let approach = |a_displacements, b_displacements| {
        let query = EdgeEdgeQuery { a: [&a0, &a1], b: [&b0, &b1], a_displacements, b_displacements };
        predict(&query, 1.5).unwrap().approach
    };
    assert_eq!(approach([&up, &still], [&still; 2]), 0.25);
    assert_eq!(approach([&still, &up], [&still; 2]), 0.75);
    assert_eq!(approach([&still; 2], [&up, &still]), -0.75);
    assert_eq!(approach([&still; 2], [&still, &up]), -0.25);
}

#[test]
fn value_and_gradient_agree_with_finite_differences() {
    let mut dice = Dice::new(6);
    for _ in 0..500 {
        let contact = EdgeEdge {
            edges: [0, 1],
            a: [0, 1],
            b: [2, 3],
            s: dice.between(0.0, 1.0),
            t: dice.between(0.0, 1.0),
            normal: dice.direction(),
            gap: 0.0,
            distance: 0.0,
        };
        let x = [0; 4].map(|_| dice.point(1.0));
        let (s, t) = (f64::from(contact.s), f64::from(contact.t));
        let value = |x: &[Point3<f64>; 4]| {
            let sep = x[0].coords.lerp(&x[1].coords, s) - x[2].coords.lerp(&x[3].coords, t);
            contact.normal.cast::<f64>().dot(&sep)
        };
        let wide = x.map(|p: Point3<f32>| p.cast::<f64>());
        let linear = contact.linearise([&x[0], &x[1]], [&x[2], &x[3]]);
        // Ten roundings of sums up to 6, coordinates being up to 1.
        assert!((f64::from(linear.value) - value(&wide)).abs() <= f64::from(10.0 * U * 6.0));
        for (v, axis) in (0..4).flat_map(|v| (0..3).map(move |k| (v, k))) {
            let at = |d: f64| {
                let mut moved = wide;
                moved[v][axis] += d;
                value(&moved)
            };
            // Linear in the positions: a step of 1 has no truncation error.
            let difference = (at(1.0) - at(-1.0)) / 2.0;
            let gradient = f64::from(linear.weights[v] * linear.normal[axis]);
            assert!((gradient - difference).abs() <= f64::from(2.0 * U), "{v} {axis}");
        }
        assert!(linear.weights.iter().sum::<f32>().abs() <= 2.0 * U, "pushes the four as a whole");
    }
}

#[test]
fn at_the_start_of_a_step_the_gradient_turns_nothing() {
    // Where the contact is found, the separation is along the normal: no torque.
    let mut dice = Dice::new(7);
    let mut found_some = 0;
    for _ in 0..500 {
        let x = [0; 4].map(|_| dice.point(1.0));
        let still = Vector3::zeros();
        let query = EdgeEdgeQuery {
            a: [&x[0], &x[1]],
            b: [&x[2], &x[3]],
            a_displacements: [&still; 2],
            b_displacements: [&still; 2],
        };
        let Some(found) = predict(&query, 4.0) else { continue };
        let EdgeEdgePrediction { s, t, normal, gap, .. } = found;
        let contact = EdgeEdge { edges: [0, 1], a: [0, 1], b: [2, 3], s, t, normal, gap, distance: 0.0 };
        let linear = contact.linearise(query.a, query.b);
        let torque: Vector3<f32> =
            (0..4).map(|i| (x[i] - x[0]).cross(&(linear.normal * linear.weights[i]))).sum();
        // The normal is off by the rounding of the separation (coordinates to 1, a dozen roundings) over the
        // gap; times that gap, and as much again for the sums of the torque itself.
        assert!(torque.norm() <= 64.0 * U * 2.0, "{torque}");
        assert!((linear.value - gap).abs() <= 64.0 * U * 4.0);
        found_some += 1;
    }
    assert!(found_some > 50, "{found_some}");
}
