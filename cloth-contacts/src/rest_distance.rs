//! Which pairs rest closer than the contact distance, and how close: they keep `min(2r, d_rest)`.
//!
//! Without this, contacts between near neighbours fight the cloth's own springs (XPBD tutorial, tip 2). On a
//! mesh whose thickness is at most half its shortest edge there is hardly ever such a pair; slivers, and
//! panels that start on top of each other, have many.

use cloth_broadphase::ParryBvh;
use nalgebra::{Point3, Vector3};

use crate::candidates::Candidates;
use crate::{Motion, Surface};
use cloth_geom::closest::{point_triangle, segment_segment};

/// Pairs that rest within contact distance, sorted, with their rest distances (m).
#[derive(Clone, Debug, Default)]
pub(crate) struct RestDistances {
    point_triangles: Vec<([u32; 2], f32)>,
    edge_edges: Vec<([u32; 2], f32)>,
}

impl RestDistances {
    /// Measures the rest positions, each part by itself: where two cloths rest to each other means nothing.
    pub(crate) fn measure(surface: &Surface, rest: &[Point3<f32>]) -> Self {
        let still = vec![Vector3::zeros(); rest.len()];
        let motion = Motion { positions: rest, displacements: &still };
        let mut candidates = Candidates::<ParryBvh>::default();
        // Rest positions were checked to be finite; were a box refused all the same, no pair would be near.
        if candidates.update(surface, &motion, 0.0).is_err() {
            return Self::default();
        }
        let at = |v: u32| &rest[v as usize];
        let topology = surface.topology();
        let point_triangles = candidates.point_triangles().filter_map(|[v, f]| {
            let corners = topology.faces()[f as usize];
            if !surface.same_part(v, corners[0]) {
                return None;
            }
            let distance = point_triangle(at(v), corners.map(at)).distance_sq.sqrt();
            (distance < surface.contact_distance(v, corners[0])).then_some(([v, f], distance))
        });
        let edge_edges = candidates.edge_edges().filter_map(|[e, f]| {
            let (a, b) = (topology.edges()[e as usize], topology.edges()[f as usize]);
            if !surface.same_part(a[0], b[0]) {
                return None;
            }
            let distance = segment_segment(a.map(at), b.map(at)).distance_sq.sqrt();
            (distance < surface.contact_distance(a[0], b[0])).then_some(([e, f], distance))
        });
        Self { point_triangles: sorted(point_triangles), edge_edges: sorted(edge_edges) }
    }

    /// The distance (m) that a vertex and a face keep, given the contact distance.
    pub(crate) fn point_triangle(&self, pair: [u32; 2], contact_distance: f32) -> f32 {
        limit(&self.point_triangles, pair, contact_distance)
    }

    /// The distance (m) that two edges keep, given the contact distance.
    pub(crate) fn edge_edge(&self, pair: [u32; 2], contact_distance: f32) -> f32 {
        limit(&self.edge_edges, pair, contact_distance)
    }
}

fn sorted(entries: impl Iterator<Item = ([u32; 2], f32)>) -> Vec<([u32; 2], f32)> {
    let mut entries: Vec<_> = entries.collect();
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
