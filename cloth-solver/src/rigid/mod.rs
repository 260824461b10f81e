//! Rigid bodies: colliders that move by themselves, and that cloth pushes back.
//!
//! A rigid body is a [`Collider`] with a mass. Detection, friction and the gate treat it as any collider;
//! what differs is that its motion over a substep is predicted from its velocity and then changed by
//! contacts, within the same Gauss-Seidel passes that move the cloth (Müller, Macklin, Chentanez, Jeschke and
//! Kim 2020, "Detailed rigid body simulation with extended position based dynamics").
//!
//! | file | answers |
//! |---|---|
//! | `mod` | what is a rigid body, and what do callers see of it? |
//! | `mass` | which mass and inertia does a shape have? |
//! | `moving` | how does a body move in a substep? |
//! | `cloth_contact` | how do a vertex of cloth and a body push each other? |
//! | `axis_contact` | how do the edges and faces of cloth push the axis of a guarded body? |
//! | `ground` | how do bodies rest on colliders and on each other? |
//!
//! **Momentum.** Every correction is a pair of equal and opposite displacements times mass, so contacts with
//! cloth conserve linear and angular momentum, apart from the vertices that a collider or a pin holds. The
//! gate comes after: the momentum that it takes from cloth
//! ([`GateReport::momentum_lost`](crate::GateReport::momentum_lost)) is not given to bodies.
//!
//! Bodies neither bounce nor fall asleep, and two of them touch only at the ends of capsules, the corners of
//! boxes and the surfaces of spheres: stacks and joints are the task of a rigid-body engine.

mod axis_contact;
mod cloth_contact;
mod ground;
mod mass;
mod moving;

use nalgebra::{Isometry3, Vector3};

pub(crate) use mass::RigidBody;
pub(crate) use moving::{RigidCoupling, RigidState};

use crate::assets::Assets;
use crate::simulation::{Simulation, check_finite};
use crate::{BuildError, Collider, ColliderId, SimulationBuilder, StepError};

/// A rigid body: a collider with a mass, for
/// [`SimulationBuilder::add_rigid_body`](crate::SimulationBuilder::add_rigid_body).
#[derive(Clone, Debug, PartialEq)]
pub struct RigidBodyDesc {
    /// Shape, pose and friction. A sphere, a capsule or a box of uniform density, whose centre of mass is the
    /// origin of the shape.
    ///
    /// The coefficient of a contact between two colliders is the geometric mean of theirs.
    pub collider: Collider,
    /// Mass (kg).
    pub mass: f32,
    /// Velocity of the centre (m/s).
    pub velocity: Vector3<f32>,
    /// Angular velocity (rad/s), in the frame of the world.
    pub angular_velocity: Vector3<f32>,
    /// Share of [`Settings::gravity`](crate::Settings::gravity) that acts on it.
    pub gravity_scale: f32,
    /// Whether it touches the other colliders and bodies; false if something else keeps them apart, such as a
    /// rigid-body engine. It touches cloth in any case.
    pub touches_colliders: bool,
}

impl RigidBodyDesc {
    /// A body at rest that gravity acts on.
    #[must_use]
    pub fn new(collider: Collider, mass: f32) -> Self {
        let still = Vector3::zeros();
        Self {
            collider,
            mass,
            velocity: still,
            angular_velocity: still,
            gravity_scale: 1.0,
            touches_colliders: true,
        }
    }

    /// Moments of inertia (kg m2) about the axes of the shape; `None` for a shape that cannot be a rigid
    /// body.
    #[must_use]
    pub fn principal_inertia(&self) -> Option<Vector3<f32>> {
        mass::principal_inertia(&self.collider.shape, self.mass)
    }

    /// Checks shape and numbers; the id is for the message.
    pub(crate) fn check(&self, id: usize) -> Result<(), BuildError> {
        let invalid = |name, value, requirement| BuildError::RigidBody { id, name, value, requirement };
        if !(self.mass.is_finite() && self.mass > 0.0) {
            return Err(invalid("mass", self.mass, "finite and greater than zero; a collider has none"));
        }
        let mut numbers = self.velocity.iter().chain(&self.angular_velocity).chain([&self.gravity_scale]);
        match numbers.find(|x| !x.is_finite()) {
            Some(&value) => Err(invalid("velocity or gravity_scale", value, "finite")),
            None if self.principal_inertia().is_none() => Err(BuildError::RigidShape { id }),
            None => Ok(()),
        }
    }
}

/// A rigid body between two steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RigidBodyState {
    /// Its pose.
    pub pose: Isometry3<f32>,
    /// Velocity of the centre (m/s).
    pub velocity: Vector3<f32>,
    /// Angular velocity (rad/s), in the frame of the world.
    pub angular_velocity: Vector3<f32>,
    /// Impulse (N s) of the cloth on it in the last step.
    pub impulse: Vector3<f32>,
    /// Angular impulse (N m s) of the cloth about its centre in the last step.
    pub angular_impulse: Vector3<f32>,
}

/// Makes the poses of bodies at the end of a substep those of the simulation; an error if one is not finite.
pub(crate) fn accept(
    assets: &Assets,
    scene: &SimulationBuilder,
    states: &[RigidState],
    substep: &[Collider],
    colliders: &mut [Collider],
) -> Result<(), StepError> {
    for (body, state) in assets.rigid_bodies.iter().zip(states) {
        let Some(index) = scene.colliders.index(body.collider) else { continue };
        let pose = substep[index].pose_t1;
        let numbers = [&pose.translation.vector, &state.velocity, &state.angular_velocity];
        if !numbers.into_iter().flatten().chain(&pose.rotation.coords).all(|x| x.is_finite()) {
            return Err(StepError::RigidBodyDiverged(body.collider));
        }
        (colliders[index].pose_t0, colliders[index].pose_t1) = (pose, pose);
    }
    Ok(())
}

impl Simulation {
    /// A rigid body with what the cloth has done to it in the last step.
    ///
    /// # Errors
    /// If there is no such collider, or if it is no rigid body.
    pub fn rigid_body(&self, body: ColliderId) -> Result<RigidBodyState, StepError> {
        let (collider, slot) = self.rigid_slot(body)?;
        let RigidState { velocity, angular_velocity } = self.state.rigid[slot];
        let (impulse, angular_impulse) = self.scratch.rigid.impulse(slot);
        let pose = self.colliders[collider].pose_t1;
        Ok(RigidBodyState { pose, velocity, angular_velocity, impulse, angular_impulse })
    }

    /// Sets the velocity (m/s) of a rigid body's centre and its angular velocity (rad/s).
    ///
    /// # Errors
    /// If there is no such body, or if a number is not finite.
    pub fn set_rigid_velocity(
        &mut self,
        body: ColliderId,
        velocity: Vector3<f32>,
        angular_velocity: Vector3<f32>,
    ) -> Result<(), StepError> {
        let (_, slot) = self.rigid_slot(body)?;
        check_finite("velocity of a rigid body", velocity)?;
        check_finite("angular velocity of a rigid body", angular_velocity)?;
        self.state.rigid[slot] = RigidState { velocity, angular_velocity };
        Ok(())
    }

    /// Applies an impulse (N s) to a rigid body at its centre, and an angular impulse (N m s).
    ///
    /// # Errors
    /// If there is no such body, or if a number is not finite.
    pub fn apply_rigid_impulse(
        &mut self,
        body: ColliderId,
        impulse: Vector3<f32>,
        angular_impulse: Vector3<f32>,
    ) -> Result<(), StepError> {
        let (collider, slot) = self.rigid_slot(body)?;
        check_finite("impulse", impulse)?;
        check_finite("angular impulse", angular_impulse)?;
        let rotation = self.colliders[collider].pose_t1.rotation;
        let asset = &self.assets.rigid_bodies[slot];
        let RigidState { velocity, angular_velocity } = self.state.rigid[slot];
        let velocity = velocity + impulse * asset.inv_mass;
        let angular_velocity = angular_velocity + asset.inv_inertia_at(&rotation) * angular_impulse;
        self.set_rigid_velocity(body, velocity, angular_velocity)
    }

    /// Whether a collider is a rigid body.
    #[must_use]
    pub fn is_rigid_body(&self, collider: ColliderId) -> bool {
        self.scene.rigid_bodies.contains_key(&collider.0)
    }

    /// The index of a body's collider, and of the body among the rigid ones.
    fn rigid_slot(&self, body: ColliderId) -> Result<(usize, usize), StepError> {
        let collider = self.scene.collider_index(body)?;
        let count = self.assets.rigid_bodies.len();
        let missing = StepError::NotFound { what: "rigid body", index: body.0, count };
        let slot = self.assets.rigid_bodies.iter().position(|asset| asset.collider == body.0);
        slot.map(|slot| (collider, slot)).ok_or(missing)
    }
}
