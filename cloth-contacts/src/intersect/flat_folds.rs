//! Edges on which two faces lie flat on each other: the one contact that no edge and face can show.

use cloth_geom::Topology;
use cloth_geom::exact::is_flat_fold;
use nalgebra::Point3;

use super::apart::certainly_open;

/// Appends the edges on which two faces lie flat on each other to `folds`, in the given order, and faces of
/// one edge whose third corners are in one place to `same`: those are doubled faces, and no folds.
///
/// Positions must be finite, one per vertex.
pub(super) fn find_flat_folds(
    edges: &[u32],
    positions: &[Point3<f64>],
    topology: &Topology,
    folds: &mut Vec<u32>,
    same: &mut Vec<u32>,
) {
    folds.extend(edges.iter().copied().filter(|&e| folds_flat(positions, topology, e as usize, same)));
}

fn folds_flat(positions: &[Point3<f64>], topology: &Topology, edge: usize, same: &mut Vec<u32>) -> bool {
    let faces = topology.edge_faces(edge);
    let ends = topology.edges()[edge];
    let [p, q] = ends.map(|v| &positions[v as usize]);
    let apex = |f: u32| {
        let apex = topology.faces()[f as usize].into_iter().find(|v| !ends.contains(v));
        apex.map(|v| &positions[v as usize])
    };
    // An edge has two faces, except where the mesh is not a manifold.
    let mut is_fold = false;
    for (j, &g) in faces.iter().enumerate().skip(1) {
        let Some(b) = apex(g) else { continue };
        let (mut first, mut is_flat) = (None, false);
        for (&f, a) in faces[..j].iter().filter_map(|f| Some((f, apex(*f)?))) {
            if certainly_open([p, q], a, b) {
                continue;
            }
            if a == b {
                first = Some(f);
                break;
            }
            is_flat = is_flat || is_flat_fold([p, q], a, b);
        }
        match first {
            // A fold with the copy is one with the face `f` as well, and counts there.
            Some(f) => same.extend([f, g]),
            None => is_fold |= is_flat,
        }
    }
    is_fold
}
