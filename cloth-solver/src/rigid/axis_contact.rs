//! Contacts of the edges and faces of cloth with the axis of a guarded rigid body.
//!
//! The axis is a part of the collision surface whose vertices have no mass of their own
//! (`cloth-solver/src/axes.rs`). A contact with weights `w` moves its cloth vertices as any contact does; the
//! body moves as a whole, as if pushed at the weighted mean of its vertices.

use cloth_contacts::point_triangle::Linear;
use cloth_geom::MapInline;
use nalgebra::Vector3;

use super::RigidCoupling;
use super::cloth_contact::friction_push;
use crate::bodies::{Bodies, packed, vector};
use crate::constraints::contact::{AccumulatedCorrection, WholeBodies};

/// The share of a body in a contact.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AxisPart {
    body: usize,
    /// Sum of the weights of its vertices: 1 or -1.
    weight: f32,
    /// Arm (m) of their weighted mean.
    arm: Vector3<f32>,
}

/// A contact with a body, linearised for the friction passes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AxisFriction {
    part: AxisPart,
    vertices: [u32; 4],
    weights: [f32; 4],
    normal: Vector3<f32>,
    /// Arm (m) of the cloth's point, at which friction acts, and the predicted displacement (m) of the body
    /// there.
    arm: Vector3<f32>,
    displacement: Vector3<f32>,
    friction: f32,
    /// Index of its [`AccumulatedCorrection`], which holds pushes (kg m).
    correction: usize,
}

impl RigidCoupling {
    /// The share of a rigid body in a contact with these vertices and weights; `None` if none is of the axis
    /// of one.
    fn axis_part(&self, vertices: &[u32; 4], weights: &[f32; 4]) -> Option<AxisPart> {
        self.bodies.iter().enumerate().find_map(|(body, moving)| {
            let arms =
                vertices.iter().zip(weights).filter_map(|(&v, w)| Some((moving.axis_arm(v)? * *w, *w)));
            let (arm, weight) = arms.fold((Vector3::zeros(), 0.0), |sum, (arm, w)| (sum.0 + arm, sum.1 + w));
            (weight != 0.0).then(|| AxisPart { body, weight, arm: arm / weight })
        })
    }
}

impl WholeBodies for RigidCoupling {
    fn have_vertices(&self) -> bool {
        self.bodies.iter().any(|body| body.axis().next().is_some())
    }

    fn separate_contact(
        &mut self,
        linear: &Linear,
        v: &[usize; 4],
        target: f32,
        bodies: &mut Bodies<'_>,
    ) -> Option<f32> {
        let part = self.axis_part(&v.map_inline(|v| v as u32), &linear.weights)?;
        let missing = target - linear.value;
        if missing <= 0.0 {
            return Some(0.0);
        }
        let body = &mut self.bodies[part.body];
        let push =
            missing / inv_mass(v, &linear.weights, bodies.w, body.inv_mass_at(&part.arm, &linear.normal));
        move_cloth(v, &linear.weights, &(linear.normal * push), bodies);
        body.push_by_cloth(&part.arm, &(linear.normal * (push * part.weight)));
        body.axis().for_each(|(v, at)| bodies.x[v] = at);
        Some(push)
    }

    fn clear_contact_friction(&mut self) {
        self.axis_friction.clear();
    }

    fn add_contact_friction(
        &mut self,
        linear: &Linear,
        vertices: [u32; 4],
        friction: f32,
        correction: usize,
    ) -> bool {
        let Some(part) = self.axis_part(&vertices, &linear.weights) else { return false };
        let (mut weights, normal) = (linear.weights, linear.normal);
        let body = &self.bodies[part.body];
        // Those of the body count by its motion as a whole.
        for (weight, v) in weights.iter_mut().zip(vertices) {
            if body.axis_arm(v).is_some() {
                *weight = 0.0;
            }
        }
        let arm = part.arm - normal * (part.weight * linear.value);
        let displacement = body.displacement_at(&arm);
        let contact =
            AxisFriction { part, vertices, weights, normal, arm, displacement, friction, correction };
        self.axis_friction.push(contact);
        true
    }

    fn apply_contact_friction(&mut self, corrections: &mut [AccumulatedCorrection], bodies: &mut Bodies<'_>) {
        for contact in &self.axis_friction {
            let AxisFriction { part, vertices, weights, normal, arm, friction, correction, .. } = contact;
            let body = &mut self.bodies[part.body];
            let v = vertices.map(|v| v as usize);
            let moved = (contact.displacement + body.correction_at(arm)) * part.weight;
            let slid =
                (0..4).fold(moved, |sum, i| sum + vector(&(bodies.x[v[i]] - bodies.x_t0[v[i]])) * weights[i]);
            let w = bodies.w;
            let inv_mass =
                |direction: &Vector3<f32>| inv_mass(&v, weights, w, body.inv_mass_at(arm, direction));
            let (limit, accumulated) = corrections[*correction].push_and_limit(*friction);
            let mut tangential = vector(accumulated);
            let change = friction_push(&mut tangential, &slid, normal, limit, inv_mass);
            *accumulated = packed(&tangential);
            move_cloth(&v, weights, &-change, bodies);
            body.push_by_cloth(arm, &(change * -part.weight));
            body.axis().for_each(|(v, at)| bodies.x[v] = at);
        }
    }
}

/// Inverse mass (1/kg) of the weighted sum of the vertices, with that of the body.
fn inv_mass(v: &[usize; 4], weights: &[f32; 4], w: &[f32], of_body: f32) -> f32 {
    (0..4).fold(of_body, |sum, i| sum + w[v[i]] * weights[i] * weights[i])
}

/// Moves the cloth vertices by their shares of a push (kg m); those of the axis have no inverse mass.
fn move_cloth(v: &[usize; 4], weights: &[f32; 4], push: &Vector3<f32>, bodies: &mut Bodies<'_>) {
    for i in 0..4 {
        bodies.x[v[i]] += packed(&(push * (bodies.w[v[i]] * weights[i])));
    }
}
