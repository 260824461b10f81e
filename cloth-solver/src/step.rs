//! The step: the stages of a substep in order.

use std::panic::{self, AssertUnwindSafe};

use cloth_contacts::DetectError;

use crate::ask::motion::Listener;
use crate::ask::report::{RECOMMENDED_MAX_SUBSTEP, StepReport, Warnings};
use crate::clock::{Clock, StageSign, StopWatch};
use crate::fixings::{Movers, cut_plan, lag_plan, reach};
use crate::gate_state::GateState;
use crate::islands::{self, EndedStep, Surroundings};
use crate::recovery::{RecoveryOutput, recover};
use crate::rigid;
use crate::scratch::Scratch;
use crate::simulation::Simulation;
use crate::stages::solve::Inequalities;
use crate::stages::{Substep, animate, detect, gate, predict, solve, update};
use crate::waypoints::Waypoints;
use crate::{AcceptedMotion, ClothId, Cut, SimulationBuilder, StepError};

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
    /// As [`Simulation::step`], and if a waypoint is not finite or beyond 1e7 m, or belongs to what is not there
    /// or is not pinned.
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
        threads.run(|| self.run_substeps(dt, waypoints, on_motion))?;
        Ok(&self.report)
    }

    fn run_substeps(
        &mut self,
        dt: f32,
        waypoints: &Waypoints,
        on_motion: Listener<'_>,
    ) -> Result<(), StepError> {
        let rules = self.runtime.rules;
        let Self { settings, scene, assets, colliders, constraints, state, scratch, .. } = self;
        let surroundings =
            Surroundings { rules, settings, scene, assets, colliders, constraints, waypoints, dt };
        // What is tangled or not yet checked would be reported as certified.
        let is_guarded = self.gate.as_ref().is_none_or(GateState::is_clean);
        if is_guarded
            && state.collider_goals.is_empty()
            && islands::is_still(surroundings, state, &mut scratch.disturbances)
        {
            self.state.time += f64::from(dt);
            self.scratch.cuts.clear();
            self.report = StepReport { sleeping: self.scene.cloths.len(), ..StepReport::default() };
            return Ok(());
        }
        self.save_rollback();
        for (index, goal) in self.state.collider_goals.drain(..) {
            self.colliders[index].pose_t1 = goal;
        }
        let Self { settings, scene, assets, colliders, constraints, state, scratch, .. } = self;
        let surroundings =
            Surroundings { rules, settings, scene, assets, colliders, constraints, waypoints, dt };
        if islands::wake_disturbed(surroundings, state, &mut scratch.disturbances) {
            self.apply_sleep();
        }
        self.make_cuts(dt);
        // Between the two places of a cut there is no way.
        let straight = Waypoints::default();
        let waypoints = if self.scratch.cuts.is_empty() { waypoints } else { &straight };
        self.plan_lag(dt, waypoints);
        if let Some(gate) = &mut self.gate {
            gate.begin_step(self.runtime.records_examined);
        }
        self.constraints.update_pins(&self.state.sleep.inv_mass, &self.state.inv_mass);
        self.update_friction();
        let h = dt / self.settings.substeps as f32;
        let warnings = Warnings {
            long_substep: (h > RECOMMENDED_MAX_SUBSTEP).then_some(h),
            excessive_thickness: self.assets.excessive_thickness,
            wind_without_drag: self.settings.wind.lacks_drag(),
            ..Warnings::default()
        };
        let (substeps, cuts) = (self.settings.substeps, self.cuts().len());
        self.report = StepReport { substeps, cuts, warnings, ..StepReport::default() };
        self.constraints.membrane.start_report();
        self.scratch.rigid.begin_step(self.assets.rigid_bodies.len());
        let mut substeps = 0..self.settings.substeps;
        // A panic of the listener or of an elastic model is undone as an error is, and then goes on.
        let taken = panic::catch_unwind(AssertUnwindSafe(|| {
            substeps.try_for_each(|substep| self.substep(substep, h, waypoints, on_motion))?;
            self.finish_gate()?;
            self.check_lag()
        }));
        match taken {
            Ok(Ok(())) => {}
            Ok(Err(error)) => {
                self.roll_back();
                return Err(match error {
                    StepError::Detect(DetectError::NotFinite(v)) => {
                        self.scene.diverged(&self.assets.parts, v)
                    }
                    other => other,
                });
            }
            Err(panic) => {
                self.roll_back();
                panic::resume_unwind(panic);
            }
        }
        self.update_sleep(dt, waypoints);
        let Self { assets, constraints, state, colliders, lag, scratch, .. } = self;
        lag.write_carriage(&assets.parts, state);
        lag.finish(&assets.parts, constraints, state, colliders, &scratch.colliders);
        self.state.finish_step(self.runtime.rules);
        Ok(())
    }

    /// What moves in the step.
    fn movers(&self) -> Movers<'_> {
        Movers {
            assets: &self.assets,
            state: &self.state,
            colliders: &self.colliders,
            registry: &self.scene.colliders,
            constraints: &self.constraints,
            cloths: self.scene.cloths.len(),
            bodies: self.scene.bodies.len(),
        }
    }

    /// Teleports the cloths whose fixings are cut in the coming step of `dt` seconds, with what goes with
    /// them; what is left of their way is an ordinary motion.
    fn make_cuts(&mut self, dt: f32) {
        self.scratch.cuts.clear();
        let Some(teleport) = self.settings.teleport else { return };
        if !cut_plan::may_cut(&self.movers(), &teleport, dt) {
            self.state.was_cut.fill(false);
            return;
        }
        let before = std::mem::take(&mut self.state.was_cut);
        let up = -self.settings.gravity.cast::<f64>();
        let (plan, now) = cut_plan::plan(&self.movers(), &teleport, dt, &up, &before);
        self.state.was_cut = now;
        if plan.motions.is_empty() {
            return;
        }
        let ids: Vec<usize> = self.scene.cloths.iter().map(|(id, _)| id).collect();
        self.scratch.cuts.extend(plan.cuts.iter().map(|(cloth, motion)| Cut {
            cloth: ClothId(ids[*cloth]),
            metres: motion.distance() as f32,
            degrees: motion.angle().to_degrees() as f32,
        }));
        let mut checkpoint = self.checkpoint();
        plan.apply(&mut checkpoint, &self.assets, &self.constraints, self.runtime.rules);
        self.restore_checkpoint(&checkpoint);
    }

    /// Decides at the start of a step of `dt` seconds what lags in it, and what is carried.
    fn plan_lag(&mut self, dt: f32, waypoints: &Waypoints) {
        let mut lag = std::mem::take(&mut self.lag);
        let up = -self.settings.gravity.cast::<f64>();
        let bodies = self.scene.bodies.iter().map(|(id, _)| id);
        let rates = [dt, self.settings.velocity_limit];
        lag_plan::plan(self.movers(), rates, up, waypoints, bodies, &mut lag);
        self.lag = lag;
    }

    /// Reports how far pins are behind at the end of a step, and checks that their cloth is not.
    fn check_lag(&mut self) -> Result<(), StepError> {
        let lag = reach::pin_lag(&self.movers());
        self.report.gate.pin_lag_m = lag;
        if lag == 0.0 {
            return Ok(());
        }
        let before = &self.scratch.rollback.checkpoint.state.x;
        let ids = self.scene.cloths.iter().map(|(id, _)| id);
        reach::check_reach(&self.movers(), &self.lag, ids, before)
    }

    /// Computes the friction coefficients of the step.
    fn update_friction(&mut self) {
        let SimulationBuilder { friction, colliders, settings, .. } = &*self.scene;
        let ends = self.assets.parts.iter().map(|part| part.vertices.end as u32);
        let parts = self.scene.friction_parts().zip(ends);
        self.scratch.solver.friction_table.update(settings.self_friction, friction, colliders, parts);
    }

    /// Ends a step of `dt` seconds: cloth at rest falls asleep, and sleeping cloth that is touched wakes.
    fn update_sleep(&mut self, dt: f32, waypoints: &Waypoints) {
        let rules = self.runtime.rules;
        let Self { settings, scene, assets, colliders, constraints, state, scratch, .. } = self;
        let Some(sleep) = &settings.sleep else { return };
        let step = EndedStep {
            settings: sleep,
            dt,
            is_clean: self.gate.as_ref().is_none_or(GateState::is_clean)
                && self.report.recovery.intersections == 0,
            contacts: &self.detection.contacts,
        };
        let surroundings =
            Surroundings { rules, settings, scene, assets, colliders, constraints, waypoints, dt };
        if scratch.islands.update(&step, surroundings, state, &mut scratch.disturbances) {
            self.apply_sleep();
        }
        self.report.sleeping = self.state.sleep.asleep.iter().filter(|asleep| **asleep).count();
    }

    fn finish_gate(&mut self) -> Result<(), StepError> {
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

    /// One substep of `h` seconds: the stages in order.
    fn substep(
        &mut self,
        index: u32,
        h: f32,
        waypoints: &Waypoints,
        on_motion: Listener<'_>,
    ) -> Result<(), StepError> {
        let Self { settings, scene, assets, state, colliders, detection, gate, .. } = self;
        let Self { constraints, recovery, lag, scratch, report, runtime, .. } = self;
        let substep = Substep { settings, scene, assets, index, h };
        let mut watch = StopWatch::new(runtime.clock, &runtime.stage);

        animate::animate(&substep, colliders, state, constraints, scratch);
        animate::follow_waypoints(waypoints, &substep, colliders, state, constraints, scratch);
        let reach = (&assets.parts[..], substep.most_per_substep());
        lag.set_targets(substep.part(), reach, colliders, state, constraints, scratch);
        let Scratch { rigid, colliders: moving, disturbances, .. } = scratch;
        rigid.predict(&substep.free_motion(), moving, &mut state.rigid);
        let dt = h * settings.substeps as f32;
        let rules = runtime.rules;
        let surroundings =
            Surroundings { rules, settings, scene, assets, colliders, constraints, waypoints, dt };
        let has_woken = islands::wake_before_bodies(surroundings, moving, state, disturbances);
        if has_woken {
            islands::apply(state, assets, constraints, detection);
        }
        animate::move_axes(&substep, scratch);
        watch.lap(&mut report.times.animate);

        predict::predict(&substep, lag, state, scratch, &mut report.warnings);
        watch.lap(&mut report.times.predict);

        detect::detect(&substep, has_woken, state, detection, scratch, report)?;
        while islands::wake_touched(rules, &assets.parts, &detection.contacts, state) {
            islands::apply(state, assets, constraints, detection);
            detect::detect(&substep, true, state, detection, scratch, report)?;
        }
        watch.lap(&mut report.times.detect);

        let is_guarded = gate.as_ref().is_some_and(GateState::is_clean);
        let input = substep.recovery_input(&scratch.x_t0, is_guarded);
        let tracked_contours = &mut state.tracked_contours;
        let output = RecoveryOutput { tracked_contours, detection, report: &mut report.recovery };
        recover(&input, recovery, output);
        watch.lap(&mut report.times.recover);

        // Truncation removes more motion than the gate would, but the gate does not guard tangles or a state
        // that it has yet to check. Cached contacts are not predicted.
        let predicts = settings.self_collision && detection.cached.is_none();
        let truncates = !is_guarded && predicts && assets.surface.collides_in_full();
        let inequalities = Inequalities { contacts: &detection.contacts, pulls: &recovery.pulls, truncates };
        let threads = &runtime.threads;
        let solve = || solve::solve(&substep, constraints, &inequalities, state, scratch);
        report.warnings.truncated += threads.keep_awake(solve);
        report.warnings.velocity_limited +=
            solve::limit_speed(&substep, &scratch.x_t0, &scratch.solver, state);
        report.elastic = constraints.membrane.report()?;
        watch.lap(&mut report.times.solve);

        if let Some(gate) = gate {
            gate::certify(&substep, &scratch.x_t0, state, gate, detection, &mut report.gate)?;
        }
        watch.lap(&mut report.times.gate);

        update::update(&substep, &scratch.x_t0, constraints, lag, state)?;
        rigid::accept(&assets.rigid_bodies, &scene.colliders, &state.rigid, &scratch.colliders, colliders)?;
        watch.lap(&mut report.times.update);

        on_motion(self.accepted_motion(index));
        Ok(())
    }

    /// Says which stage goes on, to another thread while this one steps. A clone of the simulation moves the same
    /// sign.
    #[must_use]
    pub fn stage_sign(&self) -> StageSign {
        self.runtime.stage.clone()
    }

    /// Replaces the clock of the stage times: by that of an engine, or one for a platform without any. No
    /// result depends on it.
    pub fn set_clock(&mut self, clock: Clock) {
        self.runtime.clock = clock;
    }

    /// Makes the gate record from the next substep on which pairs it examines, or stop doing so, for
    /// [`AcceptedMotion::examined`]; off by default. It changes no result. A debugging aid: it costs memory
    /// and time in proportion to the pairs while it is on, and nothing while it is off.
    pub fn record_examined(&mut self, on: bool) {
        self.runtime.records_examined = on;
    }

    /// The motion of the substep that has just been taken.
    fn accepted_motion(&self, substep: u32) -> AcceptedMotion<'_> {
        let gate = self.gate.as_ref().map(|gate| &gate.guard.gate);
        AcceptedMotion {
            substep,
            substeps: self.settings.substeps,
            x_t0: &self.scratch.x_t0,
            x_t1: &self.state.x,
            colliders: &self.scratch.colliders,
            cuts: if substep == 0 { self.cuts() } else { &[] },
            released: gate.map_or(&[], |gate| gate.released()),
            examined: gate.and_then(|gate| gate.examined()),
        }
    }
}
