//! Vertices against faces.

use cloth_geom::closest::lanes::{PointTriangles, point_triangles};
use cloth_geom::lanes::gather;

use super::{LANES, Scene, beyond, lanes};
use crate::detect::lists::list::Woken;
use crate::layers::{Outer, settle_point_triangle};
use crate::{PointTriangle, point_triangle};

/// Memory of the narrow phase of vertices and faces.
#[derive(Clone, Debug, Default)]
pub(crate) struct Points {
    closest: Vec<PointTriangles>,
}

impl Points {
    pub(crate) fn begin<'a>(
        &'a mut self,
        scene: Scene<'a>,
        out: &'a mut Vec<PointTriangle>,
    ) -> PointLook<'a> {
        PointLook { scene, closest: &mut self.closest, out, looks: 0 }
    }
}

/// Looks for contacts of vertices and faces.
pub(crate) struct PointLook<'a> {
    scene: Scene<'a>,
    /// Those of the list that is looked at, in groups.
    closest: &'a mut Vec<PointTriangles>,
    out: &'a mut Vec<PointTriangle>,
    looks: usize,
}

impl PointLook<'_> {
    /// How many candidates were looked at.
    pub(crate) fn looks(&self) -> usize {
        self.looks
    }

    /// Which of both lies outside, the distance within which they are near, and that within which they are in reach (m).
    #[inline]
    fn reach(&self, [vertex, face]: [u32; 2]) -> (Option<Outer>, f32, f32) {
        let surface = self.scene.surface;
        let near = surface.reach(vertex, surface.topology.faces()[face as usize][0]);
        let outer = surface.layers.point_triangle([vertex, face]);
        (outer, near, if outer.is_some() { near + surface.layers.depth } else { near })
    }
}

impl PointLook<'_> {
    pub(super) fn measure(&mut self, woken: &[Woken], open: &mut Vec<Option<f64>>) {
        self.looks += woken.len();
        self.closest.clear();
        let (positions, faces) = (self.scene.motion.positions, self.scene.surface.topology.faces());
        for group in woken.chunks(LANES) {
            let p = gather(positions, lanes(group, |woken| woken.pair[0]));
            let corners = lanes(group, |woken| faces[woken.pair[1] as usize]);
            let [a, b, c] = [
                gather(positions, lanes(&corners, |face| face[0])),
                gather(positions, lanes(&corners, |face| face[1])),
                gather(positions, lanes(&corners, |face| face[2])),
            ];
            let closest = point_triangles(&p, [&a, &b, &c]);
            let distances = closest.distances_sq();
            open.extend(group.iter().zip(distances).map(|(woken, distance_sq)| {
                let (_, _, reach) = self.reach(woken.pair);
                Some(beyond(distance_sq, reach))
            }));
            self.closest.push(closest);
        }
    }

    /// Adds the contact, if it is predicted and no other face stands for the same feature.
    pub(super) fn take(&mut self, k: usize, [vertex, face]: [u32; 2]) {
        let Scene { surface, motion, normals } = self.scene;
        let closest = self.closest[k / LANES].lane(k % LANES);
        if !surface.stands_for(vertex, face, closest.feature) {
            return;
        }
        let corners = surface.topology.faces()[face as usize];
        let query = motion.point_triangle(vertex, corners);
        let (outer, near, reach) = self.reach([vertex, face]);
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
        let kept = outer
            .is_none_or(|outer| settle_point_triangle(&mut contact, outer, normals, (found.approach, near)));
        self.out.extend(kept.then_some(contact));
    }
}
