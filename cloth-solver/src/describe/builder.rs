//! The builder: what a simulation is built of, described part by part.

use std::collections::BTreeMap;
use std::sync::Arc;

use cloth_broadphase::{AnyBroadPhase, BroadPhase};
use cloth_contacts::Interaction;
use nalgebra::Isometry3;

use crate::assets::Part;
use crate::describe::cloth::{ClothDesc, ClothId, MeshBodyDesc, MeshBodyId};
use crate::describe::cloth_asset::{ClothAsset, SceneCloth};
use crate::describe::elastic_model::{CustomElasticModel, ErasedElasticModel};
use crate::describe::friction::{FrictionRules, check_coefficient};
use crate::describe::regions::InteractionRule;
use crate::registry::Registry;
use crate::{
    BuildError, Collider, ColliderId, ContactCache, FrictionPart, RigidBodyDesc, Settings, StepError,
};

/// A builder: collects cloths, mesh bodies and colliders, and builds a [`Simulation`](crate::Simulation).
///
/// A simulation keeps its builder so that [`Simulation::edit`](crate::Simulation::edit) can change it later.
/// An id stays valid until its item is removed.
#[derive(Clone, Debug, Default)]
pub struct SimulationBuilder {
    pub(crate) settings: Settings,
    pub(crate) cloths: Registry<SceneCloth>,
    pub(crate) bodies: Registry<Arc<MeshBodyDesc>>,
    pub(crate) colliders: Registry<Collider>,
    /// The rigid bodies by the ids of their colliders.
    pub(crate) rigid_bodies: BTreeMap<usize, RigidBodyDesc>,
    pub(crate) interaction: Interaction,
    pub(crate) rules: Vec<InteractionRule>,
    pub(crate) cache: Option<ContactCache>,
    pub(crate) friction: FrictionRules,
    /// Copied by each detector and gate.
    pub(crate) broad_phase: AnyBroadPhase,
    /// In the place of [`Settings::model`].
    pub(crate) elastic_model: Option<Arc<dyn ErasedElasticModel>>,
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

    /// Adds a kinematic mesh body; [`Simulation::move_mesh_body`](crate::Simulation::move_mesh_body) moves
    /// its vertices.
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

    /// The id of the cloth at a position among those that there are, in the order in which they were added;
    /// `None` if there are not so many.
    #[must_use]
    pub fn cloth_id(&self, position: usize) -> Option<ClothId> {
        self.cloths.id(position).map(ClothId)
    }

    /// The id of the mesh body at a position among those that there are, in the order in which they were
    /// added; `None` if there are not so many.
    #[must_use]
    pub fn mesh_body_id(&self, position: usize) -> Option<MeshBodyId> {
        self.bodies.id(position).map(MeshBodyId)
    }

    /// The id of the collider or rigid body at a position among those that there are, in the order in which
    /// they were added; `None` if there are not so many.
    #[must_use]
    pub fn collider_id(&self, position: usize) -> Option<ColliderId> {
        self.colliders.id(position).map(ColliderId)
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
    /// use cloth_broadphase::SweepGrid;
    /// use cloth_solver::{Settings, SimulationBuilder};
    ///
    /// let mut builder = SimulationBuilder::new(Settings::default());
    /// builder.set_broad_phase(SweepGrid::default());
    /// ```
    pub fn set_broad_phase(&mut self, broad_phase: impl BroadPhase) {
        self.broad_phase = broad_phase.into_any();
    }

    /// Sets an elastic model of the caller, in the place of [`Settings::model`], which has to stay
    /// [`ElasticModel::Xpbd`](crate::ElasticModel::Xpbd): a build with two models fails. It acts on all
    /// cloths. A running simulation gets another one by [`Simulation::edit`](crate::Simulation::edit).
    pub fn set_elastic_model(&mut self, model: impl CustomElasticModel) {
        self.elastic_model = Some(Arc::new(model));
    }

    /// Removes the elastic model of the caller, if there is one; [`Settings::model`] is back.
    pub fn remove_elastic_model(&mut self) {
        self.elastic_model = None;
    }

    /// Sets the Coulomb friction coefficient of a part. Between two parts it is the mean of both, or that of
    /// one if only one is set; between cloths and bodies without any it is
    /// [`Settings::self_friction`](crate::Settings::self_friction).
    ///
    /// # Errors
    /// If there is no such part, or if the coefficient is negative or not finite.
    pub fn set_friction(
        &mut self,
        part: impl Into<FrictionPart>,
        coefficient: f32,
    ) -> Result<(), BuildError> {
        let part = part.into();
        self.check_friction_part(part)?;
        check_coefficient(coefficient)?;
        match part {
            FrictionPart::Collider(id) => {
                let collider = self.colliders.get_mut(id.0);
                collider.into_iter().for_each(|collider| collider.friction = coefficient);
            }
            _ => self.friction.set_part(part, coefficient),
        }
        Ok(())
    }

    /// Sets the Coulomb friction coefficient of a pair of parts, in either order, whatever the two have
    /// alone. Both may be the same cloth. At least one has to be a cloth for it to have an effect.
    ///
    /// # Errors
    /// If there is no such part, or if the coefficient is negative or not finite.
    pub fn set_pair_friction(
        &mut self,
        a: impl Into<FrictionPart>,
        b: impl Into<FrictionPart>,
        coefficient: f32,
    ) -> Result<(), BuildError> {
        let (a, b) = (a.into(), b.into());
        self.check_friction_part(a)?;
        self.check_friction_part(b)?;
        check_coefficient(coefficient)?;
        self.friction.set_pair(a, b, coefficient);
        Ok(())
    }

    fn check_friction_part(&self, part: FrictionPart) -> Result<(), BuildError> {
        let (what, index, is_there, count) = match part {
            FrictionPart::Cloth(ClothId(id)) => {
                ("cloth", id, self.cloths.index(id).is_some(), self.cloths.len())
            }
            FrictionPart::Body(MeshBodyId(id)) => {
                ("mesh body", id, self.bodies.index(id).is_some(), self.bodies.len())
            }
            FrictionPart::Collider(ColliderId(id)) => {
                ("collider", id, self.colliders.index(id).is_some(), self.colliders.len())
            }
        };
        if is_there { Ok(()) } else { Err(BuildError::not_found(what, index, count)) }
    }

    /// The parts in the order of the common arrays: cloths, mesh bodies, axes of guarded colliders.
    pub(crate) fn friction_parts(&self) -> impl Iterator<Item = FrictionPart> + Clone {
        let cloths = self.cloths.iter().map(|(id, _)| FrictionPart::Cloth(ClothId(id)));
        let bodies = self.bodies.iter().map(|(id, _)| FrictionPart::Body(MeshBodyId(id)));
        let axes = self.guarded().map(|(id, _)| FrictionPart::Collider(ColliderId(id)));
        cloths.chain(bodies).chain(axes)
    }

    /// The error that a vertex of the common arrays became non-finite.
    pub(crate) fn diverged(&self, parts: &[Part], v: usize) -> StepError {
        let mut cloths = self.cloths.iter().zip(parts);
        let own = cloths.find(|(_, part)| part.vertices.contains(&v));
        let (cloth, first) = own.map_or((0, 0), |((id, _), part)| (id, part.vertices.start));
        StepError::Diverged { cloth, vertex: v - first }
    }

    /// The guarded colliders with their ids, in the order of their axes.
    pub(crate) fn guarded(&self) -> impl Iterator<Item = (usize, &Collider)> + Clone {
        self.colliders.iter().filter(|(_, collider)| collider.guarded_axis().is_some())
    }

    /// The index of a collider.
    pub(crate) fn collider_index(&self, collider: ColliderId) -> Result<usize, StepError> {
        let count = self.colliders.len();
        let missing = StepError::NotFound { what: "collider", index: collider.0, count };
        self.colliders.index(collider.0).ok_or(missing)
    }
}
