//! Edges on which two faces lie flat on each other: the one contact that no edge and face can show.

use cloth_geom::Topology;
use cloth_geom::exact::is_flat_fold;
use nalgebra::Point3;

use super::apart::certainly_open;

/// The edges on which two faces lie flat on each other, in the given order.
///
/// Positions must be finite, one per vertex.
pub(super) fn flat_folds_among<'a>(
    edges: &'a [u32],
    positions: &'a [Point3<f64>],
    topology: &'a Topology,
) -> impl Iterator<Item = u32> + 'a {
    edges.iter().copied().filter(|&e| folds_flat(positions, topology, e as usize))
}

fn folds_flat(positions: &[Point3<f64>], topology: &Topology, edge: usize) -> bool {
    let faces = topology.edge_faces(edge);
    let ends = topology.edges()[edge];
    let [p, q] = ends.map(|v| &positions[v as usize]);
    let apex = |f: u32| topology.faces()[f as usize].into_iter().find(|v| !ends.contains(v));
    let flat = |f: u32, g: u32| match (apex(f), apex(g)) {
        (Some(a), Some(b)) => {
            let (a, b) = (&positions[a as usize], &positions[b as usize]);
            !certainly_open([p, q], a, b) && is_flat_fold([p, q], a, b)
        }
        _ => false,
    };
    // Two faces but for the edges where the mesh is not a manifold.
    (1..faces.len()).any(|j| (0..j).any(|i| flat(faces[i], faces[j])))
}
