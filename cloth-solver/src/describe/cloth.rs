//! Descriptions of cloths and mesh bodies: the input of a simulation.

use cloth_geom::TriMesh;
use nalgebra::Point3;

#[cfg(feature = "serde")]
use crate::number;
use crate::{
    Damping, Drive, FaceMaterial, LocalFrame, Material, ParticleChoice, RegionDesc, Tethers, Thickness,
};

/// The id of a cloth, from [`SimulationBuilder::add_cloth`](crate::SimulationBuilder::add_cloth) or
/// [`SimulationBuilder::cloth_id`](crate::SimulationBuilder::cloth_id). Ids of a new scene count from 0; no
/// id is used twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ClothId(pub(crate) usize);

impl ClothId {
    /// The number of the id, under which errors and reports name the cloth.
    #[must_use]
    pub fn index(self) -> usize {
        self.0
    }
}

/// The id of a mesh body, from [`SimulationBuilder::add_mesh_body`](crate::SimulationBuilder::add_mesh_body)
/// or [`SimulationBuilder::mesh_body_id`](crate::SimulationBuilder::mesh_body_id). Ids of a new scene count
/// from 0; no id is used twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MeshBodyId(pub(crate) usize);

impl MeshBodyId {
    /// The number of the id, under which errors and reports name the body.
    #[must_use]
    pub fn index(self) -> usize {
        self.0
    }
}

/// The rest shape of a cloth: the lengths and angles at which it has no elastic energy.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum RestShape {
    /// The start pose.
    #[default]
    Start,
    /// Another pose of the same mesh: one position (m) per vertex.
    Positions(Vec<Point3<f64>>),
    /// A flat sewing pattern: for each face the pattern coordinates (m) of its corners, warp along the second
    /// axis. The two faces at a seam need to agree on the length of their common edge only, not on its place.
    Pattern(Vec<[[f64; 2]; 3]>),
}

/// A stitch: keeps a vertex on the edge point `(1 - ratio) edge[0] + ratio edge[1]`, rigidly.
///
/// To stitch a vertex to a vertex, set both ends of the edge to the same vertex. Primitives at a stitch do
/// not collide.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Stitch {
    /// The vertex.
    pub vertex: u32,
    /// The edge it is stitched to.
    pub edge: [u32; 2],
    /// Position along the edge, in [0, 1].
    #[cfg_attr(feature = "serde", serde(deserialize_with = "number::fraction"))]
    pub ratio: f32,
}

/// A spring from a vertex to a target point;
/// [`Simulation::move_attachment`](crate::Simulation::move_attachment) moves the target.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Attachment {
    /// The vertex.
    pub vertex: u32,
    /// The target (m).
    #[cfg_attr(feature = "serde", serde(deserialize_with = "number::finite"))]
    pub target: Point3<f32>,
    /// Compliance (m/N). Zero is rigid, but contacts may still displace the vertex within a substep.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "number::non_negative"))]
    pub compliance: f32,
}

/// A cloth.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct ClothDesc {
    /// Mesh in the start pose (m).
    pub mesh: TriMesh,
    /// Rest shape.
    #[cfg_attr(feature = "serde", serde(default))]
    pub rest: RestShape,
    /// Fabric.
    pub material: Material,
    /// Other fabrics of some faces; of several entries that name a face the last one counts.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Vec::is_empty"))]
    pub face_materials: Vec<FaceMaterial>,
    /// Collision thickness.
    pub thickness: Thickness,
    /// Mass (kg) of each vertex, greater than zero; an infinite mass is a pin. `None`: area times density.
    #[cfg_attr(feature = "serde", serde(default, with = "number::infinite_as_null::list"))]
    pub masses: Option<Vec<f32>>,
    /// Layer number, higher numbers outside; faces point outward. Contacts between two numbered layers keep
    /// each on its side, and bring them back if they have crossed. `None`: no order.
    #[cfg_attr(feature = "serde", serde(default))]
    pub layer: Option<u16>,
    /// Pinned vertices: only the caller moves them.
    #[cfg_attr(feature = "serde", serde(default))]
    pub pins: Vec<u32>,
    /// Attachments to target points.
    #[cfg_attr(feature = "serde", serde(default))]
    pub attachments: Vec<Attachment>,
    /// Stitches.
    #[cfg_attr(feature = "serde", serde(default))]
    pub stitches: Vec<Stitch>,
    /// Pairs of vertices whose primitives do not collide with each other.
    #[cfg_attr(feature = "serde", serde(default))]
    pub exclusions: Vec<[u32; 2]>,
    /// Named regions; [`SimulationBuilder::set_interaction`](crate::SimulationBuilder::set_interaction) says
    /// how they interact. Faces of no region belong to [`UNASSIGNED_REGION`](crate::UNASSIGNED_REGION).
    #[cfg_attr(feature = "serde", serde(default))]
    pub regions: Vec<RegionDesc>,
    /// Vertices that collide as particles, in regions that do.
    #[cfg_attr(feature = "serde", serde(default))]
    pub particles: ParticleChoice,
    /// Long-range attachments against sagging.
    #[cfg_attr(feature = "serde", serde(default))]
    pub tethers: Option<Tethers>,
    /// Drive towards an animated pose.
    #[cfg_attr(feature = "serde", serde(default))]
    pub drive: Option<Drive>,
    /// Local frame of the wearer, to scale the inertia that the cloth feels.
    #[cfg_attr(feature = "serde", serde(default))]
    pub local_frame: Option<LocalFrame>,
    /// Internal damping.
    #[cfg_attr(feature = "serde", serde(default))]
    pub damping: Damping,
    /// Whether border vertices may lie exactly on each other; see [`ClothDesc::allow_coincident_borders`].
    #[cfg_attr(feature = "serde", serde(default))]
    pub coincident_borders: bool,
}

impl ClothDesc {
    /// A cloth at rest in its mesh's pose, without pins or constraints.
    #[must_use]
    pub fn new(mesh: TriMesh, material: Material, thickness: Thickness) -> Self {
        Self {
            mesh,
            rest: RestShape::Start,
            material,
            face_materials: Vec::new(),
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
            coincident_borders: false,
        }
    }

    /// Permits border vertices that lie exactly on others of the cloth without a stitch or an exclusion:
    /// parts that touch and are meant to come apart. Without it more than 1 % of such vertices, and at least
    /// three, are [`BuildError::CoincidentBorders`](crate::BuildError::CoincidentBorders), because almost
    /// always the mesh was split along its seams.
    #[must_use]
    pub fn allow_coincident_borders(self) -> Self {
        Self { coincident_borders: true, ..self }
    }
}

/// A kinematic mesh body. Cloth collides with its vertices and faces as with another cloth.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct MeshBodyDesc {
    /// Mesh in the start pose (m).
    pub mesh: TriMesh,
    /// Collision thickness.
    pub thickness: Thickness,
}
