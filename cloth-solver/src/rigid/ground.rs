//! Contacts of rigid bodies with colliders and with each other.
//!
//! A body touches by balls: its own for a sphere, the two ends of a capsule, the corners of a box. Each is
//! tested against the shape of the other collider, so spheres are exact, and so are capsules and boxes on a
//! plane. Contacts are inelastic.

use nalgebra::{Isometry3, Point3, Vector3};

use super::cloth_contact::friction_push;
use super::moving::{MovingBody, displacement_between};
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
                    let separation = |own_pose, pose: &Isometry3<f32>| {
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
                        displacement: body.displacement_at(&arm)
                            - displacement_between(&other.pose_t0, &other.pose_t1, &other_arm),
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
            let missing = contact.kept - contact.separation_now(bodies);
            // Pushes accumulate and are never negative, so that one that proves too large is taken back.
            let push = (contact.normal_push + missing / contact.inv_mass(&contact.normal, bodies)).max(0.0);
            let change = push - contact.normal_push;
            contact.normal_push = push;
            contact.push(&(contact.normal * change), bodies);
        }
    }

    /// Moves bodies out of colliders and each other; without speed.
    pub(super) fn recover_from_ground(&mut self) {
        let Self { ground, bodies, .. } = self;
        for contact in ground {
            let missing = contact.target - contact.separation_now(bodies);
            if missing > 0.0 {
                let push = missing / contact.inv_mass(&contact.normal, bodies);
                contact.push(&(contact.normal * push), bodies);
            }
        }
    }

    /// One friction pass.
    pub(super) fn apply_ground_friction(&mut self) {
        let Self { ground, bodies, .. } = self;
        for contact in ground.iter_mut().filter(|contact| contact.normal_push > 0.0) {
            let slid = contact.displacement + contact.correction(bodies);
            let limit = contact.friction * contact.normal_push;
            let mut tangential = contact.tangential_push;
            let inv_mass = |direction: &Vector3<f32>| contact.inv_mass(direction, bodies);
            let change = friction_push(&mut tangential, &slid, &contact.normal, limit, inv_mass);
            contact.tangential_push = tangential;
            contact.push(&-change, bodies);
        }
    }
}

impl GroundContact {
    /// The other body; `None` if the other collider is none.
    fn other<'a>(&self, bodies: &'a [MovingBody]) -> Option<&'a MovingBody> {
        bodies.get(self.other as usize)
    }

    /// How far corrections have moved the point of the body relative to that of the other (m).
    fn correction(&self, bodies: &[MovingBody]) -> Vector3<f32> {
        let other = self.other(bodies).map_or(Vector3::zeros(), |b| b.correction_at(&self.other_arm));
        bodies[self.body as usize].correction_at(&self.arm) - other
    }

    /// Separation (m) with all corrections.
    fn separation_now(&self, bodies: &[MovingBody]) -> f32 {
        self.separation + self.correction(bodies).dot(&self.normal)
    }

    /// Relative displacement along `direction` for a unit push (1/kg).
    fn inv_mass(&self, direction: &Vector3<f32>, bodies: &[MovingBody]) -> f32 {
        let other = self.other(bodies).map_or(0.0, |b| b.inv_mass_at(&self.other_arm, direction));
        bodies[self.body as usize].inv_mass_at(&self.arm, direction) + other
    }

    /// Pushes (kg m) the body, and the other the other way.
    fn push(&self, push: &Vector3<f32>, bodies: &mut [MovingBody]) {
        bodies[self.body as usize].push(&self.arm, push);
        if let Some(other) = bodies.get_mut(self.other as usize) {
            other.push(&self.other_arm, &-push);
        }
    }
}
