//! Finds all defects of a mesh that affect a simulation or an exact check.
//!
//! Never panics: a check that needs valid input skips what an earlier check has reported. Adjacency is
//! checked on faces with three valid, distinct indices, areas on finite corners.

mod problem;

pub use problem::{Problem, ProblemKind};

use crate::exact::{Axis, Sign, orient2d};
use crate::topology::disjoint_sets::DisjointSets;
use crate::{Topology, TriMesh};
use nalgebra::Point3;

/// Of the longest edge of a face: a face that is not higher is a sliver.
const SLIVER: f64 = 1e-6;

/// Whether a face is too thin for a simulation: its height is at most a millionth of its longest edge, 17
/// roundings of an `f32`, so that its area is no longer a number to rely on.
#[must_use]
pub fn is_sliver([a, b, c]: [Point3<f64>; 3]) -> bool {
    let longest_sq = (b - a).norm_squared().max((c - b).norm_squared()).max((a - c).norm_squared());
    (b - a).cross(&(c - a)).norm() <= SLIVER * longest_sq
}

/// All problems of a mesh, in the order of [`ProblemKind`], then by index; empty for a clean mesh.
///
/// A clean mesh may have boundaries, several pieces, and intersections.
#[must_use]
pub fn validate(mesh: &TriMesh) -> Vec<Problem> {
    validate_with_topology(mesh).0
}

/// As [`validate`], and the adjacency of the faces that have three valid, distinct indices: of all faces of a
/// clean mesh.
#[must_use]
pub fn validate_with_topology(mesh: &TriMesh) -> (Vec<Problem>, Topology) {
    let mut problems = Vec::new();
    non_finite_positions(mesh, &mut problems);
    let sound = sound_faces(mesh, &mut problems);
    zero_areas(mesh, &sound, &mut problems);
    let faces = sound.iter().map(|&f| mesh.faces[f as usize]).collect();
    let topology = Topology::from_sound(mesh.positions.len(), faces, &[]);
    let first = problems.len();
    duplicate_faces(&topology, &mut problems);
    non_manifold_edges(&topology, &mut problems);
    non_manifold_vertices(&topology, &mut problems);
    inconsistent_windings(&topology, &mut problems);
    for problem in &mut problems[first..] {
        problem.for_each_face(|face| *face = sound[*face as usize]);
    }
    unreferenced_vertices(mesh, &mut problems);
    (problems, topology)
}

fn non_finite_positions(mesh: &TriMesh, problems: &mut Vec<Problem>) {
    let bad = (0u32..).zip(&mesh.positions).filter(|(_, p)| !is_finite(p));
    problems.extend(bad.map(|(vertex, _)| Problem::NonFinitePosition { vertex }));
}

fn is_finite(p: &Point3<f64>) -> bool {
    p.iter().all(|c| c.is_finite())
}

/// Reports faces with bad indices; returns the ids of the others.
fn sound_faces(mesh: &TriMesh, problems: &mut Vec<Problem>) -> Vec<u32> {
    let vertex_count = mesh.positions.len();
    let mut repeated = Vec::new();
    let mut sound = Vec::with_capacity(mesh.faces.len());
    for (face, &[a, b, c]) in (0u32..).zip(&mesh.faces) {
        if let Some(vertex) = [a, b, c].into_iter().find(|&v| v as usize >= vertex_count) {
            problems.push(Problem::IndexOutOfRange { face, vertex, vertex_count });
        } else if a == b || b == c || c == a {
            repeated.push(Problem::RepeatedVertex { face, vertex: if a == b { a } else { c } });
        } else {
            sound.push(face);
        }
    }
    problems.append(&mut repeated);
    sound
}

fn zero_areas(mesh: &TriMesh, sound: &[u32], problems: &mut Vec<Problem>) {
    for &face in sound {
        let corners = mesh.faces[face as usize].map(|v| mesh.positions[v as usize]);
        if corners.iter().all(is_finite) && is_zero_area(&corners) {
            problems.push(Problem::ZeroArea { face });
        }
    }
}

/// Whether finite corners lie on one line: exactly if their projections along all three axes do.
fn is_zero_area([a, b, c]: &[Point3<f64>; 3]) -> bool {
    // First the one in which the area is greatest but for rounding: mostly it decides.
    let first = (b - a).cross(&(c - a)).iamax();
    (first..first + 3).all(|k| orient2d(a, b, c, Axis::ALL[k % 3]) == Sign::Zero)
}

fn duplicate_faces(topology: &Topology, problems: &mut Vec<Problem>) {
    let mut keys: Vec<([u32; 3], u32)> = Vec::new();
    for f in possible_duplicates(topology) {
        let mut vertices = topology.faces()[f as usize];
        vertices.sort_unstable();
        keys.push((vertices, f));
    }
    keys.sort_unstable();
    let mut found: Vec<(u32, u32)> = keys
        .chunk_by(|a, b| a.0 == b.0)
        .flat_map(|same| same[1..].iter().map(|&(_, face)| (face, same[0].1)))
        .collect();
    found.sort_unstable();
    problems.extend(found.into_iter().map(|(face, first)| Problem::DuplicateFace { face, first }));
}

/// Faces among which all duplicates are: both faces of an edge with one vertex opposite to it, and all faces
/// of an edge with more than two.
fn possible_duplicates(topology: &Topology) -> Vec<u32> {
    let opposite = |face: u32, [a, b]: [u32; 2]| {
        let [p, q, r] = topology.faces()[face as usize];
        p ^ q ^ r ^ a ^ b
    };
    let mut found = Vec::new();
    for (e, &edge) in topology.edges().iter().enumerate() {
        match *topology.edge_faces(e) {
            [] | [_] => {}
            [f, g] if opposite(f, edge) != opposite(g, edge) => {}
            ref faces => found.extend_from_slice(faces),
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

fn non_manifold_edges(topology: &Topology, problems: &mut Vec<Problem>) {
    for (e, &edge) in topology.edges().iter().enumerate() {
        let faces = topology.edge_faces(e);
        if faces.len() > 2 {
            problems.push(Problem::NonManifoldEdge { edge, faces: faces.to_vec() });
        }
    }
}

fn non_manifold_vertices(topology: &Topology, problems: &mut Vec<Problem>) {
    let mut rim = Vec::new();
    for vertex in 0..topology.vertex_count() as u32 {
        if !is_one_fan(topology, vertex, &mut rim) {
            let fans = fans(topology, vertex);
            if fans.len() > 1 {
                problems.push(Problem::NonManifoldVertex { vertex, fans });
            }
        }
    }
}

/// Whether the faces around a vertex are one fan, if they are few; false may also mean that they are many.
/// `rim` is scratch.
fn is_one_fan(topology: &Topology, vertex: u32, rim: &mut Vec<[u32; 2]>) -> bool {
    /// The square of it is still less work than to sort.
    const FEW: usize = 16;
    let faces = topology.vertex_faces(vertex as usize);
    if faces.len() > FEW {
        return false;
    }
    rim.clear();
    rim.extend(faces.iter().map(|&f| match topology.faces()[f as usize] {
        [v, a, b] | [a, v, b] | [a, b, v] if v == vertex => [a, b],
        [a, b, _] => [a, b],
    }));
    // What is connected to the first is moved to the front.
    let mut connected = rim.len().min(1);
    let mut at = 0;
    while at < connected {
        let [a, b] = rim[at];
        let first = connected;
        for k in first..rim.len() {
            let [c, d] = rim[k];
            if a == c || a == d || b == c || b == d {
                rim.swap(connected, k);
                connected += 1;
            }
        }
        at += 1;
    }
    connected == rim.len()
}

/// The faces around a vertex, grouped into fans that are connected through edges at it.
fn fans(topology: &Topology, vertex: u32) -> Vec<Vec<u32>> {
    let faces = topology.vertex_faces(vertex as usize);
    let mut spokes: Vec<(u32, u32)> = Vec::with_capacity(2 * faces.len());
    for (i, &f) in (0u32..).zip(faces) {
        let edges = topology.face_edges()[f as usize];
        spokes.extend(
            edges.iter().filter(|&&e| topology.edges()[e as usize].contains(&vertex)).map(|&e| (e, i)),
        );
    }
    spokes.sort_unstable();
    let mut sets = DisjointSets::new(faces.len());
    for pair in spokes.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
        sets.join(pair[0].1, pair[1].1);
    }
    let mut labelled: Vec<(u32, u32)> = (0u32..).zip(faces).map(|(i, &f)| (sets.find(i), f)).collect();
    labelled.sort_unstable();
    labelled.chunk_by(|a, b| a.0 == b.0).map(|fan| fan.iter().map(|&(_, f)| f).collect()).collect()
}

fn inconsistent_windings(topology: &Topology, problems: &mut Vec<Problem>) {
    for (e, &edge) in topology.edges().iter().enumerate() {
        let &[f, g] = topology.edge_faces(e) else { continue };
        let runs_forward = |face: u32| {
            let v = topology.faces()[face as usize];
            (0..3).any(|k| [v[k], v[(k + 1) % 3]] == edge)
        };
        if runs_forward(f) == runs_forward(g) {
            problems.push(Problem::InconsistentWinding { edge, faces: [f, g] });
        }
    }
}

fn unreferenced_vertices(mesh: &TriMesh, problems: &mut Vec<Problem>) {
    let mut used = vec![false; mesh.positions.len()];
    for &v in mesh.faces.iter().flatten() {
        if let Some(used) = used.get_mut(v as usize) {
            *used = true;
        }
    }
    let unused = (0u32..).zip(used).filter(|&(_, used)| !used);
    problems.extend(unused.map(|(vertex, _)| Problem::UnreferencedVertex { vertex }));
}

#[cfg(test)]
mod tests;
