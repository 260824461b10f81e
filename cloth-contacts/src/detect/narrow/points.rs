//! Narrow-phase tests of vertices against faces.

use cloth_geom::closest::lanes::{PointTriangles, point_triangles};
use cloth_geom::lanes::{LANES, gather};

use super::{NarrowPhaseInput, lanes, separation_beyond_reach};
use crate::detect::lists::list::ActiveCandidate;
use crate::layers::{OuterPrimitive, orient_point_triangle};
use crate::{PointTriangle, point_triangle};

/// Scratch memory of vertex-face tests.
#[derive(Clone, Debug, Default)]
pub(crate) struct PointScratch {
    closest: Vec<PointTriangles>,
}

impl PointScratch {
    pub(crate) fn begin<'a>(
        &'a mut self,
        input: NarrowPhaseInput<'a>,
        out: &'a mut Vec<PointTriangle>,
    ) -> PointTests<'a> {
        PointTests { input, closest: &mut self.closest, out, tests: 0 }
    }
}

/// Tests vertex-face pairs and collects contacts.
pub(crate) struct PointTests<'a> {
    input: NarrowPhaseInput<'a>,
    /// Closest points of the current list, in groups.
    closest: &'a mut Vec<PointTriangles>,
    out: &'a mut Vec<PointTriangle>,
    tests: usize,
}

impl PointTests<'_> {
    /// Number of tests.
    pub(crate) fn tests(&self) -> usize {
        self.tests
    }

    /// The outer primitive, if the pair is of two layers; the reach (m) on the correct side; the reach (m) on
    /// the wrong side.
    #[inline]
    fn reach(&self, [vertex, face]: [u32; 2]) -> (Option<OuterPrimitive>, f32, f32) {
        let surface = self.input.surface;
        let near_distance = surface.reach(vertex, surface.topology.faces()[face as usize][0]);
        let outer = surface.layers.point_triangle([vertex, face]);
        (
            outer,
            near_distance,
            if outer.is_some() { near_distance + surface.layers.depth } else { near_distance },
        )
    }
}

impl PointTests<'_> {
    pub(super) fn measure(&mut self, active: &[ActiveCandidate], separations: &mut Vec<Option<f64>>) {
        self.tests += active.len();
        self.closest.clear();
        let (positions, faces) = (self.input.motion.positions, self.input.surface.topology.faces());
        for group in active.chunks(LANES) {
            let p = gather(positions, lanes(group, |active| active.pair[0]));
            let corners = lanes(group, |active| faces[active.pair[1] as usize]);
            let [a, b, c] = [
                gather(positions, lanes(&corners, |face| face[0])),
                gather(positions, lanes(&corners, |face| face[1])),
                gather(positions, lanes(&corners, |face| face[2])),
            ];
            let closest = point_triangles(&p, [&a, &b, &c]);
            let distances = closest.distances_sq();
            separations.extend(group.iter().zip(distances).map(|(active, distance_sq)| {
                let (_, _, reach) = self.reach(active.pair);
                Some(separation_beyond_reach(distance_sq, reach))
            }));
            self.closest.push(closest);
        }
    }

    /// Adds a contact if one is predicted and this face represents the closest feature.
    pub(super) fn accept(&mut self, k: usize, [vertex, face]: [u32; 2]) {
        let NarrowPhaseInput { surface, motion, normals } = self.input;
        let closest = self.closest[k / LANES].lane(k % LANES);
        if !surface.stands_for(vertex, face, closest.feature) {
            return;
        }
        let corners = surface.topology.faces()[face as usize];
        let query = motion.point_triangle(vertex, corners);
        let (outer, near_distance, reach) = self.reach([vertex, face]);
        let Some(found) = point_triangle::predict_from(&query, &closest, reach) else { return };
        let contact_distance = surface.contact_distance(vertex, corners[0]);
        let mut contact = PointTriangle {
            vertex,
            face,
            corners,
            side: found.side,
            normal: found.normal,
            weights: found.weights,
            gap: found.gap,
            distance: surface.rest.point_triangle([vertex, face], contact_distance),
        };
        let is_kept = outer.is_none_or(|outer| {
            orient_point_triangle(&mut contact, outer, normals, found.approach, near_distance)
        });
        self.out.extend(is_kept.then_some(contact));
    }
}
