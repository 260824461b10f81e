//! Every case in which a segment and a triangle meet or miss, by name and in all permutations of the
//! arguments.

use super::*;

const A: [f64; 3] = [0.0, 0.0, 0.0];
const B: [f64; 3] = [4.0, 0.0, 0.0];
const C: [f64; 3] = [0.0, 4.0, 0.0];

/// The one verdict of all orders of the ends and corners, in three orientations of the axes.
fn kind(segment: [[f64; 3]; 2], triangle: [[f64; 3]; 3]) -> Option<IntersectionKind> {
    let verdict = kind_as_given(segment, triangle);
    for turn in 0..3 {
        let turned = |p: [f64; 3]| Point::new(p[turn % 3], p[(turn + 1) % 3], p[(turn + 2) % 3]);
        let ([p, q], [a, b, c]) = (segment.map(turned), triangle.map(turned));
        for ends in [[&p, &q], [&q, &p]] {
            let orders = [[&a, &b, &c], [&b, &c, &a], [&c, &a, &b], [&b, &a, &c], [&a, &c, &b], [&c, &b, &a]];
            for corners in orders {
                assert_eq!(segment_triangle_kind(ends, corners), verdict, "{ends:?} {corners:?}");
                assert_eq!(segment_meets_triangle(ends, corners), verdict.is_some());
            }
        }
    }
    verdict
}

fn kind_as_given(segment: [[f64; 3]; 2], triangle: [[f64; 3]; 3]) -> Option<IntersectionKind> {
    let ([p, q], [a, b, c]) = (segment.map(Point::from), triangle.map(Point::from));
    segment_triangle_kind([&p, &q], [&a, &b, &c])
}

#[test]
fn finds_a_proper_crossing() {
    assert_eq!(kind([[1.0, 1.0, -1.0], [1.0, 1.0, 1.0]], [A, B, C]), Some(IntersectionKind::Proper));
    assert_eq!(kind([[1.0, 1.0, -5e-324], [1.0, 1.0, 5e-324]], [A, B, C]), Some(IntersectionKind::Proper));
}

#[test]
fn finds_an_end_on_the_face_an_edge_and_a_corner() {
    for foot in [[1.0, 1.0, 0.0], [2.0, 0.0, 0.0], [2.0, 2.0, 0.0], A, B, C] {
        assert_eq!(kind([foot, [1.0, 1.0, 3.0]], [A, B, C]), Some(IntersectionKind::Touching), "{foot:?}");
    }
}

#[test]
fn finds_a_segment_through_an_edge_and_through_a_corner() {
    for [x, y, z] in [[2.0, 0.0, 0.0], [0.0, 1.0, 0.0], [3.0, 1.0, 0.0], A, B, C] {
        let through = [[x - 1.0, y, z - 1.0], [x + 1.0, y, z + 1.0]];
        assert_eq!(kind(through, [A, B, C]), Some(IntersectionKind::Touching), "{through:?}");
    }
}

#[test]
fn misses_one_step_beside_an_edge_and_above_the_face() {
    let beside = -5e-324;
    assert_eq!(kind([[1.0, beside, -1.0], [1.0, beside, 1.0]], [A, B, C]), None);
    assert_eq!(kind([[1.0, 1.0, 5e-324], [1.0, 1.0, 1.0]], [A, B, C]), None);
    let past = 2f64.next_up();
    assert_eq!(kind([[2.0, past, -1.0], [2.0, past, 1.0]], [A, B, C]), None);
}

#[test]
fn finds_coplanar_segments_inside_across_along_and_touching() {
    let inside = [[1.0, 1.0, 0.0], [1.0, 2.0, 0.0]];
    let across = [[-1.0, 1.0, 0.0], [5.0, 1.0, 0.0]];
    let around_a_corner = [[-1.0, 1.0, 0.0], [1.0, -1.0, 0.0]];
    let along_an_edge = [[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]];
    let end_to_corner = [[4.0, 0.0, 0.0], [7.0, 0.0, 0.0]];
    let end_on_an_edge = [[2.0, 2.0, 0.0], [3.0, 3.0, 0.0]];
    let a_point_inside = [[1.0, 1.0, 0.0]; 2];
    let a_corner = [C; 2];
    for segment in [
        inside,
        across,
        around_a_corner,
        along_an_edge,
        end_to_corner,
        end_on_an_edge,
        a_point_inside,
        a_corner,
    ] {
        assert_eq!(kind(segment, [A, B, C]), Some(IntersectionKind::Coplanar), "{segment:?}");
    }
}

#[test]
fn misses_coplanar_segments_outside() {
    let beside = [[-1.0, -1.0, 0.0], [5.0, -1.0, 0.0]];
    let on_the_line_of_an_edge = [[5.0, 0.0, 0.0], [6.0, 0.0, 0.0]];
    let across_two_lines_near_a_corner = [[-2.0, 1.0, 0.0], [1.0, -2.0, 0.0]];
    let a_point = [[3.0, 3.0, 0.0]; 2];
    let a_point_on_a_line = [[-1.0, 5.0, 0.0]; 2];
    for segment in
        [beside, on_the_line_of_an_edge, across_two_lines_near_a_corner, a_point, a_point_on_a_line]
    {
        assert_eq!(kind(segment, [A, B, C]), None, "{segment:?}");
    }
}

#[test]
fn treats_a_triangle_without_area_as_a_segment() {
    let needle = [[0.0, 0.0, 0.0], [6.0, 3.0, 9.0], [2.0, 1.0, 3.0]];
    let crossing = [[4.0, 2.0, 5.0], [4.0, 2.0, 7.0]];
    let skew = [[4.0, 2.5, 5.0], [4.0, 2.5, 7.0]];
    let short_of_it = [[4.0, 2.0, 7.0], [4.0, 2.0, 9.0]];
    let parallel = [[0.0, 0.0, 1.0], [6.0, 3.0, 10.0]];
    let past_its_end = [[8.0, 4.0, 0.0], [8.0, 4.0, 90.0]];
    assert_eq!(kind(crossing, needle), Some(IntersectionKind::Touching));
    for segment in [skew, short_of_it, parallel, past_its_end] {
        assert_eq!(kind(segment, needle), None, "{segment:?}");
    }
    let collinear = |s: f64, t: f64| [[2.0 * s, s, 3.0 * s], [2.0 * t, t, 3.0 * t]];
    for (s, t) in [(-1.0, 0.0), (1.0, 2.0), (3.0, 4.0), (-1.0, 4.0), (1.0, 1.0)] {
        assert_eq!(kind(collinear(s, t), needle), Some(IntersectionKind::Touching), "{s} {t}");
    }
    assert_eq!(kind(collinear(-2.0, -1.0), needle), None);
    assert_eq!(kind(collinear(4.0, 4.0), needle), None);
}

#[test]
fn treats_a_triangle_with_equal_corners_as_what_is_left_of_it() {
    for corners in [[A, A, B], [B, A, B]] {
        assert_eq!(kind([[1.0, -1.0, 0.0], [1.0, 1.0, 0.0]], corners), Some(IntersectionKind::Touching));
        assert_eq!(kind([[5.0, -1.0, 0.0], [5.0, 1.0, 0.0]], corners), None);
    }
    assert_eq!(kind([[4.0, -1.0, 0.0], [4.0, 1.0, 0.0]], [B, B, B]), Some(IntersectionKind::Touching));
    assert_eq!(kind([[4.0, -1.0, 1.0], [4.0, 1.0, 1.0]], [B, B, B]), None);
    assert_eq!(kind([B, B], [B, B, B]), Some(IntersectionKind::Touching));
    assert_eq!(kind([A, A], [B, B, B]), None);
}

#[test]
fn does_not_pass_what_is_not_finite_as_clean() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for place in 0..15 {
            let mut x = [9.0, 9.0, 9.0, 9.0, 9.0, 8.0, 0.0, 0.0, 0.0, 4.0, 0.0, 0.0, 0.0, 4.0, 0.0];
            x[place] = bad;
            let point = |k: usize| [x[3 * k], x[3 * k + 1], x[3 * k + 2]];
            let verdict = kind_as_given([point(0), point(1)], [point(2), point(3), point(4)]);
            assert_eq!(verdict, Some(IntersectionKind::NotFinite), "{bad} at {place}");
        }
    }
}
