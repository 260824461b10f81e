//! A scene of a fuzz campaign as plain data: the content of a replay file.
//!
//! Lengths are in metres times the scale of the [`FuzzWorld`], those of the settings and shapes of the solver
//! included; times are in seconds. Calls between steps are in [`script`](super::script), meshes in
//! [`mesh`](super::mesh).

use cloth_show::choice::BroadPhaseChoice;
use cloth_solver::{Backstop, Damping, Interaction, Material, Settings, Shape, Stitch, Tethers};
use serde::{Deserialize, Serialize};

use super::mesh::FuzzMesh;
use super::script::{ScriptCall, ScriptEntry};

/// The format of replay files.
pub const FORMAT: u32 = 6;

/// Cloths, bodies, colliders, the calls between steps, and the settings of the run and its comparisons.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FuzzScene {
    /// [`FORMAT`].
    pub format: u32,
    /// Duration of a step (s), unless the script changes it.
    pub dt: f32,
    /// Number of steps.
    pub steps: u32,
    /// Settings of the solver. Each run of the scene decides on the gate.
    pub settings: Settings,
    /// Interaction of regions that no rule names.
    pub default_interaction: Interaction,
    /// The broad phase.
    pub broad_phase: BroadPhaseChoice,
    /// Threads of the pool that the scene runs in, 1 to 8.
    pub threads: u8,
    /// Place, scale and order of the scene.
    pub world: FuzzWorld,
    /// Interactions of regions.
    pub rules: Vec<RegionRule>,
    /// The cloths.
    pub cloths: Vec<FuzzCloth>,
    /// Further copies of cloths.
    pub instances: Vec<FuzzInstance>,
    /// Mesh bodies; motion against them is certified.
    pub bodies: Vec<FuzzBody>,
    /// Colliders; motion against them is not certified.
    pub colliders: Vec<FuzzCollider>,
    /// The path of what moves within a step; none for a straight line.
    pub waypoints: Option<FuzzWaypoints>,
    /// Calls between steps.
    pub script: Vec<ScriptEntry>,
    /// A repeated run whose states must be bitwise equal.
    pub repeat: Option<Repeat>,
    /// An equivalent scene, described differently or placed elsewhere, that must be as free of intersections.
    pub variant: Option<MetamorphicVariant>,
}

impl FuzzScene {
    /// The calls before a step, counted from 0.
    pub(super) fn calls(&self, step: u32) -> impl Iterator<Item = &ScriptCall> {
        self.script.iter().filter(move |entry| entry.at == step).map(|entry| &entry.call)
    }
}

/// Reads the text of a replay file.
///
/// # Errors
/// If it is no scene, or one of another format.
pub fn read_scene(text: &str) -> Result<FuzzScene, String> {
    #[derive(Deserialize)]
    struct Header {
        format: u32,
    }
    let Header { format } = serde_json::from_str(text).map_err(|e| e.to_string())?;
    if format != FORMAT {
        return Err(format!(
            "it has format {format}, and this version reads format {FORMAT}; run the campaign again to write \
             a new file"
        ));
    }
    serde_json::from_str(text).map_err(|e| e.to_string())
}

/// Place, scale and order of description of a scene.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FuzzWorld {
    /// Factor of all lengths, velocities and gravity.
    pub scale: f32,
    /// Origin of the scene (m), not scaled.
    pub origin: [f32; 3],
    /// Start positions are rounded to multiples of this power of two (m), not scaled; none for no rounding. A
    /// grid makes vertices coincide and faces coplanar.
    pub grid: Option<f32>,
    /// Whether the scene is mirrored along x.
    pub mirrored: bool,
    /// Seed of a permutation of the vertices, faces and corners of each cloth and body; none for the
    /// generated order.
    pub permutation_seed: Option<u64>,
    /// Whether the cloths are added in reverse order.
    pub reversed: bool,
}

/// The interaction of two regions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RegionRule {
    /// The regions; 0 stands for the faces of no region.
    pub regions: [u8; 2],
    /// Their interaction.
    pub interaction: Interaction,
}

/// A cloth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FuzzCloth {
    /// Its mesh.
    pub mesh: FuzzMesh,
    /// Start position of its centre (m).
    pub at: [f32; 3],
    /// Rotation vector (rad): axis times angle.
    pub rotation: [f32; 3],
    /// Maximum random displacement of each coordinate at the start (m), and its seed.
    pub jitter: (f32, u64),
    /// Thickness `2r + SCR` (m).
    pub thickness: f32,
    /// Its fabric.
    pub material: Material,
    /// Velocity at the start (m/s).
    pub velocity: [f32; 3],
    /// Its layer number.
    pub layer: Option<u16>,
    /// Regions, as ranges of the generated face order.
    pub regions: Vec<RegionFaces>,
    /// Every n-th vertex collides as a particle, where its region does; 0 for none.
    pub particle_interval: u32,
    /// Pinned vertices that move; indices wrap around.
    pub pins: Vec<FuzzPin>,
    /// Springs to moving points.
    pub attachments: Vec<FuzzAttachment>,
    /// Seams within the cloth; indices wrap around.
    pub stitches: Vec<Stitch>,
    /// Pairs of vertices that do not collide.
    pub exclusions: Vec<[u32; 2]>,
    /// Limits the distance to pins and attachments.
    pub tethers: Option<Tethers>,
    /// Pulls the cloth to a pose.
    pub drive: Option<FuzzDrive>,
    /// The moving frame that carries the cloth.
    pub carrier: Option<FuzzCarrier>,
    /// Damping of its motion.
    pub damping: Damping,
}

/// An instance of the asset of a cloth. It starts without velocity, and no call of the script names it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FuzzInstance {
    /// The cloth; indices wrap around.
    pub cloth: u32,
    /// Rotation vector (rad), about the first vertex of the cloth.
    pub rotation: [f32; 3],
    /// How far from the cloth (m).
    pub by: [f32; 3],
}

/// A bow instead of the straight line to the end of a step, along which pins, attachments, bodies and
/// colliders move. Bodies that spin turn on an arc.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FuzzWaypoints {
    /// Waypoints of each path.
    pub count: u32,
    /// The distance from the straight line in the middle of a step (m).
    pub bow: [f32; 3],
}

/// A region, as a range of the faces of a cloth.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RegionFaces {
    /// Its number, from 1.
    pub region: u8,
    /// Start and end among the faces, as shares of their number; a face belongs to the first range that has
    /// it.
    pub faces: [f32; 2],
}

/// A motion back and forth at constant speed, and a drift that may start later.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FuzzMotion {
    /// Velocity (m/s).
    pub velocity: [f32; 3],
    /// Steps before the motion reverses.
    pub half_period: u32,
    /// Velocity of the drift (m/s).
    pub drift_velocity: [f32; 3],
    /// The step in which the drift starts.
    pub drift_start: u32,
    /// Whether the motion back and forth stops when the drift starts.
    #[serde(default)]
    pub stops_at_drift: bool,
}

/// A pinned vertex that moves.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FuzzPin {
    /// The vertex.
    pub vertex: u32,
    /// Its motion.
    pub motion: FuzzMotion,
}

/// A spring to a moving point.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FuzzAttachment {
    /// The vertex; indices wrap around.
    pub vertex: u32,
    /// Compliance (m/N).
    pub compliance: f32,
    /// The motion of the point.
    pub motion: FuzzMotion,
}

/// Pulls a cloth to a moving pose.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FuzzDrive {
    /// Stiffness by mass (1/s2).
    pub stiffness: f32,
    /// Rate at which velocities approach the target's (1/s).
    pub damping: f32,
    /// Maximum distance of a vertex from its target (m); none for no limit.
    pub max_distance: Option<f32>,
    /// A sphere behind the target of each vertex that the vertex may not enter.
    pub backstop: Option<Backstop>,
    /// The motion of the pose.
    pub motion: FuzzMotion,
}

/// A moving frame that carries a cloth.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FuzzCarrier {
    /// Share of the frame's acceleration that acts on the cloth, in [0, 1].
    pub inertia_scale: f32,
    /// Its motion.
    pub motion: FuzzMotion,
    /// Angular velocity about y (rad/s).
    pub spin: f32,
}

/// A collider.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FuzzCollider {
    /// Its shape.
    pub shape: Shape,
    /// Start position (m).
    pub at: [f32; 3],
    /// Rotation vector (rad).
    pub rotation: [f32; 3],
    /// Coefficient of friction.
    pub friction: f32,
    /// Whether cloth keeps away from its axis.
    pub guarded: bool,
    /// What makes it a rigid body; none for a collider that its motion moves.
    pub rigid: Option<FuzzRigid>,
    /// Its motion.
    pub motion: FuzzMotion,
}

/// The mass of a rigid body, and its velocities at the start.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FuzzRigid {
    /// Mass (kg, times the square of the scale).
    pub mass: f32,
    /// Velocity (m/s).
    pub velocity: [f32; 3],
    /// Angular velocity (rad/s).
    pub angular_velocity: [f32; 3],
}

/// A mesh body.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FuzzBody {
    /// Whether it is a sphere; else a disc.
    pub ball: bool,
    /// Radius (m).
    pub radius: f32,
    /// Thickness `2r + SCR` (m).
    pub thickness: f32,
    /// Start position of its centre (m).
    pub at: [f32; 3],
    /// Its motion.
    pub motion: FuzzMotion,
    /// Angular velocity about y (rad/s).
    pub spin: f32,
    /// Maximum stretch along y relative to its size, and period in steps; 0 for a rigid body.
    pub pulse: (f32, u32),
}

/// How the repeated run of a scene differs; its states must be bitwise equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", tag = "kind")]
pub enum Repeat {
    /// Another broad phase and another number of threads.
    Machine {
        /// The broad phase.
        broad_phase: BroadPhaseChoice,
        /// Threads, 1 to 8.
        threads: u8,
    },
    /// Takes a snapshot before a step, takes some steps with other edits, and restores the snapshot.
    Restored {
        /// The step.
        at: u32,
        /// Number of steps before the snapshot is restored.
        detour: u32,
    },
    /// Continues in another simulation, whose broad phase is `BlockTree`, from a snapshot.
    Migrated {
        /// The step.
        at: u32,
    },
    /// Takes failing steps in between.
    Failing {
        /// How the steps fail.
        how: super::script::StepFailure,
        /// A failing step before every n-th step.
        every: u32,
    },
}

/// How the metamorphic variant of a scene differs from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", tag = "kind")]
pub enum MetamorphicVariant {
    /// Vertices, faces and corners in another order.
    Permuted {
        /// The order.
        seed: u64,
    },
    /// Mirrored along x.
    Mirrored,
    /// Translated by this many units of the grid along each axis, which is exact.
    Translated {
        /// The units.
        units: [i32; 3],
    },
    /// The cloths in reverse order.
    Swapped,
}
