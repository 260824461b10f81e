//! What the caller of a simulation does between its steps.

use cloth_solver::{ElasticModel, Gusts, Interaction, Material, Settings, Sleep, Stitch};
use nalgebra::Vector3;
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
    /// Moves a mesh body at once, about where its first vertex is.
    TeleportBody {
        /// The body.
        body: u32,
        /// Rotation vector (rad).
        rotation: [f32; 3],
        /// How far (m).
        by: [f32; 3],
    },
    /// Moves a collider or a rigid body at once.
    TeleportCollider {
        /// The collider.
        collider: u32,
        /// Rotation vector (rad).
        rotation: [f32; 3],
        /// How far (m).
        by: [f32; 3],
    },
    /// Moves everything at once, about where the first vertex of the first cloth is.
    TeleportAll {
        /// Rotation vector (rad).
        rotation: [f32; 3],
        /// How far (m).
        by: [f32; 3],
    },
    /// Puts targets elsewhere for good, about where the first vertex of the first cloth is: what is given
    /// moves there in the next step.
    Jump {
        /// What jumps.
        of: Jumping,
        /// Rotation vector (rad).
        rotation: [f32; 3],
        /// How far (m).
        by: [f32; 3],
    },
    /// Changes a setting.
    Set {
        /// The setting, and its value.
        setting: SettingsChange,
    },
    /// Changes the contents of the scene; refused where the solver refuses it.
    Edit {
        /// What is changed.
        edit: SceneEdit,
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

/// What jumps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub enum Jumping {
    /// What a cloth is fixed to: its pins, attachments, drive and frame.
    Pins(u32),
    /// A body.
    Body(u32),
    /// A collider that its motion moves.
    Collider(u32),
    /// All of these.
    All,
    /// The waypoints of all of these, in one step: there and back.
    Waypoints,
}

/// A change of the settings.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub enum SettingsChange {
    /// Gravity (m/s2).
    Gravity([f32; 3]),
    /// Substeps a step.
    Substeps(u32),
    /// Substeps between detections.
    DetectInterval(u32),
    /// Coefficient of friction of cloth.
    SelfFriction(f32),
    /// When cloth falls asleep.
    Sleep(Option<Sleep>),
    /// Whether tangles are resolved.
    Recovery(bool),
    /// Whether layers keep their order.
    LayerOrder(bool),
    /// Gusts of the wind.
    Gusts(Option<Gusts>),
    /// The elastic model.
    Model(ElasticModel),
    /// Threads of a step.
    Threads(u32),
}

impl SettingsChange {
    /// Makes the change, in the units of the settings.
    pub(super) fn apply(self, settings: &mut Settings) {
        match self {
            Self::Gravity(gravity) => settings.gravity = Vector3::from(gravity),
            Self::Substeps(substeps) => settings.substeps = substeps,
            Self::DetectInterval(interval) => settings.detect_interval = interval,
            Self::SelfFriction(friction) => settings.self_friction = friction,
            Self::Sleep(sleep) => settings.sleep = sleep,
            Self::Recovery(recovery) => settings.recovery = recovery,
            Self::LayerOrder(layer_order) => settings.layer_order = layer_order,
            Self::Gusts(gusts) => settings.wind.gusts = gusts,
            Self::Model(model) => settings.model = model,
            Self::Threads(threads) => settings.threads = threads,
        }
    }
}

/// A change of the contents of a scene. What is added is a copy of something of the scene as it started, and
/// stays where it is; cloths, bodies and colliders are numbered with those that were added, and numbers
/// beyond the last begin again. The last cloth is not removed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub enum SceneEdit {
    /// Adds a copy of a cloth.
    AddCloth {
        /// The cloth.
        cloth: u32,
        /// How far from it (m).
        by: [f32; 3],
    },
    /// Removes a cloth.
    RemoveCloth {
        /// The cloth.
        cloth: u32,
    },
    /// Adds a copy of a body.
    AddBody {
        /// The body.
        body: u32,
        /// How far from it (m).
        by: [f32; 3],
    },
    /// Removes a body.
    RemoveBody {
        /// The body.
        body: u32,
    },
    /// Adds a copy of a collider.
    AddCollider {
        /// The collider.
        collider: u32,
        /// How far from it (m).
        by: [f32; 3],
    },
    /// Removes a collider or a rigid body.
    RemoveCollider {
        /// The collider.
        collider: u32,
    },
    /// Sets the interaction of two regions.
    Interaction {
        /// The regions; 0 stands for the faces of no region.
        regions: [u8; 2],
        /// Their interaction.
        interaction: Interaction,
    },
    /// Sets the interaction of regions that no rule names.
    DefaultInteraction(Interaction),
    /// Excludes two vertices of a cloth from each other.
    Exclude {
        /// The cloth.
        cloth: u32,
        /// The vertices; indices wrap around.
        vertices: [u32; 2],
    },
    /// Ends all exclusions of a cloth.
    Include {
        /// The cloth.
        cloth: u32,
    },
    /// Sews a cloth.
    Sew {
        /// The cloth.
        cloth: u32,
        /// The stitch; indices wrap around.
        stitch: Stitch,
    },
    /// Removes all stitches of a cloth.
    Unpick {
        /// The cloth.
        cloth: u32,
    },
    /// Replaces the material of a cloth.
    Material {
        /// The cloth.
        cloth: u32,
        /// Its material.
        material: Material,
    },
}

/// How a step fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StepFailure {
    /// Its duration is not a number.
    Refused,
    /// It is so short that velocities overflow in the first substep.
    TooShort,
    /// A listener panics after the last substep.
    Late,
}

/// How many snapshots are kept.
pub const SNAPSHOT_SLOTS: u8 = 4;
