//! Narrow-phase tests of edges against edges.

use cloth_geom::MapInline;
use cloth_geom::closest::SegmentSegment;
use cloth_geom::closest::lanes::segment_segments;
use cloth_geom::lanes::{
    Instructions, LANES8, Simd, WideLanes, gather_corners, lanes_of_group, occupied_lanes, set_bits,
};
use nalgebra::Point3;

use super::{NarrowPhaseInput, PairReach, may_be_in_contact};
use crate::layers::orient_edge_edge;
use crate::lists::Due;
use crate::{EdgeEdge, Surface, edge_edge};

/// Scratch memory: the pairs whose closest points are not at an end.
#[derive(Clone, Debug, Default)]
pub(crate) struct EdgeScratch {
    tested: Vec<Due>,
}

/// Endpoints of the two edges of each pair.
#[inline(always)]
fn ends<S: Instructions>(
    simd: S,
    positions: &[Point3<f32>],
    edges: &[[u32; 2]],
    group: &[Due],
) -> [[WideLanes<S>; 3]; 4] {
    let ends = lanes_of_group(group, |due| {
        let [[a0, a1], [b0, b1]] = due.pair.map_inline(|edge| edges[edge as usize]);
        [a0, a1, b0, b1]
    });
    gather_corners(simd, positions, &ends)
}

/// Appends the contacts among the pairs; returns the number of tests. Pairs whose closest points are
/// endpoints are not counted: they make no contact.
#[inline(always)]
pub(super) fn find<S: Instructions>(
    simd: S,
    input: NarrowPhaseInput<'_>,
    due: &[Due],
    scratch: &mut EdgeScratch,
    out: &mut Vec<EdgeEdge>,
) -> usize {
    let (positions, edges) = (input.motion.positions, input.surface.topology.edges());
    let tested = &mut scratch.tested;
    tested.clear();
    for group in due.chunks(LANES8) {
        let [a0, a1, b0, b1] = ends(simd, positions, edges, group);
        let at_an_end = edge_edge::closest_at_an_end([&a0, &a1], [&b0, &b1]);
        tested.extend(set_bits(!at_an_end & occupied_lanes(group.len(), 0)).map(|l| group[l]));
    }
    for group in tested.chunks(LANES8) {
        let [a0, a1, b0, b1] = ends(simd, positions, edges, group);
        let closest = segment_segments([&a0, &a1], [&b0, &b1]);
        let distances = closest.distances_sq().sqrt().numbers();
        for (l, due) in group.iter().enumerate() {
            let reach = reach(input, due.pair);
            if may_be_in_contact(distances[l], reach.wrong_side, due.approach) {
                add_contact(input, due.pair, &closest.lane(l), reach, out);
            }
        }
    }
    tested.len()
}

#[inline(always)]
fn reach(input: NarrowPhaseInput<'_>, edges: [u32; 2]) -> PairReach {
    let Surface { topology, layers, .. } = input.surface;
    let [a, b] = edges.map_inline(|e| topology.edges()[e as usize][0]);
    PairReach::new(layers.edge_edge(edges), input.surface.reach(a, b), layers.depth)
}

/// Appends the contact of a pair, if one is predicted.
fn add_contact(
    input: NarrowPhaseInput<'_>,
    edges: [u32; 2],
    closest: &SegmentSegment<f32>,
    reach: PairReach,
    out: &mut Vec<EdgeEdge>,
) {
    let NarrowPhaseInput { surface, motion, normals } = input;
    let [a, b] = edges.map_inline(|e| surface.topology.edges()[e as usize]);
    let Some(found) = edge_edge::predict_from(&motion.edge_edge(a, b), closest, reach.wrong_side) else {
        return;
    };
    let distance = surface.contact_distance_of_edges([a, b], [found.s, found.t]);
    let contact = EdgeEdge {
        edges,
        a,
        b,
        s: found.s,
        t: found.t,
        normal: found.normal,
        gap: found.gap,
        distance: surface.rest.edge_edge(edges, distance),
    };
    match reach.outer {
        None => out.push(contact),
        Some(outer) => {
            let mut contact = contact;
            if orient_edge_edge(&mut contact, outer, normals, found.approach, reach.correct_side) {
                out.push(contact);
            }
        }
    }
}
