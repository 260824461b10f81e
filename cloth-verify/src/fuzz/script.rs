//! What the caller of a simulation does between its steps.

use serde::{Deserialize, Serialize};

/// A call, and when it comes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScriptEntry {
    /// The step before which it comes, from 0.
    pub at: u32,
    /// The call.
    #[serde(rename = "do")]
    pub call: ScriptCall,
}

/// A call. Cloths and vertices are numbered from 0; numbers beyond the last begin again.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", tag = "call")]
pub enum ScriptCall {
    /// Pins a vertex where it is.
    Pin {
        /// The cloth.
        cloth: u32,
        /// The vertex.
        vertex: u32,
    },
    /// Moves a vertex in the next step, if it is pinned; else it is refused.
    MovePin {
        /// The cloth.
        cloth: u32,
        /// The vertex.
        vertex: u32,
        /// From where it is (m).
        by: [f32; 3],
    },
    /// Sets the mass (kg, times the square of the scale) of a vertex, which frees one that was pinned.
    Mass {
        /// The cloth.
        cloth: u32,
        /// The vertex.
        vertex: u32,
        /// The mass.
        mass: f32,
    },
    /// Gives all vertices of a cloth a velocity (m/s).
    Velocity {
        /// The cloth.
        cloth: u32,
        /// The velocity.
        velocity: [f32; 3],
    },
    /// Moves a cloth at once: rotation about where its first vertex is, then by a distance (m).
    Teleport {
        /// The cloth.
        cloth: u32,
        /// Rotation vector (rad).
        rotation: [f32; 3],
        /// How far.
        by: [f32; 3],
    },
    /// Puts everything back to the start.
    Reset,
    /// Takes a snapshot.
    Snapshot {
        /// Where it is kept; one of [`SNAPSHOT_SLOTS`], begun again beyond the last.
        slot: u8,
    },
    /// Returns to a snapshot, if one was taken.
    Restore {
        /// Where it was kept.
        slot: u8,
    },
    /// Restores a snapshot of another simulation, which has to be refused.
    RestoreForeign,
    /// Takes a step that fails, and is undone.
    Fail {
        /// How.
        how: StepFailure,
    },
    /// Changes the duration of the steps from now on.
    Dt {
        /// In durations of the scene.
        factor: f32,
    },
    /// Calls that have to be refused: unknown vertices, and numbers that are none.
    Nonsense,
}

/// How a step fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StepFailure {
    /// Its duration is not a number.
    Refused,
    /// It is so short that velocities overflow in the first substep.
    TooShort,
    /// A vertex apart from all overflows in the last substep, or the eighth.
    Late,
}

/// How many snapshots are kept.
pub const SNAPSHOT_SLOTS: u8 = 4;

/// Whether a script has a step that fails late, which takes a vertex apart from all.
pub(super) fn fails_late(script: &[ScriptEntry]) -> bool {
    script.iter().any(|entry| matches!(entry.call, ScriptCall::Fail { how: StepFailure::Late }))
}
