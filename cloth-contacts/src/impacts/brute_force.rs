//! Reference implementation: all vertices against all faces and all edges against all edges, by exact roots.

use cloth_geom::Topology;
use nalgebra::Point3;

use super::{Impacts, check_finite};
use crate::ccd::{Ccd, Reference};
use crate::gate::Pair;
use crate::intersect::IntersectError;

/// Finds all pairs that touch between two states by trying every one.
///
/// # Errors
/// As [`ImpactFinder::find`](super::ImpactFinder::find).
pub fn find_brute_force(
    t0: &[Point3<f64>],
    t1: &[Point3<f64>],
    topology: &Topology,
) -> Result<Impacts, IntersectError> {
    check_finite(t0, topology)?;
    check_finite(t1, topology)?;
    let meets = |pair: Pair| Reference.is_free(&pair.query(topology, [t0, t1]), 0.0) != Ok(true);
    let mut found = Impacts::default();
    for (f, face) in topology.faces().iter().enumerate() {
        for v in (0..t0.len() as u32).filter(|v| !face.contains(v)) {
            let pair = [v, f as u32];
            if meets(Pair::PointTriangle(pair)) {
                found.vertex_faces.push(pair);
            }
        }
    }
    for (b, edge) in topology.edges().iter().enumerate() {
        for (a, other) in topology.edges()[..b].iter().enumerate() {
            let pair = [a as u32, b as u32];
            if !edge.iter().any(|v| other.contains(v)) && meets(Pair::EdgeEdge(pair)) {
                found.edge_edges.push(pair);
            }
        }
    }
    found.vertex_faces.sort_unstable();
    found.edge_edges.sort_unstable();
    Ok(found)
}
