//! Straight lines from a vertex across strips of unfolded faces.
//!
//! A strip is represented by its last edge and the cone through which the vertex sees it. The next face is
//! unfolded about that edge; if its apex lies in the cone, the line to it is emitted, and in any case the
//! apex splits the cone.

use cloth_geom::Topology;

use crate::rest::RestGeometry;

/// A point of the unfolded plane; the vertex is at its origin.
type Flat = [f64; 2];

/// The last edge of a strip and the cone in which the vertex sees it, from the right border to the left.
struct Window {
    face: u32,
    ends: [u32; 2],
    at: [Flat; 2],
    cone: [Flat; 2],
}

/// Calls `emit` with the end and the length (m) of every straight line that crosses 1 to `hinges` edges.
pub(super) fn across(
    topology: &Topology,
    rest: &RestGeometry,
    from: u32,
    hinges: u32,
    mut emit: impl FnMut(u32, f64),
) {
    let mut open: Vec<(Window, u32)> = Vec::new();
    for &face in topology.vertex_faces(from as usize) {
        open.push((first(topology, rest, from, face), 1));
        while let Some((window, depth)) = open.pop() {
            if depth > hinges {
                continue;
            }
            let Some((next, apex, at)) = unfold(topology, rest, &window) else { continue };
            let [right, left] = window.cone;
            let (inside_right, inside_left) = (cross(right, at) > 0.0, cross(at, left) > 0.0);
            if inside_right && inside_left {
                emit(apex, at[0].hypot(at[1]));
            }
            // Right of the apex its direction bounds the cone from the left, and the other way round.
            if inside_right {
                let cone = [right, if inside_left { at } else { left }];
                let ends = [window.ends[0], apex];
                open.push((Window { face: next, ends, at: [window.at[0], at], cone }, depth + 1));
            }
            if inside_left {
                let cone = [if inside_right { at } else { right }, left];
                let ends = [apex, window.ends[1]];
                open.push((Window { face: next, ends, at: [at, window.at[1]], cone }, depth + 1));
            }
        }
    }
}

/// The edge that lies against the vertex in one of its faces, seen counter-clockwise.
fn first(topology: &Topology, rest: &RestGeometry, from: u32, face: u32) -> Window {
    let corners = topology.faces()[face as usize];
    let flat = rest.flat[face as usize].map(|c| c.map(f64::from));
    let k = (0..3).find(|&k| corners[k] == from).unwrap_or(0);
    let (p, q) = ((k + 1) % 3, (k + 2) % 3);
    let arm = |to: usize| [flat[to][0] - flat[k][0], flat[to][1] - flat[k][1]];
    let (at_p, at_q) = (arm(p), arm(q));
    if cross(at_p, at_q) > 0.0 {
        Window { face, ends: [corners[p], corners[q]], at: [at_p, at_q], cone: [at_p, at_q] }
    } else {
        Window { face, ends: [corners[q], corners[p]], at: [at_q, at_p], cone: [at_q, at_p] }
    }
}

/// The face beyond the window, its apex, and the unfolded position of the apex; `None` at a border or a
/// non-manifold edge.
fn unfold(topology: &Topology, rest: &RestGeometry, window: &Window) -> Option<(u32, u32, Flat)> {
    let [p, q] = window.ends;
    let edge = topology.edge_between(p, q)?;
    let &[f, g] = topology.edge_faces(edge as usize) else { return None };
    let next = if f == window.face { g } else { f };
    let corners = topology.faces()[next as usize];
    let corner = |v: u32| corners.iter().position(|&c| c == v);
    let flat = |k: usize| rest.flat[next as usize][k].map(f64::from);
    let (kp, kq) = (corner(p)?, corner(q)?);
    let (a, b, c) = (flat(kp), flat(kq), flat(3 - kp - kq));
    let (ab, ac) = ([b[0] - a[0], b[1] - a[1]], [c[0] - a[0], c[1] - a[1]]);
    let length_sq = dot(ab, ab);
    let (along, off) = (dot(ab, ac) / length_sq, cross(ab, ac).abs() / length_sq);
    let [at_p, at_q] = window.at;
    let pq = [at_q[0] - at_p[0], at_q[1] - at_p[1]];
    // The vertex sees q to the left of p, so it lies left of the line from p to q, and the apex right.
    let at = [at_p[0] + pq[0] * along + pq[1] * off, at_p[1] + pq[1] * along - pq[0] * off];
    Some((next, corners[3 - kp - kq], at))
}

fn cross(a: Flat, b: Flat) -> f64 {
    a[0] * b[1] - a[1] * b[0]
}

fn dot(a: Flat, b: Flat) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}
