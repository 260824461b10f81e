//! No motion, one motion of both, and primitives that share corners.

use super::{Known, MISS, at, at_if, ladder, points};
use crate::Query;

/// Pairs at a ladder of heights above each other, at rest or carried along; and identical ones.
pub(in super::super) fn still() -> Vec<Known> {
    let mut known = Vec::new();
    for h in ladder(0.0) {
        for travel in [0.0, 4.0, -1e9] {
            known.extend(at_height(h, travel));
        }
    }
    known.extend(identical());
    known
}

/// Carried along by `travel` in x, which is exact for whole coordinates and leaves the height alone.
fn at_height(h: f64, travel: f64) -> [Known; 6] {
    let carried =
        |corners: [[f64; 3]; 4]| (points(corners), points(corners.map(|[x, y, z]| [x + travel, y, z])));
    let expected = at_if(h == 0.0, 0.0);
    let face = [[-4.0, -4.0, 0.0], [4.0, -4.0, 0.0], [0.0, 4.0, 0.0]];
    let over_face = |x: f64, y: f64| carried([[x, y, h], face[0], face[1], face[2]]);
    let over_edge = |a: [f64; 3], b: [f64; 3]| carried([a, b, [-4.0, 0.0, 0.0], [4.0, 0.0, 0.0]]);
    let name = |what: &str| format!("{what} {h:e} above, carried by {travel:e}");
    let face_at = |x, y| {
        let (t0, t1) = over_face(x, y);
        Query::point_triangle(t0, t1)
    };
    let edge_at = |a, b| {
        let (t0, t1) = over_edge(a, b);
        Query::edge_edge(t0, t1)
    };
    [
        Known::new(name("a point over a face"), face_at(0.0, 0.0), expected),
        Known::new(name("a point over a side"), face_at(0.0, -4.0), expected),
        Known::new(name("a point over a corner"), face_at(4.0, -4.0), expected),
        Known::new(name("a point beside a face"), face_at(0.0, 5.0), MISS),
        Known::new(name("an edge over an edge"), edge_at([1.0, -1.0, h], [1.0, 1.0, h]), expected),
        Known::new(name("an edge along an edge"), edge_at([1.0, 0.0, h], [7.0, 0.0, h]), expected),
    ]
}

/// One primitive twice, a point that is a corner, edges with a common end: colliding from the start, whatever
/// the motion.
fn identical() -> Vec<Known> {
    let (a, b, c) = ([0.1, 0.7, -0.3], [1.3, -0.2, 0.9], [0.4, 1.1, 1.7]);
    let (d, e, f) = ([2.1, 0.3, 0.5], [-0.7, 1.9, 0.2], [1.6, -1.4, 0.8]);
    let mut known = vec![
        Known::new("a point twice", Query::point_point(points([a, a]), points([d, d])), at(0.0)),
        Known::new("an edge twice", Query::edge_edge(points([a, b, a, b]), points([d, e, d, e])), at(0.0)),
        Known::new(
            "an edge and its reverse",
            Query::edge_edge(points([a, b, b, a]), points([d, e, e, d])),
            at(0.0),
        ),
        Known::new(
            "edges from one corner",
            Query::edge_edge(points([a, b, a, c]), points([d, e, d, f])),
            at(0.0),
        ),
        Known::new("edges that are one point", Query::edge_edge(points([a; 4]), points([d; 4])), at(0.0)),
    ];
    let (start, end) = ([a, b, c], [d, e, f]);
    for k in 0..3 {
        for end in [start, end] {
            let with_corner = |face: [[f64; 3]; 3]| points([face[k], face[0], face[1], face[2]]);
            let query = Query::point_triangle(with_corner(start), with_corner(end));
            known.push(Known::new(format!("corner {k} of a face that ends at {end:?}"), query, at(0.0)));
        }
    }
    known
}
