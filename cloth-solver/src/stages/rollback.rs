//! Rollback: a failed step leaves the state and the results of the last step unchanged.

use cloth_contacts::Contacts;
use cloth_contacts::particles::PointPoint;

use crate::checkpoint::Checkpoint;
use crate::rules;
use crate::simulation::Simulation;
use crate::{Release, StepReport};

/// The state at the start of a step.
#[derive(Clone, Debug, Default)]
pub(crate) struct RollbackState {
    checkpoint: Checkpoint,
    /// Results of the previous step.
    report: StepReport,
    contacts: Contacts,
    particle_contacts: Vec<PointPoint>,
    releases: Vec<Release>,
}

impl Simulation {
    /// Saves the state at the start of the step, and sets the results of the previous step aside.
    pub(crate) fn save_rollback(&mut self) {
        let mut rollback = std::mem::take(&mut self.scratch.rollback);
        rollback.checkpoint.save(self);
        rollback.report = self.report;
        self.swap_results(&mut rollback);
        self.detection.contacts.cloth.clear();
        self.detection.contacts.particles.clear();
        self.scratch.rollback = rollback;
    }

    /// Rolls the step back.
    pub(crate) fn roll_back(&mut self) {
        let mut rollback = std::mem::take(&mut self.scratch.rollback);
        rules::roll_back(self, &rollback.checkpoint);
        self.report = rollback.report;
        self.swap_results(&mut rollback);
        self.scratch.rollback = rollback;
    }

    /// Swapped, not copied: a step writes contacts before it reads them.
    fn swap_results(&mut self, rollback: &mut RollbackState) {
        std::mem::swap(&mut self.detection.contacts.cloth, &mut rollback.contacts);
        std::mem::swap(&mut self.detection.contacts.particles, &mut rollback.particle_contacts);
        if let Some(gate) = &mut self.gate {
            std::mem::swap(&mut gate.releases, &mut rollback.releases);
        }
    }
}
