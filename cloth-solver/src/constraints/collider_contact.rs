//! Contacts with colliders: a vertex stays in front of a plane that moves with the surface, with Coulomb
//! friction as in `cloth-solver/src/constraints/contact.rs`. Those with rigid bodies are solved in
//! `cloth-solver/src/rigid/cloth_contact.rs`, in the same passes.

use cloth_contacts::collider::ColliderContact;

use super::Bodies;
use super::bodies::{Packed, dot, packed};
use super::contact::{AccumulatedCorrection, ContactParameters};
use crate::Collider;
use crate::friction::FrictionTable;
use crate::rigid::{RigidCoupling, RigidState};

/// Solver of the collider contacts of a substep.
pub(crate) struct ColliderContactSolver<'a> {
    pub(crate) contacts: &'a [ColliderContact],
    pub(crate) collider_constraints: &'a mut Vec<ColliderConstraint>,
    /// Solves those with rigid bodies.
    pub(crate) rigid: &'a mut RigidCoupling,
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
    /// Resets the corrections.
    pub(crate) fn prepare(&mut self, parameters: &ContactParameters, friction: &FrictionTable) {
        self.collider_constraints.clear();
        let rigid = &mut *self.rigid;
        let fixed = self.contacts.iter().filter(|contact| !rigid.is_body(contact.collider));
        self.collider_constraints.extend(fixed.map(|contact| ColliderConstraint {
            normal: packed(&contact.normal),
            surface: packed(&contact.surface_t1.coords),
            surface_displacement: packed(&contact.surface_displacement),
            friction: friction.with_collider(contact.vertex, contact.collider, contact.friction),
            target: parameters.target(contact.gap, contact.distance),
            vertex: contact.vertex,
            correction: AccumulatedCorrection::default(),
        }));
        rigid.prepare(self.contacts, self.collider_constraints, parameters, friction);
    }

    /// One pass over the normal directions, in order.
    pub(crate) fn separate(&mut self, bodies: &mut Bodies<'_>) {
        self.rigid.separate(self.collider_constraints, bodies);
        for constraint in self.collider_constraints.iter_mut() {
            let v = constraint.vertex as usize;
            let height = dot(&(bodies.x[v] - constraint.surface), &constraint.normal);
            // Branch-free: which contacts of a resting cloth push is unpredictable.
            let missing = (constraint.target - height).max(0.0);
            bodies.x[v] += constraint.normal * missing;
            constraint.correction.normal += missing;
        }
    }

    /// Ends the motion of rigid bodies in the substep, after all passes: poses in `shapes`, the colliders of
    /// the substep, and velocities.
    pub(crate) fn finish_bodies(
        &mut self,
        shapes: &mut [Collider],
        states: &mut [RigidState],
        bodies: &mut Bodies<'_>,
    ) {
        self.rigid.finish(self.collider_constraints, shapes, states, bodies);
    }

    /// One friction pass, after the normal passes.
    pub(crate) fn apply_friction(&mut self, bodies: &mut Bodies<'_>) {
        self.rigid.apply_friction(self.collider_constraints, bodies);
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
