//! Motions within one plane or on one line: every polynomial of coplanarity is zero throughout.

use super::{Known, MISS, at, near};
use crate::conformance::{QueryKind, oracle::Expected};
use nalgebra::{Point3, Vector3};

type Flat = [[f64; 2]; 4];

/// A scene of the plane: corners at the start and at the end, unused ones at the origin.
struct FlatCase(&'static str, QueryKind, Flat, Flat, Expected);

const O: [f64; 2] = [0.0; 2];

/// How the plane lies in space: directions of its axes, and how far its origin moves. Whole numbers, so that
/// it is exact.
const PLANES: [[[f64; 3]; 3]; 6] = [
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.0]],
    [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [8.0, -16.0, 4.0]],
    [[1.0, 2.0, 2.0], [2.0, 1.0, -2.0], [0.0, 0.0, 0.0]],
    [[1.0, 1.0, 0.0], [0.0, 1.0, 1.0], [1.0, 2.0, 3.0]],
    [[1.0, -2.0, 3.0], [3.0, 1.0, -1.0], [-7.0, 0.0, 0.0]],
    [[0.0, 0.0, 1.0], [5.0, 0.0, 7.0], [0.0, 0.0, 64.0]],
];

/// All scenes in all planes.
pub(in super::super) fn in_a_plane() -> Vec<Known> {
    let scenes = points().into_iter().chain(edges()).chain(faces()).chain(pairs_of_edges());
    scenes.flat_map(|scene| PLANES.map(|plane| in_space(&scene, plane))).collect()
}

fn in_space(FlatCase(name, kind, t0, t1, expected): &FlatCase, plane: [[f64; 3]; 3]) -> Known {
    let [u, v, travel] = plane.map(Vector3::from);
    let place =
        |corners: &Flat, origin: Vector3<f64>| corners.map(|[x, y]| Point3::from(origin + x * u + y * v));
    let query = kind.query(&place(t0, Vector3::zeros()), &place(t1, travel));
    Known::new(format!("{name}, in the plane {plane:?}"), query, *expected)
}

fn points() -> Vec<FlatCase> {
    let scene = |name, [a, c]: [[f64; 2]; 2], [b, d]: [[f64; 2]; 2], expected| {
        FlatCase(name, QueryKind::PointPoint, [a, b, O, O], [c, d, O, O], expected)
    };
    vec![
        scene("pass through", [[-1.0, 0.0], [1.0, 0.0]], [O, O], at(0.5)),
        scene("meet in passing", [[-3.0, 1.0], [1.0, 1.0]], [[0.0, 4.0], [0.0, 0.0]], at(0.75)),
        scene(
            "cross the same place at other times",
            [[-3.0, 1.0], [1.0, 1.0]],
            [[0.0, 3.0], [0.0, 0.0]],
            MISS,
        ),
        scene("arrive at the end", [[-1.0, 0.5], O], [O, O], at(1.0)),
        scene("part from the start", [[1.0, 1.0], [2.0, 2.0]], [[1.0, 1.0], [1.0, 0.0]], at(0.0)),
        scene("are the same", [[1.0, 1.0], [2.0, 2.0]], [[1.0, 1.0], [2.0, 2.0]], at(0.0)),
        scene("rest apart", [[1.0, 1.0]; 2], [[1.0, 1.25]; 2], MISS),
        scene("travel side by side", [[1.0, 1.0], [5.0, 3.0]], [[1.0, 1.25], [5.0, 3.25]], MISS),
        scene("stop short", [[-1.0, 0.0], [-0.25, 0.0]], [O, O], MISS),
    ]
}

/// A point and the edge from (0, 0) to (1, 0), which rests.
fn edges() -> Vec<FlatCase> {
    let resting = |name, p: [f64; 2], q: [f64; 2], expected| {
        let edge = [O, [1.0, 0.0]];
        FlatCase(name, QueryKind::PointEdge, [p, edge[0], edge[1], O], [q, edge[0], edge[1], O], expected)
    };
    // Its ends exchange places: at half time it is a point.
    let turning = |name, p: [f64; 2], q: [f64; 2], expected| {
        FlatCase(
            name,
            QueryKind::PointEdge,
            [p, [-1.0, 0.0], [1.0, 0.0], O],
            [q, [1.0, 0.0], [-1.0, 0.0], O],
            expected,
        )
    };
    vec![
        resting("through the middle", [0.5, 1.0], [0.5, -1.0], at(0.5)),
        resting("through an end", [1.0, 1.0], [1.0, -1.0], at(0.5)),
        resting("beyond the end", [1.25, 1.0], [1.25, -1.0], MISS),
        resting("along the line into the end", [-1.0, 0.0], [1.0, 0.0], at(0.5)),
        resting("along the line, short of it", [-1.0, 0.0], [-0.25, 0.0], MISS),
        resting("along the line, just there", [-1.0, 0.0], [0.0, 0.0], at(1.0)),
        resting("away from the middle", [0.5, 0.0], [0.5, 1.0], at(0.0)),
        resting("away from an end in line", [0.0, 0.0], [-1.0, 0.0], at(0.0)),
        resting("at rest on it", [0.75, 0.0], [0.75, 0.0], at(0.0)),
        resting("at rest in line with it", [1.5, 0.0], [1.5, 0.0], MISS),
        resting("at rest beside it", [0.5, 0.25], [0.5, 0.25], MISS),
        resting("past it in parallel", [-1.0, 0.25], [3.0, 0.25], MISS),
        turning("at the instant it is a point", [0.0, 0.5], [0.0, -0.5], at(0.5)),
        turning("beside it when it is a point", [0.25, 0.5], [0.25, -0.5], MISS),
        turning("just before it leaves", [0.5, 0.25], [0.5, -0.75], at(0.25)),
        turning("on it until it leaves", [0.25, 0.0], [0.25, 1.0], at(0.0)),
    ]
}

/// A point and the face (0, 0), (4, 0), (0, 4).
fn faces() -> Vec<FlatCase> {
    let face = [O, [4.0, 0.0], [0.0, 4.0]];
    let becomes = |name, p, q, end: [[f64; 2]; 3], expected| {
        FlatCase(
            name,
            QueryKind::PointTriangle,
            [p, face[0], face[1], face[2]],
            [q, end[0], end[1], end[2]],
            expected,
        )
    };
    let resting = |name, p, q, expected| becomes(name, p, q, face, expected);
    let flipped = [O, [4.0, 0.0], [0.0, -4.0]];
    vec![
        resting("in through a side", [-2.0, 1.0], [2.0, 1.0], at(0.5)),
        resting("in through a corner", [-2.0, -2.0], [2.0, 2.0], at(0.5)),
        resting("along a side", [-4.0, 0.0], [4.0, 0.0], at(0.5)),
        resting("grazes a corner", [-2.0, 2.0], [2.0, 6.0], at(0.5)),
        resting("passes a corner", [-2.0, 2.5], [2.0, 6.5], MISS),
        resting("in line with a side", [-4.0, 0.0], [-1.0, 0.0], MISS),
        resting("slides along the long side", [6.0, -2.0], [2.0, 2.0], at(0.5)),
        resting("out from inside", [1.0, 1.0], [-3.0, 1.0], at(0.0)),
        resting("at rest inside", [1.0, 1.0], [1.0, 1.0], at(0.0)),
        resting("at rest on a side", [2.0, 2.0], [2.0, 2.0], at(0.0)),
        resting("at rest outside", [2.25, 2.0], [2.25, 2.0], MISS),
        resting("arrives at a side", [-2.0, 1.0], [0.0, 1.0], at(1.0)),
        becomes("overrun", [6.0, 0.5], [6.0, 0.5], [[4.0, 0.0], [8.0, 0.0], [4.0, 4.0]], at(0.625)),
        becomes("swept over as it turns inside out", [1.0, -1.0], [1.0, -1.0], flipped, near(2.0 / 3.0)),
        becomes("on the side that it collapses onto", [5.0, 0.0], [5.0, 0.0], flipped, MISS),
        becomes(
            "in from below as it falls flat",
            [1.0, -1.0],
            [1.0, 1.0],
            [O, [4.0, 0.0], [0.0, 0.0]],
            at(0.5),
        ),
    ]
}

/// The edge from (-1, 0) to (1, 0) at rest, and another.
fn pairs_of_edges() -> Vec<FlatCase> {
    let scene = |name, [c, d]: [[f64; 2]; 2], [e, f]: [[f64; 2]; 2], expected| {
        let [a, b] = [[-1.0, 0.0], [1.0, 0.0]];
        FlatCase(name, QueryKind::EdgeEdge, [a, b, c, d], [a, b, e, f], expected)
    };
    vec![
        scene("cross from the start", [[0.0, -1.0], [0.5, 1.0]], [[0.0, 1.0], [0.5, 3.0]], at(0.0)),
        scene("an end runs into the other", [[0.0, 3.0], [0.0, 5.0]], [[0.0, -1.0], [0.0, 1.0]], at(0.75)),
        scene("end to end in line", [[3.0, 0.0], [4.0, 0.0]], [[-1.0, 0.0], [0.0, 0.0]], at(0.5)),
        scene("in line, short of it", [[3.0, 0.0], [4.0, 0.0]], [[1.25, 0.0], [2.25, 0.0]], MISS),
        scene("in line, just there", [[3.0, 0.0], [4.0, 0.0]], [[1.0, 0.0], [2.0, 0.0]], at(1.0)),
        scene("parallel, pass through", [[0.25, 1.0], [0.75, 1.0]], [[0.25, -1.0], [0.75, -1.0]], at(0.5)),
        scene("parallel, end passes end", [[1.0, 1.0], [2.0, 1.0]], [[1.0, -1.0], [2.0, -1.0]], at(0.5)),
        scene("parallel, pass by", [[1.25, 1.0], [2.0, 1.0]], [[1.25, -1.0], [2.0, -1.0]], MISS),
        scene("the same, at rest", [[-1.0, 0.0], [1.0, 0.0]], [[-1.0, 0.0], [1.0, 0.0]], at(0.0)),
        scene("the same, turned about", [[1.0, 0.0], [-1.0, 0.0]], [[1.0, 0.0], [-1.0, 0.0]], at(0.0)),
        scene("overlap in line", [[0.5, 0.0], [3.0, 0.0]], [[0.5, 2.0], [3.0, 2.0]], at(0.0)),
        scene("share an end", [[1.0, 0.0], [1.0, 2.0]], [[1.0, 0.0], [3.0, 2.0]], at(0.0)),
        scene("pass by as one turns", [[2.0, 1.0], [3.0, -1.0]], [[2.0, -1.0], [3.0, 1.0]], MISS),
        scene("parallel, overlap in part", [[0.5, 1.0], [3.0, 1.0]], [[0.5, -1.0], [3.0, -1.0]], at(0.5)),
        scene("apart, at rest", [[-1.0, 0.5], [1.0, 0.25]], [[-1.0, 0.5], [1.0, 0.25]], MISS),
    ]
}
