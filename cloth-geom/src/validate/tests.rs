use super::*;
use proptest::prelude::*;

/// Vertices on a parabola: no three on a line.
fn mesh(vertex_count: usize, faces: &[[u32; 3]]) -> TriMesh {
    let at = |i: usize| Point3::new(i as f64, (i * i) as f64, 0.5);
    TriMesh::new((0..vertex_count).map(at).collect(), faces.to_vec())
}

fn lines(mesh: &TriMesh) -> Vec<String> {
    validate(mesh).iter().map(Problem::to_string).collect()
}

#[test]
fn a_clean_mesh_and_an_empty_one_have_no_problems() {
    assert_eq!(validate(&mesh(4, &[[0, 1, 2], [2, 1, 3]])), []);
    assert_eq!(validate(&TriMesh::default()), []);
}

#[test]
fn names_coordinates_that_are_not_finite() {
    let mut m = mesh(4, &[[0, 1, 2], [2, 1, 3]]);
    m.positions[2].y = f64::NAN;
    m.positions[0].z = f64::NEG_INFINITY;
    let expected = [0, 2].map(|v| format!("vertex {v} has a coordinate that is not finite"));
    assert_eq!(lines(&m), expected);
}

#[test]
fn names_indices_out_of_range() {
    assert_eq!(
        lines(&mesh(3, &[[0, 1, 2], [1, 3, u32::MAX]])),
        ["face 1 uses vertex 3, but there are 3 vertices"]
    );
}

#[test]
fn names_a_repeated_vertex_at_any_two_corners() {
    let faces = [[0, 1, 2], [1, 1, 2], [0, 2, 2], [2, 0, 2]];
    let expected = [(1, 1), (2, 2), (3, 2)].map(|(f, v)| format!("face {f} uses vertex {v} more than once"));
    assert_eq!(lines(&mesh(3, &faces)), expected);
}

#[test]
fn names_faces_of_exactly_zero_area() {
    let mut m = mesh(4, &[[0, 1, 2], [2, 1, 3]]);
    m.positions[3] = m.positions[1];
    assert_eq!(lines(&m), ["face 1 has exactly zero area"]);
}

fn triangle(c: [[f64; 3]; 3]) -> [Point3<f64>; 3] {
    c.map(Point3::from)
}

#[test]
fn distinguishes_one_unit_in_the_last_place_from_none() {
    // The third point is twice the second: on the line from the origin, for any rounding of the inputs.
    let [x, y, z] = [0.1, 0.7, -0.3];
    let on = triangle([[0.0; 3], [x, y, z], [2.0 * x, 2.0 * y, 2.0 * z]]);
    assert!(is_zero_area(&on));
    for k in 0..3 {
        for nudge in [f64::next_up as fn(f64) -> f64, f64::next_down] {
            let mut off = on;
            off[2][k] = nudge(off[2][k]);
            assert!(!is_zero_area(&off), "coordinate {k}");
        }
    }
}

#[test]
fn decides_where_products_leave_the_range_of_f64() {
    for scale in [1e-300, 1e-160, 1.0, 1e160, 1e300] {
        let s = scale;
        assert!(!is_zero_area(&triangle([[0.0; 3], [s, 0.0, 0.0], [0.0, s, 0.0]])), "{s}");
        assert!(is_zero_area(&triangle([[s, s, s], [-s, -s, -s], [4.0 * s, 4.0 * s, 4.0 * s]])), "{s}");
    }
    assert!(!is_zero_area(&triangle([[-f64::MAX, 0.0, 0.0], [f64::MAX, 0.0, 0.0], [0.0, 5e-324, 0.0]])));
    assert!(is_zero_area(&triangle([[-f64::MAX, 0.0, 0.0], [f64::MAX, 0.0, 0.0], [5e-324, 0.0, 0.0]])));
}

#[test]
fn coinciding_corners_have_no_area() {
    let p = [0.1, 0.2, 0.3];
    assert!(is_zero_area(&triangle([p, p, [1.0, 5.0, 2.0]])));
    assert!(is_zero_area(&triangle([p, p, p])));
}

#[test]
fn names_duplicate_faces_in_any_rotation_or_direction() {
    let m = mesh(3, &[[0, 1, 2], [1, 2, 0]]);
    assert!(lines(&m).contains(&"face 1 has the same vertices as face 0".to_owned()));
    assert_eq!(lines(&mesh(3, &[[0, 1, 2], [2, 1, 0]])), ["face 1 has the same vertices as face 0"]);
}

#[test]
fn names_edges_with_three_faces_and_not_their_winding() {
    let m = mesh(5, &[[0, 1, 2], [1, 0, 3], [0, 1, 4]]);
    assert_eq!(lines(&m), ["edge 0-1 has 3 faces: 0, 1, 2"]);
}

#[test]
fn names_a_vertex_where_two_fans_touch() {
    let m = mesh(6, &[[0, 1, 2], [3, 4, 2], [5, 3, 2]]);
    assert_eq!(lines(&m), ["vertex 2 joins 2 fans of faces that share no edge there: 0 | 1, 2"]);
}

#[test]
fn names_an_edge_run_twice_in_the_same_direction() {
    let m = mesh(4, &[[0, 1, 2], [3, 1, 2]]);
    assert_eq!(lines(&m), ["edge 1-2 has the same direction in faces 0 and 1"]);
}

#[test]
fn names_unreferenced_vertices() {
    assert_eq!(lines(&mesh(4, &[[0, 1, 3]])), ["vertex 2 is used by no face"]);
}

#[test]
fn adjacency_names_faces_as_given_though_unsound_ones_are_left_out() {
    let m = mesh(5, &[[0, 0, 1], [0, 1, 2], [9, 9, 9], [1, 0, 3], [0, 1, 4]]);
    assert_eq!(lines(&m)[2..], ["edge 0-1 has 3 faces: 1, 3, 4"]);
}

fn coordinate() -> impl Strategy<Value = f64> {
    prop_oneof![
        Just(f64::NAN),
        Just(f64::INFINITY),
        Just(0.0),
        Just(f64::MAX),
        Just(5e-324),
        -1.0..1.0,
        any::<f64>()
    ]
}

proptest! {
    #[test]
    fn never_panics_and_reports_in_order(
        coordinates in prop::collection::vec([coordinate(), coordinate(), coordinate()], 0..8),
        faces in prop::collection::vec([0..9u32, 0..9u32, 0..9u32], 0..24),
        absurd in prop::option::of([any::<u32>(), any::<u32>(), any::<u32>()]),
    ) {
        let positions = coordinates.into_iter().map(Point3::from).collect();
        let mut m = TriMesh::new(positions, faces);
        m.faces.extend(absurd);
        let problems = validate(&m);
        prop_assert!(problems.is_sorted_by_key(Problem::kind), "{problems:?}");
        if problems.is_empty() {
            prop_assert!(Topology::of_mesh(&m).is_ok());
        }
    }
}
