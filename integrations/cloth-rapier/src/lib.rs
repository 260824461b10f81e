#![doc = include_str!("../README.md")]

mod convert;

use cloth_solver::nalgebra::Vector3;
use cloth_solver::{
    Collider, ColliderError, ColliderId, RigidBodyDesc, Shape, Simulation, SimulationBuilder, StepError,
};
use rapier3d::prelude::{ColliderHandle, PhysicsWorld, RigidBodyHandle};
use thiserror::Error;

use convert::{pose_from_rapier, pose_to_rapier, vector_from_rapier, vector_to_rapier};

/// Why a collider cannot be coupled, or a step fails.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CouplingError {
    /// The handle of a collider or a body refers to nothing.
    #[error("rapier has no {0} with this handle: it was removed or never inserted")]
    Missing(&'static str),
    /// A dynamic body has several colliders.
    #[error("a dynamic body has {0} colliders; couple bodies with one, or make it kinematic")]
    SeveralColliders(usize),
    /// A dynamic body has a shape without inertia here.
    #[error("a dynamic body must be a ball, a capsule or a box; make a body of another shape kinematic")]
    DynamicShape,
    /// The shape cannot be used.
    #[error(transparent)]
    Shape(#[from] ColliderError),
    /// The cloth refuses the motion, or its step failed; rapier has moved by then.
    #[error(transparent)]
    Step(#[from] StepError),
}

/// A collider of rapier and its image in the cloth.
#[derive(Clone, Copy, Debug)]
struct Link {
    rapier: ColliderHandle,
    /// Its body, if that is dynamic.
    dynamic: Option<RigidBodyHandle>,
    cloth: ColliderId,
}

/// Colliders of a rapier world that cloth touches.
#[derive(Clone, Debug)]
pub struct Coupling {
    links: Vec<Link>,
    parts: u32,
}

impl Default for Coupling {
    fn default() -> Self {
        Self { links: Vec::new(), parts: 1 }
    }
}

impl Coupling {
    /// Divides every step into parts, each a step of rapier and one of the cloth; at least 1, the default.
    /// Cloth takes its substeps in every part, so that with `n` parts a `n`-th of
    /// [`Settings::substeps`](cloth_solver::Settings::substeps) costs as much as before.
    ///
    /// Forces between bodies of rapier that cloth carries act from part to part: the upper of two boxes of
    /// 0.3 kg that are 10 cm high sinks into the lower by 37, 22, 12 and less than 10 mm with 1, 2, 4 and 8
    /// parts of 1/60 s.
    #[must_use]
    pub fn with_parts(self, parts: u32) -> Self {
        Self { parts: parts.max(1), ..self }
    }

    /// Adds the image of a collider to a scene of cloth. Friction is that of the collider.
    ///
    /// Balls, capsules and boxes are guarded: the edges and faces of cloth keep away from them, not its
    /// vertices alone.
    ///
    /// # Errors
    /// If there is no such collider, or if its shape cannot be used.
    pub fn add_collider(
        &mut self,
        scene: &mut SimulationBuilder,
        world: &PhysicsWorld,
        handle: ColliderHandle,
    ) -> Result<ColliderId, CouplingError> {
        let rapier = world.colliders.get(handle).ok_or(CouplingError::Missing("collider"))?;
        let shape = Shape::from_parry(rapier.shared_shape())?;
        let collider = Collider::new(shape, pose_from_rapier(rapier.position()), rapier.friction())?;
        let collider = collider.clone().guarded().unwrap_or(collider);
        let body = rapier.parent().map(|parent| (parent, &world.bodies[parent]));
        let dynamic = body.filter(|(_, body)| body.is_dynamic());
        let id = match dynamic {
            None => scene.add_collider(collider),
            Some((_, body)) => {
                if body.colliders().len() != 1 {
                    return Err(CouplingError::SeveralColliders(body.colliders().len()));
                }
                let desc = RigidBodyDesc {
                    velocity: vector_from_rapier(&body.linvel()),
                    angular_velocity: vector_from_rapier(&body.angvel()),
                    // Rapier adds gravity, and keeps bodies apart.
                    gravity_scale: 0.0,
                    touches_colliders: false,
                    ..RigidBodyDesc::new(collider, mass(world, handle))
                };
                if desc.principal_inertia().is_none() {
                    return Err(CouplingError::DynamicShape);
                }
                scene.add_rigid_body(desc)
            }
        };
        self.links.push(Link { rapier: handle, dynamic: dynamic.map(|(handle, _)| handle), cloth: id });
        Ok(id)
    }

    /// Moves both on by `dt` seconds: rapier, then the cloth, which changes poses and velocities of the
    /// dynamic bodies that it touches.
    ///
    /// # Errors
    /// If `dt` is not finite and greater than zero, if a coupled collider or body is no longer in the world,
    /// or if a step of the cloth fails; rapier has moved then, except in the first case.
    pub fn step(
        &self,
        world: &mut PhysicsWorld,
        cloth: &mut Simulation,
        dt: f32,
    ) -> Result<(), CouplingError> {
        if !(dt.is_finite() && dt > 0.0) {
            return Err(StepError::InvalidTimeStep(dt).into());
        }
        (0..self.parts).try_for_each(|_| self.step_part(world, cloth, dt / self.parts as f32))
    }

    fn step_part(
        &self,
        world: &mut PhysicsWorld,
        cloth: &mut Simulation,
        dt: f32,
    ) -> Result<(), CouplingError> {
        world.integration_parameters.dt = dt;
        world.step();
        for link in &self.links {
            let collider = world.colliders.get(link.rapier).ok_or(CouplingError::Missing("collider"))?;
            let target = pose_from_rapier(collider.position());
            if link.dynamic.is_none() {
                cloth.move_collider(link.cloth, target)?;
                continue;
            }
            let from = cloth.rigid_body(link.cloth)?.pose;
            let turn = target.rotation * from.rotation.inverse();
            let velocity = (target.translation.vector - from.translation.vector) / dt;
            cloth.set_rigid_velocity(link.cloth, velocity, turn.scaled_axis() / dt)?;
        }
        cloth.step(dt)?;
        for link in &self.links {
            let Some(handle) = link.dynamic else { continue };
            let collider = world.colliders.get(link.rapier).ok_or(CouplingError::Missing("collider"))?;
            let local = collider.position_wrt_parent().copied().unwrap_or_default();
            let state = cloth.rigid_body(link.cloth)?;
            if state.impulse == Vector3::zeros() && state.angular_impulse == Vector3::zeros() {
                continue;
            }
            let body = world.bodies.get_mut(handle).ok_or(CouplingError::Missing("body"))?;
            body.set_position(pose_to_rapier(&state.pose) * local.inverse(), true);
            body.apply_impulse(vector_to_rapier(&state.impulse), true);
            body.apply_torque_impulse(vector_to_rapier(&state.angular_impulse), true);
        }
        Ok(())
    }

    /// The image of a collider in the cloth; `None` if it was not added.
    #[must_use]
    pub fn image_of(&self, handle: ColliderHandle) -> Option<ColliderId> {
        self.links.iter().find(|link| link.rapier == handle).map(|link| link.cloth)
    }
}

/// The mass (kg) of the only collider of a body with what the body adds to it. Before its first step rapier
/// has not summed it yet.
fn mass(world: &PhysicsWorld, handle: ColliderHandle) -> f32 {
    let collider = &world.colliders[handle];
    let of_body = collider.parent().map_or(0.0, |parent| world.bodies[parent].mass());
    if of_body > 0.0 { of_body } else { collider.mass() }
}
