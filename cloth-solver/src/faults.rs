//! Replaces `rules.rs` with the feature `mutations`: the same conditions, one of which may be made wrong to
//! test the tests.

use cloth_contacts::faults::Weakness;

#[path = "rules.rs"]
mod sound;

use crate::checkpoint::Checkpoint;
use crate::gate_state::GateCheckpoint;
use crate::{Simulation, Snapshot, StepError};

impl Simulation {
    /// Introduces one fault into the gate or its data structures, from now on.
    #[doc(hidden)]
    pub fn weaken_gate(&mut self, weakness: Weakness) {
        if let Some(gated) = &mut self.gate {
            gated.gate.weaken(weakness);
            self.detection.cloth.weaken(weakness);
        }
    }

    fn is_weak(&self, weakness: Weakness) -> bool {
        self.gate.as_ref().is_some_and(|gated| gated.gate.weakness() == weakness)
    }
}

pub(crate) fn roll_back(sim: &mut Simulation, checkpoint: &Checkpoint) {
    let keeps = sim.is_weak(Weakness::UndoKeepsExemptions);
    let kept = sim.gate.as_ref().filter(|_| keeps).map(|gated| {
        let mut book = GateCheckpoint::unknown();
        gated.save_into(&mut book);
        book
    });
    sound::roll_back(sim, checkpoint);
    if let (Some(gated), Some(kept)) = (&mut sim.gate, &kept) {
        gated.restore_checkpoint(kept);
    }
}

pub(crate) fn restore(sim: &mut Simulation, snapshot: &Snapshot) -> Result<(), StepError> {
    if !sim.is_weak(Weakness::ForeignSnapshot) {
        return sound::restore(sim, snapshot);
    }
    sim.gate = sim.gate.take().filter(|_| snapshot.checkpoint.gate.is_some());
    sim.restore_checkpoint(&snapshot.checkpoint);
    Ok(())
}
