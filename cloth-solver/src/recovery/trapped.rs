//! Trapped cloth: the vertices inside a body, and the face of the body at which each exits.
//!
//! A vertex exits at the face of its neighbour or a few faces on: the local minimum of the distance, found by
//! descending over the body from there. So cloth leaves the way it entered, even through a limb that is
//! thinner than the cloth is deep.

use cloth_contacts::tangle::{Contour, InteriorTraversal, body_crossings};
use cloth_geom::Topology;
use cloth_geom::closest::point_triangle;
use nalgebra::{Point3, Vector3};

use super::plan::{ContourPlan, Exit, RecoveryContext, Strategy, facing};

/// Vertices inside bodies.
#[derive(Clone, Debug, Default)]
pub(super) struct TrappedCloth {
    /// Each vertex once, those at contours first.
    pub(super) vertices: Vec<TrappedVertex>,
    /// Propagates from a vertex to its neighbours: the exit face, and the facing of the cloth.
    follower: InteriorTraversal<(u32, Option<f64>)>,
}

/// A cloth vertex inside a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TrappedVertex {
    pub(super) vertex: u32,
    /// The face of the body at which it exits.
    pub(super) face: u32,
    /// Facing of the cloth along its contour: 1 outward, -1 inward; `None` if the exit ignores it.
    pub(super) facing: Option<f64>,
}

impl TrappedCloth {
    /// Finds the vertices from the contours that are to move outward.
    pub(super) fn find(
        &mut self,
        contours: &[Contour],
        plans: &[ContourPlan],
        context: &RecoveryContext<'_>,
    ) {
        let Self { vertices, follower } = self;
        let topology = context.surface.topology();
        follower.clear();
        for (contour, contour_plan) in contours.iter().zip(plans) {
            let facing = match contour_plan.strategy {
                Strategy::Outward(body, Exit::Facing) => Some(Some(facing(contour, body, context))),
                Strategy::Outward(_, Exit::Nearest) => Some(None),
                _ => None,
            };
            let cuts = body_crossings(contour, context.outside, context.at, topology);
            follower.add(cuts.map(|cut| (cut, facing.map(|facing| (cut.face, facing)))));
        }
        vertices.clear();
        follower.follow(topology, |vertex, (face, facing)| {
            let face = descend_to_nearest_face(&context.at[vertex as usize], face, context.at, topology);
            vertices.push(TrappedVertex { vertex, face, facing });
            (face, facing)
        });
    }
}

/// Descends over a mesh from a face to the nearest to `p` (m) that no neighbour by a corner improves on.
fn descend_to_nearest_face(p: &Point3<f64>, from: u32, at: &[Point3<f64>], topology: &Topology) -> u32 {
    let distance = |f: u32| {
        let [a, b, c] = topology.faces()[f as usize].map(|v| &at[v as usize]);
        point_triangle(p, [a, b, c]).distance_sq
    };
    let mut best = (distance(from), from);
    loop {
        let around =
            topology.faces()[best.1 as usize].iter().flat_map(|&v| topology.vertex_faces(v as usize));
        let next = around.map(|&f| (distance(f), f)).fold(best, |a, b| if b.0 < a.0 { b } else { a });
        if next.1 == best.1 {
            return best.1;
        }
        best = next;
    }
}

impl TrappedVertex {
    /// Direction to the nearest point of the exit face: the barycentric weights of that point, and a unit
    /// direction.
    pub(super) fn exit_direction(&self, context: &RecoveryContext<'_>) -> Option<([f64; 3], Vector3<f64>)> {
        let (at, topology) = (context.at, context.surface.topology());
        let p = &at[self.vertex as usize];
        let [a, b, c] = topology.faces()[self.face as usize].map(|v| &at[v as usize]);
        let weights = point_triangle(p, [a, b, c]).weights;
        let to = a.coords * weights[0] + b.coords * weights[1] + c.coords * weights[2] - p.coords;
        let out = context.outside.outward_normal_at_face(self.face, at, topology)?;
        let to = to.try_normalize(1e-9).filter(|to| to.dot(&out) > 0.0);
        Some((weights, to.unwrap_or(out)))
    }
}
