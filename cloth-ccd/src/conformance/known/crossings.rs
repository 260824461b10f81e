//! Primitives that pass through each other at half time, past borders by a hair; and arrivals at the very
//! start and end.

use super::{Known, MISS, at, at_if, ladder, near, points};
use crate::Query;

/// Corners (x, y) of the second primitive, at height 0, and of the first, which is above and falls; at the
/// instant they share the plane. Either may be the one that moves, or both.
fn fall(name: &str, first: &[[f64; 2]], second: &[[f64; 2]], hit: bool) -> Vec<Known> {
    let heights = [[[1.0, 0.0], [-1.0, 0.0]], [[0.0, -1.0], [0.0, 1.0]], [[3.0, 1.0], [-5.0, -3.0]]];
    let query = |heights: [[f64; 2]; 2]| {
        let [t0, t1] = heights.map(|[of_first, of_second]| {
            let raised =
                |corners: &[[f64; 2]], z: f64| corners.iter().map(|c| [c[0], c[1], z]).collect::<Vec<_>>();
            [raised(first, of_first), raised(second, of_second)].concat()
        });
        of_corners(first.len(), &t0, &t1)
    };
    let expected = at_if(hit, 0.5);
    heights
        .map(|heights| Known::new(format!("{name}, {first:?} and {second:?}"), query(heights), expected))
        .into()
}

/// The query of so many corners.
fn of_corners(first: usize, t0: &[[f64; 3]], t1: &[[f64; 3]]) -> Query {
    match (first, t0, t1) {
        (2, &[a, b, c, d], &[e, f, g, h]) => Query::edge_edge(points([a, b, c, d]), points([e, f, g, h])),
        (_, &[a, b, c, d], &[e, f, g, h]) => {
            Query::point_triangle(points([a, b, c, d]), points([e, f, g, h]))
        }
        (_, &[a, b, c], &[d, e, f]) => Query::point_edge(points([a, b, c]), points([d, e, f])),
        (_, &[a, b], &[c, d]) => Query::point_point(points([a, b]), points([c, d])),
        _ => unreachable!("two to four corners"),
    }
}

const FACE: [[f64; 2]; 3] = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]];
const EDGE: [[f64; 2]; 2] = [[-1.0, 0.0], [1.0, 0.0]];

/// Ladders of offsets at every border: edges and corners of a face, ends of edges, an edge that is crossed
/// sideways.
pub(in super::super) fn beside_borders() -> Vec<Known> {
    let mut known = Vec::new();
    let mut add =
        |name, first: &[[f64; 2]], second: &[[f64; 2]], hit| known.extend(fall(name, first, second, hit));
    for v in ladder(0.0) {
        add("an edge of a face", &[[0.25, v]], &FACE, v >= 0.0);
        add("the right angle of a face", &[[v, v]], &FACE, v >= 0.0);
        add("the right angle of a face from one side", &[[v, 0.0]], &FACE, v >= 0.0);
        add("sideways past an edge", &[[0.5, v]], &EDGE, v == 0.0);
        add("past a point", &[[v, 0.5]], &[[0.0, 0.5]], v == 0.0);
        add("an end above an edge", &[[0.0, v], [0.25, 2.0]], &EDGE, v <= 0.0);
        add("parallel edges beside each other", &[[-0.5, v], [3.0, v]], &EDGE, v == 0.0);
    }
    for v in ladder(0.5) {
        add("the long side of a face", &[[0.5, v]], &FACE, v <= 0.5);
    }
    for v in ladder(1.0) {
        add("an acute corner of a face", &[[v, 0.0]], &FACE, v <= 1.0);
        add("an end of an edge", &[[v, 0.0]], &EDGE, v <= 1.0);
        add("an edge beyond the end", &[[v, -1.0], [v, 1.0]], &EDGE, v <= 1.0);
        add("ends of two edges", &[[v, 0.0], [2.0, 1.0]], &EDGE, v <= 1.0);
        add("ends of two edges in line", &[[v, 0.0], [2.0, 0.0]], &EDGE, v <= 1.0);
    }
    known
}

/// What falls, and onto what.
type Shapes<'a> = (&'a str, &'a [[f64; 2]], &'a [[f64; 2]]);

/// Falls that end, or begin, a ladder of heights above the other.
pub(in super::super) fn at_the_ends() -> Vec<Known> {
    let shapes: [Shapes<'_>; 6] = [
        ("inside a face", &[[0.25, 0.25]], &FACE),
        ("an edge of a face", &[[0.25, 0.0]], &FACE),
        ("on an edge", &[[0.5, 0.0]], &EDGE),
        ("a point", &[[0.5, 0.0]], &[[0.5, 0.0]]),
        ("across an edge", &[[0.5, -1.0], [0.25, 2.0]], &EDGE),
        ("along an edge", &[[0.5, 0.0], [2.0, 0.0]], &EDGE),
    ];
    let mut known = Vec::new();
    for (name, first, second) in shapes {
        let raised =
            |corners: &[[f64; 2]], z: f64| corners.iter().map(|c| [c[0], c[1], z]).collect::<Vec<_>>();
        let state = |z: f64| [raised(first, z), raised(second, 0.0)].concat();
        for h in ladder(0.0) {
            let arrival = if h == 0.0 { at(1.0) } else { near(1.0 / (1.0 - h)) };
            let query = of_corners(first.len(), &state(1.0), &state(h));
            known.push(Known::new(
                format!("{name}, ends at {h:e}"),
                query,
                if h <= 0.0 { arrival } else { MISS },
            ));
            let departure = if h == 0.0 { at(0.0) } else { near(-h / (1.0 - h)) };
            let query = of_corners(first.len(), &state(h), &state(1.0));
            known.push(Known::new(
                format!("{name}, starts at {h:e}"),
                query,
                if h <= 0.0 { departure } else { MISS },
            ));
        }
    }
    known
}

/// Coordinates at both ends of the range of numbers, at once.
pub(in super::super) fn enormous() -> Vec<Known> {
    let (most, least) = (f64::MAX, f64::from_bits(1));
    let mut known = Vec::new();
    for (x, z) in
        [(most, most), (most, least), (least, most), (least, least), (1e150, 1e150), (1e150, 1e-150)]
    {
        let face = [[-x, -x, 0.0], [x, -x, 0.0], [0.0, x, 0.0]];
        for (p, hit) in
            [([0.0, 0.0], true), ([0.0, x], true), ([-x, -x], true), ([-x, x], false), ([x, 0.0], false)]
        {
            let t = |height: f64| points([[p[0], p[1], height], face[0], face[1], face[2]]);
            let name = format!("a point at {p:?} falls from {z:e} through a face of {x:e}");
            known.push(Known::new(name, Query::point_triangle(t(z), t(-z)), at_if(hit, 0.5)));
        }
        let t = |height: f64| points([[-x, 0.0, height], [x, 0.0, height], [0.0, -x, 0.0], [0.0, x, 0.0]]);
        known.push(Known::new(format!("edges of {x:e}"), Query::edge_edge(t(z), t(-z)), at(0.5)));
        let t = |height: f64| points([[-x, 0.0, height], [-x, x, height], [0.0, -x, 0.0], [0.0, x, 0.0]]);
        known.push(Known::new(format!("edges of {x:e} apart"), Query::edge_edge(t(z), t(-z)), MISS));
    }
    known
}
