//! The step: the stages of a substep in order.

use cloth_broadphase::BroadPhase;

use crate::StepError;
use crate::clock::Clock;
use crate::motion::Listener;
use crate::recovery::recover;
use crate::report::{RECOMMENDED_MAX_SUBSTEP, StepReport, Warnings};
use crate::simulation::Simulation;
use crate::stages::{animate, detect, gate, predict, solve, update};

impl<B: BroadPhase> Simulation<B> {
    /// Advances the simulation by `dt` seconds; `dt` may differ from step to step.
    ///
    /// Pins, attachments, drives, colliders and mesh bodies move linearly from their last positions to their
    /// targets. Allocates nothing once its buffers have grown to what the scene needs.
    ///
    /// # Errors
    /// If `dt` is not finite and greater than zero, or if the solver diverges. The state is then as it was
    /// before the call.
    pub fn step(&mut self, dt: f32) -> Result<&StepReport, StepError> {
        self.step_with(dt, &mut |_| {})
    }

    /// As [`Simulation::step`], and calls `on_motion` with every accepted motion, once per substep in order.
    /// The listener does not affect results. With [`Settings::threads`](crate::Settings::threads) above 1 it
    /// is called on a thread of the simulation's pool.
    ///
    /// A motion is accepted when the gate has certified it and the resulting velocities are finite. If a later
    /// substep fails, the whole step is rolled back: motions reported during the call are void, and the next
    /// call starts from the state before it.
    ///
    /// # Errors
    /// As [`Simulation::step`].
    pub fn step_with(&mut self, dt: f32, on_motion: Listener<'_>) -> Result<&StepReport, StepError> {
        if !(dt.is_finite() && dt > 0.0) {
            return Err(StepError::InvalidTimeStep(dt));
        }
        let threads = self.threads.clone();
        threads.run(|| self.take_step(dt, on_motion))?;
        Ok(&self.report)
    }

    fn take_step(&mut self, dt: f32, on_motion: Listener<'_>) -> Result<(), StepError> {
        self.save_rollback();
        gate::begin(self);
        self.elastic.update_pins(&self.inv_mass);
        let h = dt / self.settings.substeps as f32;
        let warnings = Warnings {
            long_substep: (h > RECOMMENDED_MAX_SUBSTEP).then_some(h),
            excessive_thickness: self.excessive_thickness,
            wind_without_drag: self.settings.wind.lacks_drag(),
            ..Warnings::default()
        };
        self.report = StepReport { substeps: self.settings.substeps, warnings, ..StepReport::default() };
        let taken = (0..self.settings.substeps).try_for_each(|substep| self.substep(substep, h, on_motion));
        if let Err(error) = taken.and_then(|()| self.finish_gate()) {
            self.roll_back();
            return Err(error);
        }
        animate::finish(self);
        Ok(())
    }

    fn finish_gate(&mut self) -> Result<(), StepError> {
        let now = self.clock;
        let solved = now();
        gate::finish(self)?;
        self.report.times.gate += now().saturating_sub(solved);
        Ok(())
    }

    fn substep(&mut self, substep: u32, h: f32, on_motion: Listener<'_>) -> Result<(), StepError> {
        let now = self.clock;
        let started = now();
        animate::begin(self, substep);
        let animated = now();
        predict::predict(self, substep, h);
        let predicted = now();
        detect::detect(self, substep)?;
        let detected = now();
        recover(self, substep, h);
        let recovered = now();
        solve::solve(self, h);
        let solved = now();
        gate::certify(self, h)?;
        let gated = now();
        update::update(self, h)?;
        let updated = now();

        // A caller's clock may go back.
        let times = &mut self.report.times;
        times.animate += animated.saturating_sub(started);
        times.predict += predicted.saturating_sub(animated);
        times.detect += detected.saturating_sub(predicted);
        times.recover += recovered.saturating_sub(detected);
        times.solve += solved.saturating_sub(recovered);
        times.gate += gated.saturating_sub(solved);
        times.update += updated.saturating_sub(gated);
        on_motion(self.accepted_motion(substep));
        Ok(())
    }
}

impl<B> Simulation<B> {
    /// Replaces the clock of the stage times: by that of an engine, or one for a platform without any. No
    /// result depends on it.
    pub fn set_clock(&mut self, clock: Clock) {
        self.clock = clock;
    }
}
