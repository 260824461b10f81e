//! What a step guarantees: it is certified as a whole, or undone as a whole.

use std::panic::{self, AssertUnwindSafe};

use cloth_contacts::DetectError;

use crate::StepError;
use crate::simulation::Simulation;
use crate::stages::gate;

impl Simulation {
    /// Does what may fail in a step; if it does, the state is again as it was at the start. A panic of the
    /// listener or of an elastic model is undone as an error is, and then goes on.
    pub(super) fn or_roll_back(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<(), StepError>,
    ) -> Result<(), StepError> {
        match panic::catch_unwind(AssertUnwindSafe(|| work(self))) {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => {
                self.roll_back();
                Err(match error {
                    StepError::Detect(DetectError::NotFinite(v)) => {
                        self.scene.diverged(&self.assets.parts, v)
                    }
                    other => other,
                })
            }
            Err(panic) => {
                self.roll_back();
                panic::resume_unwind(panic);
            }
        }
    }

    /// Ends the tangles that the step has resolved, and reports whether its chord is certified as well.
    pub(super) fn finish_gate(&mut self) -> Result<(), StepError> {
        let Self { scene, assets, state, detection, gate, scratch, report, runtime, .. } = self;
        let Some(gate) = gate else { return Ok(()) };
        let started = (runtime.clock)();
        gate::finish(scene, state, &detection.contacts, gate, &mut report.gate)?;
        let start = &scratch.rollback.checkpoint.state.x;
        // The straight motion over a cut is none of the cloth.
        report.gate.certified_chord =
            report.cuts == 0 && gate::certifies_chord(assets, start, state, gate, detection);
        report.times.gate += (runtime.clock)().saturating_sub(started);
        Ok(())
    }
}
