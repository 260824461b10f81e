//! Sleep in a step: who wakes at its start, and who falls asleep at its end.

use super::StepRequest;
use crate::ask::report::StepReport;
use crate::detection::SubstepContacts;
use crate::gate_state::GateState;
use crate::islands::{self, EndedStep, Surroundings};
use crate::scratch::Scratch;
use crate::simulation::Simulation;
use crate::state::State;

/// What a decision about sleep reads and writes.
struct SleepDecision<'a> {
    surroundings: Surroundings<'a>,
    /// Contacts of the last substep.
    contacts: &'a SubstepContacts,
    state: &'a mut State,
    scratch: &'a mut Scratch,
}

impl Simulation {
    /// Begins a step; returns whether there is one to take. If everything sleeps, only the time goes on.
    /// Otherwise the state that a failure restores is saved, and cloth that is disturbed wakes.
    pub(super) fn begin_step(&mut self, step: StepRequest<'_>) -> bool {
        if self.is_still(step) {
            self.state.time += f64::from(step.dt);
            self.scratch.cuts.clear();
            self.report = StepReport { sleeping: self.scene.cloths.len(), ..StepReport::default() };
            return false;
        }
        self.save_rollback();
        for (index, goal) in self.state.collider_goals.drain(..) {
            self.colliders[index].pose_t1 = goal;
        }
        let SleepDecision { surroundings, state, scratch, .. } = self.sleep_decision(step);
        if islands::wake_disturbed(surroundings, state, &mut scratch.disturbances) {
            self.apply_sleep();
        }
        true
    }

    /// Whether everything sleeps and nothing disturbs it in the step.
    fn is_still(&mut self, step: StepRequest<'_>) -> bool {
        // What is tangled or not yet checked would be reported as certified.
        let is_guarded = self.gate.as_ref().is_none_or(GateState::is_clean);
        let SleepDecision { surroundings, state, scratch, .. } = self.sleep_decision(step);
        is_guarded
            && state.collider_goals.is_empty()
            && islands::is_still(surroundings, state, &mut scratch.disturbances)
    }

    /// Ends a step: cloth at rest falls asleep, and sleeping cloth that is touched wakes.
    pub(super) fn end_with_sleep(&mut self, step: StepRequest<'_>) {
        let is_clean =
            self.gate.as_ref().is_none_or(GateState::is_clean) && self.report.recovery.intersections == 0;
        let SleepDecision { surroundings, contacts, state, scratch } = self.sleep_decision(step);
        let Some(settings) = &surroundings.settings.sleep else { return };
        let ended = EndedStep { settings, dt: step.dt, is_clean, contacts };
        if scratch.islands.update(&ended, surroundings, state, &mut scratch.disturbances) {
            self.apply_sleep();
        }
        self.report.sleeping = self.state.sleep.asleep.iter().filter(|asleep| **asleep).count();
    }

    fn sleep_decision<'a>(&'a mut self, StepRequest { dt, waypoints }: StepRequest<'a>) -> SleepDecision<'a> {
        let Self { settings, scene, assets, colliders, constraints, state, scratch, detection, .. } = self;
        let surroundings = Surroundings { settings, scene, assets, colliders, constraints, waypoints, dt };
        SleepDecision { surroundings, contacts: &detection.contacts, state, scratch }
    }
}
