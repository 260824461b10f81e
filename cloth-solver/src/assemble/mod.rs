//! Assembly: from validated descriptions to a simulation.

mod check;
mod layout;
mod prepared;

use std::collections::BTreeMap;
use std::sync::Arc;

use cloth_broadphase::{AnyBroadPhase, BroadPhase};
use cloth_contacts::Interaction;
use nalgebra::Isometry3;

use crate::checkpoint::SceneFingerprint;
use crate::cloth::{ClothDesc, ClothId, MeshBodyDesc, MeshBodyId};
use crate::cloth_asset::{ClothAsset, SceneCloth};
use crate::friction::FrictionRules;
use crate::regions::InteractionRule;
use crate::registry::Registry;
use crate::simulation::Simulation;
use crate::threads::Threads;
use crate::{BuildError, Collider, ColliderId, ContactCache, RigidBodyDesc, Settings, StepError};
use check::check_mesh;
use layout::Layout;
pub(crate) use prepared::PreparedCloth;

/// A builder: collects cloths, mesh bodies and colliders, and builds a [`Simulation`].
///
/// A simulation keeps its builder so that [`Simulation::edit`] can change it later. An id stays valid until
/// its item is removed.
#[derive(Clone, Debug, Default)]
pub struct SimulationBuilder {
    pub(crate) settings: Settings,
    pub(crate) cloths: Registry<SceneCloth>,
    pub(crate) bodies: Registry<Arc<MeshBodyDesc>>,
    pub(crate) colliders: Registry<Collider>,
    /// The rigid bodies by the ids of their colliders.
    pub(crate) rigid_bodies: BTreeMap<usize, RigidBodyDesc>,
    interaction: Interaction,
    rules: Vec<InteractionRule>,
    cache: Option<ContactCache>,
    pub(crate) friction: FrictionRules,
    /// Copied by each detector and gate.
    pub(crate) broad_phase: AnyBroadPhase,
}

impl SimulationBuilder {
    /// An empty scene.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        Self { settings, ..Self::default() }
    }

    /// Adds a cloth.
    pub fn add_cloth(&mut self, cloth: ClothDesc) -> ClothId {
        ClothId(self.cloths.add(cloth.into()))
    }

    /// Adds an instance of an asset, whose start, attachment targets and local frame are moved by `pose`; its
    /// rest shape is that of the asset.
    ///
    /// The result equals, in every bit, that of a cloth with the same description that is added by
    /// [`Self::add_cloth`] with its start moved and its rest shape kept. [`Self::cloth`] and
    /// [`Self::remove_cloth`] give the description of the asset, without the pose.
    pub fn add_instance(&mut self, asset: &ClothAsset, pose: &Isometry3<f32>) -> ClothId {
        ClothId(self.cloths.add(SceneCloth::instance(asset, pose)))
    }

    /// Adds a kinematic mesh body; [`Simulation::move_mesh_body`] moves its vertices.
    pub fn add_mesh_body(&mut self, body: MeshBodyDesc) -> MeshBodyId {
        MeshBodyId(self.bodies.add(Arc::new(body)))
    }

    /// Adds a collider.
    pub fn add_collider(&mut self, collider: Collider) -> ColliderId {
        ColliderId(self.colliders.add(collider))
    }

    /// Adds a rigid body: a collider with a mass, that gravity and contacts move. Its id is that of the
    /// collider.
    pub fn add_rigid_body(&mut self, body: RigidBodyDesc) -> ColliderId {
        let id = self.colliders.add(body.collider.clone());
        self.rigid_bodies.insert(id, body);
        ColliderId(id)
    }

    /// Removes a cloth and returns its description.
    ///
    /// # Errors
    /// [`BuildError::NotFound`] if there is no such cloth.
    pub fn remove_cloth(&mut self, cloth: ClothId) -> Result<ClothDesc, BuildError> {
        let missing = BuildError::not_found("cloth", cloth.0, self.cloths.len());
        self.friction.remove(cloth.into());
        self.cloths.remove(cloth.0).map(SceneCloth::into_desc).ok_or(missing)
    }

    /// Removes a mesh body and returns its description.
    ///
    /// # Errors
    /// [`BuildError::NotFound`] if there is no such body.
    pub fn remove_mesh_body(&mut self, body: MeshBodyId) -> Result<MeshBodyDesc, BuildError> {
        let missing = BuildError::not_found("mesh body", body.0, self.bodies.len());
        self.friction.remove(body.into());
        self.bodies.remove(body.0).map(Arc::unwrap_or_clone).ok_or(missing)
    }

    /// Removes a collider or a rigid body and returns the collider.
    ///
    /// # Errors
    /// [`BuildError::NotFound`] if there is no such collider.
    pub fn remove_collider(&mut self, collider: ColliderId) -> Result<Collider, BuildError> {
        let missing = BuildError::not_found("collider", collider.0, self.colliders.len());
        self.friction.remove(collider.into());
        self.rigid_bodies.remove(&collider.0);
        self.colliders.remove(collider.0).ok_or(missing)
    }

    /// The description of a cloth; `None` if there is no such cloth.
    #[must_use]
    pub fn cloth(&self, cloth: ClothId) -> Option<&ClothDesc> {
        self.cloths.get(cloth.0).map(|cloth| &**cloth)
    }

    /// Mutable description of a cloth; `None` if there is no such cloth.
    pub fn cloth_mut(&mut self, cloth: ClothId) -> Option<&mut ClothDesc> {
        self.cloths.get_mut(cloth.0).map(SceneCloth::desc_mut)
    }

    /// The settings.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Mutable settings.
    pub fn settings_mut(&mut self) -> &mut Settings {
        &mut self.settings
    }

    /// Sets the interaction of every pair of regions, each with itself included, that
    /// [`Self::set_interaction`] does not set. Initially regions collide in full.
    pub fn set_default_interaction(&mut self, interaction: Interaction) {
        self.interaction = interaction;
    }

    /// Sets the interaction of two regions by name, in either order; the last call for a pair wins. Both
    /// names may be equal. [`UNASSIGNED_REGION`](crate::UNASSIGNED_REGION) names the faces without a region.
    pub fn set_interaction(&mut self, a: impl Into<String>, b: impl Into<String>, interaction: Interaction) {
        self.rules.push(InteractionRule { names: [a.into(), b.into()], interaction });
    }

    /// Sets cached contacts that were computed before, for
    /// [`ContactSource::Cached`](crate::ContactSource::Cached). Otherwise they are computed in the start
    /// pose.
    pub fn set_contact_cache(&mut self, cache: ContactCache) {
        self.cache = Some(cache);
    }

    /// Sets the broad phase of detection and gate, by default a [`BlockTree`](cloth_broadphase::BlockTree).
    /// Results do not depend on it.
    ///
    /// ```
    /// use cloth_broadphase::ParryBvh;
    /// use cloth_solver::{Settings, SimulationBuilder};
    ///
    /// let mut builder = SimulationBuilder::new(Settings::default());
    /// builder.set_broad_phase(ParryBvh::default());
    /// ```
    pub fn set_broad_phase(&mut self, broad_phase: impl BroadPhase) {
        self.broad_phase = broad_phase.into_any();
    }

    /// Builds the simulation.
    ///
    /// # Errors
    /// If a value or index is out of range; the message names it and the requirement.
    pub fn build(&self) -> Result<Simulation, BuildError> {
        self.settings.check()?;
        self.assemble(Threads::new(self.settings.threads)?)
    }

    /// Builds the simulation with existing threads.
    pub(crate) fn assemble(&self, threads: Threads) -> Result<Simulation, BuildError> {
        self.settings.check()?;
        let part_count = self.cloths.len() + self.bodies.len() + self.guarded().count();
        if part_count > usize::from(u16::MAX) {
            return Err(BuildError::TooManyParts(part_count));
        }
        let mut layout = Layout::default();
        for (id, cloth) in self.cloths.iter() {
            layout.add_cloth(cloth, id, self.settings.elastic_model)?;
        }
        for (index, body) in self.bodies.items().iter().enumerate() {
            check_mesh(&body.mesh.positions, self.cloths.len() + index)?;
            layout.add_body(body)?;
        }
        for (id, collider) in self.guarded() {
            layout.add_axis(id, collider)?;
        }
        for (&id, body) in &self.rigid_bodies {
            layout.add_rigid_body(id, body)?;
        }
        let interactions = layout.regions.table(self.interaction, &self.rules)?;
        let mut sim = layout.finish(self, threads, &interactions, self.cache.clone())?;
        sim.fingerprint = Arc::new(self.fingerprint(sim.contact_cache()));
        Ok(sim)
    }

    /// The guarded colliders with their ids, in the order of their axes.
    pub(crate) fn guarded(&self) -> impl Iterator<Item = (usize, &Collider)> {
        self.colliders.iter().filter(|(_, collider)| collider.guarded_axis().is_some())
    }

    /// The index of a collider.
    pub(crate) fn collider_index(&self, collider: ColliderId) -> Result<usize, StepError> {
        let count = self.colliders.len();
        let missing = StepError::NotFound { what: "collider", index: collider.0, count };
        self.colliders.index(collider.0).ok_or(missing)
    }

    /// The fingerprint that snapshots of this scene carry.
    fn fingerprint(&self, cache: Option<&ContactCache>) -> SceneFingerprint {
        let mut fingerprint = SceneFingerprint::default();
        fingerprint.count("cloths", self.cloths.len());
        fingerprint.count("mesh bodies", self.bodies.len());
        fingerprint.count("colliders", self.colliders.len());
        self.cloths.items().iter().enumerate().for_each(|(index, cloth)| fingerprint.cloth(index, cloth));
        self.bodies.items().iter().enumerate().for_each(|(index, body)| fingerprint.body(index, body));
        fingerprint.settings(&self.settings);
        fingerprint.debug_hash("interactions between regions", &(self.interaction, &self.rules));
        fingerprint.debug_hash("cached contacts", &cache);
        let masses = self
            .rigid_bodies
            .iter()
            .map(|(id, body)| (id, body.mass, body.gravity_scale, body.touches_colliders));
        fingerprint.debug_hash("rigid bodies", &masses.collect::<Vec<_>>());
        fingerprint.colliders(self.colliders.items());
        fingerprint
    }
}
