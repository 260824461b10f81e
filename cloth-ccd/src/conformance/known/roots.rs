//! Motions whose surfaces fall together several times, or twice at once, or three times at once.
//!
//! Time is given by `s = 2 t - 1`, from -1 to 1, in which every corner is linear.

use super::{Known, MISS, at, at_if, ladder, near, points};
use crate::Query;
use crate::conformance::oracle::Expected;

/// The plane `y = s x` turns about an axis, and a point at `(s, d)` travels over it: the height is `d - s^2`,
/// with no root, a double one, or two. At `d = 0` they touch and part again, `d = 1` is at the start.
pub(in super::super) fn of_two_roots() -> Vec<Known> {
    let squares = (0..13).map(|k| 4f64.powi(-k)).chain([2f64.powi(-1074), 2f64.powi(-500)]);
    let depths =
        ladder(0.0).into_iter().chain(squares).chain([1.0, 0.5625, 0.0625].into_iter().flat_map(ladder));
    depths.flat_map(|d| two_roots_at(d).into_iter().chain(second_alone(d))).collect()
}

/// The first of two roots is where `s = -sqrt(d)`: `t = (1 - sqrt(d)) / 2`, written so that nothing cancels
/// near `d = 1`.
fn first_of_two(d: f64) -> Expected {
    match d {
        0.0 => at(0.5),
        d if d < 0.0 => MISS,
        d if (0..=12).any(|k| d == 4f64.powi(-k)) => at((1.0 - d.sqrt()) / 2.0),
        d => near((1.0 - d) / (2.0 * (1.0 + d.sqrt()))),
    }
}

fn two_roots_at(d: f64) -> [Known; 3] {
    let first = first_of_two(d);
    let edge = |s: f64| points([[s, d, 0.0], [-1.0, -s, 0.0], [1.0, s, 0.0]]);
    let pair = |s: f64| points([[s, d, -1.0], [s, d, 1.0], [-1.0, -s, 0.0], [1.0, s, 0.0]]);
    // Its width at z = 0 is 3/4 of that at z = -1, which is why 9/16 is the end.
    let face = |s: f64| points([[s, d, 0.0], [-1.0, -s, -1.0], [1.0, s, -1.0], [0.0, 0.0, 3.0]]);
    let name = |what: &str| format!("{what} that turns, a depth of {d:e}");
    [
        Known::new(
            name("an edge"),
            Query::point_edge(edge(-1.0), edge(1.0)),
            if d <= 1.0 { first } else { MISS },
        ),
        Known::new(
            name("two edges"),
            Query::edge_edge(pair(-1.0), pair(1.0)),
            if d <= 1.0 { first } else { MISS },
        ),
        Known::new(
            name("a face"),
            Query::point_triangle(face(-1.0), face(1.0)),
            if d <= 0.5625 { first } else { MISS },
        ),
    ]
}

/// A face that only reaches over `x >= 0`, so that of two roots the second is the hit.
fn second_alone(d: f64) -> Vec<Known> {
    let face = |s: f64| points([[s, d, 0.0], [0.0, 0.0, -1.0], [1.0, s, -1.0], [1.0, s, 3.0]]);
    let query = Query::point_triangle(face(-1.0), face(1.0));
    // At z = 0 it reaches from x = 1/4 to 1.
    let expected = if (0.0625..=1.0).contains(&d) { near(0.5 + d.sqrt() / 2.0) } else { MISS };
    vec![Known::new(format!("the second of two roots, a depth of {d:e}"), query, expected)]
}

/// The face spanned by `e = (1, -s, 0)` and `f = (0, 1, -s)`, normal `(s^2, s, 1)`, and a point at
/// `(s, y, z)`: the height is `s^3 + y s + z`. At a root the point is `s e + (y + s^2) f`.
fn cubic(y: f64, z: f64, corners: [[f64; 2]; 3]) -> Query {
    let state = |s: f64| {
        let [a, b, c] = corners.map(|[u, v]| [u, v - s * u, -s * v]);
        points([[s, y, z], a, b, c])
    };
    Query::point_triangle(state(-1.0), state(1.0))
}

/// The same of two edges that are as long as can be: `-2 f` to `2 f` about the point, and `-2 e` to `2 e`,
/// which is lower by `z` instead of the point being higher, so that no coordinate is rounded.
fn cubic_edges(y: f64, z: f64) -> Query {
    let state = |s: f64| {
        points([[s, y - 2.0, 2.0 * s], [s, y + 2.0, -2.0 * s], [-2.0, 2.0 * s, -z], [2.0, -2.0 * s, -z]])
    };
    Query::edge_edge(state(-1.0), state(1.0))
}

/// A triple root and what becomes of it when it is shifted; three roots of which the first, the second, the
/// third or none is a hit; the third by a hair.
pub(in super::super) fn of_three_roots() -> Vec<Known> {
    let mut known = Vec::new();
    let around = [[-1.0, -1.0], [1.0, 0.0], [0.0, 1.0]];
    let cubes = (2..12).flat_map(|k| [8f64.powi(-k), -8f64.powi(-k)]);
    for z in ladder(0.0).into_iter().chain(cubes) {
        let expected = if z == 0.0 { at(0.5) } else { near((1.0 - z.cbrt()) / 2.0) };
        known.push(Known::new(format!("a triple root shifted by {z:e}"), cubic(0.0, z, around), expected));
        known.push(Known::new(
            format!("edges, a triple root shifted by {z:e}"),
            cubic_edges(0.0, z),
            expected,
        ));
    }
    // y = -1/4, z = 0: roots at -1/2, 0, 1/2, where the point is at (-1/2, 0), (0, -1/4), (1/2, 0) of the
    // face.
    let third = [[0.25, -0.125], [0.75, -0.125], [0.5, 0.5]];
    let faces = [
        ("the first", third.map(|[u, v]| [-u, v]), at(0.25)),
        ("the second", [[-0.25, -0.5], [0.25, -0.5], [0.0, 0.0]], at(0.5)),
        ("the third", third, at(0.75)),
        ("none", [[1.0, 1.0], [2.0, 1.0], [1.0, 2.0]], MISS),
        ("the second at a corner", [[0.0, -0.25], [0.25, -0.5], [-0.25, -0.5]], at(0.5)),
    ];
    known.extend(faces.map(|(name, face, expected)| {
        Known::new(format!("{name} of three roots"), cubic(-0.25, 0.0, face), expected)
    }));
    for u in ladder(0.5) {
        let face = [[u, 0.0], [1.0, 0.0], [1.0, 1.0]];
        known.push(Known::new(
            format!("the third of three roots, corner at {u:e}"),
            cubic(-0.25, 0.0, face),
            at_if(u <= 0.5, 0.75),
        ));
    }
    known.push(Known::new("edges, three roots", cubic_edges(-0.25, 0.0), at(0.25)));
    known
}
