//! Which state a simulation returns to: as a whole, and only to one that fits it.
//!
//! These conditions stand alone because whatever the gate certifies is certified for the state that it was left with. With the feature
//! `mutations` another file takes the place of this one, so that tests can see what happens when one of them is wrong.

use cloth_broadphase::BroadPhase;

use crate::checkpoint::Checkpoint;
use crate::{Simulation, Snapshot, StepError};

/// Returns to what a step began with that has failed.
pub(crate) fn roll_back<B: BroadPhase>(sim: &mut Simulation<B>, checkpoint: &Checkpoint) {
    sim.restore_checkpoint(checkpoint);
}

/// Returns to a snapshot that fits.
pub(crate) fn restore<B: BroadPhase>(sim: &mut Simulation<B>, snapshot: &Snapshot) -> Result<(), StepError> {
    if let Some(difference) = sim.fingerprint.difference(&snapshot.fingerprint) {
        return Err(StepError::IncompatibleSnapshot { difference });
    }
    sim.restore_checkpoint(&snapshot.checkpoint);
    Ok(())
}
