//! The simulation: its state, and basic access to it.

use std::ops::Range;
use std::sync::Arc;

use cloth_broadphase::BlockTree;
use cloth_contacts::collider::{ColliderContact, ColliderDetector};
use cloth_contacts::particles::{PointPoint, RestConflict};
use cloth_contacts::{CachedContacts, ContactCache, Contacts, Detector, Surface};
use nalgebra::{Isometry3, Point3, Vector3};

use crate::checkpoint::SceneFingerprint;
use crate::clock::Clock;
use crate::constraints::ElasticConstraints;
use crate::constraints::bodies::Packed;
use crate::constraints::contact::{AccumulatedCorrection, ColliderConstraint, FrictionConstraint};
use crate::constraints::truncate::Truncation;
use crate::damping::ClothDamping;
use crate::gate_state::GateState;
use crate::local_frame::ClothFrame;
use crate::particles::Particles;
use crate::queries::IntersectionCache;
use crate::recovery::Recovery;
use crate::stages::rollback::RollbackState;
use crate::threads::Threads;
use crate::{ClothId, Collider, MeshBodyId, Settings, SimulationBuilder, StepError, StepReport};

/// The id of a collider. Ids of a new scene count from 0; no id is used twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ColliderId(pub usize);

/// Ranges of one cloth or mesh body in the common arrays.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(crate) vertices: Range<usize>,
    pub(crate) faces: Range<usize>,
    pub(crate) kinematic: bool,
}

/// Positions and velocities.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct State {
    /// Positions (m).
    pub(crate) x: Vec<Point3<f32>>,
    /// Velocities (m/s).
    pub(crate) v: Vec<Vector3<f32>>,
    /// Velocities (m/s) of the local frames at their vertices in the last substep; empty without local frames.
    pub(crate) frame_velocities: Vec<Vector3<f32>>,
}

impl Clone for State {
    fn clone(&self) -> Self {
        Self { x: self.x.clone(), v: self.v.clone(), frame_velocities: self.frame_velocities.clone() }
    }

    /// Without allocating, where there is room.
    fn clone_from(&mut self, other: &Self) {
        self.x.clone_from(&other.x);
        self.v.clone_from(&other.v);
        self.frame_velocities.clone_from(&other.frame_velocities);
    }
}

/// A simulation of cloths, mesh bodies and colliders.
///
/// Built by [`SimulationBuilder`](crate::SimulationBuilder). All vertices lie in common arrays: first the
/// cloths, in the order in which they were added, then the mesh bodies.
#[derive(Clone, Debug)]
pub struct Simulation<B = BlockTree> {
    pub(crate) settings: Settings,
    pub(crate) parts: Vec<Part>,
    pub(crate) state: State,
    /// Positions at the start, for [`Simulation::reset`].
    pub(crate) start: Vec<Point3<f32>>,
    /// Positions at the start of the substep.
    pub(crate) x_t0: Vec<Point3<f32>>,
    /// Where kinematic vertices are when the step begins, and where they are to be when it ends.
    pub(crate) goal_t0: Vec<Point3<f32>>,
    pub(crate) goal_t1: Vec<Point3<f32>>,
    pub(crate) inv_mass: Vec<f32>,
    /// The inverse mass that each vertex has by its description while it is not pinned.
    pub(crate) free_inv_mass: Vec<f32>,
    /// Displacements predicted over the substep (m).
    pub(crate) displacements: Vec<Vector3<f32>>,
    /// Displacements up to the next detection (m), scratch.
    pub(crate) lookahead: Vec<Vector3<f32>>,
    /// Positions as the solver holds them, scratch.
    pub(crate) packed: Vec<Packed>,
    pub(crate) packed_t0: Vec<Packed>,
    /// What each contact has done in the substep, scratch.
    pub(crate) corrections: Vec<AccumulatedCorrection>,
    /// The contacts that friction acts in, scratch.
    pub(crate) friction_constraints: Vec<FrictionConstraint>,
    pub(crate) collider_constraints: Vec<ColliderConstraint>,
    /// Room for the planes that hold contacts apart.
    pub(crate) truncation: Truncation,
    /// What the air gives each vertex (N s), scratch.
    pub(crate) impulses: Vec<Packed>,
    pub(crate) elastic: ElasticConstraints,
    pub(crate) damping: Vec<ClothDamping>,
    pub(crate) cloth_frames: Vec<ClothFrame>,
    pub(crate) surface: Surface,
    pub(crate) detector: Detector<B>,
    /// What certifies motions, if the settings ask for it.
    pub(crate) gated: Option<GateState<B>>,
    /// Whether the gate records which pairs it examines.
    pub(crate) records_examined: bool,
    pub(crate) contacts: Contacts,
    pub(crate) particles: Particles<B>,
    /// Contacts that were computed once, if nothing is detected.
    pub(crate) cached: Option<CachedContacts>,
    pub(crate) collider_detector: ColliderDetector,
    pub(crate) collider_contacts: Vec<ColliderContact>,
    pub(crate) colliders: Vec<Collider>,
    /// The colliders over the present substep.
    pub(crate) substep_colliders: Vec<Collider>,
    /// Thickness (m) of the thinnest cloth.
    pub(crate) min_thickness: f32,
    /// The thickest cloth for its mesh, if it is thicker than its mean edge.
    pub(crate) excessive_thickness: Option<(ClothId, f32)>,
    /// Slack of candidate lists (m).
    pub(crate) slack: f32,
    pub(crate) recovery: Recovery,
    pub(crate) threads: Threads,
    /// Where stage times are read from.
    pub(crate) clock: Clock,
    /// What a step that fails returns to.
    pub(crate) rollback: RollbackState,
    /// What a snapshot has to be of to be restored here.
    pub(crate) fingerprint: Arc<SceneFingerprint>,
    /// What the simulation was built of, and what it is built of anew when that changes.
    pub(crate) scene: Arc<SimulationBuilder>,
    /// The exact check of the present state, once it was asked for.
    pub(crate) intersection_cache: Option<Box<IntersectionCache>>,
    pub(crate) report: StepReport,
}

impl<B> Simulation<B> {
    /// The settings.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
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
        self.surface.topology().faces()
    }

    /// The collision surface of all cloths and mesh bodies.
    #[must_use]
    pub fn surface(&self) -> &Surface {
        &self.surface
    }

    /// The contacts of the last substep.
    #[must_use]
    pub fn contacts(&self) -> &Contacts {
        &self.contacts
    }

    /// Particle contacts of the last detection.
    #[must_use]
    pub fn particle_contacts(&self) -> &[PointPoint] {
        &self.particles.contacts
    }

    /// Whether particle radii are too large for the mesh edges; `None` if they are not.
    #[must_use]
    pub fn rest_conflict(&self) -> Option<RestConflict> {
        self.particles.rules.rest_conflict(&self.surface)
    }

    /// The cached contacts, to be saved and passed to
    /// [`SimulationBuilder::set_contact_cache`](crate::SimulationBuilder::set_contact_cache) later; `None` if
    /// contacts are detected.
    #[must_use]
    pub fn contact_cache(&self) -> Option<&ContactCache> {
        self.cached.as_ref().map(CachedContacts::cache)
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
        self.inv_mass[v] = 1.0 / mass;
        if self.inv_mass[v] == 0.0 {
            self.state.v[v] = Vector3::zeros();
        }
        self.elastic.update_masses(&self.inv_mass);
        self.goal_t0[v] = self.state.x[v];
        self.goal_t1[v] = self.state.x[v];
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
        self.state.v[v] = velocity;
        Ok(())
    }

    pub(crate) fn cloth_part(&self, cloth: ClothId) -> Result<&Part, StepError> {
        let count = self.scene.cloths.len();
        let index = self.scene.cloths.index(cloth.0);
        index.map(|index| &self.parts[index]).ok_or(StepError::NotFound {
            what: "cloth",
            index: cloth.0,
            count,
        })
    }

    pub(crate) fn body_part(&self, body: MeshBodyId) -> Result<&Part, StepError> {
        let (cloths, count) = (self.scene.cloths.len(), self.scene.bodies.len());
        let index = self.scene.bodies.index(body.0);
        let missing = StepError::NotFound { what: "mesh body", index: body.0, count };
        index.map(|index| &self.parts[cloths + index]).ok_or(missing)
    }

    pub(crate) fn vertex(&self, cloth: ClothId, vertex: u32) -> Result<usize, StepError> {
        let range = self.cloth_part(cloth)?.vertices.clone();
        let missing = StepError::NotFound { what: "vertex", index: vertex as usize, count: range.len() };
        if (vertex as usize) < range.len() { Ok(range.start + vertex as usize) } else { Err(missing) }
    }
}

/// Each message names what the pose is of.
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
