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
pub(crate) struct Undo {
    checkpoint: Checkpoint,
    /// What the step before has left for the caller to read.
    report: StepReport,
    contacts: Contacts,
    particle_contacts: Vec<PointPoint>,
    releases: Vec<Release>,
}

impl<B: BroadPhase> Simulation<B> {
    /// Keeps what the step begins with. What the step before has left for the caller to read is set aside.
    pub(crate) fn remember(&mut self) {
        let mut undo = std::mem::take(&mut self.undo);
        undo.checkpoint.take(self);
        undo.report = self.report;
        self.swap_findings(&mut undo);
        self.contacts.clear();
        self.particles.contacts.clear();
        self.undo = undo;
    }

    /// Returns to it.
    pub(crate) fn undo(&mut self) {
        let mut undo = std::mem::take(&mut self.undo);
        rules::undo(self, &undo.checkpoint);
        self.report = undo.report;
        self.swap_findings(&mut undo);
        self.undo = undo;
    }

    /// Exchanged and not copied: a step finds contacts before it reads them.
    fn swap_findings(&mut self, undo: &mut Undo) {
        std::mem::swap(&mut self.contacts, &mut undo.contacts);
        std::mem::swap(&mut self.particles.contacts, &mut undo.particle_contacts);
        if let Some(gated) = &mut self.gated {
            std::mem::swap(&mut gated.releases, &mut undo.releases);
        }
    }
}
