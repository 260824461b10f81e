//! Known answers, chosen so that each feature and each degenerate case decides at least one.

use nalgebra::Point3;

use super::*;

fn points<const N: usize>(xyz: [[f64; 3]; N]) -> [Point3<f64>; N] {
    xyz.map(Point3::from)
}

fn time(query: &Query, distance: f64) -> Option<Toi> {
    let toi = Reference.impact(query, distance).unwrap();
    assert_eq!(Reference.is_free(query, distance), Ok(toi.is_none()));
    toi
}

const FACE: [[f64; 3]; 3] = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]];

/// A point that moves from `a` to `b` and a triangle at rest.
fn on_face(a: [f64; 3], b: [f64; 3]) -> Query {
    let [x, y, z] = FACE;
    Query::point_triangle(points([a, x, y, z]), points([b, x, y, z]))
}

/// The edge along x from (-1, 0, 0) to (1, 0, 0) at rest, and an edge that moves.
fn on_edge(start: [[f64; 3]; 2], end: [[f64; 3]; 2]) -> Query {
    let [a, b] = [[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]];
    Query::edge_edge(points([a, b, start[0], start[1]]), points([a, b, end[0], end[1]]))
}

#[test]
fn finds_a_point_that_passes_through_a_face() {
    assert_eq!(time(&on_face([1.0, 1.0, 1.0], [1.0, 1.0, -3.0]), 0.0), Some(Toi::exact(0.25)));
    assert_eq!(time(&on_face([5.0, 5.0, 1.0], [5.0, 5.0, -3.0]), 0.0), None);
    assert_eq!(time(&on_face([-0.1, 1.0, 1.0], [-0.1, 1.0, -3.0]), 0.0), None);
}

#[test]
fn rounds_down_a_time_that_no_number_represents() {
    let toi = time(&on_face([1.0, 1.0, 1.0], [1.0, 1.0, -2.0]), 0.0).unwrap();
    assert_eq!(toi.time, 1.0 / 3.0); // a third, rounded to nearest, lies below a third
    assert_eq!(toi.gap, (1.0f64 / 3.0).next_up() - 1.0 / 3.0);
}

#[test]
fn finds_touches_at_the_very_start_and_end() {
    assert_eq!(time(&on_face([1.0, 1.0, 0.0], [1.0, 1.0, 1.0]), 0.0), Some(Toi::exact(0.0)));
    assert_eq!(time(&on_face([1.0, 1.0, 1.0], [1.0, 1.0, 0.0]), 0.0), Some(Toi::exact(1.0)));
    assert_eq!(time(&on_face([1.0, 1.0, 1.0], [1.0, 1.0, 5e-324]), 0.0), None);
}

#[test]
fn finds_a_point_that_slides_in_plane_onto_an_edge_or_corner() {
    assert_eq!(time(&on_face([-1.0, 1.0, 0.0], [1.0, 1.0, 0.0]), 0.0), Some(Toi::exact(0.5)));
    assert_eq!(time(&on_face([-1.0, -1.0, 0.0], [1.0, 1.0, 0.0]), 0.0), Some(Toi::exact(0.5)));
    assert_eq!(time(&on_face([-1.0, -1.0, 0.0], [-1.0, 3.0, 0.0]), 0.0), None);
}

#[test]
fn finds_contact_with_a_face_that_is_an_edge_or_a_point() {
    let face_as = |b: [f64; 3], c: [f64; 3], p1: [f64; 3]| {
        let a = [0.0; 3];
        Query::point_triangle(points([[1.0, 0.0, 1.0], a, b, c]), points([p1, a, b, c]))
    };
    let down = [1.0, 0.0, -1.0];
    assert_eq!(time(&face_as([2.0, 0.0, 0.0], [1.0, 0.0, 0.0], down), 0.0), Some(Toi::exact(0.5)));
    assert_eq!(time(&face_as([2.0, 0.0, 0.0], [2.0, 0.0, 0.0], down), 0.0), Some(Toi::exact(0.5)));
    assert_eq!(time(&face_as([0.5, 0.0, 0.0], [0.5, 0.0, 0.0], down), 0.0), None);
    assert_eq!(time(&face_as([0.0; 3], [0.0; 3], [-1.0, 0.0, -1.0]), 0.0), Some(Toi::exact(0.5)));
}

#[test]
fn finds_crossing_edges_but_not_a_miss_beside_an_end() {
    let hit = on_edge([[0.0, -1.0, 1.0], [0.0, 1.0, 1.0]], [[0.0, -1.0, -1.0], [0.0, 1.0, -1.0]]);
    assert_eq!(time(&hit, 0.0), Some(Toi::exact(0.5)));
    let miss = on_edge([[1.5, -1.0, 1.0], [1.5, 1.0, 1.0]], [[1.5, -1.0, -1.0], [1.5, 1.0, -1.0]]);
    assert_eq!(time(&miss, 0.0), None);
    let end = on_edge([[1.0, 0.0, 1.0], [1.0, 1.0, 1.0]], [[1.0, 0.0, -1.0], [1.0, 1.0, -1.0]]);
    assert_eq!(time(&end, 0.0), Some(Toi::exact(0.5)));
}

#[test]
fn finds_parallel_edges_that_touch_and_collinear_edges_that_meet() {
    let parallel = on_edge([[0.5, 0.0, 1.0], [2.0, 0.0, 1.0]], [[0.5, 0.0, -1.0], [2.0, 0.0, -1.0]]);
    assert_eq!(time(&parallel, 0.0), Some(Toi::exact(0.5)));
    let collinear = on_edge([[2.0, 0.0, 0.0], [3.0, 0.0, 0.0]], [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]);
    assert_eq!(time(&collinear, 0.0), Some(Toi::exact(0.5)));
    let apart = on_edge([[2.0, 0.0, 0.0], [3.0, 0.0, 0.0]], [[1.5, 0.0, 0.0], [3.0, 0.0, 0.0]]);
    assert_eq!(time(&apart, 0.0), None);
}

#[test]
fn finds_the_later_root_when_only_that_one_is_a_contact() {
    // The height of the point over the tilting plane is -4 (t - 1/4) (t - 3/4); beside the face first, over
    // it then.
    let [a, b] = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0]];
    let swing = |x0: f64, x1: f64| {
        let start = points([[x0, 0.0, -0.75], a, b, [0.0, 4.0, 0.0]]);
        let end = points([[x1, 4.0, 3.25], a, b, [0.0, 4.0, 4.0]]);
        time(&Query::point_triangle(start, end), 0.0)
    };
    assert_eq!(swing(-1.0, 1.0), Some(Toi::exact(0.75)));
    assert_eq!(swing(1.0, -1.0), Some(Toi::exact(0.25)));
    assert_eq!(swing(-1.0, 0.25), None);
}

#[test]
fn finds_a_touch_and_go_at_one_instant() {
    // The height of the point over the rotating edge is a square: (2t - 1)^2.
    let start = points([[0.0, 0.0, 1.0], [-1.0, -1.0, 0.0], [1.0, -1.0, 0.0]]);
    let end = points([[0.0, 0.0, -1.0], [-1.0, 1.0, 0.0], [1.0, 1.0, 0.0]]);
    assert_eq!(time(&Query::point_edge(start, end), 0.0), Some(Toi::exact(0.5)));
    let late = points([[0.0, 0.0, -1.0], [-1.0, 1.5, 0.0], [1.0, 1.5, 0.0]]);
    assert_eq!(time(&Query::point_edge(start, late), 0.0), None);
}

#[test]
fn finds_the_time_at_which_a_distance_is_reached() {
    assert_eq!(time(&on_face([1.0, 1.0, 1.0], [1.0, 1.0, 0.0]), 0.5), Some(Toi::exact(0.5)));
    assert_eq!(time(&on_face([1.0, 1.0, 1.0], [1.0, 1.0, 0.5]), 0.25), None);
    assert_eq!(time(&on_face([1.0, 1.0, 0.25], [1.0, 1.0, 0.25]), 0.25), Some(Toi::exact(0.0)));
    // Over the corner (4, 0, 0), 3 beside and 4 above: a distance of 5.
    assert_eq!(time(&on_face([7.0, 0.0, 8.0], [7.0, 0.0, 0.0]), 5.0), Some(Toi::exact(0.5)));
    let edges = on_edge([[0.0, -1.0, 4.0], [0.0, 1.0, 4.0]], [[0.0, -1.0, 0.0], [0.0, 1.0, 0.0]]);
    assert_eq!(time(&edges, 1.0), Some(Toi::exact(0.75)));
}

#[test]
fn decides_points_from_subnormal_to_huge() {
    for unit in [5e-324, 1e-300, 1.0, 1e150, 1e307] {
        let at = |x: f64| [x * unit, 0.0, 0.0];
        let meet = Query::point_point(points([at(0.0), at(4.0)]), points([at(4.0), at(0.0)]));
        assert_eq!(time(&meet, 0.0), Some(Toi::exact(0.5)), "{unit}");
        let miss = Query::point_point(points([at(0.0), at(4.0)]), points([at(4.0), [0.0, 5e-324, 0.0]]));
        assert_eq!(time(&miss, 0.0), None, "{unit}");
    }
}

#[test]
fn refuses_what_has_no_answer() {
    let query = Query::point_point(points([[0.0; 3], [f64::NAN; 3]]), points([[0.0; 3]; 2]));
    assert!(matches!(Reference.impact(&query, 0.0), Err(CcdError::NotFinite(e)) if e.point == 1));
    let query = Query::point_point(points([[0.0; 3]; 2]), points([[0.0; 3]; 2]));
    assert_eq!(Reference.impact(&query, -1.0), Err(CcdError::Distance(-1.0)));
    assert!(Reference.is_free(&query, f64::NAN).is_err());
}
