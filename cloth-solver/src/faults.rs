//! Replaces `rules.rs` with the feature `mutations`: the same conditions, one of which may be made wrong to
//! test the tests.

use cloth_contacts::faults::Weakness;

#[path = "rules.rs"]
mod sound;

use crate::checkpoint::Checkpoint;
use crate::gate_state::GateState;
use crate::{Simulation, StepError};

// Here, because no product file may know of faults.
impl Simulation {
    /// Introduces one fault into the gate or its data structures, from now on.
    #[doc(hidden)]
    pub fn weaken_gate(&mut self, weakness: Weakness) {
        if let Some(gated) = &mut self.gate {
            gated.gate.weaken(weakness);
            self.detection.cloth.weaken(weakness);
        }
    }
}

fn is_weak(gate: &GateState, weakness: Weakness) -> bool {
    gate.gate.weakness() == weakness
}

pub(crate) fn roll_back(gate: Option<&mut GateState>, checkpoint: &Checkpoint) {
    sound::roll_back(gate.filter(|gate| !is_weak(gate, Weakness::UndoKeepsExemptions)), checkpoint);
}

pub(crate) fn admit(
    gate: &mut Option<GateState>,
    checkpoint: &Checkpoint,
    difference: Option<String>,
) -> Result<(), StepError> {
    if !gate.as_ref().is_some_and(|gate| is_weak(gate, Weakness::ForeignSnapshot)) {
        return sound::admit(gate, checkpoint, difference);
    }
    *gate = gate.take().filter(|_| checkpoint.gate.is_some());
    Ok(())
}
