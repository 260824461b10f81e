//! When a point and a triangle are predicted to meet, and on which side.

use cloth_contacts::Side;
use cloth_contacts::point_triangle::{PointTrianglePrediction, PointTriangleQuery, predict};
use cloth_geom::closest::TriangleFeature;
use nalgebra::{Point3, Vector3};

/// Counter-clockwise seen from above: the front is up.
const CORNERS: [[f32; 3]; 3] = [[0.0, 0.0, 0.0], [0.0, 0.0, 4.0], [4.0, 0.0, 0.0]];

/// The prediction for a point that moves by `d` over a triangle that moves by `d_face`.
fn meet(p: [f32; 3], d: [f32; 3], d_face: [f32; 3], reach: f32) -> Option<PointTrianglePrediction> {
    let [p0, p1, p2] = CORNERS.map(Point3::from);
    let (d, d_face) = (Vector3::from(d), Vector3::from(d_face));
    predict(
        &PointTriangleQuery { p: &p.into(), d: &d, corners: [&p0, &p1, &p2], displacements: [&d_face; 3] },
        reach,
    )
}

#[test]
fn a_point_that_would_pass_through_in_one_step_is_a_contact() {
    for (y, side) in [(1.0, Side::Front), (-1.0, Side::Back)] {
        let found = meet([1.0, y, 1.0], [0.0, -100.0 * y, 0.0], [0.0; 3], 0.01).unwrap();
        assert_eq!((found.side, found.feature), (side, TriangleFeature::Face));
        assert_eq!((found.gap, found.approach), (1.0, 100.0));
        assert_eq!(found.normal, Vector3::new(0.0, y, 0.0));
        assert_eq!(found.weights, [0.5, 0.25, 0.25]);
    }
}

#[test]
fn it_is_the_relative_motion_that_counts() {
    let together = [3.0, -50.0, 1.0];
    assert_eq!(meet([1.0, 1.0, 1.0], together, together, 0.1), None);
    assert!(meet([1.0, 1.0, 1.0], [0.0; 3], [0.0, 2.0, 0.0], 0.1).is_some());
    assert!(meet([1.0, -1.0, 1.0], [0.0; 3], [0.0, -2.0, 0.0], 0.1).is_some());
}

#[test]
fn the_motion_of_each_corner_counts_by_its_weight() {
    let corners = CORNERS.map(Point3::from);
    let still = Vector3::zeros();
    for k in 0..3 {
        let up = Vector3::new(0.0, 1.0, 0.0);
        let mut displacements = [&still; 3];
        displacements[k] = &up;
        let query = PointTriangleQuery {
            p: &Point3::new(1.0, 0.5, 1.0),
            d: &still,
            corners: [&corners[0], &corners[1], &corners[2]],
            displacements,
        };
        let found = predict(&query, 0.49);
        // Corner 0 weighs 1/2, the others 1/4: the gap 0.5 closes by that.
        let approach = [0.5, 0.25, 0.25][k];
        assert_eq!(found.unwrap().approach, approach);
    }
}

#[test]
fn a_point_that_recedes_or_passes_beyond_reach_has_no_contact() {
    assert_eq!(meet([1.0, 1.0, 1.0], [0.0, 100.0, 0.0], [0.0; 3], 0.5), None);
    assert_eq!(meet([1.0, 1.0, 1.0], [100.0, 0.0, -30.0], [0.0; 3], 0.5), None);
}

#[test]
fn a_point_within_reach_is_a_contact_even_if_it_recedes() {
    let found = meet([1.0, 0.25, 1.0], [0.0, 8.0, 0.0], [0.0; 3], 0.5).unwrap();
    assert_eq!((found.gap, found.approach), (0.25, -8.0));
}

#[test]
fn reach_is_open_at_rest_and_in_motion_from_both_sides() {
    for y in [0.25f32, -0.25] {
        assert_eq!(meet([1.0, y, 1.0], [0.0; 3], [0.0; 3], 0.25), None);
        let nearer = y.signum() * y.abs().next_down();
        assert!(meet([1.0, nearer, 1.0], [0.0; 3], [0.0; 3], 0.25).is_some());
        let (from, step) = (4.0 * y, -3.0 * y);
        assert_eq!(meet([1.0, from, 1.0], [0.0, step, 0.0], [0.0; 3], 0.25), None);
        let further = step.signum() * step.abs().next_up();
        assert!(meet([1.0, from, 1.0], [0.0, further, 0.0], [0.0; 3], 0.25).is_some());
    }
}

#[test]
fn beside_an_edge_or_corner_the_normal_points_straight_away() {
    let edge = meet([2.0, 3.0, -4.0], [0.0, -30.0, 40.0], [0.0; 3], 0.1).unwrap();
    assert_eq!((edge.side, edge.feature), (Side::Frozen, TriangleFeature::Edge(2)));
    assert_eq!((edge.gap, edge.normal), (5.0, Vector3::new(0.0, 0.6, -0.8)));
    assert_eq!(edge.weights, [0.5, 0.0, 0.5]);
    let corner = meet([-3.0, 4.0, 0.0], [3.0, -4.0, 0.0], [0.0; 3], 0.1).unwrap();
    assert_eq!((corner.side, corner.feature), (Side::Frozen, TriangleFeature::Vertex(0)));
    assert_eq!((corner.gap, corner.approach), (5.0, 5.0));
    assert_eq!(corner.normal, Vector3::new(-0.6, 0.8, 0.0));
}

#[test]
fn a_point_in_the_plane_belongs_where_it_comes_from() {
    let side = |d: f32| meet([1.0, 0.0, 1.0], [0.0, d, 0.0], [0.0; 3], 0.1).unwrap();
    assert_eq!((side(-1.0).side, side(-1.0).normal.y), (Side::Front, 1.0));
    assert_eq!((side(1.0).side, side(1.0).normal.y), (Side::Back, -1.0));
    assert_eq!((side(1.0).gap, side(1.0).approach), (0.0, 1.0));
}

#[test]
fn a_point_on_a_border_takes_the_normal_of_the_face() {
    let on_edge = meet([2.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0; 3], 0.1).unwrap();
    assert_eq!((on_edge.side, on_edge.gap, on_edge.normal.y.abs()), (Side::Frozen, 0.0, 1.0));
}

#[test]
fn a_point_on_a_triangle_without_area_has_no_normal() {
    let p = Point3::new(1.0, 0.0, 0.0);
    let [a, b, c] = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [2.0, 0.0, 0.0]].map(Point3::from);
    let still = Vector3::zeros();
    let query = |p| PointTriangleQuery { p, d: &still, corners: [&a, &b, &c], displacements: [&still; 3] };
    assert_eq!(predict(&query(&p), 1.0), None);
    let above = Point3::new(1.0, 0.5, 0.0);
    assert_eq!(predict(&query(&above), 1.0).unwrap().normal, Vector3::y());
}
