//! What a user says about a cloth, or about a body given as a mesh, before the simulation starts.

use cloth_geom::TriMesh;
use nalgebra::Point3;

use crate::{Damping, Drive, LocalFrame, Material, ParticleChoice, RegionDesc, Tethers, Thickness};

/// A cloth of a simulation; the ids of a new scene count from 0, and none is used twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ClothId(pub usize);

/// A mesh body of a simulation; the ids of a new scene count from 0, and none is used twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MeshBodyId(pub usize);

/// The shape that a cloth has when nothing pulls at it.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum RestShape {
    /// The pose it starts in.
    #[default]
    Start,
    /// Another pose of the same mesh: one position (m) a vertex.
    Positions(Vec<Point3<f64>>),
    /// A flat sewing pattern: for each face the pattern coordinates (m) of its corners, warp along the second
    /// axis. Faces on either side of a seam need not agree on where their common edge lies, only on its length.
    Pattern(Vec<[[f64; 2]; 3]>),
}

impl RestShape {
    /// The lengths and angles of a pose (m), one position a vertex of the faces, with every hinge flat: cloth that starts
    /// folded, and whose folds are to open.
    ///
    /// # Panics
    /// If a face has a vertex that has no position.
    #[must_use]
    pub fn flattened(pose: &[Point3<f64>], faces: &[[u32; 3]]) -> Self {
        Self::Pattern(crate::rest::flatten(pose, faces))
    }
}

/// A seam: vertex `vertex` is held on the edge point `(1 - ratio) edge[0] + ratio edge[1]`.
///
/// A vertex stitched to a vertex has both ends of the edge equal. Primitives at a stitch do not collide.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stitch {
    /// The vertex.
    pub vertex: u32,
    /// The edge that it is sewn to.
    pub edge: [u32; 2],
    /// Where on the edge, in [0, 1].
    pub ratio: f32,
}

/// A spring from a vertex to a point that the caller moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attachment {
    /// The vertex.
    pub vertex: u32,
    /// The point (m).
    pub target: Point3<f32>,
    /// Compliance (m/N); zero holds it rigidly, yet lets contacts push it away within a substep.
    pub compliance: f32,
}

/// A cloth.
#[derive(Clone, Debug, PartialEq)]
pub struct ClothDesc {
    /// Mesh at the start (m).
    pub mesh: TriMesh,
    /// Shape without tension.
    pub rest: RestShape,
    /// Fabric.
    pub material: Material,
    /// Thickness for collision.
    pub thickness: Thickness,
    /// Masses (kg) by vertex, greater than zero; an infinite one is a pin. If none, area times density.
    pub masses: Option<Vec<f32>>,
    /// Its place in the order of layers, higher numbers outside; faces look outward. Contacts between two layers in order
    /// keep each on its side, and bring them back when they went through each other. None: it has no place.
    pub layer: Option<u16>,
    /// Vertices that only the caller moves.
    pub pins: Vec<u32>,
    /// Springs to points that the caller moves.
    pub attachments: Vec<Attachment>,
    /// Seams.
    pub stitches: Vec<Stitch>,
    /// Pairs of vertices whose primitives do not collide with each other.
    pub exclusions: Vec<[u32; 2]>,
    /// Regions, whose interactions the builder is told; what none of them claims is [`UNASSIGNED_REGION`](crate::THE_REST).
    pub regions: Vec<RegionDesc>,
    /// Which vertices collide as balls, where their regions do.
    pub particles: ParticleChoice,
    /// Tethers to what holds the cloth, against sagging.
    pub tethers: Option<Tethers>,
    /// A pose that the caller moves, and how closely the cloth follows it.
    pub drive: Option<Drive>,
    /// What carries the cloth, if it is not to feel all of its wearer's motion.
    pub local_frame: Option<LocalFrame>,
    /// Damping of what the cloth does to itself.
    pub damping: Damping,
}

impl ClothDesc {
    /// A cloth that starts at rest, with nothing pinned.
    #[must_use]
    pub fn new(mesh: TriMesh, material: Material, thickness: Thickness) -> Self {
        Self {
            mesh,
            rest: RestShape::Start,
            material,
            thickness,
            masses: None,
            layer: None,
            pins: Vec::new(),
            attachments: Vec::new(),
            stitches: Vec::new(),
            exclusions: Vec::new(),
            regions: Vec::new(),
            particles: ParticleChoice::All,
            tethers: None,
            drive: None,
            local_frame: None,
            damping: Damping::default(),
        }
    }
}

/// A body given as a mesh: kinematic vertices that cloth collides with as with another cloth.
#[derive(Clone, Debug, PartialEq)]
pub struct MeshBodyDesc {
    /// Its mesh at the start (m).
    pub mesh: TriMesh,
    /// Its thickness for collision.
    pub thickness: Thickness,
}
