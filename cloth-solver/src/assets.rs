//! The assets of a simulation: what is built once and never changes while it runs.

use std::ops::Range;
use std::sync::Arc;

use cloth_contacts::collider::LongestEdges;
use cloth_contacts::{ParticleRules, Surface};
use cloth_geom::lanes::Level;
use nalgebra::Point3;

use crate::ClothId;
use crate::axes::ColliderAxis;
use crate::chunks::Chunks;
use crate::damping::ClothDamping;
use crate::local_frame::ClothFrame;
use crate::rigid::RigidBody;

/// What is fixed until the scene is edited. Clones of a simulation share it.
#[derive(Debug)]
pub(crate) struct Assets {
    /// The cloths, then the mesh bodies, then the axes of guarded colliders.
    pub(crate) parts: Vec<Part>,
    /// The axes, in the order of their parts.
    pub(crate) axes: Vec<ColliderAxis>,
    /// The rigid bodies, by ascending id of their colliders.
    pub(crate) rigid_bodies: Vec<RigidBody>,
    /// Start positions (m).
    pub(crate) start: Vec<Point3<f32>>,
    /// The inverse mass of each vertex by its description, when it is not pinned.
    pub(crate) free_inv_mass: Vec<f32>,
    /// The collision surface.
    pub(crate) surface: Surface,
    pub(crate) particle_rules: ParticleRules,
    pub(crate) damping: Vec<ClothDamping>,
    pub(crate) local_frames: Vec<ClothFrame>,
    /// The longest rest edge (m) of each face of cloth.
    pub(crate) longest_edges: LongestEdges,
    /// Thickness (m) of the thinnest cloth.
    pub(crate) min_thickness: f32,
    /// The thickest cloth for its mesh, if it is thicker than its mean edge.
    pub(crate) excessive_thickness: Option<(ClothId, f32)>,
    /// The slots of vertices while they are being solved.
    pub(crate) chunks: Arc<Chunks>,
    /// The vector instructions; no result depends on them.
    pub(crate) level: Level,
}

/// Ranges of one cloth, mesh body or axis in the common arrays.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(crate) vertices: Range<usize>,
    pub(crate) faces: Range<usize>,
    pub(crate) kinematic: bool,
}
