//! Narrow-phase tests of vertices against faces.

use cloth_geom::closest::PointTriangle as ClosestPoint;
use cloth_geom::closest::lanes::point_triangles;
use cloth_geom::lanes::{LANES, gather};

use super::{NarrowPhaseInput, lanes, may_be_in_contact};
use crate::layers::{OuterPrimitive, orient_point_triangle};
use crate::lists::Due;
use crate::{PointTriangle, point_triangle};

/// Appends the contacts among the pairs; returns the number of tests.
pub(super) fn find(input: NarrowPhaseInput<'_>, due: &[Due], out: &mut Vec<PointTriangle>) -> usize {
    let (positions, faces) = (input.motion.positions, input.surface.topology.faces());
    for group in due.chunks(LANES) {
        let p = gather(positions, lanes(group, |due| due.pair[0]));
        let corners = lanes(group, |due| faces[due.pair[1] as usize]);
        let [a, b, c] = [
            gather(positions, lanes(&corners, |face| face[0])),
            gather(positions, lanes(&corners, |face| face[1])),
            gather(positions, lanes(&corners, |face| face[2])),
        ];
        let closest = point_triangles(&p, [&a, &b, &c]);
        for (l, due) in group.iter().enumerate() {
            let (outer, near_distance, reach) = reach(input, due.pair);
            if may_be_in_contact(closest.distances_sq()[l], reach, due.approach) {
                out.extend(contact(input, due.pair, &closest.lane(l), (outer, near_distance, reach)));
            }
        }
    }
    due.len()
}

/// The outer primitive, if the pair is of two layers; the reach (m) on the correct side; the reach (m) on the
/// wrong side.
#[inline]
fn reach(input: NarrowPhaseInput<'_>, [vertex, face]: [u32; 2]) -> (Option<OuterPrimitive>, f32, f32) {
    let surface = input.surface;
    let near_distance = surface.reach(vertex, surface.topology.faces()[face as usize][0]);
    let outer = surface.layers.point_triangle([vertex, face]);
    let deepest = if outer.is_some() { near_distance + surface.layers.depth } else { near_distance };
    (outer, near_distance, deepest)
}

/// The contact of a pair, if one is predicted and this face represents the closest feature.
fn contact(
    input: NarrowPhaseInput<'_>,
    [vertex, face]: [u32; 2],
    closest: &ClosestPoint<f32>,
    (outer, near_distance, reach): (Option<OuterPrimitive>, f32, f32),
) -> Option<PointTriangle> {
    let NarrowPhaseInput { surface, motion, normals } = input;
    if !surface.stands_for(vertex, face, closest.feature) {
        return None;
    }
    let corners = surface.topology.faces()[face as usize];
    let found = point_triangle::predict_from(&motion.point_triangle(vertex, corners), closest, reach)?;
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
    is_kept.then_some(contact)
}
