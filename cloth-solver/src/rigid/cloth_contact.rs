//! Contacts of a vertex of cloth with a rigid body: both move, in inverse proportion to their masses.
//!
//! The plane of the contact moves with the body (`cloth-contacts/src/collider/contact.rs`). Pushes are mass
//! times displacement (kg m), equal and opposite; friction clamps the tangential push to Coulomb's cone, as
//! for other contacts.

use cloth_contacts::collider::ColliderContact;
use nalgebra::Vector3;

use super::RigidCoupling;
use crate::Collider;
use crate::bodies::{Bodies, packed, point, vector};
use crate::constraints::collider_contact::{ColliderConstraint, ColliderConstraints};
use crate::constraints::contact::ContactParameters;
use crate::describe::friction::FrictionTable;

/// A vertex of cloth on a rigid body.
#[derive(Clone, Copy, Debug)]
pub(super) struct VertexContact {
    vertex: u32,
    body: u32,
    /// Outward normal of the body.
    normal: Vector3<f32>,
    /// The predicted surface point, and its arm from the centre (m).
    surface: Vector3<f32>,
    arm: Vector3<f32>,
    /// Arm (m) of the point at which friction acts, and its predicted displacement (m). It is that of the
    /// vertex, half a thickness over the surface: equal and opposite forces at two points would change the
    /// angular momentum.
    friction_arm: Vector3<f32>,
    friction_displacement: Vector3<f32>,
    friction: f32,
    /// Separation (m) to keep by pushes: that at the start if it is too small. A body that was pushed out
    /// would keep the speed.
    kept: f32,
    /// Separation to reach (m), beyond `kept` by displacements alone.
    target: f32,
    /// The contact of the vertex with a collider on its other side, `u32::MAX` without one.
    support: u32,
    /// Accumulated normal and tangential push on the vertex (kg m).
    normal_push: f32,
    tangential_push: Vector3<f32>,
}

impl RigidCoupling {
    /// Sets up the contacts with bodies of a substep; `colliders` are the contacts with the other colliders.
    ///
    /// A vertex between a body and a collider that is pushed from there counts as immovable along the normal:
    /// it carries what the body presses on it to the collider within a pass, where the light vertex would
    /// move back and forth between the two.
    pub(crate) fn prepare(
        &mut self,
        contacts: &[ColliderContact],
        colliders: &ColliderConstraints,
        parameters: &ContactParameters,
        friction: &FrictionTable,
    ) {
        self.vertex_contacts.clear();
        if self.is_empty() {
            return;
        }
        // Contacts come by collider; a vertex needs those of all.
        self.by_vertex.clear();
        let all =
            (0..colliders.count()).filter_map(|index| Some((colliders.get(index)?.vertex(), index as u32)));
        self.by_vertex.extend(all);
        self.by_vertex.sort_unstable();
        for contact in contacts {
            let Some(body) = self.body_of(contact.collider) else { continue };
            let first = self.by_vertex.partition_point(|(vertex, _)| *vertex < contact.vertex);
            let same = self.by_vertex[first..].iter().take_while(|(vertex, _)| *vertex == contact.vertex);
            let opposes = |c: &ColliderConstraint| vector(c.normal()).dot(&contact.normal) < OPPOSING;
            let support = { same }.find(|(_, index)| colliders.get(*index as usize).is_some_and(opposes));
            let surface = contact.surface_t1.coords;
            let arm = surface - self.bodies[body].centre;
            let friction_arm = arm + contact.normal * contact.distance;
            self.vertex_contacts.push(VertexContact {
                vertex: contact.vertex,
                body: body as u32,
                normal: contact.normal,
                surface,
                arm,
                friction_arm,
                friction_displacement: self.bodies[body].displacement_at(&friction_arm),
                friction: friction.with_collider(contact.vertex, contact.collider, contact.friction),
                kept: contact.gap.min(contact.distance),
                target: parameters.target(contact.gap, contact.distance),
                support: support.map_or(u32::MAX, |(_, index)| *index),
                normal_push: 0.0,
                tangential_push: Vector3::zeros(),
            });
        }
    }

    /// One pass over the normal directions: of cloth, then of the ground.
    pub(crate) fn separate(&mut self, colliders: &ColliderConstraints, bodies: &mut Bodies<'_>) {
        if self.is_empty() {
            return;
        }
        for contact in &mut self.vertex_contacts {
            let body = &mut self.bodies[contact.body as usize];
            let v = contact.vertex as usize;
            let surface = contact.surface + body.correction_at(&contact.arm);
            let missing = contact.kept - (vector(&bodies.x[v]) - surface).dot(&contact.normal);
            if missing > 0.0 {
                let w = contact.inv_mass(colliders, bodies.w);
                let push = missing / (w + body.inv_mass_at(&contact.arm, &contact.normal));
                bodies.x[v] += packed(&(contact.normal * (push * w)));
                body.push_by_cloth(&contact.arm, &(contact.normal * -push));
                contact.normal_push += push;
            }
        }
        self.separate_ground();
        self.move_axes(&mut bodies.x);
    }

    /// One friction pass: reverses tangential displacements within Coulomb's cone.
    pub(crate) fn apply_friction(&mut self, colliders: &ColliderConstraints, bodies: &mut Bodies<'_>) {
        if self.is_empty() {
            return;
        }
        for contact in self.vertex_contacts.iter_mut().filter(|contact| contact.normal_push > 0.0) {
            let body = &mut self.bodies[contact.body as usize];
            let v = contact.vertex as usize;
            let moved = vector(&(bodies.x[v] - bodies.x_t0[v]));
            let slid = moved - contact.friction_displacement - body.correction_at(&contact.friction_arm);
            let w = contact.inv_mass(colliders, bodies.w);
            let inv_mass = |direction: &Vector3<f32>| w + body.inv_mass_at(&contact.friction_arm, direction);
            let limit = contact.friction * contact.normal_push;
            let change = friction_push(&mut contact.tangential_push, &slid, &contact.normal, limit, inv_mass);
            bodies.x[v] -= packed(&(change * w));
            body.push_by_cloth(&contact.friction_arm, &change);
        }
        self.apply_ground_friction();
        self.move_axes(&mut bodies.x);
    }

    /// Moves bodies off the vertices that a collider supports; without speed.
    pub(super) fn recover_from_supported(&mut self, colliders: &ColliderConstraints, bodies: &Bodies<'_>) {
        for contact in &self.vertex_contacts {
            if contact.inv_mass(colliders, bodies.w) > 0.0 {
                continue;
            }
            let body = &mut self.bodies[contact.body as usize];
            let surface = contact.surface + body.correction_at(&contact.arm);
            let height = (vector(&bodies.x[contact.vertex as usize]) - surface).dot(&contact.normal);
            let missing = contact.target - height;
            if missing > 0.0 {
                let push = missing / body.inv_mass_at(&contact.arm, &contact.normal);
                body.push(&contact.arm, &(contact.normal * -push));
            }
        }
    }

    /// Moves the vertices that are still too near out of the final shapes; bodies get the reaction as
    /// velocity.
    pub(super) fn separate_from_final_poses(
        &mut self,
        shapes: &[Collider],
        colliders: &ColliderConstraints,
        bodies: &mut Bodies<'_>,
    ) {
        for contact in &self.vertex_contacts {
            let body = &mut self.bodies[contact.body as usize];
            let v = contact.vertex as usize;
            let w = contact.inv_mass(colliders, bodies.w);
            if w == 0.0 {
                continue;
            }
            let pose = body.pose();
            let local = pose.inverse_transform_point(&point(&bodies.x[v]));
            let nearest = shapes[body.collider].shape.nearest(&local);
            let missing = contact.target - nearest.distance;
            if missing > 0.0 {
                let normal = pose * nearest.normal;
                bodies.x[v] += packed(&(normal * missing));
                let arm = vector(&bodies.x[v]) - normal * contact.target - pose.translation.vector;
                body.react(&arm, &(normal * (-missing / w)), bodies.h);
            }
        }
    }
}

/// Cosine between two normals below which the one supports the other.
const OPPOSING: f32 = -0.5;

impl VertexContact {
    /// Inverse mass (1/kg) of the vertex; 0 while a collider pushes it from the other side.
    #[inline]
    fn inv_mass(&self, colliders: &ColliderConstraints, w: &[f32]) -> f32 {
        let is_supported = colliders.get(self.support as usize).is_some_and(ColliderConstraint::is_pushing);
        if is_supported { 0.0 } else { w[self.vertex as usize] }
    }
}

/// Updates an accumulated tangential push (kg m) for a displacement `slid` (m) across `normal`, within
/// `limit`; returns the change.
#[inline]
pub(super) fn friction_push(
    accumulated: &mut Vector3<f32>,
    slid: &Vector3<f32>,
    normal: &Vector3<f32>,
    limit: f32,
    inv_mass: impl Fn(&Vector3<f32>) -> f32,
) -> Vector3<f32> {
    let across = slid - normal * slid.dot(normal);
    let length = across.norm();
    let wanted = match length > 0.0 {
        true => *accumulated + across / inv_mass(&(across / length)),
        false => *accumulated,
    };
    let wanted_length = wanted.norm();
    let clamped = if wanted_length > limit { wanted * (limit / wanted_length) } else { wanted };
    let change = clamped - *accumulated;
    *accumulated = clamped;
    change
}
