//! Which cloth lies in a body, and at which of its faces it is to come out.
//!
//! Each vertex comes out where its neighbour does, or a few faces on: the nearest that is found by walking over the body from
//! there. So cloth goes out the way that it came in, also through a limb that is thinner than the cloth lies deep.

use cloth_contacts::tangle::{Contour, InteriorTraversal, body_crossings};
use cloth_geom::Topology;
use cloth_geom::closest::point_triangle;
use nalgebra::{Point3, Vector3};

use super::plan::{Exit, Plan, Planned, Scene, facing};

/// Cloth in bodies.
#[derive(Clone, Debug, Default)]
pub(super) struct Inner {
    /// Each vertex once, those at contours first.
    pub(super) vertices: Vec<Lost>,
    /// At a vertex: the face where its neighbour comes out, and how the cloth looks.
    follower: InteriorTraversal<(u32, Option<f64>)>,
}

/// A vertex of cloth that lies in a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Lost {
    pub(super) vertex: u32,
    /// The face of the body at which it comes out.
    pub(super) face: u32,
    /// Whether the cloth looks out along its contour, 1, or in, -1; none if that is no matter.
    pub(super) facing: Option<f64>,
}

impl Inner {
    /// Follows the cloth from the contours that are to go outward.
    pub(super) fn find(&mut self, contours: &[Contour], plans: &[Planned], scene: &Scene<'_>) {
        let Self { vertices, follower } = self;
        let topology = scene.surface.topology();
        follower.clear();
        for (contour, planned) in contours.iter().zip(plans) {
            let facing = match planned.plan {
                Plan::Outward(body, Exit::Facing) => Some(Some(facing(contour, body, scene))),
                Plan::Outward(_, Exit::Nearest) => Some(None),
                _ => None,
            };
            let body_crossings = body_crossings(contour, scene.outside, scene.at, topology);
            follower.add(body_crossings.map(|cut| (cut, facing.map(|facing| (cut.face, facing)))));
        }
        vertices.clear();
        follower.follow(topology, |vertex, (face, facing)| {
            let face = walk(&scene.at[vertex as usize], face, scene.at, topology);
            vertices.push(Lost { vertex, face, facing });
            (face, facing)
        });
    }
}

/// Walks over a mesh from a face to the nearest to `p` (m) that no neighbour by a corner beats.
fn walk(p: &Point3<f64>, from: u32, at: &[Point3<f64>], topology: &Topology) -> u32 {
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

impl Lost {
    /// To the nearest point of the face at which it comes out: the weights of its corners, and a unit direction.
    pub(super) fn way_out(&self, scene: &Scene<'_>) -> Option<([f64; 3], Vector3<f64>)> {
        let (at, topology) = (scene.at, scene.surface.topology());
        let p = &at[self.vertex as usize];
        let [a, b, c] = topology.faces()[self.face as usize].map(|v| &at[v as usize]);
        let weights = point_triangle(p, [a, b, c]).weights;
        let to = a.coords * weights[0] + b.coords * weights[1] + c.coords * weights[2] - p.coords;
        let out = scene.outside.outward_normal_at_face(self.face, at, topology)?;
        let to = to.try_normalize(1e-9).filter(|to| to.dot(&out) > 0.0);
        Some((weights, to.unwrap_or(out)))
    }
}
