//! Contacts with colliders: a vertex stays in front of a plane that moves with the surface, with Coulomb
//! friction as in `cloth-solver/src/constraints/contact.rs`.

use cloth_contacts::collider::ColliderContact;

use super::contact::{AccumulatedCorrection, ContactParameters};
use crate::bodies::{Bodies, Packed, dot, packed};
use crate::friction::FrictionTable;

/// Solver of the contacts of a substep with colliders whose motion is given.
pub(crate) struct ColliderContactSolver<'a> {
    pub(crate) contacts: &'a [ColliderContact],
    pub(crate) collider_constraints: &'a mut Vec<ColliderConstraint>,
}

/// Solver data of a collider contact, compact because a dozen passes a substep read it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ColliderConstraint {
    normal: Packed,
    surface: Packed,
    /// How far the surface moves in the substep (m).
    surface_displacement: Packed,
    friction: f32,
    /// Target separation (m).
    target: f32,
    vertex: u32,
    correction: AccumulatedCorrection,
}

impl ColliderConstraint {
    /// Its vertex.
    pub(crate) fn vertex(&self) -> u32 {
        self.vertex
    }

    /// The outward normal of the collider.
    pub(crate) fn normal(&self) -> &Packed {
        &self.normal
    }

    /// Whether it has moved its vertex in this substep.
    pub(crate) fn is_pushing(&self) -> bool {
        self.correction.normal > 0.0
    }
}

impl ColliderContactSolver<'_> {
    /// Sets up the contacts with the colliders whose motion is given.
    pub(crate) fn prepare(
        &mut self,
        parameters: &ContactParameters,
        friction: &FrictionTable,
        is_given: impl Fn(u32) -> bool,
    ) {
        self.collider_constraints.clear();
        let given = self.contacts.iter().filter(|contact| is_given(contact.collider));
        self.collider_constraints.extend(given.map(|contact| ColliderConstraint {
            normal: packed(&contact.normal),
            surface: packed(&contact.surface_t1.coords),
            surface_displacement: packed(&contact.surface_displacement),
            friction: friction.with_collider(contact.vertex, contact.collider, contact.friction),
            target: parameters.target(contact.gap, contact.distance),
            vertex: contact.vertex,
            correction: AccumulatedCorrection::default(),
        }));
    }

    /// One pass over the normal directions, in order.
    pub(crate) fn separate(&mut self, bodies: &mut Bodies<'_>) {
        for constraint in self.collider_constraints.iter_mut() {
            let v = constraint.vertex as usize;
            let height = dot(&(bodies.x[v] - constraint.surface), &constraint.normal);
            // Branch-free: which contacts of a resting cloth push is unpredictable.
            let missing = (constraint.target - height).max(0.0);
            bodies.x[v] += constraint.normal * missing;
            constraint.correction.normal += missing;
        }
    }

    /// One friction pass, after the normal passes.
    pub(crate) fn apply_friction(&mut self, bodies: &mut Bodies<'_>) {
        for constraint in self.collider_constraints.iter_mut() {
            if constraint.correction.normal > 0.0 {
                let v = constraint.vertex as usize;
                let slid = bodies.x[v] - bodies.x_t0[v] - constraint.surface_displacement;
                bodies.x[v] -=
                    constraint.correction.apply_friction(&slid, &constraint.normal, constraint.friction);
            }
        }
    }
}
