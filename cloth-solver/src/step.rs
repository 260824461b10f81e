//! One step, from beginning to end: the table of contents of the solver.

use std::time::Instant;

use cloth_broadphase::BroadPhase;

use crate::StepError;
use crate::recovery::recover;
use crate::report::StepReport;
use crate::simulation::Simulation;
use crate::stages::{animate, detect, gate, predict, solve, update};

impl<B: BroadPhase> Simulation<B> {
    /// Advances the simulation by `dt` seconds; `dt` may differ from step to step.
    ///
    /// Pins, attachments, drives, colliders and mesh bodies move evenly from where they were to where the caller wants
    /// them. Allocates nothing once its buffers have grown to what the scene needs.
    ///
    /// # Errors
    /// If `dt` is not usable, or if the solver diverges. The state is then as it was before the call.
    pub fn step(&mut self, dt: f32) -> Result<&StepReport, StepError> {
        if !(dt.is_finite() && dt > 0.0) {
            return Err(StepError::Dt(dt));
        }
        self.remember();
        gate::begin(self);
        self.elastic.tie(&self.inv_mass);
        self.report = StepReport { substeps: self.settings.substeps, ..StepReport::default() };
        let h = dt / self.settings.substeps as f32;
        let taken = (0..self.settings.substeps).try_for_each(|substep| self.substep(substep, h));
        if let Err(error) = taken.and_then(|()| self.settle()) {
            self.undo();
            return Err(error);
        }
        animate::finish(self);
        Ok(&self.report)
    }

    fn settle(&mut self) -> Result<(), StepError> {
        let solved = Instant::now();
        gate::settle(self)?;
        self.report.times.gate += solved.elapsed();
        Ok(())
    }

    fn substep(&mut self, substep: u32, h: f32) -> Result<(), StepError> {
        let started = Instant::now();
        animate::begin(self, substep);
        let animated = Instant::now();
        predict::predict(self, substep, h);
        let predicted = Instant::now();
        detect::detect(self, substep)?;
        recover(self, substep, h);
        let detected = Instant::now();
        solve::solve(self, substep, h);
        let solved = Instant::now();
        gate::certify(self, h)?;
        let gated = Instant::now();
        update::update(self, h)?;

        let times = &mut self.report.times;
        times.animate += animated - started;
        times.predict += predicted - animated;
        times.detect += detected - predicted;
        times.solve += solved - detected;
        times.gate += gated - solved;
        times.update += gated.elapsed();
        Ok(())
    }
}
