//! Undo: a step that fails leaves the state as it was, and what the simulation says of its last step.

use cloth_broadphase::BroadPhase;
use cloth_contacts::Contacts;
use cloth_contacts::particles::PointPoint;

use crate::checkpoint::Checkpoint;
use crate::rules;
use crate::simulation::Simulation;
use crate::{Release, StepReport};

/// What a step begins with.
#[derive(Clone, Debug, Default)]
pub(crate) struct RollbackState {
    checkpoint: Checkpoint,
    /// What the step before has left for the caller to read.
    report: StepReport,
    contacts: Contacts,
    particle_contacts: Vec<PointPoint>,
    releases: Vec<Release>,
}

impl<B: BroadPhase> Simulation<B> {
    /// Keeps what the step begins with. What the step before has left for the caller to read is set aside.
    pub(crate) fn save_rollback(&mut self) {
        let mut rollback = std::mem::take(&mut self.rollback);
        rollback.checkpoint.save(self);
        rollback.report = self.report;
        self.swap_results(&mut rollback);
        self.contacts.clear();
        self.particles.contacts.clear();
        self.rollback = rollback;
    }

    /// Returns to it.
    pub(crate) fn roll_back(&mut self) {
        let mut rollback = std::mem::take(&mut self.rollback);
        rules::roll_back(self, &rollback.checkpoint);
        self.report = rollback.report;
        self.swap_results(&mut rollback);
        self.rollback = rollback;
    }

    /// Exchanged and not copied: a step finds contacts before it reads them.
    fn swap_results(&mut self, rollback: &mut RollbackState) {
        std::mem::swap(&mut self.contacts, &mut rollback.contacts);
        std::mem::swap(&mut self.particles.contacts, &mut rollback.particle_contacts);
        if let Some(gated) = &mut self.gated {
            std::mem::swap(&mut gated.releases, &mut rollback.releases);
        }
    }
}
