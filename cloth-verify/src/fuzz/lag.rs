//! How far pins and bodies are behind their targets: what is reported of it, and whether they arrive.
//!
//! What is faster than the velocity limit approaches its targets at the limit, and what the gate stops is
//! late as well. After each step the distance that is reported is the greatest of a pinned vertex or a vertex
//! of a body from its target. While targets stay it falls, and it is none after the steps that the way takes
//! at the limit, and [`SPARE`] more; steps in which the gate changed a motion do not count.

use std::collections::BTreeMap;

use cloth_solver::{ClothId, MeshBodyId, StepReport};
use nalgebra::Point3;

use super::player::ScenePlayer;
use super::script::ScriptCall;

/// Steps in which what lags may brake and come to rest.
const SPARE: f32 = 30.0;

/// The way of what turns, in greatest distances of a vertex from its target: its centre goes no farther than
/// that distance `d`, and on the arc, which is at most `pi / 2` of its chord, a vertex no farther than `pi
/// d`.
const TURNING: f32 = 4.2;

/// Tolerance of a distance: a share of it, and of the size of coordinates.
const ROUNDING: f32 = 4.0 * f32::EPSILON;

/// Where things are to be at the end of a step (m), as their caller knows.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Targets {
    pub(super) pins: BTreeMap<(ClothId, u32), Point3<f32>>,
    pub(super) bodies: Vec<(MeshBodyId, Vec<Point3<f32>>)>,
    /// Whether nothing but calls that move none, or are recorded, came after they were set.
    are_known: bool,
    /// Whether something else may be pinned, or pinned no more.
    pub(super) has_others: bool,
}

impl Targets {
    /// Targets are set, of everything; returns what has been given before, if it is sure to hold: nobody
    /// needs to say it again.
    pub(super) fn begin(&mut self) -> Self {
        let now = Self { are_known: true, has_others: self.has_others, ..Self::default() };
        let before = std::mem::replace(self, now);
        if before.are_known { before } else { Self::default() }
    }

    /// Whether a body is given these targets.
    pub(super) fn has_body(&self, body: MeshBodyId, targets: &[Point3<f32>]) -> bool {
        self.bodies.iter().any(|(id, own)| *id == body && own == targets)
    }

    /// Targets are others than was recorded.
    pub(super) fn forget(&mut self) {
        self.are_known = false;
    }

    /// A call is made.
    pub(super) fn call(&mut self, call: &ScriptCall) {
        self.has_others |= matches!(call, ScriptCall::Pin { .. } | ScriptCall::Edit { .. });
        self.are_known &= matches!(
            call,
            ScriptCall::Pin { .. }
                | ScriptCall::Mass { .. }
                | ScriptCall::MovePin { .. }
                | ScriptCall::Velocity { .. }
                | ScriptCall::Jump { .. }
                | ScriptCall::Snapshot { .. }
                | ScriptCall::RestoreForeign
                | ScriptCall::Fail { .. }
                | ScriptCall::Dt { .. }
                | ScriptCall::Nonsense
        );
    }
}

/// Follows a run.
#[derive(Debug, Default)]
pub(super) struct LagWatch {
    /// The targets of the last step, and the distance (m) from them.
    last: Option<(Targets, f32)>,
    /// In how many steps everything has to be at its target.
    steps_left: f32,
}

impl LagWatch {
    /// Checks the end of a step.
    pub(super) fn check(&mut self, player: &ScenePlayer<'_>, report: &StepReport) -> Result<(), String> {
        let (targets, reported) = (&player.targets, report.gate.pin_lag_m);
        if !targets.are_known {
            self.last = None;
            return Ok(());
        }
        let x = player.simulation.positions();
        let (mut lag, mut size) = (0.0_f32, 0.0_f32);
        for (v, target) in player.vertex_targets() {
            lag = lag.max((x[v] - target).norm());
            size = size.max(target.coords.amax());
        }
        let tolerance = ROUNDING * (lag + size);
        if lag > reported + tolerance {
            return Err(format!(
                "a pin or a body is {lag:e} m behind its target, and {reported:e} m are reported"
            ));
        }
        let others = targets.has_others || player.has_attachments();
        if !others && reported > lag + tolerance {
            return Err(format!(
                "pins and bodies are {lag:e} m behind at most, and {reported:e} m are reported"
            ));
        }
        let is_free = report.gate.modified_vertices == 0;
        let turns = player.jumped.turns;
        match &self.last {
            Some((last, before)) if last == targets => {
                if is_free && !turns && lag >= *before && lag > tolerance {
                    return Err(format!(
                        "pins and bodies fell back from {before:e} to {lag:e} m behind their targets"
                    ));
                }
                self.steps_left -= f32::from(u8::from(is_free));
                if self.steps_left < 0.0 && lag > tolerance {
                    return Err(format!("pins and bodies are {lag:e} m behind, and should have arrived"));
                }
            }
            _ => {
                let reach = player.simulation.settings().velocity_limit * player.time_step();
                self.steps_left = SPARE + if turns { TURNING } else { 1.0 } * lag / reach;
            }
        }
        self.last = Some((targets.clone(), lag));
        Ok(())
    }
}
