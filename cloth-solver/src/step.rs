//! The step: the stages of a substep in order, between what begins and what ends a step.
//!
//! | file | what it does in a step |
//! |---|---|
//! | `sleep` | skips the step if everything sleeps, wakes who is disturbed; puts to sleep at the end |
//! | `cuts` | at the start, teleports the cloths whose fixings are cut |
//! | `lag` | at the start, decides what lags; at the end, checks that cloth has followed |
//! | `prepare` | at the start, computes what all substeps share |
//! | `guarantee` | undoes a step that fails; at the end, the verdict of the gate on the whole of it |

mod cuts;
mod guarantee;
mod lag;
mod prepare;
mod sleep;

use crate::StepError;
use crate::ask::motion::Listener;
use crate::ask::report::StepReport;
use crate::clock::StopWatch;
use crate::fixings::SubstepTargets;
use crate::gate_state::GateState;
use crate::islands::{self, SubstepSurroundings};
use crate::recovery::{RecoveryOutput, recover};
use crate::rigid;
use crate::simulation::Simulation;
use crate::stages::detect::DetectOutput;
use crate::stages::gate::GateOutput;
use crate::stages::solve::Inequalities;
use crate::stages::{Substep, animate, detect, gate, predict, solve, update};
use crate::waypoints::Waypoints;

/// A step as the caller asks for it.
#[derive(Clone, Copy)]
struct StepRequest<'a> {
    /// Length (s).
    dt: f32,
    waypoints: &'a Waypoints,
}

impl Simulation {
    /// Advances the simulation by `dt` seconds; `dt` may differ from step to step.
    ///
    /// Pins, attachments, drives, colliders and mesh bodies move linearly from their last positions to their
    /// targets. Allocates nothing once its buffers have grown to what the scene needs.
    ///
    /// # Errors
    /// If `dt` is not finite and greater than zero, if the solver diverges, or if an elastic model of the
    /// caller fails. The state is then as it was before the call.
    pub fn step(&mut self, dt: f32) -> Result<&StepReport, StepError> {
        self.step_with(dt, &mut |_| {})
    }

    /// As [`Simulation::step`], and calls `on_motion` with every accepted motion, once per substep in order;
    /// in a step that is skipped because everything sleeps there is none. The listener does not affect
    /// results. With [`Settings::threads`](crate::Settings::threads) above 1 it is called on a thread of the
    /// simulation's pool.
    ///
    /// A motion is accepted when the gate has certified it and the resulting velocities are finite. If a
    /// later substep fails, or the listener or an elastic model of the caller panics, the whole step is
    /// rolled back: motions reported during the call are void, and the next call starts from the state before
    /// it. The panic goes on.
    ///
    /// # Errors
    /// As [`Simulation::step`].
    pub fn step_with(&mut self, dt: f32, on_motion: Listener<'_>) -> Result<&StepReport, StepError> {
        self.run_step(dt, &Waypoints::default(), on_motion)
    }

    /// As [`Simulation::step_with`], with what has waypoints moving through them.
    ///
    /// # Errors
    /// As [`Simulation::step`], and if a waypoint is not finite or beyond 1e7 m, or belongs to what is not
    /// there or is not pinned.
    pub fn step_through(
        &mut self,
        dt: f32,
        waypoints: &Waypoints,
        on_motion: Listener<'_>,
    ) -> Result<&StepReport, StepError> {
        self.check_waypoints(waypoints)?;
        self.run_step(dt, waypoints, on_motion)
    }

    /// A step with waypoints that have been checked.
    fn run_step(
        &mut self,
        dt: f32,
        waypoints: &Waypoints,
        on_motion: Listener<'_>,
    ) -> Result<&StepReport, StepError> {
        if !(dt.is_finite() && dt > 0.0) {
            return Err(StepError::InvalidTimeStep(dt));
        }
        let threads = self.runtime.threads.clone();
        threads.run(|| self.run_substeps(StepRequest { dt, waypoints }, on_motion))?;
        Ok(&self.report)
    }

    /// The substeps, with what comes before and after them.
    fn run_substeps(&mut self, step: StepRequest<'_>, on_motion: Listener<'_>) -> Result<(), StepError> {
        if !self.begin_step(step) {
            return Ok(());
        }
        // Between the two places of a cut there is no way.
        let straight = Waypoints::default();
        let waypoints = if self.make_cuts(step.dt) { &straight } else { step.waypoints };
        let step = StepRequest { waypoints, ..step };
        self.plan_lag(step);
        self.prepare_substeps(step.dt);
        let (substeps, threads) = (self.settings.substeps, self.runtime.threads.clone());
        self.or_roll_back(|simulation| {
            for index in 0..substeps {
                threads.keep_awake(|| simulation.substep(index, step))?;
                on_motion(simulation.accepted_motion(index));
            }
            simulation.finish_gate()?;
            simulation.check_lag()
        })?;
        self.end_with_sleep(step);
        self.finish_lag();
        self.state.finish_step();
        Ok(())
    }

    /// One substep: the stages in order.
    fn substep(&mut self, index: u32, step: StepRequest<'_>) -> Result<(), StepError> {
        let Self { settings, scene, assets, state, colliders, detection, gate, .. } = self;
        let Self { constraints, recovery, lag, scratch, report, runtime, .. } = self;
        let substep = Substep { settings, scene, assets, index, h: step.dt / settings.substeps as f32 };
        let mut watch = StopWatch::new(runtime.clock, &runtime.stage);

        let targets = SubstepTargets { colliders, state, constraints, scratch };
        animate::animate(&substep, step.waypoints, lag, targets);
        scratch.rigid.predict(&substep.free_motion(), &mut scratch.colliders, &mut state.rigid);
        let surroundings = SubstepSurroundings { scene, assets, colliders: &scratch.colliders };
        let has_woken = islands::wake_before_bodies(surroundings, state, &mut scratch.disturbances);
        if has_woken {
            islands::apply(state, assets, constraints, detection);
        }
        animate::move_axes(&substep, scratch);
        watch.lap(&mut report.times.animate);

        predict::predict(&substep, lag, state, scratch, &mut report.warnings);
        watch.lap(&mut report.times.predict);

        detect::detect(&substep, has_woken, state, scratch, DetectOutput { detection, report })?;
        while islands::wake_touched(&assets.parts, &detection.contacts, state) {
            islands::apply(state, assets, constraints, detection);
            detect::detect(&substep, true, state, scratch, DetectOutput { detection, report })?;
        }
        watch.lap(&mut report.times.detect);

        let is_guarded = gate.as_ref().is_some_and(GateState::is_clean);
        let input = substep.recovery_input(&scratch.x_t0, is_guarded);
        recover(&input, recovery, RecoveryOutput::new(&mut state.tracked_contours, detection, report));
        watch.lap(&mut report.times.recover);

        let truncates = substep.truncates(is_guarded, detection);
        let inequalities = Inequalities { contacts: &detection.contacts, pulls: &recovery.pulls, truncates };
        let solved = solve::solve(&substep, constraints, &inequalities, state, scratch);
        report.warnings.truncated += solved.truncated;
        let limited = solve::limit_speed(&substep, &scratch.x_t0, solved, state);
        report.warnings.velocity_limited += limited;
        report.elastic = constraints.membrane.report()?;
        watch.lap(&mut report.times.solve);

        let output = GateOutput { gate, detection, report: &mut report.gate };
        gate::certify(&substep, &scratch.x_t0, state, output)?;
        watch.lap(&mut report.times.gate);

        update::update(&substep, &scratch.x_t0, constraints, lag, state)?;
        rigid::accept(&assets.rigid_bodies, &scene.colliders, &state.rigid, &scratch.colliders, colliders)?;
        watch.lap(&mut report.times.update);
        Ok(())
    }
}
