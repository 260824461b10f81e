//! Contacts: the inequality `C >= 0` of every predicted contact, with Coulomb friction.
//!
//! A contact that begins the substep closer than its distance is not thrown out at once, which would turn depth into
//! speed. It is asked to have recovered a fraction of the way by the end of the substep, and never to get worse:
//!
//! ```text
//!   wanted = gap + (distance - gap) * (1 - e^(-h / recovery))     if gap < distance
//!   wanted = distance                                             otherwise
//! ```
//!
//! Friction follows Macklin et al. 2014 ("Unified particle physics", section 6.1): what the pair has slid since the
//! start of the substep is taken back, up to the coefficient times the normal correction.

use cloth_contacts::collider::ColliderContact;
use cloth_contacts::point_triangle::Linear;
use cloth_contacts::{Contacts, EdgeEdge, PointTriangle};
use nalgebra::Vector3;

use super::Bodies;
use super::bodies::{Packed, packed, point, vector};

/// What contact projection is told.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ContactRule {
    /// Share of a violation that is recovered in this substep, in (0, 1].
    pub(crate) recovered: f32,
    /// Coulomb friction coefficient of cloth against cloth.
    pub(crate) friction: f32,
}

impl ContactRule {
    /// The separation (m) that a contact is to have at the end of the substep.
    #[inline]
    fn wanted(&self, gap: f32, distance: f32) -> f32 {
        if gap < distance { gap + (distance - gap) * self.recovered } else { distance }
    }
}

/// One pass over all contacts of cloth with cloth, in canonical order.
pub(crate) fn project(contacts: &Contacts, rule: &ContactRule, bodies: &mut Bodies<'_>) {
    for contact in &contacts.point_triangles {
        project_point_triangle(contact, rule, bodies);
    }
    for contact in &contacts.edge_edges {
        project_edge_edge(contact, rule, bodies);
    }
}

#[inline]
fn project_point_triangle(contact: &PointTriangle, rule: &ContactRule, bodies: &mut Bodies<'_>) {
    let v = contact.vertices().map(|v| v as usize);
    let [p, a, b, c] = v.map(|v| point(&bodies.x[v]));
    let linear = contact.linearise(&p, [&a, &b, &c]);
    resolve(&linear, v, rule.wanted(contact.gap, contact.distance), rule.friction, bodies);
}

#[inline]
fn project_edge_edge(contact: &EdgeEdge, rule: &ContactRule, bodies: &mut Bodies<'_>) {
    let v = contact.vertices().map(|v| v as usize);
    let [a0, a1, b0, b1] = v.map(|v| point(&bodies.x[v]));
    let linear = contact.linearise([&a0, &a1], [&b0, &b1]);
    resolve(&linear, v, rule.wanted(contact.gap, contact.distance), rule.friction, bodies);
}

/// Pushes the four vertices apart until the separation is as wanted, and takes back sliding within Coulomb's cone.
#[inline]
fn resolve(linear: &Linear, v: [usize; 4], wanted: f32, friction: f32, bodies: &mut Bodies<'_>) {
    let missing = wanted - linear.value;
    if missing <= 0.0 {
        return;
    }
    let k = linear.weights;
    let weight: f32 = (0..4).map(|i| bodies.w[v[i]] * k[i] * k[i]).sum();
    if weight <= 0.0 {
        return;
    }
    let slid = (0..4).fold(Packed::zeros(), |sum, i| sum + (bodies.x[v[i]] - bodies.x_t0[v[i]]) * k[i]);
    let held = held_back(&vector(&slid), &linear.normal, friction * missing);
    let correction = packed(&(linear.normal * missing - held));
    for i in 0..4 {
        bodies.x[v[i]] += correction * (bodies.w[v[i]] * k[i] / weight);
    }
}

/// The part of a displacement across the normal that friction holds back, at most `most` (m) long.
#[inline]
fn held_back(displacement: &Vector3<f32>, normal: &Vector3<f32>, most: f32) -> Vector3<f32> {
    let across = displacement - normal * displacement.dot(normal);
    let length = across.norm();
    if length > most { across * (most / length) } else { across }
}

/// One pass over the contacts with colliders, in order.
pub(crate) fn project_colliders(contacts: &[ColliderContact], rule: &ContactRule, bodies: &mut Bodies<'_>) {
    for contact in contacts {
        let v = contact.vertex as usize;
        if bodies.w[v] == 0.0 {
            continue;
        }
        let missing = rule.wanted(contact.gap, contact.distance) - contact.separation(&point(&bodies.x[v]));
        if missing > 0.0 {
            let slid = vector(&(bodies.x[v] - bodies.x_t0[v])) - contact.surface_displacement;
            let held = held_back(&slid, &contact.normal, contact.friction * missing);
            bodies.x[v] += packed(&(contact.normal * missing - held));
        }
    }
}
