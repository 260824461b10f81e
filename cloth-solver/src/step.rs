//! The step: the stages of a substep in order.

use crate::StepError;
use crate::axes::animate_axes;
use crate::clock::{Clock, StopWatch};
use crate::gate_state::GateState;
use crate::motion::Listener;
use crate::recovery::{RecoveryInput, RecoveryOutput, recover};
use crate::report::{RECOMMENDED_MAX_SUBSTEP, StepReport, Warnings};
use crate::rigid;
use crate::scratch::Scratch;
use crate::simulation::Simulation;
use crate::stages::solve::Inequalities;
use crate::stages::{Substep, animate, detect, gate, predict, solve, update};
use crate::waypoints::Waypoints;

impl Simulation {
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

    /// As [`Simulation::step`], and calls `on_motion` with every accepted motion, once per substep in order;
    /// in a step that is skipped because everything sleeps there is none. The listener does not affect
    /// results. With [`Settings::threads`](crate::Settings::threads) above 1 it is called on a thread of the
    /// simulation's pool.
    ///
    /// A motion is accepted when the gate has certified it and the resulting velocities are finite. If a
    /// later substep fails, the whole step is rolled back: motions reported during the call are void, and the
    /// next call starts from the state before it.
    ///
    /// # Errors
    /// As [`Simulation::step`].
    pub fn step_with(&mut self, dt: f32, on_motion: Listener<'_>) -> Result<&StepReport, StepError> {
        self.run_step(dt, &Waypoints::default(), on_motion)
    }

    /// A step with waypoints that have been checked.
    pub(crate) fn run_step(
        &mut self,
        dt: f32,
        waypoints: &Waypoints,
        on_motion: Listener<'_>,
    ) -> Result<&StepReport, StepError> {
        if !(dt.is_finite() && dt > 0.0) {
            return Err(StepError::InvalidTimeStep(dt));
        }
        let threads = self.runtime.threads.clone();
        threads.run(|| self.take_step(dt, waypoints, on_motion))?;
        Ok(&self.report)
    }

    fn take_step(
        &mut self,
        dt: f32,
        waypoints: &Waypoints,
        on_motion: Listener<'_>,
    ) -> Result<(), StepError> {
        if self.is_still(waypoints) {
            self.state.time += f64::from(dt);
            self.report = StepReport { sleeping: self.scene.cloths.len(), ..StepReport::default() };
            return Ok(());
        }
        self.save_rollback();
        self.wake_disturbed(waypoints);
        if let Some(gate) = &mut self.gate {
            gate.begin_step(self.runtime.records_examined);
        }
        self.constraints.update_pins(&self.state.sleep.inv_mass, &self.state.inv_mass);
        self.scratch.solver.friction_table.update(&self.scene, &self.assets.parts);
        let h = dt / self.settings.substeps as f32;
        let warnings = Warnings {
            long_substep: (h > RECOMMENDED_MAX_SUBSTEP).then_some(h),
            excessive_thickness: self.assets.excessive_thickness,
            wind_without_drag: self.settings.wind.lacks_drag(),
            ..Warnings::default()
        };
        self.report = StepReport { substeps: self.settings.substeps, warnings, ..StepReport::default() };
        self.constraints.membrane.start_report();
        self.scratch.rigid.begin_step(self.assets.rigid_bodies.len());
        let mut substeps = 0..self.settings.substeps;
        let taken = substeps.try_for_each(|substep| self.substep(substep, h, waypoints, on_motion));
        if let Err(error) = taken.and_then(|()| self.finish_gate()) {
            self.roll_back();
            return Err(error);
        }
        self.update_sleep(dt, waypoints);
        self.state.finish_step();
        self.colliders.iter_mut().for_each(|collider| collider.pose_t0 = collider.pose_t1);
        Ok(())
    }

    fn finish_gate(&mut self) -> Result<(), StepError> {
        let Self { scene, state, detection, gate, report, runtime, .. } = self;
        let Some(gate) = gate else { return Ok(()) };
        let started = (runtime.clock)();
        gate::finish(scene, state, &detection.contacts, gate, &mut report.gate)?;
        report.times.gate += (runtime.clock)().saturating_sub(started);
        Ok(())
    }

    /// One substep of `h` seconds: the stages in order.
    fn substep(
        &mut self,
        index: u32,
        h: f32,
        waypoints: &Waypoints,
        on_motion: Listener<'_>,
    ) -> Result<(), StepError> {
        let Self { settings, scene, assets, state, colliders, detection, gate, .. } = self;
        let Self { constraints, recovery, scratch, report, runtime, .. } = self;
        let substep = Substep { settings, scene, assets, index, h };
        let mut watch = StopWatch::new(runtime.clock);

        animate::animate(&substep, colliders, state, constraints, scratch);
        waypoints.animate(&substep, state, constraints, scratch);
        let Scratch { rigid, colliders: moving, .. } = scratch;
        rigid.predict(&substep, moving, &mut state.rigid);
        animate_axes(assets, scene, scratch);
        watch.lap(&mut report.times.animate);

        predict::predict(&substep, state, scratch, &mut report.warnings);
        watch.lap(&mut report.times.predict);

        detect::detect(&substep, state, detection, scratch, report)?;
        watch.lap(&mut report.times.detect);

        let is_guarded = gate.as_ref().is_some_and(GateState::is_clean);
        let input = RecoveryInput { substep: &substep, x_t0: &scratch.x_t0, is_clean: is_guarded };
        let tracked_contours = &mut state.tracked_contours;
        let output = RecoveryOutput { tracked_contours, detection, report: &mut report.recovery };
        recover(&input, recovery, output);
        watch.lap(&mut report.times.recover);

        // Truncation removes more motion than the gate would, but the gate does not guard tangles or a state
        // that it has yet to check. Cached contacts are not predicted.
        let predicts = settings.self_collision && detection.cached.is_none();
        let truncates = !is_guarded && predicts && assets.surface.collides_in_full();
        let inequalities = Inequalities { contacts: &detection.contacts, pulls: &recovery.pulls, truncates };
        report.warnings.truncated += solve::solve(&substep, constraints, &inequalities, state, scratch);
        report.elastic = constraints.membrane.report()?;
        watch.lap(&mut report.times.solve);

        if let Some(gate) = gate {
            gate::certify(&substep, &scratch.x_t0, state, gate, detection, &mut report.gate)?;
        }
        watch.lap(&mut report.times.gate);

        update::update(&substep, &scratch.x_t0, constraints, state)?;
        rigid::accept(assets, scene, &state.rigid, &scratch.colliders, colliders)?;
        watch.lap(&mut report.times.update);

        on_motion(self.accepted_motion(index));
        Ok(())
    }

    /// Replaces the clock of the stage times: by that of an engine, or one for a platform without any. No
    /// result depends on it.
    pub fn set_clock(&mut self, clock: Clock) {
        self.runtime.clock = clock;
    }
}
