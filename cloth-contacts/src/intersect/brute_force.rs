//! All edges against all faces: the reference for the intersections of a state.

use cloth_geom::Topology;
use cloth_geom::exact::{is_flat_fold, segment_triangle_kind};
use nalgebra::Point3;

use super::doubled::has_area;
use super::{IntersectError, Intersections, validate};

/// Finds all intersections of one state by trying every edge with every face.
///
/// # Errors
/// As [`find`](super::find).
pub fn find_brute_force(
    positions: &[Point3<f64>],
    topology: &Topology,
) -> Result<Intersections, IntersectError> {
    validate(positions, topology)?;
    let at = |v: u32| &positions[v as usize];
    let mut found = Intersections::default();
    for (e, &edge) in topology.edges().iter().enumerate() {
        for (f, &face) in topology.faces().iter().enumerate() {
            if share_a_vertex(edge, face) {
                continue;
            }
            if let Some(kind) = segment_triangle_kind(edge.map(at), face.map(at)) {
                found.edge_faces.push([e as u32, f as u32]);
                found.kinds.push(kind);
            }
        }
        if folds_flat(positions, topology, edge) {
            found.flat_folds.push(e as u32);
        }
    }
    for (f, &face) in topology.faces().iter().enumerate() {
        let lies_on = |&g: &usize| lies_on(face.map(at), topology.faces()[g].map(at));
        found.doubled_faces.extend((0..f).find(lies_on).map(|first| [f as u32, first as u32]));
    }
    Ok(found)
}

/// Whether two faces with an area have the same corners, in any order.
fn lies_on([a, b, c]: [&Point3<f64>; 3], other: [&Point3<f64>; 3]) -> bool {
    let orders = [[a, b, c], [b, c, a], [c, a, b], [c, b, a], [b, a, c], [a, c, b]];
    has_area(other) && orders.contains(&other)
}

/// Whether any two faces that contain the edge lie flat on each other, with their apexes in different places.
fn folds_flat(positions: &[Point3<f64>], topology: &Topology, edge: [u32; 2]) -> bool {
    let around = topology.faces().iter().filter(|face| edge.iter().all(|v| face.contains(v)));
    let apexes: Vec<u32> =
        around.flat_map(|face| face.iter().copied().filter(|v| !edge.contains(v))).collect();
    let at = |v: u32| &positions[v as usize];
    let is_fold = |a: u32, b: u32| at(a) != at(b) && is_flat_fold(edge.map(at), at(a), at(b));
    (0..apexes.len()).any(|j| (0..j).any(|i| is_fold(apexes[i], apexes[j])))
}

/// Whether the edge and the face have a vertex in common.
fn share_a_vertex(edge: [u32; 2], face: [u32; 3]) -> bool {
    face.contains(&edge[0]) || face.contains(&edge[1])
}
