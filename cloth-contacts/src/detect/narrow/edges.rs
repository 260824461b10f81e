//! Narrow-phase tests of edges against edges.

use cloth_geom::MapInline;
use cloth_geom::closest::SegmentSegment;
use cloth_geom::closest::lanes::segment_segments;
use cloth_geom::lanes::{LANES, Lanes3, gather};
use nalgebra::Point3;

use super::{NarrowPhaseInput, lanes, may_be_in_contact};
use crate::layers::{OuterPrimitive, orient_edge_edge};
use crate::lists::Due;
use crate::{EdgeEdge, edge_edge};

/// Scratch memory: the pairs whose closest points are not at an end.
#[derive(Clone, Debug, Default)]
pub(crate) struct EdgeScratch {
    tested: Vec<Due>,
}

/// Endpoints of the two edges of each pair.
#[inline]
fn ends(positions: &[Point3<f32>], edges: &[[u32; 2]], pairs: [[u32; 2]; LANES]) -> [Lanes3; 4] {
    let first = lanes(&pairs, |pair| edges[pair[0] as usize]);
    let second = lanes(&pairs, |pair| edges[pair[1] as usize]);
    [
        gather(positions, lanes(&first, |ends| ends[0])),
        gather(positions, lanes(&first, |ends| ends[1])),
        gather(positions, lanes(&second, |ends| ends[0])),
        gather(positions, lanes(&second, |ends| ends[1])),
    ]
}

/// Appends the contacts among the pairs; returns the number of tests. Pairs whose closest points are
/// endpoints are not counted: they make no contact.
pub(super) fn find(
    input: NarrowPhaseInput<'_>,
    due: &[Due],
    scratch: &mut EdgeScratch,
    out: &mut Vec<EdgeEdge>,
) -> usize {
    let (positions, edges) = (input.motion.positions, input.surface.topology.edges());
    let tested = &mut scratch.tested;
    tested.clear();
    for group in due.chunks(LANES) {
        let [a0, a1, b0, b1] = ends(positions, edges, lanes(group, |due| due.pair));
        let at_an_end = edge_edge::closest_at_an_end([&a0, &a1], [&b0, &b1]);
        tested.extend(group.iter().zip(at_an_end).filter(|(_, at_an_end)| !at_an_end).map(|(due, _)| due));
    }
    for group in tested.chunks(LANES) {
        let [a0, a1, b0, b1] = ends(positions, edges, lanes(group, |due| due.pair));
        let closest = segment_segments([&a0, &a1], [&b0, &b1]);
        for (l, due) in group.iter().enumerate() {
            let (outer, near_distance, reach) = reach(input, due.pair);
            if may_be_in_contact(closest.distances_sq()[l], reach, due.approach) {
                out.extend(contact(input, due.pair, &closest.lane(l), (outer, near_distance, reach)));
            }
        }
    }
    tested.len()
}

/// The outer edge, if the pair is of two layers; the reach (m) on the correct side; the reach (m) on the
/// wrong side.
#[inline]
fn reach(input: NarrowPhaseInput<'_>, edges: [u32; 2]) -> (Option<OuterPrimitive>, f32, f32) {
    let surface = input.surface;
    let [a, b] = edges.map_inline(|e| surface.topology.edges()[e as usize][0]);
    let near_distance = surface.reach(a, b);
    let outer = surface.layers.edge_edge(edges);
    let deepest = if outer.is_some() { near_distance + surface.layers.depth } else { near_distance };
    (outer, near_distance, deepest)
}

/// The contact of a pair, if one is predicted.
fn contact(
    input: NarrowPhaseInput<'_>,
    edges: [u32; 2],
    closest: &SegmentSegment<f32>,
    (outer, near_distance, reach): (Option<OuterPrimitive>, f32, f32),
) -> Option<EdgeEdge> {
    let NarrowPhaseInput { surface, motion, normals } = input;
    let [a, b] = edges.map_inline(|e| surface.topology.edges()[e as usize]);
    let found = edge_edge::predict_from(&motion.edge_edge(a, b), closest, reach)?;
    let distance = surface.contact_distance_of_edges([a, b], [found.s, found.t]);
    let mut contact = EdgeEdge {
        edges,
        a,
        b,
        s: found.s,
        t: found.t,
        normal: found.normal,
        gap: found.gap,
        distance: surface.rest.edge_edge(edges, distance),
    };
    let is_kept = outer
        .is_none_or(|outer| orient_edge_edge(&mut contact, outer, normals, found.approach, near_distance));
    is_kept.then_some(contact)
}
