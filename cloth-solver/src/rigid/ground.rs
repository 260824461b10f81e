//! Contacts of rigid bodies with colliders and with each other.
//!
//! A body touches by balls: its own for a sphere, the two ends of a capsule, the corners of a box. Each is tested against the shape of the other
//! collider, so spheres are exact, and so are capsules and boxes on a plane. Contacts are inelastic.

use nalgebra::{Point3, Vector3};

use super::cloth_contact::friction_push;
use super::moving::displacement_at;
use super::{RigidBody, RigidCoupling};
use crate::Collider;
use crate::constraints::contact::ContactParameters;

/// A ball of a body on another collider.
#[derive(Clone, Copy, Debug)]
pub(super) struct GroundContact {
    body: u32,
    /// The other body, `u32::MAX` if the collider is none.
    other: u32,
    /// From the other collider to the body.
    normal: Vector3<f32>,
    /// The contact point from the centre of the body and of the other (m).
    arm: Vector3<f32>,
    other_arm: Vector3<f32>,
    /// Predicted separation, the one to keep by pushes, and the one to reach by displacements alone (m).
    separation: f32,
    kept: f32,
    target: f32,
    /// Predicted displacement of the body's contact point relative to the other's (m).
    displacement: Vector3<f32>,
    friction: f32,
    /// Accumulated pushes on the body (kg m).
    normal_push: f32,
    tangential_push: Vector3<f32>,
}

impl RigidCoupling {
    /// Finds the contacts of bodies with the other colliders over the substep.
    pub(crate) fn find_ground(
        &mut self,
        assets: &[RigidBody],
        colliders: &[Collider],
        parameters: &ContactParameters,
    ) {
        self.ground.clear();
        for (slot, (asset, body)) in assets.iter().zip(&self.bodies).enumerate() {
            let own = &colliders[body.collider];
            let is_other = |index: usize| {
                let body_there = self.body_of_collider.get(index).and_then(|&slot| assets.get(slot as usize));
                index != body.collider && body_there.is_none_or(|there| !there.balls.is_empty())
            };
            for (index, other) in colliders.iter().enumerate().filter(|(index, _)| is_other(*index)) {
                for (ball, radius) in &asset.balls {
                    let separation = |own_pose, pose: &nalgebra::Isometry3<f32>| {
                        let centre: Point3<f32> = own_pose * ball;
                        let nearest = other.shape.nearest(&pose.inverse_transform_point(&centre));
                        (nearest.distance - radius, pose * nearest.normal, centre)
                    };
                    let (gap, ..) = separation(own.pose_t0, &other.pose_t0);
                    let (distance, normal, centre) = separation(own.pose_t1, &other.pose_t1);
                    let reach = (distance - gap).abs().max(*radius * 0.1).max(1.0e-3);
                    if !distance.is_finite() || distance > reach {
                        continue;
                    }
                    let at = centre.coords - normal * *radius;
                    let (arm, other_arm) = (at - body.centre, at - other.pose_t1.translation.vector);
                    self.ground.push(GroundContact {
                        body: slot as u32,
                        other: self.body_of_collider.get(index).copied().unwrap_or(u32::MAX),
                        normal,
                        arm,
                        other_arm,
                        separation: distance,
                        kept: gap.min(0.0),
                        target: parameters.target(gap, 0.0),
                        displacement: displacement_at(own, &arm) - displacement_at(other, &other_arm),
                        friction: (own.friction * other.friction).sqrt(),
                        normal_push: 0.0,
                        tangential_push: Vector3::zeros(),
                    });
                }
            }
        }
    }

    /// One pass over the normal directions.
    pub(super) fn separate_ground(&mut self) {
        let Self { ground, bodies, .. } = self;
        for contact in ground {
            let (own, other) = (contact.body as usize, contact.other as usize);
            let moved = bodies[own].correction_at(&contact.arm)
                - bodies.get(other).map_or(Vector3::zeros(), |b| b.correction_at(&contact.other_arm));
            let missing = contact.kept - contact.separation - moved.dot(&contact.normal);
            // Pushes accumulate and are never negative, so that one that proves too large is taken back.
            let inv_mass = bodies[own].inv_mass_at(&contact.arm, &contact.normal)
                + bodies.get(other).map_or(0.0, |b| b.inv_mass_at(&contact.other_arm, &contact.normal));
            let push = (contact.normal_push + missing / inv_mass).max(0.0);
            let change = contact.normal * (push - contact.normal_push);
            contact.normal_push = push;
            bodies[own].push(&contact.arm, &change);
            if let Some(body) = bodies.get_mut(other) {
                body.push(&contact.other_arm, &-change);
            }
        }
    }

    /// Moves bodies out of colliders and each other; without speed.
    pub(super) fn recover_from_ground(&mut self) {
        let Self { ground, bodies, .. } = self;
        for contact in ground {
            let (own, other) = (contact.body as usize, contact.other as usize);
            let moved = bodies[own].correction_at(&contact.arm)
                - bodies.get(other).map_or(Vector3::zeros(), |b| b.correction_at(&contact.other_arm));
            let missing = contact.target - contact.separation - moved.dot(&contact.normal);
            if missing <= 0.0 {
                continue;
            }
            let inv_mass = bodies[own].inv_mass_at(&contact.arm, &contact.normal)
                + bodies.get(other).map_or(0.0, |b| b.inv_mass_at(&contact.other_arm, &contact.normal));
            let push = contact.normal * (missing / inv_mass);
            bodies[own].push(&contact.arm, &push);
            if let Some(body) = bodies.get_mut(other) {
                body.push(&contact.other_arm, &-push);
            }
        }
    }

    /// One friction pass.
    pub(super) fn apply_ground_friction(&mut self) {
        let Self { ground, bodies, .. } = self;
        for contact in ground.iter_mut().filter(|contact| contact.normal_push > 0.0) {
            let (own, other) = (contact.body as usize, contact.other as usize);
            let moved = bodies[own].correction_at(&contact.arm)
                - bodies.get(other).map_or(Vector3::zeros(), |b| b.correction_at(&contact.other_arm));
            let inv_mass = |direction: &Vector3<f32>| {
                bodies[own].inv_mass_at(&contact.arm, direction)
                    + bodies.get(other).map_or(0.0, |b| b.inv_mass_at(&contact.other_arm, direction))
            };
            let (slid, limit) = (contact.displacement + moved, contact.friction * contact.normal_push);
            let change = friction_push(&mut contact.tangential_push, &slid, &contact.normal, limit, inv_mass);
            bodies[own].push(&contact.arm, &-change);
            if let Some(body) = bodies.get_mut(other) {
                body.push(&contact.other_arm, &change);
            }
        }
    }
}
