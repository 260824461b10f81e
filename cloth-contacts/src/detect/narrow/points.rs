//! Narrow-phase tests of vertices against faces.

use cloth_geom::closest::PointTriangle as ClosestPoint;
use cloth_geom::closest::lanes::point_triangles;
use cloth_geom::lanes::{Instructions, LANES8, Simd, gather_corners, lanes_of_group};

use super::{NarrowPhaseInput, PairReach, may_be_in_contact};
use crate::layers::orient_point_triangle;
use crate::lists::Due;
use crate::{PointTriangle, Surface, point_triangle};

/// Appends the contacts among the pairs; returns the number of tests.
#[inline(always)]
pub(super) fn find<S: Instructions>(
    simd: S,
    input: NarrowPhaseInput<'_>,
    due: &[Due],
    out: &mut Vec<PointTriangle>,
) -> usize {
    let (positions, faces) = (input.motion.positions, input.surface.topology.faces());
    for group in due.chunks(LANES8) {
        let corners = lanes_of_group(group, |due| {
            let [a, b, c] = faces[due.pair[1] as usize];
            [due.pair[0], a, b, c]
        });
        let [p, a, b, c] = gather_corners(simd, positions, &corners);
        let closest = point_triangles(&p, [&a, &b, &c]);
        let distances = closest.distances_sq().sqrt().numbers();
        for (l, due) in group.iter().enumerate() {
            let reach = reach(input, due.pair);
            if may_be_in_contact(distances[l], reach.wrong_side, due.approach) {
                add_contact(input, due.pair, &closest.lane(l), reach, out);
            }
        }
    }
    due.len()
}

#[inline(always)]
fn reach(input: NarrowPhaseInput<'_>, [vertex, face]: [u32; 2]) -> PairReach {
    let Surface { topology, layers, .. } = input.surface;
    let reach = input.surface.reach(vertex, topology.faces()[face as usize][0]);
    PairReach::new(layers.point_triangle([vertex, face]), reach, layers.depth)
}

/// Appends the contact of a pair, if one is predicted and this face represents the closest feature.
fn add_contact(
    input: NarrowPhaseInput<'_>,
    [vertex, face]: [u32; 2],
    closest: &ClosestPoint<f32>,
    reach: PairReach,
    out: &mut Vec<PointTriangle>,
) {
    let NarrowPhaseInput { surface, motion, normals } = input;
    if !surface.stands_for(vertex, face, closest.feature) {
        return;
    }
    let corners = surface.topology.faces()[face as usize];
    let query = motion.point_triangle(vertex, corners);
    let Some(found) = point_triangle::predict_from(&query, closest, reach.wrong_side) else { return };
    let contact_distance = surface.contact_distance(vertex, corners[0]);
    let contact = PointTriangle {
        vertex,
        face,
        corners,
        side: found.side,
        normal: found.normal,
        weights: found.weights,
        gap: found.gap,
        distance: surface.rest.point_triangle([vertex, face], contact_distance),
    };
    match reach.outer {
        None => out.push(contact),
        Some(outer) => {
            let mut contact = contact;
            if orient_point_triangle(&mut contact, outer, normals, found.approach, reach.correct_side) {
                out.push(contact);
            }
        }
    }
}
