//! Rollback: a failed step leaves the state and the results of the last step unchanged.

use cloth_contacts::Contacts;
use cloth_contacts::particles::PointPoint;

use super::Checkpoint;
use crate::detection::SubstepContacts;
use crate::gate_state::GateState;
use crate::{Cut, Release, StepReport};

/// The state at the start of a step, and the results of the step before it.
#[derive(Clone, Debug, Default)]
pub(crate) struct RollbackState {
    pub(crate) checkpoint: Checkpoint,
    report: StepReport,
    contacts: Contacts,
    particle_contacts: Vec<PointPoint>,
    releases: Vec<Release>,
    cuts: Vec<Cut>,
}

impl RollbackState {
    /// Sets the results of the previous step aside. Swapped, not copied: a step writes contacts before it
    /// reads them.
    pub(crate) fn set_aside(
        &mut self,
        report: &StepReport,
        contacts: &mut SubstepContacts,
        cuts: &mut Vec<Cut>,
        gate: Option<&mut GateState>,
    ) {
        self.report = *report;
        self.swap(contacts, cuts, gate);
        contacts.cloth.clear();
        contacts.particles.clear();
    }

    /// Puts them back.
    pub(crate) fn put_back(
        &mut self,
        report: &mut StepReport,
        contacts: &mut SubstepContacts,
        cuts: &mut Vec<Cut>,
        gate: Option<&mut GateState>,
    ) {
        *report = self.report;
        self.swap(contacts, cuts, gate);
    }

    fn swap(&mut self, contacts: &mut SubstepContacts, cuts: &mut Vec<Cut>, gate: Option<&mut GateState>) {
        std::mem::swap(cuts, &mut self.cuts);
        std::mem::swap(&mut contacts.cloth, &mut self.contacts);
        std::mem::swap(&mut contacts.particles, &mut self.particle_contacts);
        if let Some(gate) = gate {
            std::mem::swap(&mut gate.releases, &mut self.releases);
        }
    }
}
