//! The simulation: its state, and basic access to it.

use std::ops::Range;
use std::sync::Arc;

use cloth_contacts::particles::{PointPoint, RestConflict};
use cloth_contacts::{CachedContacts, ContactCache, Contacts, Surface};
use nalgebra::{Isometry3, Point3, Vector3};

use crate::assets::{Assets, Part};
use crate::checkpoint::SceneFingerprint;
use crate::clock::Clock;
use crate::constraints::ElasticConstraints;
use crate::detection::Detection;
use crate::gate_state::GateState;
use crate::recovery::Recovery;
use crate::scratch::Scratch;
use crate::state::State;
use crate::threads::Threads;
use crate::{ClothId, Collider, MeshBodyId, Settings, SimulationBuilder, StepError, StepReport};

/// The id of a collider. Ids of a new scene count from 0; no id is used twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ColliderId(pub usize);

/// A simulation of cloths, mesh bodies and colliders.
///
/// Built by [`SimulationBuilder`](crate::SimulationBuilder). All vertices lie in common arrays: first the
/// cloths, in the order in which they were added, then the mesh bodies, then the axes of guarded colliders.
// | field | contents |
// |---|---|
// | `settings`, `scene`, `fingerprint`, `assets` | what the simulation was built of, and what follows from that alone |
// | `state`, `colliders`, `detection`, `gate` | the dynamic state: what a checkpoint saves, with the drivers that keep some of it |
// | `constraints`, `recovery`, `scratch` | what follows from the others, and memory |
// | `report` | results of the last step |
// | `runtime` | threads and clock |
#[derive(Clone, Debug)]
pub struct Simulation {
    pub(crate) settings: Settings,
    /// What the simulation was built of; edits rebuild it.
    pub(crate) scene: Arc<SimulationBuilder>,
    /// Decides which snapshots are compatible.
    pub(crate) fingerprint: Arc<SceneFingerprint>,
    pub(crate) assets: Arc<Assets>,
    pub(crate) state: State,
    /// The colliders, with their poses at the two ends of the step.
    pub(crate) colliders: Vec<Collider>,
    pub(crate) detection: Detection,
    /// `None` if the settings switch the gate off.
    pub(crate) gate: Option<GateState>,
    pub(crate) constraints: ElasticConstraints,
    pub(crate) recovery: Recovery,
    pub(crate) scratch: Scratch,
    pub(crate) report: StepReport,
    pub(crate) runtime: Runtime,
}

/// What a simulation runs on, and what it records; without influence on results.
#[derive(Clone, Debug)]
pub(crate) struct Runtime {
    pub(crate) threads: Threads,
    /// The clock of the stage times.
    pub(crate) clock: Clock,
    /// Whether the gate records which pairs it examines.
    pub(crate) records_examined: bool,
}

impl Simulation {
    /// The settings.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Time (s) that has been simulated since the start or the last [`Simulation::reset`].
    #[must_use]
    pub fn time(&self) -> f64 {
        self.state.time
    }

    /// Positions (m) of all vertices.
    #[must_use]
    pub fn positions(&self) -> &[Point3<f32>] {
        &self.state.x
    }

    /// Velocities (m/s) of all vertices.
    #[must_use]
    pub fn velocities(&self) -> &[Vector3<f32>] {
        &self.state.v
    }

    /// Faces over all vertices.
    #[must_use]
    pub fn faces(&self) -> &[[u32; 3]] {
        self.assets.surface.topology().faces()
    }

    /// The collision surface of all cloths, mesh bodies and axes of guarded colliders.
    #[must_use]
    pub fn surface(&self) -> &Surface {
        &self.assets.surface
    }

    /// The contacts of the last substep.
    #[must_use]
    pub fn contacts(&self) -> &Contacts {
        &self.detection.contacts.cloth
    }

    /// Particle contacts of the last detection.
    #[must_use]
    pub fn particle_contacts(&self) -> &[PointPoint] {
        &self.detection.contacts.particles
    }

    /// Whether particle radii are too large for the mesh edges; `None` if they are not.
    #[must_use]
    pub fn rest_conflict(&self) -> Option<RestConflict> {
        self.assets.particle_rules.rest_conflict(&self.assets.surface)
    }

    /// The cached contacts, to be saved and passed to
    /// [`SimulationBuilder::set_contact_cache`](crate::SimulationBuilder::set_contact_cache) later; `None` if
    /// contacts are detected.
    #[must_use]
    pub fn contact_cache(&self) -> Option<&ContactCache> {
        self.detection.cached.as_ref().map(CachedContacts::cache)
    }

    /// The colliders with their poses at the two ends of the last step.
    #[must_use]
    pub fn colliders(&self) -> &[Collider] {
        &self.colliders
    }

    /// Number of cloths.
    #[must_use]
    pub fn cloth_count(&self) -> usize {
        self.scene.cloths.len()
    }

    /// The vertices of a cloth in the common arrays; `None` if there is no such cloth.
    #[must_use]
    pub fn cloth_vertices(&self, cloth: ClothId) -> Option<Range<usize>> {
        self.cloth_part(cloth).ok().map(|p| p.vertices.clone())
    }

    /// The faces of a cloth in the common array; `None` if there is no such cloth.
    #[must_use]
    pub fn cloth_faces(&self, cloth: ClothId) -> Option<Range<usize>> {
        self.cloth_part(cloth).ok().map(|p| p.faces.clone())
    }

    /// The report of the last step.
    #[must_use]
    pub fn report(&self) -> &StepReport {
        &self.report
    }

    /// A hash of the bits of all positions and velocities, the same on every machine.
    #[must_use]
    pub fn state_hash(&self) -> u64 {
        let numbers =
            self.state.x.iter().flat_map(|p| p.iter()).chain(self.state.v.iter().flat_map(|v| v.iter()));
        cloth_geom::fnv1a(numbers.flat_map(|c| c.to_bits().to_le_bytes()))
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
    /// If there is no such cloth or vertex, or if the mass is not greater than zero.
    pub fn set_mass(&mut self, cloth: ClothId, vertex: u32, mass: f32) -> Result<(), StepError> {
        let v = self.vertex(cloth, vertex)?;
        if mass.is_nan() || mass <= 0.0 {
            return Err(StepError::Value { what: "mass", value: mass, requirement: "greater than zero" });
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

    pub(crate) fn cloth_part(&self, cloth: ClothId) -> Result<&Part, StepError> {
        let count = self.scene.cloths.len();
        let index = self.scene.cloths.index(cloth.0);
        index.map(|index| &self.assets.parts[index]).ok_or(StepError::NotFound {
            what: "cloth",
            index: cloth.0,
            count,
        })
    }

    pub(crate) fn body_part(&self, body: MeshBodyId) -> Result<&Part, StepError> {
        let (cloths, count) = (self.scene.cloths.len(), self.scene.bodies.len());
        let index = self.scene.bodies.index(body.0);
        let missing = StepError::NotFound { what: "mesh body", index: body.0, count };
        index.map(|index| &self.assets.parts[cloths + index]).ok_or(missing)
    }

    pub(crate) fn vertex(&self, cloth: ClothId, vertex: u32) -> Result<usize, StepError> {
        let range = self.cloth_part(cloth)?.vertices.clone();
        let missing = StepError::NotFound { what: "vertex", index: vertex as usize, count: range.len() };
        if (vertex as usize) < range.len() { Ok(range.start + vertex as usize) } else { Err(missing) }
    }
}

/// Checks a pose; `what` names it in the message.
pub(crate) fn check_finite_pose(what: &'static str, pose: &Isometry3<f32>) -> Result<(), StepError> {
    check_finite(what, pose.translation.vector)?;
    check_finite(what, pose.rotation.coords.xyz())?;
    check_finite(what, Vector3::repeat(pose.rotation.coords.w))
}

pub(crate) fn check_finite(what: &'static str, vector: Vector3<f32>) -> Result<(), StepError> {
    match vector.iter().find(|c| !c.is_finite()) {
        Some(&value) => Err(StepError::Value { what, value, requirement: "finite" }),
        None => Ok(()),
    }
}
