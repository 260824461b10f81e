//! Edges against edges.

use cloth_geom::closest::lanes::{SegmentSegments, segment_segments};
use cloth_geom::lanes::{Lanes3, gather};
use nalgebra::Point3;

use super::{LANES, Scene, beyond, lanes};
use crate::detect::lists::list::Woken;
use crate::layers::{Outer, settle_edge_edge};
use crate::{EdgeEdge, edge_edge};

/// Memory of the narrow phase of edges.
#[derive(Clone, Debug, Default)]
pub(crate) struct Edges {
    closest: Vec<SegmentSegments>,
    measured: Vec<u32>,
    places: Vec<u32>,
}

impl Edges {
    pub(crate) fn begin<'a>(&'a mut self, scene: Scene<'a>, out: &'a mut Vec<EdgeEdge>) -> EdgeLook<'a> {
        EdgeLook { scene, memory: self, out, looks: 0 }
    }
}

/// Looks for contacts of edges.
pub(crate) struct EdgeLook<'a> {
    scene: Scene<'a>,
    /// Of the list that is looked at: the closest points in groups, the candidates that have some, and where those of each are.
    memory: &'a mut Edges,
    out: &'a mut Vec<EdgeEdge>,
    looks: usize,
}

impl EdgeLook<'_> {
    /// How many candidates were looked at; those of which the ends were seen to be closest do not count.
    pub(crate) fn looks(&self) -> usize {
        self.looks
    }

    /// Which of both lies outside, the distance within which they are near, and that within which they are in reach (m).
    #[inline]
    fn reach(&self, edges: [u32; 2]) -> (Option<Outer>, f32, f32) {
        let surface = self.scene.surface;
        let [a, b] = edges.map(|e| surface.topology.edges()[e as usize][0]);
        let near = surface.reach(a, b);
        let outer = surface.layers.edge_edge(edges);
        (outer, near, if outer.is_some() { near + surface.layers.depth } else { near })
    }
}

/// The ends of two edges each: of the first, then of the second.
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

impl EdgeLook<'_> {
    pub(super) fn measure(&mut self, woken: &[Woken], open: &mut Vec<Option<f64>>) {
        let (positions, edges) = (self.scene.motion.positions, self.scene.surface.topology.edges());
        let Edges { closest, measured, places } = &mut *self.memory;
        closest.clear();
        measured.resize(woken.len(), 0);
        let mut count = 0;
        for (first, group) in (0_u32..).step_by(LANES).zip(woken.chunks(LANES)) {
            let mut at_an_end = [false; LANES];
            if group.iter().any(|woken| woken.was_near) {
                let [a0, a1, b0, b1] = ends(positions, edges, lanes(group, |woken| woken.pair));
                at_an_end = edge_edge::closest_at_an_end([&a0, &a1], [&b0, &b1]);
            }
            // Branchless: the outcome is unpredictable.
            for (k, (woken, at_end)) in (first..).zip(group.iter().zip(at_an_end)) {
                measured[count] = k;
                count += usize::from(!(woken.was_near & at_end));
            }
        }
        measured.truncate(count);
        open.resize(woken.len(), None);
        places.clear();
        places.resize(woken.len(), 0);
        for group in measured.chunks(LANES) {
            let [a0, a1, b0, b1] = ends(positions, edges, lanes(group, |&k| woken[k as usize].pair));
            closest.push(segment_segments([&a0, &a1], [&b0, &b1]));
        }
        self.looks += self.memory.measured.len();
        for (place, &k) in (0_u32..).zip(&self.memory.measured) {
            let (group, lane) = (place as usize / LANES, place as usize % LANES);
            let (_, _, reach) = self.reach(woken[k as usize].pair);
            open[k as usize] = Some(beyond(self.memory.closest[group].distances_sq()[lane], reach));
            self.memory.places[k as usize] = place;
        }
    }

    pub(super) fn take(&mut self, k: usize, edges: [u32; 2]) {
        let Scene { surface, motion, normals } = self.scene;
        let place = self.memory.places[k] as usize;
        let closest = self.memory.closest[place / LANES].lane(place % LANES);
        let [a, b] = edges.map(|e| surface.topology.edges()[e as usize]);
        let query = motion.edge_edge(a, b);
        let (outer, near, reach) = self.reach(edges);
        let Some(found) = edge_edge::predict_from(&query, &closest, reach) else { return };
        let mut contact = EdgeEdge {
            edges,
            a,
            b,
            s: found.s,
            t: found.t,
            normal: found.normal,
            gap: found.gap,
            distance: surface.rest.edge_edge(edges, surface.contact_distance(a[0], b[0])),
        };
        let kept =
            outer.is_none_or(|outer| settle_edge_edge(&mut contact, outer, normals, (found.approach, near)));
        self.out.extend(kept.then_some(contact));
    }
}
