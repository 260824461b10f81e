//! Rules of restoring a state: as a whole, and only a compatible one.
//!
//! These conditions are separate because the gate's certificates depend on them. With the feature
//! `mutations`, `faults.rs` replaces this file, so that tests can show what happens when one of them is
//! wrong.

use crate::checkpoint::Checkpoint;
use crate::{Simulation, Snapshot, StepError};

/// Restores the state at the start of a failed step.
pub(crate) fn roll_back(sim: &mut Simulation, checkpoint: &Checkpoint) {
    sim.restore_checkpoint(checkpoint);
}

/// Restores a snapshot if it is compatible.
pub(crate) fn restore(sim: &mut Simulation, snapshot: &Snapshot) -> Result<(), StepError> {
    if let Some(difference) = sim.fingerprint.difference(&snapshot.fingerprint) {
        return Err(StepError::IncompatibleSnapshot { difference });
    }
    if let Some(difference) = snapshot.checkpoint.malformation(sim) {
        return Err(StepError::IncompatibleSnapshot { difference });
    }
    sim.restore_checkpoint(&snapshot.checkpoint);
    Ok(())
}
