//! Narrow-phase tests of edges against edges.

use cloth_geom::MapInline;
use cloth_geom::closest::lanes::{SegmentSegments, segment_segments};
use cloth_geom::lanes::{LANES, Lanes3, gather};
use nalgebra::Point3;

use super::{NarrowPhaseInput, lanes, separation_beyond_reach};
use crate::detect::lists::list::ActiveCandidate;
use crate::layers::{OuterPrimitive, orient_edge_edge};
use crate::{EdgeEdge, edge_edge};

/// Scratch memory of edge tests.
#[derive(Clone, Debug, Default)]
pub(crate) struct EdgeScratch {
    closest: Vec<SegmentSegments>,
    tested: Vec<u32>,
    indices: Vec<u32>,
}

impl EdgeScratch {
    pub(crate) fn begin<'a>(
        &'a mut self,
        input: NarrowPhaseInput<'a>,
        out: &'a mut Vec<EdgeEdge>,
    ) -> EdgeTests<'a> {
        EdgeTests { input, scratch: self, out, tests: 0 }
    }
}

/// Tests edge pairs and collects contacts.
pub(crate) struct EdgeTests<'a> {
    input: NarrowPhaseInput<'a>,
    /// Of the current list: closest points in groups, the tested candidates, and the index of each in the
    /// groups.
    scratch: &'a mut EdgeScratch,
    out: &'a mut Vec<EdgeEdge>,
    tests: usize,
}

impl EdgeTests<'_> {
    /// Number of tests; pairs whose closest points are endpoints are not counted.
    pub(crate) fn tests(&self) -> usize {
        self.tests
    }

    /// The outer edge, if the pair is of two layers; the reach (m) on the correct side; the reach (m) on the
    /// wrong side.
    #[inline]
    fn reach(&self, edges: [u32; 2]) -> (Option<OuterPrimitive>, f32, f32) {
        let surface = self.input.surface;
        let [a, b] = edges.map_inline(|e| surface.topology.edges()[e as usize][0]);
        let near_distance = surface.reach(a, b);
        let outer = surface.layers.edge_edge(edges);
        (
            outer,
            near_distance,
            if outer.is_some() { near_distance + surface.layers.depth } else { near_distance },
        )
    }
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

impl EdgeTests<'_> {
    pub(super) fn measure(&mut self, active: &[ActiveCandidate], separations: &mut Vec<Option<f64>>) {
        let (positions, edges) = (self.input.motion.positions, self.input.surface.topology.edges());
        let EdgeScratch { closest, tested, indices } = &mut *self.scratch;
        closest.clear();
        tested.resize(active.len(), 0);
        let mut count = 0;
        for (first, group) in (0_u32..).step_by(LANES).zip(active.chunks(LANES)) {
            let mut at_an_end = [false; LANES];
            if group.iter().any(|active| active.was_within_reach) {
                let [a0, a1, b0, b1] = ends(positions, edges, lanes(group, |active| active.pair));
                at_an_end = edge_edge::closest_at_an_end([&a0, &a1], [&b0, &b1]);
            }
            // Branchless: the outcome is unpredictable.
            for (k, (active, at_end)) in (first..).zip(group.iter().zip(at_an_end)) {
                tested[count] = k;
                count += usize::from(!(active.was_within_reach & at_end));
            }
        }
        tested.truncate(count);
        separations.resize(active.len(), None);
        indices.clear();
        indices.resize(active.len(), 0);
        for group in tested.chunks(LANES) {
            let [a0, a1, b0, b1] = ends(positions, edges, lanes(group, |&k| active[k as usize].pair));
            closest.push(segment_segments([&a0, &a1], [&b0, &b1]));
        }
        self.tests += self.scratch.tested.len();
        for (place, &k) in (0_u32..).zip(&self.scratch.tested) {
            let (group, lane) = (place as usize / LANES, place as usize % LANES);
            let (_, _, reach) = self.reach(active[k as usize].pair);
            separations[k as usize] =
                Some(separation_beyond_reach(self.scratch.closest[group].distances_sq()[lane], reach));
            self.scratch.indices[k as usize] = place;
        }
    }

    pub(super) fn accept(&mut self, k: usize, edges: [u32; 2]) {
        let NarrowPhaseInput { surface, motion, normals } = self.input;
        let place = self.scratch.indices[k] as usize;
        let closest = self.scratch.closest[place / LANES].lane(place % LANES);
        let [a, b] = edges.map_inline(|e| surface.topology.edges()[e as usize]);
        let query = motion.edge_edge(a, b);
        let (outer, near_distance, reach) = self.reach(edges);
        let Some(found) = edge_edge::predict_from(&query, &closest, reach) else { return };
        let mut contact = EdgeEdge {
            edges,
            a,
            b,
            s: found.s,
            t: found.t,
            normal: found.normal,
            gap: found.gap,
            distance: surface
                .rest
                .edge_edge(edges, surface.contact_distance_of_edges([a, b], [found.s, found.t])),
        };
        let is_kept = outer.is_none_or(|outer| {
            orient_edge_edge(&mut contact, outer, normals, found.approach, near_distance)
        });
        self.out.extend(is_kept.then_some(contact));
    }
}
