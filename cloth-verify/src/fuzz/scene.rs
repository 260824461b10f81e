//! A scene of the campaign as plain data: what a file of a failure holds, and what is made smaller.

use serde::{Deserialize, Serialize};

/// Cloths, what moves them, and how they are simulated. Lengths in metres, times in seconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FuzzScene {
    /// Duration of a frame (s).
    pub dt: f32,
    /// Number of frames.
    pub frames: usize,
    /// How the solver is set.
    pub settings: FuzzSettings,
    /// The cloths.
    pub cloths: Vec<Piece>,
    /// Colliders, which cloth is not certified against.
    pub colliders: Vec<Obstacle>,
    /// Bodies given as meshes, which it is.
    pub bodies: Vec<Body>,
}

/// The settings that a scene chooses; all others are the solver's own.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FuzzSettings {
    /// Substeps a frame.
    pub substeps: u32,
    /// Iterations a substep.
    pub iterations: u32,
    /// Substeps that share a detection.
    pub detect_interval: u32,
    /// Coefficient of friction between cloth.
    pub self_friction: f32,
    /// Gravity along y (m/s2).
    pub gravity: f32,
    /// Whether the solver knows of contacts between cloth; without, the gate alone keeps cloth apart.
    pub contacts: bool,
    /// Whether tangles are pulled open.
    pub recovery: bool,
}

/// A cloth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Piece {
    /// Its mesh.
    pub form: Form,
    /// Where its middle starts (m).
    pub at: [f32; 3],
    /// Turned about this axis by its length (rad).
    pub turned: [f32; 3],
    /// Greatest displacement of each coordinate at the start, by chance (m), and the seed of that.
    pub crumple: (f32, u64),
    /// Thickness `2r + SCR` (m).
    pub thickness: f32,
    /// Name of a material.
    pub material: String,
    /// Velocity at the start (m/s).
    pub velocity: [f32; 3],
    /// Vertices that are moved; numbers beyond the last begin again.
    pub pins: Vec<Pin>,
}

/// A mesh.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub enum Form {
    /// A flat sheet with this many vertices along either side, that far apart (m).
    Sheet {
        /// Vertices along either side.
        vertices: [usize; 2],
        /// Their distance (m).
        spacing: f32,
    },
    /// A sheet folded over in the middle, its halves this far apart (m) at the fold and at the far end: if one is negative, they cross.
    Fold {
        /// Vertices along either side.
        vertices: [usize; 2],
        /// Their distance (m).
        spacing: f32,
        /// Distance of the halves (m) at the fold and at the far end.
        gap: [f32; 2],
    },
    /// A disc of rings.
    Disc {
        /// Rings around the middle.
        rings: usize,
        /// Distance of the rings (m).
        spacing: f32,
    },
    /// A tube with this many vertices around and along, about that far apart (m).
    Tube {
        /// Vertices around and along.
        vertices: [usize; 2],
        /// Their distance (m).
        spacing: f32,
    },
}

/// A way there and back, at a steady speed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Way {
    /// Velocity (m/s).
    pub velocity: [f32; 3],
    /// Frames until it goes back.
    pub turn: usize,
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
    /// Turned about this axis by its length (rad).
    pub turned: [f32; 3],
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
}

impl Way {
    /// How far (m) it has gone after this many frames of `dt` (s).
    pub(super) fn after(&self, frames: usize, dt: f32) -> nalgebra::Vector3<f32> {
        let turn = self.turn.max(1);
        let phase = frames % (2 * turn);
        let steps = phase.min(2 * turn - phase);
        nalgebra::Vector3::from(self.velocity) * (dt * steps as f32)
    }
}

impl Form {
    /// The numbers of vertices, of which fewer make a smaller mesh.
    pub(super) fn counts_mut(&mut self) -> Vec<&mut usize> {
        match self {
            Self::Sheet { vertices, .. } | Self::Fold { vertices, .. } | Self::Tube { vertices, .. } => {
                vertices.iter_mut().collect()
            }
            Self::Disc { rings, .. } => vec![rings],
        }
    }
}
