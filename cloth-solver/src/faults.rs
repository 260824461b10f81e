//! Replaces `rules.rs` with the feature `mutations`: the same conditions, one of which may be made wrong to
//! test the tests.

use cloth_contacts::Surface;
use cloth_contacts::faults::Weakness;
use nalgebra::Vector3;

#[path = "rules.rs"]
mod sound;

use crate::checkpoint::Checkpoint;
use crate::gate_state::{GateCheckpoint, GateState};
use crate::state::State;
use crate::{Cut, Simulation, StepError};

// Here, because no product file may know of faults.
impl Simulation {
    /// Introduces one fault into the simulation, from now until it is rebuilt.
    #[doc(hidden)]
    pub fn weaken(&mut self, weakness: Weakness) {
        self.runtime.rules.weakness = weakness;
        if let Some(gated) = &mut self.gate {
            gated.guard.gate.weaken(weakness);
            self.detection.cloth.weaken(weakness);
        }
    }
}

/// The rules with one fault.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules {
    sound: sound::Rules,
    weakness: Weakness,
}

impl Rules {
    pub(crate) const SOUND: Self = Self { sound: sound::Rules::SOUND, weakness: Weakness::None };

    pub(crate) fn roll_back(self, gate: Option<&mut GateState>, checkpoint: &Checkpoint) {
        let keeps_exemptions = self.weakness == Weakness::UndoKeepsExemptions;
        self.sound.roll_back(gate.filter(|_| !keeps_exemptions), checkpoint);
    }

    pub(crate) fn admit(
        self,
        gate: &mut Option<GateState>,
        checkpoint: &Checkpoint,
        difference: Option<String>,
    ) -> Result<(), StepError> {
        if self.weakness != Weakness::ForeignSnapshot {
            return self.sound.admit(gate, checkpoint, difference);
        }
        *gate = gate.take().filter(|_| checkpoint.gate.is_some());
        Ok(())
    }

    pub(crate) fn restore(self, state: &mut State, saved: &State) {
        self.sound.restore(state, saved);
        if self.weakness == Weakness::RestoreWakes {
            state.wake_all();
        }
    }

    pub(crate) fn guard_alike(self, now: &Surface, before: &Surface) -> bool {
        self.weakness == Weakness::EditAdmitsNothing || self.sound.guard_alike(now, before)
    }

    pub(crate) fn replaced(self, gate: Option<&mut GateCheckpoint>) {
        self.sound.replaced(gate.filter(|_| self.weakness != Weakness::TeleportAdmitsNothing));
    }

    pub(crate) fn turn_velocity(
        self,
        velocity: &mut Vector3<f32>,
        turn: impl Fn(&Vector3<f32>) -> Vector3<f32>,
    ) {
        if self.weakness != Weakness::CutKeepsVelocities {
            self.sound.turn_velocity(velocity, turn);
        }
    }

    pub(crate) fn goes_on(self, nth: usize) -> bool {
        match self.weakness {
            Weakness::LagForgotten => false,
            Weakness::ThawForgetsVertex => nth > 0,
            _ => self.sound.goes_on(nth),
        }
    }

    pub(crate) fn reported_cuts(self, cuts: &[Cut]) -> &[Cut] {
        if self.weakness == Weakness::CutUnreported { &[] } else { self.sound.reported_cuts(cuts) }
    }

    pub(crate) fn may_fall_asleep(self, is_at_rest: bool, rest_time: f32, after: f32) -> bool {
        let is_at_rest = is_at_rest || self.weakness == Weakness::SleepsInMotion;
        self.sound.may_fall_asleep(is_at_rest, rest_time, after)
    }

    pub(crate) fn travel_of_turn(self, angle: f32) -> f32 {
        if self.weakness == Weakness::SpinWakesNothing { 0.0 } else { self.sound.travel_of_turn(angle) }
    }

    pub(crate) fn may_meet_sleepers(self, bodies: usize, asleep: &[bool]) -> bool {
        self.weakness != Weakness::SpinWakesNothing && self.sound.may_meet_sleepers(bodies, asleep)
    }

    pub(crate) fn wakes(self, asleep: [bool; 2]) -> bool {
        self.weakness != Weakness::TouchWakesNothing && self.sound.wakes(asleep)
    }

    pub(crate) fn sleeps(self, is_asleep: bool, may_all_sleep: bool) -> bool {
        self.weakness == Weakness::TouchWakesNothing && is_asleep
            || self.sound.sleeps(is_asleep, may_all_sleep)
    }
}
