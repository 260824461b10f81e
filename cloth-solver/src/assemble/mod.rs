//! From descriptions to a simulation: collects the parts, has every number checked, then has all laid out.

mod check;
mod layout;
mod springs;

use std::sync::Arc;

use cloth_broadphase::{BroadPhase, ParryBvh};
use cloth_contacts::Interaction;

use crate::checkpoint::Fit;
use crate::cloth::{ClothDesc, ClothId, MeshBodyDesc, MeshBodyId};
use crate::regions::Rule;
use crate::simulation::Simulation;
use crate::{BuildError, Collider, ColliderId, ContactCache, Settings};
use check::{check_cloth, check_mesh};
use layout::Layout;

/// Collects cloths, bodies and colliders, and builds a [`Simulation`] of them.
#[derive(Clone, Debug, Default)]
pub struct SimulationBuilder {
    settings: Settings,
    cloths: Vec<ClothDesc>,
    bodies: Vec<MeshBodyDesc>,
    colliders: Vec<Collider>,
    interaction: Interaction,
    rules: Vec<Rule>,
    cache: Option<ContactCache>,
}

impl SimulationBuilder {
    /// An empty scene.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        Self { settings, ..Self::default() }
    }

    /// Adds a cloth.
    pub fn add_cloth(&mut self, cloth: ClothDesc) -> ClothId {
        self.cloths.push(cloth);
        ClothId(self.cloths.len() - 1)
    }

    /// Adds a body given as a mesh; the caller moves it by its vertices.
    pub fn add_mesh_body(&mut self, body: MeshBodyDesc) -> MeshBodyId {
        self.bodies.push(body);
        MeshBodyId(self.bodies.len() - 1)
    }

    /// Adds a collider.
    pub fn add_collider(&mut self, collider: Collider) -> ColliderId {
        self.colliders.push(collider);
        ColliderId(self.colliders.len() - 1)
    }

    /// Says how every two regions interact, and every region with itself, unless [`Self::interact`] says otherwise; at
    /// first they collide in full.
    pub fn interact_all(&mut self, interaction: Interaction) {
        self.interaction = interaction;
    }

    /// Says how two regions interact, by name, in either order; the last word on a pair holds. Both names may be the same,
    /// and what no region claims is [`THE_REST`](crate::THE_REST).
    pub fn interact(&mut self, a: impl Into<String>, b: impl Into<String>, interaction: Interaction) {
        self.rules.push(Rule { names: [a.into(), b.into()], interaction });
    }

    /// Gives contacts that were computed before, for [`ContactSource::Cached`](crate::ContactSource::Cached). Without, they are
    /// computed from the pose in which the cloths start.
    pub fn contact_cache(&mut self, cache: ContactCache) {
        self.cache = Some(cache);
    }

    /// Builds the simulation with the default broad phase.
    ///
    /// # Errors
    /// If any number or index is out of range; the message names it and says what it must be.
    pub fn build(&self) -> Result<Simulation, BuildError> {
        self.build_with::<ParryBvh>()
    }

    /// Builds the simulation with a broad phase of choice. Results do not depend on it.
    ///
    /// # Errors
    /// As [`SimulationBuilder::build`].
    pub fn build_with<B: BroadPhase>(&self) -> Result<Simulation<B>, BuildError> {
        self.settings.check()?;
        let part_count = self.cloths.len() + self.bodies.len();
        if part_count > usize::from(u16::MAX) {
            return Err(BuildError::TooManyParts(part_count));
        }
        let mut layout = Layout::default();
        for (index, cloth) in self.cloths.iter().enumerate() {
            check_cloth(cloth, index)?;
            layout.add_cloth(cloth, index)?;
        }
        for (index, body) in self.bodies.iter().enumerate() {
            check_mesh(&body.mesh.positions, self.cloths.len() + index)?;
            layout.add_body(body);
        }
        let interactions = layout.regions.table(self.interaction, &self.rules)?;
        let mut sim =
            layout.finish(self.settings, self.colliders.clone(), &interactions, self.cache.clone())?;
        sim.fit = Arc::new(self.fit(sim.contact_cache()));
        Ok(sim)
    }

    /// What a snapshot of a simulation built so fits.
    fn fit(&self, cache: Option<&ContactCache>) -> Fit {
        let mut fit = Fit::default();
        fit.count("cloths", self.cloths.len());
        fit.count("mesh bodies", self.bodies.len());
        fit.count("colliders", self.colliders.len());
        self.cloths.iter().enumerate().for_each(|(index, cloth)| fit.cloth(index, cloth));
        self.bodies.iter().enumerate().for_each(|(index, body)| fit.body(index, body));
        self.colliders.iter().enumerate().for_each(|(index, collider)| fit.collider(index, collider));
        fit.settings(&self.settings);
        fit.printed("interactions between regions", &(self.interaction, &self.rules));
        fit.printed("cached contacts", &cache);
        fit
    }
}
