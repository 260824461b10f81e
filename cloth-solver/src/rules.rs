//! Rules of restoring a state: as a whole, and only a compatible one.
//!
//! These conditions are separate because the gate's certificates depend on them. With the feature
//! `mutations`, `faults.rs` replaces this file, so that tests can show what happens when one of them is
//! wrong.

use crate::StepError;
use crate::checkpoint::Checkpoint;
use crate::gate_state::GateState;

/// Restores what the gate saved at the start of a failed step.
pub(crate) fn roll_back(gate: Option<&mut GateState>, checkpoint: &Checkpoint) {
    if let (Some(gate), Some(saved)) = (gate, &checkpoint.gate) {
        gate.restore_checkpoint(saved);
    }
}

/// Admits the checkpoint of a snapshot if there is no `difference` from what the simulation can restore.
pub(crate) fn admit(
    _gate: &mut Option<GateState>,
    _checkpoint: &Checkpoint,
    difference: Option<String>,
) -> Result<(), StepError> {
    match difference {
        Some(difference) => Err(StepError::IncompatibleSnapshot { difference }),
        None => Ok(()),
    }
}
