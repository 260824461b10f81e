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
pub(crate) use moving::{FreeMotion, RigidCoupling, RigidState};

use crate::error::is_mass;
#[cfg(feature = "serde")]
use crate::number;
use crate::registry::Registry;
use crate::{BuildError, Collider, StepError};

/// A rigid body: a collider with a mass, for
/// [`SimulationBuilder::add_rigid_body`](crate::SimulationBuilder::add_rigid_body).
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct RigidBodyDesc {
    /// Shape, pose and friction. A sphere, a capsule or a box of uniform density, whose centre of mass is the
    /// origin of the shape.
    ///
    /// The coefficient of a contact between two colliders is the geometric mean of theirs.
    pub collider: Collider,
    /// Mass (kg).
    #[cfg_attr(feature = "serde", serde(deserialize_with = "number::positive"))]
    pub mass: f32,
    /// Velocity of the centre (m/s).
    #[cfg_attr(feature = "serde", serde(default = "Vector3::zeros", deserialize_with = "number::finite"))]
    pub velocity: Vector3<f32>,
    /// Angular velocity (rad/s), in the frame of the world.
    #[cfg_attr(feature = "serde", serde(default = "Vector3::zeros", deserialize_with = "number::finite"))]
    pub angular_velocity: Vector3<f32>,
    /// Share of [`Settings::gravity`](crate::Settings::gravity) that acts on it.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "number::finite"))]
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
        if !(self.mass.is_finite() && is_mass(self.mass)) {
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
/// `registry` has the colliders by id.
pub(crate) fn accept(
    bodies: &[RigidBody],
    registry: &Registry<Collider>,
    states: &[RigidState],
    substep: &[Collider],
    colliders: &mut [Collider],
) -> Result<(), StepError> {
    for (body, state) in bodies.iter().zip(states) {
        let Some(index) = registry.index(body.collider) else { continue };
        let pose = substep[index].pose_t1;
        let numbers = [&pose.translation.vector, &state.velocity, &state.angular_velocity];
        if !numbers.into_iter().flatten().chain(&pose.rotation.coords).all(|x| x.is_finite()) {
            return Err(StepError::RigidBodyDiverged(body.collider));
        }
        (colliders[index].pose_t0, colliders[index].pose_t1) = (pose, pose);
    }
    Ok(())
}
