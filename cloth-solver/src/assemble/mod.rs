//! Assembly: from validated descriptions to a simulation.

mod layout;

use std::sync::Arc;

use cloth_geom::lanes;

use crate::checkpoint::SceneFingerprint;
use crate::describe::cloth_asset::first_out_of_range;
use crate::error::check_collider_pose;
use crate::simulation::Simulation;
use crate::threads::Threads;
use crate::{BuildError, Collider, ColliderId, ContactCache, ElasticModel, SimulationBuilder};
use layout::Layout;

/// Checks the poses of a collider.
pub(crate) fn check_collider(id: usize, collider: &Collider) -> Result<(), BuildError> {
    let is_fine = |pose| check_collider_pose(ColliderId(id), pose).is_ok();
    let poses = [&collider.pose_t0, &collider.pose_t1];
    if poses.into_iter().all(is_fine) { Ok(()) } else { Err(BuildError::ColliderPose { id }) }
}

impl SimulationBuilder {
    /// Builds the simulation.
    ///
    /// # Errors
    /// If a value or index is out of range; the message names it and the requirement. If the environment
    /// variable `CLOTH_SIMD` names instructions that are unknown or that the machine does not have.
    pub fn build(&self) -> Result<Simulation, BuildError> {
        lanes::chosen_level().map_err(|error| BuildError::Instructions { cause: error.to_string() })?;
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
        if let Some(custom) = &self.elastic_model
            && self.settings.model != ElasticModel::Xpbd
        {
            let model = self.settings.model.name();
            let fault = format!("setting `model` is `{model}`; make it `xpbd`, or remove the elastic model");
            return Err(BuildError::ElasticModel { name: custom.model_name().into(), fault });
        }
        self.colliders.iter().try_for_each(|(id, collider)| check_collider(id, collider))?;
        let mut layout = Layout::default();
        for (id, cloth) in self.cloths.iter() {
            layout.add_cloth(cloth, id, self)?;
        }
        for (id, body) in self.bodies.iter() {
            if let Some(vertex) = first_out_of_range(&body.mesh.positions) {
                return Err(BuildError::BodyNotFinite { body: id, vertex });
            }
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

    /// The fingerprint that snapshots of this scene carry.
    fn fingerprint(&self, cache: Option<&ContactCache>) -> SceneFingerprint {
        let mut fingerprint = SceneFingerprint::default();
        fingerprint.count("cloths", self.cloths.len());
        fingerprint.count("mesh bodies", self.bodies.len());
        fingerprint.count("colliders", self.colliders.len());
        self.cloths.items().iter().enumerate().for_each(|(index, cloth)| fingerprint.cloth(index, cloth));
        self.bodies.items().iter().enumerate().for_each(|(index, body)| fingerprint.body(index, body));
        fingerprint.settings(&self.settings, self.elastic_model.as_deref());
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
