//! The last word of the solver on contacts: no vertex leaves its side of the plane between the two primitives.
//!
//! A Gauss-Seidel pass may leave a contact violated, and a violation deeper than the gap is a crossing. Between
//! the closest points of two primitives stands a plane that separates them whole, and half-spaces are convex: as long as
//! every vertex stays on its own side, the pair cannot cross, whatever else the solver wanted.
//!
//! ```text
//!   o-----o      each vertex may go at most the share `t` of its way:
//!   - - - - - -  plane, half-way across the gap
//!       o        t = KEPT * (height over the plane at t0) / (how far it sinks)
//! ```
//!
//! This is a limit on a proposal in floating point, for the pairs that were predicted; it certifies nothing.
//! Contacts that are already on the wrong side are left alone: they have to come back through the plane.

use cloth_contacts::Contacts;
use nalgebra::Vector3;

use super::Bodies;
use super::bodies::vector;

/// Share of the way to the plane that a vertex may use up in one substep.
const KEPT: f32 = 0.9;

/// Shortens the motion of vertices that would cross a plane; returns how many.
pub(crate) fn truncate(contacts: &Contacts, bodies: &mut Bodies<'_>, share: &mut [f32]) -> usize {
    share.fill(1.0);
    for contact in &contacts.point_triangles {
        if contact.gap > 0.0 {
            let foot = contact
                .corners
                .iter()
                .zip(contact.weights)
                .fold(Vector3::zeros(), |sum, (&v, w)| sum + vector(&bodies.x_t0[v as usize]) * w);
            let plane =
                Plane { normal: contact.normal, offset: contact.normal.dot(&foot) + 0.5 * contact.gap };
            plane.limit(&[contact.vertex], 1.0, bodies, share);
            plane.limit(&contact.corners, -1.0, bodies, share);
        }
    }
    for contact in &contacts.edge_edges {
        if contact.gap > 0.0 {
            let [p, q] = contact.b.map(|v| vector(&bodies.x_t0[v as usize]));
            let foot = p * (1.0 - contact.t) + q * contact.t;
            let plane =
                Plane { normal: contact.normal, offset: contact.normal.dot(&foot) + 0.5 * contact.gap };
            plane.limit(&contact.a, 1.0, bodies, share);
            plane.limit(&contact.b, -1.0, bodies, share);
        }
    }
    let mut shortened = 0;
    for (v, &t) in share.iter().enumerate() {
        if t < 1.0 && bodies.w[v] > 0.0 {
            bodies.x[v] = bodies.x_t0[v] + (bodies.x[v] - bodies.x_t0[v]) * t;
            shortened += 1;
        }
    }
    shortened
}

/// The plane between two primitives; the first lies where `normal . x > offset`.
struct Plane {
    normal: Vector3<f32>,
    offset: f32,
}

impl Plane {
    #[inline]
    fn limit(&self, vertices: &[u32], side: f32, bodies: &Bodies<'_>, share: &mut [f32]) {
        for &v in vertices {
            let v = v as usize;
            let height = (self.normal.dot(&vector(&bodies.x_t0[v])) - self.offset) * side;
            let sinks = self.normal.dot(&vector(&(bodies.x_t0[v] - bodies.x[v]))) * side;
            if sinks > KEPT * height {
                share[v] = share[v].min(KEPT * height.max(0.0) / sinks);
            }
        }
    }
}
