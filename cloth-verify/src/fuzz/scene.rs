//! A scene of the campaign as plain data: what a replay file holds, and what is made smaller.
//!
//! Lengths are in metres times the scale of the [`World`], times in seconds. What happens between the steps is in
//! [`script`](super::script), meshes are in [`form`](super::form).

use serde::{Deserialize, Serialize};

use super::form::Form;
use super::script::Entry;
use super::settings::FuzzSettings;

/// The format of replay files.
pub const FORMAT: u32 = 2;

/// Cloths, what moves them, what the caller does meanwhile, and how all is simulated and judged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FuzzScene {
    /// [`FORMAT`].
    pub format: u32,
    /// Duration of a step (s), unless the script changes it.
    pub dt: f32,
    /// Number of steps.
    pub steps: u32,
    /// How the solver is set.
    pub settings: FuzzSettings,
    /// Where the scene is, and how large.
    pub world: World,
    /// What regions do about each other; those that no rule names collide in full.
    pub rules: Vec<Rule>,
    /// The cloths.
    pub cloths: Vec<Piece>,
    /// Bodies given as meshes, against which cloth is certified.
    pub bodies: Vec<Body>,
    /// Colliders, against which it is not.
    pub colliders: Vec<Obstacle>,
    /// What the caller does between steps.
    pub script: Vec<Entry>,
    /// A second run whose bits have to be equal.
    pub agreement: Option<Agreement>,
    /// A second scene, equal but for how it is described or where it is, that has to be as clean.
    pub twin: Option<Twin>,
}

/// Where a scene is, how large, and in which order it is described.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct World {
    /// All lengths and velocities are multiplied by this, gravity included.
    pub scale: f32,
    /// Where the scene is (m), not scaled.
    pub origin: [f32; 3],
    /// Positions at the start are multiples of this power of two (m), not scaled; none for any positions. A grid makes vertices coincide and
    /// faces coplanar.
    pub grid: Option<f32>,
    /// Whether all is mirrored along x.
    pub mirrored: bool,
    /// Seed of a permutation of the vertices, faces and corners of each cloth and body; none for the order in which meshes are made.
    pub permuted: Option<u64>,
    /// Whether the cloths are added last first.
    pub swapped: bool,
}

/// What two regions do about each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// The regions; 0 is what no region claims.
    pub regions: [u8; 2],
    /// What they do.
    pub interaction: Meeting,
}

/// What regions do about each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Meeting {
    /// They pass through each other.
    None,
    /// They collide as balls.
    Particles,
    /// They collide in full.
    Full,
}

/// A cloth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Piece {
    /// Its mesh.
    pub form: Form,
    /// Where its middle starts (m).
    pub at: [f32; 3],
    /// Rotation vector (rad): turned about this axis by its length.
    pub turned: [f32; 3],
    /// Greatest random displacement of each coordinate at the start (m), and its seed.
    pub crumple: (f32, u64),
    /// Thickness `2r + SCR` (m).
    pub thickness: f32,
    /// Name of a material.
    pub material: String,
    /// Velocity at the start (m/s).
    pub velocity: [f32; 3],
    /// Its place in the order of layers.
    pub layer: Option<u16>,
    /// Regions, of faces in the order in which the mesh has them.
    pub regions: Vec<Patch>,
    /// Which vertices collide as balls, where their regions do: one in so many; 0 for none.
    pub balls: u32,
    /// Vertices that are moved; numbers beyond the last begin again.
    pub pins: Vec<Pin>,
    /// Springs to points that move.
    pub attachments: Vec<Spring>,
    /// Seams within the cloth.
    pub stitches: Vec<Seam>,
    /// Pairs of vertices that do not collide.
    pub exclusions: Vec<[u32; 2]>,
    /// How far tethers give, as a share, and their compliance (m/N).
    pub tethers: Option<[f32; 2]>,
    /// A pose that the cloth follows.
    pub drive: Option<Driven>,
    /// What carries the cloth.
    pub carrier: Option<Carried>,
    /// Damping of stretch, bending, and all motion (1/s).
    pub damping: [f32; 3],
}

/// A share of the faces of a cloth as a region.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Patch {
    /// Its number, from 1.
    pub region: u8,
    /// From where to where among the faces, as shares of their number; faces that an earlier patch has are left to it.
    pub faces: [f32; 2],
}

/// A motion to and fro at a steady speed, and a drift that may begin later.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Way {
    /// Velocity (m/s).
    pub velocity: [f32; 3],
    /// Steps until it goes back.
    pub turn: u32,
    /// Velocity of the drift (m/s).
    pub drift: [f32; 3],
    /// The step in which the drift begins.
    pub from: u32,
    /// Whether it goes to and fro only until then.
    #[serde(default)]
    pub stops: bool,
}

/// A vertex that is moved.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pin {
    /// The vertex.
    pub vertex: u32,
    /// Its way.
    pub way: Way,
}

/// A spring to a point that moves.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spring {
    /// The vertex; numbers beyond the last begin again.
    pub vertex: u32,
    /// Compliance (m/N).
    pub compliance: f32,
    /// The way of the point.
    pub way: Way,
}

/// A vertex sewn to an edge.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Seam {
    /// The vertex; numbers beyond the last begin again.
    pub vertex: u32,
    /// The ends of the edge.
    pub edge: [u32; 2],
    /// Where on the edge, in [0, 1].
    pub ratio: f32,
}

/// A pose that a cloth follows.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Driven {
    /// Stiffness by mass (1/s2).
    pub stiffness: f32,
    /// Rate at which velocities approach the target's (1/s).
    pub damping: f32,
    /// How far each vertex may be from its target (m); none for anywhere.
    pub most: Option<f32>,
    /// How far behind its target a ball begins that a vertex may not enter, and the radius of the ball (m).
    pub backstop: Option<[f32; 2]>,
    /// The way of the pose.
    pub way: Way,
}

/// What carries a cloth.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Carried {
    /// How much of its motion the cloth feels, in [0, 1].
    pub felt: f32,
    /// Its way.
    pub way: Way,
    /// Turns about y (rad/s).
    pub spin: f32,
}

/// A collider.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Obstacle {
    /// What it is.
    pub kind: Kind,
    /// Size (m).
    pub size: f32,
    /// Where it starts (m).
    pub at: [f32; 3],
    /// Rotation vector (rad).
    pub turned: [f32; 3],
    /// Coefficient of friction.
    pub friction: f32,
    /// Its way.
    pub way: Way,
}

/// The shape of a collider.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A ball.
    Sphere,
    /// A capsule twice as long as wide.
    Capsule,
    /// A cube.
    Box,
    /// A half-space.
    Plane,
}

/// A body given as a mesh.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Body {
    /// Whether it is a ball; else a disc.
    pub ball: bool,
    /// Radius (m).
    pub radius: f32,
    /// Thickness `2r + SCR` (m).
    pub thickness: f32,
    /// Where its middle starts (m).
    pub at: [f32; 3],
    /// Its way.
    pub way: Way,
    /// Turns about y (rad/s).
    pub spin: f32,
    /// How much it is stretched along y at most, as a share of its size, and in how many steps to and fro; 0 for a rigid body.
    pub pulse: (f32, u32),
}

/// A second run of a scene whose bits have to be equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", tag = "kind")]
pub enum Agreement {
    /// With another broad phase and other threads.
    Machine {
        /// Number of the broad phase, begun again beyond the last.
        broad_phase: u8,
        /// Threads.
        threads: u8,
    },
    /// Interrupted before a step: a snapshot, some steps in which more is done to the cloth, and back to the snapshot.
    Restored {
        /// The step.
        at: u32,
        /// How many steps.
        detour: u32,
    },
    /// Goes on in another simulation with blocks for its broad phase from a step on, by a snapshot.
    Migrated {
        /// The step.
        at: u32,
    },
    /// With a step that fails before each of these.
    Failing {
        /// How the steps fail.
        how: super::script::Failing,
        /// One step in so many.
        every: u32,
    },
}

/// A scene that is equal to another but for how it is described, or where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", tag = "kind")]
pub enum Twin {
    /// Vertices, faces and corners in another order.
    Permuted {
        /// The order.
        seed: u64,
    },
    /// Mirrored along x.
    Mirrored,
    /// Moved by so many units of the grid along each axis, which is exact.
    Translated {
        /// The units.
        units: [i32; 3],
    },
    /// The cloths in the opposite order.
    Swapped,
}
