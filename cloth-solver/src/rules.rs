//! Rules on which guarantees rest: what a restored, edited or replaced state is, and who sleeps.
//!
//! These conditions are separate because certificates, the bits of a restored state and sleeping cloth depend
//! on them. With the feature `mutations`, `faults.rs` replaces this file, so that tests can show what happens
//! when one of them is wrong.

use cloth_contacts::Surface;
use cloth_contacts::gate::Admission;
use nalgebra::Vector3;

use crate::checkpoint::Checkpoint;
use crate::gate_state::{GateCheckpoint, GateState};
use crate::state::State;
use crate::{Cut, StepError};

/// The rules of a simulation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules;

impl Rules {
    /// As they are meant.
    pub(crate) const SOUND: Self = Self;

    /// Restores what the gate saved at the start of a failed step.
    pub(crate) fn roll_back(self, gate: Option<&mut GateState>, checkpoint: &Checkpoint) {
        if let (Some(gate), Some(saved)) = (gate, &checkpoint.gate) {
            gate.restore_checkpoint(saved);
        }
    }

    /// Admits the checkpoint of a snapshot if there is no `difference` from what the simulation can restore.
    pub(crate) fn admit(
        self,
        _gate: &mut Option<GateState>,
        _checkpoint: &Checkpoint,
        difference: Option<String>,
    ) -> Result<(), StepError> {
        match difference {
            Some(difference) => Err(StepError::IncompatibleSnapshot { difference }),
            None => Ok(()),
        }
    }

    /// Restores a state as it was saved, those who sleep included.
    pub(crate) fn restore(self, state: &mut State, saved: &State) {
        state.clone_from(saved);
    }

    /// Whether all that an edit guards was guarded before it, so that nothing is left to check.
    pub(crate) fn guard_alike(self, now: &Surface, before: &Surface) -> bool {
        now.guards_same_pairs(before)
    }

    /// Positions were replaced: anything may intersect.
    pub(crate) fn replaced(self, gate: Option<&mut GateCheckpoint>) {
        if let Some(gate) = gate {
            gate.pending = Admission::All;
        }
    }

    /// Turns a velocity with a cloth that is cut: it keeps its velocities in the moved frame.
    pub(crate) fn turn_velocity(
        self,
        velocity: &mut Vector3<f32>,
        turn: impl Fn(&Vector3<f32>) -> Vector3<f32>,
    ) {
        *velocity = turn(velocity);
    }

    /// Whether a kinematic vertex that has not come to its target, the `nth` of a step, goes on towards it.
    pub(crate) fn goes_on(self, _nth: usize) -> bool {
        true
    }

    /// What is reported of the cuts of a step: all, since the motion over a cut is none of the cloth.
    pub(crate) fn reported_cuts(self, cuts: &[Cut]) -> &[Cut] {
        cuts
    }

    /// Whether a cloth may fall asleep that has been at rest for `rest_time` (s) of `after`.
    pub(crate) fn may_fall_asleep(self, is_at_rest: bool, rest_time: f32, after: f32) -> bool {
        is_at_rest && rest_time >= after
    }

    /// How far a body that turns by `angle` (rad) in a step moves its points, in radii: no further than
    /// to the opposite side.
    pub(crate) fn travel_of_turn(self, angle: f32) -> f32 {
        angle.min(2.0)
    }

    /// Whether rigid bodies have to be looked at in a substep.
    pub(crate) fn may_meet_sleepers(self, bodies: usize, asleep: &[bool]) -> bool {
        bodies > 0 && asleep.contains(&true)
    }

    /// Whether one of two cloths that touch wakes the other, given which sleep.
    pub(crate) fn wakes(self, [a, b]: [bool; 2]) -> bool {
        a != b
    }

    /// Whether a cloth sleeps after a step, given whether all that it touches may.
    pub(crate) fn sleeps(self, _is_asleep: bool, may_all_sleep: bool) -> bool {
        may_all_sleep
    }
}
