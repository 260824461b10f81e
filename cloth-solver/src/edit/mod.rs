//! Changes between steps: settings, materials, pins, and the contents of the scene.
//!
//! | file | answers |
//! |---|---|
//! | `mod` | what can be changed, and at what cost? |
//! | `targets` | where is what moves to be at the end of the next step? |
//! | `transfer` | what does a rebuilt simulation keep? |
//! | `tests` | is a step after a change as deterministic as before? |

mod targets;
#[cfg(test)]
mod tests;
mod transfer;

use std::sync::Arc;

use nalgebra::Vector3;

use crate::assemble::check_collider;
use crate::constraints::attachment::AttachmentState;
use crate::error::{MASS_RANGE, check_finite, is_mass};
use crate::gate_state::GateState;
use crate::islands;
use crate::rigid::RigidState;
use crate::simulation::Simulation;
use crate::threads::Threads;
use crate::{
    BuildError, ClothDesc, ClothId, Collider, ColliderId, FrictionPart, Material, MeshBodyDesc, MeshBodyId,
    RigidBodyDesc, Settings, SimulationBuilder, StepError, Wind,
};

impl Simulation {
    /// The scene description: settings, cloths, mesh bodies and colliders as they were described, not where
    /// they are now.
    #[must_use]
    pub fn scene(&self) -> &SimulationBuilder {
        &self.scene
    }

    /// Changes the scene between steps, atomically.
    ///
    /// Parts that stay in the scene keep positions, velocities, pins, masses, targets, poses and contact
    /// history. A cloth or body stays if its vertex count and faces are unchanged; new mesh positions only
    /// affect [`Simulation::reset`]. New parts start as described. If a part was added, removed or changed in
    /// its faces, or if other pairs are exempt from the gate than before (regions and their interactions,
    /// exclusions, stitches, self-collision), the state is checked exactly at the next step, and
    /// intersections become tangles.
    ///
    /// Ids remain valid, but vertex and face indices in the common arrays change: query
    /// [`Simulation::cloth_vertices`] again. Earlier snapshots do not fit the new scene.
    ///
    /// The simulation is rebuilt, at the cost of [`SimulationBuilder::build`]; several changes in one call
    /// cost one rebuild. Settings, pins and colliders have cheap methods of their own.
    ///
    /// # Errors
    /// If `change` returns an error, or if the new scene cannot be built; nothing has changed then.
    pub fn edit<R>(
        &mut self,
        change: impl FnOnce(&mut SimulationBuilder) -> Result<R, BuildError>,
    ) -> Result<R, BuildError> {
        let mut scene = SimulationBuilder::clone(&self.scene);
        let result = change(&mut scene)?;
        self.rebuild(&scene)?;
        Ok(result)
    }

    /// Adds a cloth; see [`Simulation::edit`] for the cost, and for adding several at once.
    ///
    /// # Errors
    /// If the cloth cannot be built; nothing has changed then.
    pub fn add_cloth(&mut self, cloth: ClothDesc) -> Result<ClothId, BuildError> {
        self.edit(|scene| Ok(scene.add_cloth(cloth)))
    }

    /// Removes a cloth; see [`Simulation::edit`].
    ///
    /// # Errors
    /// [`BuildError::NotFound`] if there is no such cloth.
    pub fn remove_cloth(&mut self, cloth: ClothId) -> Result<ClothDesc, BuildError> {
        self.edit(|scene| scene.remove_cloth(cloth))
    }

    /// Adds a mesh body; see [`Simulation::edit`].
    ///
    /// # Errors
    /// If the body cannot be built; nothing has changed then.
    pub fn add_mesh_body(&mut self, body: MeshBodyDesc) -> Result<MeshBodyId, BuildError> {
        self.edit(|scene| Ok(scene.add_mesh_body(body)))
    }

    /// Removes a mesh body; see [`Simulation::edit`].
    ///
    /// # Errors
    /// [`BuildError::NotFound`] if there is no such body.
    pub fn remove_mesh_body(&mut self, body: MeshBodyId) -> Result<MeshBodyDesc, BuildError> {
        self.edit(|scene| scene.remove_mesh_body(body))
    }

    /// Replaces the material of a cloth; see [`Simulation::edit`]. The faces of [`ClothDesc::face_materials`]
    /// keep theirs. Masses set individually are kept; the others follow the new density.
    ///
    /// # Errors
    /// If there is no such cloth, or if a number of the material is out of range; nothing has changed then.
    pub fn set_material(&mut self, cloth: ClothId, material: Material) -> Result<(), BuildError> {
        self.edit(|scene| {
            let missing = BuildError::not_found("cloth", cloth.0, scene.cloths.len());
            scene.cloth_mut(cloth).ok_or(missing).map(|desc| desc.material = material)
        })
    }

    /// Replaces the settings from the next step on.
    ///
    /// Free for gravity, wind, friction, damping, limits, substeps, iterations and intervals. Switching the
    /// gate on makes the next step check the state exactly. Changes of `model`, `self_collision`, `contacts`,
    /// `layer_order`, `layer_depth`, `particles` or `threads` rebuild the simulation as [`Simulation::edit`]
    /// does.
    ///
    /// # Errors
    /// If a setting is out of range; nothing has changed then.
    pub fn set_settings(&mut self, settings: Settings) -> Result<(), BuildError> {
        settings.check()?;
        let old = self.settings;
        let rebuilds = Settings {
            model: settings.model,
            self_collision: settings.self_collision,
            contacts: settings.contacts,
            layer_order: settings.layer_order,
            layer_depth: settings.layer_depth,
            particles: settings.particles,
            threads: settings.threads,
            ..old
        } != old;
        if rebuilds {
            return self.edit(|scene| {
                *scene.settings_mut() = settings;
                Ok(())
            });
        }
        if settings != old {
            self.wake_all();
        }
        self.settings = settings;
        Arc::make_mut(&mut self.scene).settings = settings;
        if settings.gate != old.gate {
            let has_gate = settings.gate && settings.self_collision;
            self.gate = has_gate.then(|| GateState::new(&self.assets.surface, &self.scene.broad_phase));
            Arc::make_mut(&mut self.fingerprint).set_gate(settings.gate);
        }
        Ok(())
    }

    /// Sets gravity (m/s2).
    ///
    /// # Errors
    /// If it is not finite.
    pub fn set_gravity(&mut self, gravity: Vector3<f32>) -> Result<(), BuildError> {
        self.set_settings(Settings { gravity, ..self.settings })
    }

    /// Sets the wind.
    ///
    /// # Errors
    /// If a number is out of range.
    pub fn set_wind(&mut self, wind: Wind) -> Result<(), BuildError> {
        self.set_settings(Settings { wind, ..self.settings })
    }

    /// Sets the friction coefficient of a part from the next step on; see
    /// [`SimulationBuilder::set_friction`]. Cheap.
    ///
    /// # Errors
    /// If there is no such part, or if the coefficient is negative or not finite.
    pub fn set_friction(
        &mut self,
        part: impl Into<FrictionPart>,
        coefficient: f32,
    ) -> Result<(), BuildError> {
        let part = part.into();
        Arc::make_mut(&mut self.scene).set_friction(part, coefficient)?;
        if let FrictionPart::Collider(id) = part
            && let Some(index) = self.scene.colliders.index(id.0)
        {
            self.colliders[index].friction = coefficient;
            self.update_collider_fingerprint();
        }
        self.wake_all();
        Ok(())
    }

    /// Sets the friction coefficient of a pair of parts from the next step on; see
    /// [`SimulationBuilder::set_pair_friction`]. Cheap.
    ///
    /// # Errors
    /// If there is no such part, or if the coefficient is negative or not finite.
    pub fn set_pair_friction(
        &mut self,
        a: impl Into<FrictionPart>,
        b: impl Into<FrictionPart>,
        coefficient: f32,
    ) -> Result<(), BuildError> {
        Arc::make_mut(&mut self.scene).set_pair_friction(a, b, coefficient)?;
        self.wake_all();
        Ok(())
    }

    /// Adds a collider at its pose. Cheap, unless it is guarded: then it is as [`Simulation::edit`].
    ///
    /// # Errors
    /// If its pose is not finite or beyond 1e7 m, or if it is guarded and there are too many parts; nothing
    /// has changed then.
    pub fn add_collider(&mut self, collider: Collider) -> Result<ColliderId, BuildError> {
        if collider.guarded_axis().is_some() {
            return self.edit(|scene| Ok(scene.add_collider(collider)));
        }
        check_collider(self.scene.colliders.next_id(), &collider)?;
        self.colliders.push(collider.clone());
        let id = Arc::make_mut(&mut self.scene).add_collider(collider);
        self.update_collider_fingerprint();
        Ok(id)
    }

    /// Adds a rigid body; see [`Simulation::edit`] for the cost.
    ///
    /// # Errors
    /// If a number is out of range, or if the shape has no mass; nothing has changed then.
    pub fn add_rigid_body(&mut self, body: RigidBodyDesc) -> Result<ColliderId, BuildError> {
        self.edit(|scene| Ok(scene.add_rigid_body(body)))
    }

    /// Removes a collider and returns it with its current pose. Costs what [`Simulation::add_collider`]
    /// costs.
    ///
    /// # Errors
    /// If there is no such collider; nothing has changed then.
    pub fn remove_collider(&mut self, collider: ColliderId) -> Result<Collider, BuildError> {
        let missing = BuildError::not_found("collider", collider.0, self.scene.colliders.len());
        let index = self.scene.colliders.index(collider.0).ok_or(missing)?;
        if self.colliders[index].guarded_axis().is_some() || self.is_rigid_body(collider) {
            let removed = self.colliders[index].clone();
            return self.edit(|scene| scene.remove_collider(collider)).map(|_| removed);
        }
        let scene = Arc::make_mut(&mut self.scene);
        scene.colliders.remove(collider.0);
        scene.friction.remove(collider.into());
        let removed = self.colliders.remove(index);
        self.update_collider_fingerprint();
        Ok(removed)
    }

    /// Pins a vertex at its current position.
    ///
    /// Tethers are rebuilt before the next step, once for any number of pins; that allocates and takes 1 to 2
    /// ms per thousand vertices.
    ///
    /// # Errors
    /// If there is no such cloth or vertex.
    pub fn pin(&mut self, cloth: ClothId, vertex: u32) -> Result<(), StepError> {
        self.set_mass(cloth, vertex, f32::INFINITY)
    }

    /// Sets the mass (kg) of a vertex; an infinite mass pins it, a finite mass unpins it.
    ///
    /// # Errors
    /// If there is no such cloth or vertex, or if the mass is not greater than zero, or so small or large
    /// that it or its inverse is not a normal `f32`.
    pub fn set_mass(&mut self, cloth: ClothId, vertex: u32, mass: f32) -> Result<(), StepError> {
        let v = self.vertex(cloth, vertex)?;
        if !is_mass(mass) {
            return Err(StepError::Value { what: "mass", value: mass, requirement: MASS_RANGE });
        }
        self.wake(cloth)?;
        self.state.set_inv_mass(v, 1.0 / mass);
        self.constraints.update_masses(&self.state.inv_mass);
        Ok(())
    }

    /// Sets the velocity (m/s) of a vertex. A pinned vertex still follows its target.
    ///
    /// # Errors
    /// If there is no such cloth or vertex, or if the velocity is not finite.
    pub fn set_velocity(
        &mut self,
        cloth: ClothId,
        vertex: u32,
        velocity: Vector3<f32>,
    ) -> Result<(), StepError> {
        let v = self.vertex(cloth, vertex)?;
        check_finite("velocity", velocity)?;
        self.wake(cloth)?;
        self.state.v[v] = velocity;
        Ok(())
    }

    /// Pins vertices of a cloth at their current positions; as [`Simulation::pin`], at the cost of one call.
    ///
    /// # Errors
    /// If there is no such cloth or vertex; nothing has changed then.
    pub fn pin_all(&mut self, cloth: ClothId, vertices: &[u32]) -> Result<(), StepError> {
        self.set_masses(cloth, vertices, |_| 0.0)
    }

    /// Lets an attachment hold its vertex where it is now, or no longer hold it; numbered as in
    /// [`Simulation::move_attachment`]. All hold at first. One that holds or does not as asked is unchanged.
    ///
    /// Tethers are rebuilt before the next step, as for [`Simulation::pin`].
    ///
    /// # Errors
    /// If there is no such attachment.
    pub fn set_attachment(&mut self, attachment: usize, holds: bool) -> Result<(), StepError> {
        let v = self.attachment_vertex(attachment)?;
        if self.state.attachments[attachment].holds != holds {
            let cloth = self.assets.parts.partition_point(|part| part.vertices.end <= v);
            self.wake(self.cloth_id(cloth)?)?;
            self.state.attachments[attachment] =
                AttachmentState { holds, ..AttachmentState::holding(self.state.x[v]) };
        }
        Ok(())
    }

    /// Numbers that the caller keeps with the state: a snapshot contains them, [`Simulation::restore`] brings
    /// them back, [`Simulation::reset`] clears them, and no step reads them. For what a program has to know
    /// to go on from a snapshot; a scene of `cloth-scene` keeps there which of its timed pins hold. They have
    /// to be finite, or the snapshot is refused.
    pub fn user_data_mut(&mut self) -> &mut Vec<f64> {
        &mut self.state.user_data
    }

    /// Unpins vertices of a cloth, with the masses of its description. Vertices that are not pinned are
    /// unchanged.
    ///
    /// # Errors
    /// If there is no such cloth or vertex, or if the description gives a vertex no finite mass: it has an
    /// infinite one, or belongs to no face. Nothing has changed then.
    pub fn unpin_all(&mut self, cloth: ClothId, vertices: &[u32]) -> Result<(), StepError> {
        for &v in vertices {
            if self.assets.free_inv_mass[self.vertex(cloth, v)?] == 0.0 {
                let requirement =
                    "greater than zero and finite in the cloth's description; use set_mass instead";
                return Err(StepError::Value {
                    what: "mass of an unpinned vertex",
                    value: f32::INFINITY,
                    requirement,
                });
            }
        }
        let (inv_mass, assets) = (self.state.sleep.inv_mass.clone(), Arc::clone(&self.assets));
        self.set_masses(cloth, vertices, |v| {
            if inv_mass[v] == 0.0 { assets.free_inv_mass[v] } else { inv_mass[v] }
        })
    }

    fn set_masses(
        &mut self,
        cloth: ClothId,
        vertices: &[u32],
        inv_mass: impl Fn(usize) -> f32,
    ) -> Result<(), StepError> {
        let first = self.cloth_part(cloth)?.vertices.start;
        vertices.iter().try_for_each(|&v| self.vertex(cloth, v).map(|_| ()))?;
        self.wake(cloth)?;
        for v in vertices.iter().map(|&v| first + v as usize) {
            self.state.set_inv_mass(v, inv_mass(v));
        }
        self.constraints.update_masses(&self.state.inv_mass);
        Ok(())
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

    /// Wakes a cloth. Does nothing but restart its rest time if it is awake.
    ///
    /// # Errors
    /// If there is no such cloth.
    pub fn wake(&mut self, cloth: ClothId) -> Result<(), StepError> {
        let index = self.cloth_index(cloth)?;
        if self.state.wake(index, self.assets.parts[index].vertices.clone()) {
            self.apply_sleep();
        }
        Ok(())
    }

    /// Wakes all cloths.
    pub fn wake_all(&mut self) {
        let any = self.state.sleep.asleep.contains(&true);
        self.state.wake_all();
        if any {
            self.apply_sleep();
        }
    }

    /// Brings what follows from the state of sleeping up to date.
    pub(crate) fn apply_sleep(&mut self) {
        islands::apply(&self.state, &self.assets, &mut self.constraints, &mut self.detection);
    }

    fn update_collider_fingerprint(&mut self) {
        self.wake_all();
        self.detection.contacts.colliders.clear();
        self.detection.contacts.faces.clear();
        self.detection.colliders.reset();
        Arc::make_mut(&mut self.fingerprint).colliders(self.scene.colliders.items());
    }

    fn rebuild(&mut self, scene: &SimulationBuilder) -> Result<(), BuildError> {
        let threads = match scene.settings.threads == self.settings.threads {
            true => self.runtime.threads.clone(),
            false => Threads::new(scene.settings.threads)?,
        };
        let mut new = scene.assemble(threads)?;
        transfer::transfer(&mut new, self);
        *self = new;
        Ok(())
    }
}
