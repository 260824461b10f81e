//! Rest distances: pairs that are closer than the contact distance at rest keep `min(2r, d_rest)`.
//!
//! Without it, contacts between close neighbours work against the springs of the cloth (XPBD tutorial, tip
//! 2). On a mesh whose thickness is at most half its shortest edge there are few such pairs; slivers, and
//! panels that start on top of each other, have many.

use cloth_broadphase::{BlockTree, Boxes, BroadPhase, PairFilter};
use cloth_geom::closest::{point_triangle, segment_segment};
use cloth_geom::{Aabb, Topology};
use nalgebra::Point3;

/// Pairs that rest within contact distance, sorted, with their rest distances (m).
#[derive(Clone, Debug, Default)]
pub(crate) struct RestDistances {
    point_triangles: Vec<([u32; 2], f32)>,
    edge_edges: Vec<([u32; 2], f32)>,
}

impl RestDistances {
    /// Computes the rest distances within each part; the relative rest position of different parts has no
    /// meaning. The radius (m), the part and the rest position have one entry a vertex.
    pub(crate) fn measure(topology: &Topology, radius: &[f32], part: &[u16], rest: &[Point3<f32>]) -> Self {
        let at = |v: u32| &rest[v as usize];
        let same_part = |a: u32, b: u32| part[a as usize] == part[b as usize];
        let contact_distance = |a: u32, b: u32| radius[a as usize] + radius[b as usize];
        let (faces, edges, reach) = (topology.faces(), topology.edges(), greatest_distance(radius));
        let boxes_of_faces = boxes(rest, faces, 0.5 * reach);
        let vertices: Vec<[u32; 1]> = (0..rest.len() as u32).map(|v| [v]).collect();
        let (mut point_triangles, mut edge_edges) = (Vec::new(), Vec::new());
        let mut tree = BlockTree::default();
        tree.update(&boxes_of_faces);
        tree.visit_pairs_with(&boxes(rest, &vertices, 0.5 * reach), &PairFilter::all(), &mut |f, v| {
            let corners = faces[f as usize];
            if same_part(v, corners[0]) && !corners.contains(&v) {
                let distance = point_triangle(at(v), corners.map(at)).distance_sq.sqrt();
                let is_near = distance < contact_distance(v, corners[0]);
                point_triangles.extend(is_near.then_some(([v, f], distance)));
            }
        });
        tree.update(&boxes(rest, edges, 0.5 * reach));
        tree.visit_self_pairs(&PairFilter::all(), &mut |e, f| {
            let (a, b) = (edges[e as usize], edges[f as usize]);
            if same_part(a[0], b[0]) && !a.iter().any(|v| b.contains(v)) {
                let distance = segment_segment(a.map(at), b.map(at)).distance_sq.sqrt();
                let is_near = distance < contact_distance(a[0], b[0]);
                edge_edges.extend(is_near.then_some(([e.min(f), e.max(f)], distance)));
            }
        });
        Self { point_triangles: sorted(point_triangles), edge_edges: sorted(edge_edges) }
    }

    /// Adds the distances of a further part, whose first vertex, face and edge are `[vertex, face, edge]`.
    pub(crate) fn append(&mut self, part: &Self, [vertex, face, edge]: [u32; 3]) {
        let shifted = |[v, f]: [u32; 2]| [v + vertex, f + face];
        self.point_triangles.extend(part.point_triangles.iter().map(|&(pair, d)| (shifted(pair), d)));
        self.edge_edges.extend(part.edge_edges.iter().map(|&(pair, d)| (pair.map(|e| e + edge), d)));
    }

    /// Distance (m) that a vertex and a face keep, given the contact distance.
    pub(crate) fn point_triangle(&self, pair: [u32; 2], contact_distance: f32) -> f32 {
        limit(&self.point_triangles, pair, contact_distance)
    }

    /// Distance (m) that two edges keep, given the contact distance.
    pub(crate) fn edge_edge(&self, pair: [u32; 2], contact_distance: f32) -> f32 {
        limit(&self.edge_edges, pair, contact_distance)
    }
}

/// More than any contact distance (m). What rounding could bring just below it rests at that distance anyway.
fn greatest_distance(radius: &[f32]) -> f64 {
    2.0 * 1.001 * f64::from(radius.iter().copied().fold(0.0, f32::max))
}

// The boxes of primitives, inflated by `room` (m). Rest positions are finite; an invalid box would leave the
// result empty.
fn boxes<const N: usize>(rest: &[Point3<f32>], primitives: &[[u32; N]], room: f64) -> Boxes {
    let corners = |primitive: &[u32; N]| primitive.map(|v| rest[v as usize].cast::<f64>());
    let of_primitive = |primitive| Aabb::of_points(corners(primitive)).inflated(room);
    Boxes::try_from_iter(primitives.iter().map(of_primitive)).unwrap_or_default()
}

fn sorted(mut entries: Vec<([u32; 2], f32)>) -> Vec<([u32; 2], f32)> {
    entries.sort_unstable_by_key(|entry| entry.0);
    entries
}

fn limit(table: &[([u32; 2], f32)], pair: [u32; 2], contact_distance: f32) -> f32 {
    if table.is_empty() {
        return contact_distance;
    }
    match table.binary_search_by_key(&pair, |entry| entry.0) {
        Ok(place) => contact_distance.min(table[place].1),
        Err(_) => contact_distance,
    }
}

#[cfg(test)]
mod tests {
    use cloth_geom::fixtures;

    use super::*;
    use crate::{Regions, Surface, SurfaceDesc};

    /// Two sheets that rest near each other, of edges shorter than the thickness of the first.
    fn thick() -> (Surface, Vec<Point3<f32>>) {
        let sheet = fixtures::sheet(4, 4, [0.3, 0.3]).unwrap().mesh;
        let rest: Vec<Point3<f32>> = sheet.positions.iter().map(|p| p.cast()).collect();
        let count = rest.len();
        let lifted = rest.iter().map(|p| p + nalgebra::Vector3::y() * 0.02);
        let rest: Vec<Point3<f32>> = rest.iter().copied().chain(lifted).collect();
        let second = sheet.faces.iter().map(|face| face.map(|v| v + count as u32));
        let surface = Surface::new(&SurfaceDesc {
            faces: &sheet.faces.iter().copied().chain(second).collect::<Vec<_>>(),
            radius: &(0..2 * count).map(|v| if v < count { 0.06 } else { 0.03 }).collect::<Vec<_>>(),
            half_scr: &vec![0.0; 2 * count],
            part: &(0..2 * count).map(|v| (v / count) as u16).collect::<Vec<_>>(),
            kinematic: &[false; 2],
            rest: &rest,
            exclusions: &[],
            regions: Regions::default(),
        });
        (surface.unwrap(), rest)
    }

    #[test]
    fn only_pairs_of_one_part_keep_their_rest_distance() {
        let (surface, rest) = thick();
        let (faces, edges) = (surface.topology().faces(), surface.topology().edges());
        let at = |v: u32| &rest[v as usize];
        let mut kept = [0, 0];
        for (f, corners) in (0..).zip(faces) {
            for v in (0..rest.len() as u32).filter(|v| !corners.contains(v)) {
                let far = surface.contact_distance(v, corners[0]);
                let rests = point_triangle(at(v), corners.map(at)).distance_sq.sqrt();
                let expected = if surface.same_part(v, corners[0]) { far.min(rests) } else { far };
                assert_eq!(surface.rest.point_triangle([v, f], far), expected);
                kept[0] += usize::from(expected < far);
            }
        }
        for (e, a) in (0_u32..).zip(edges) {
            for (f, b) in (0_u32..).zip(edges).filter(|(f, b)| *f > e && !a.iter().any(|v| b.contains(v))) {
                let far = surface.contact_distance(a[0], b[0]);
                let rests = segment_segment(a.map(at), b.map(at)).distance_sq.sqrt();
                let expected = if surface.same_part(a[0], b[0]) { far.min(rests) } else { far };
                assert_eq!(surface.rest.edge_edge([e, f], far), expected);
                kept[1] += usize::from(expected < far);
            }
        }
        // Of the first sheet; the second is thinner than its edges are long.
        assert!(kept[0] > 20 && kept[1] > 20, "{kept:?}");
    }
}
