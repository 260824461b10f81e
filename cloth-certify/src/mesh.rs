//! What collides: the faces, edges and points of a mesh, and which of them may meet.

use std::sync::Arc;

use cloth_contacts::gate::Pair;
use cloth_contacts::{Interaction, Interactions, Regions, Surface, SurfaceError};
use cloth_geom::Topology;

use crate::MeshError;

/// Greatest number of vertices, edges or faces: boxes are numbered in 30 bits.
const MOST: usize = (1 << 30) - 1;

/// The groups that a part is in, and those that it collides with, one bit each. Two parts collide if each is
/// in a group that the other collides with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Mask {
    /// The groups it is in.
    pub is_in: u32,
    /// The groups it collides with.
    pub meets: u32,
}

impl Mask {
    fn meets(self, other: Self) -> bool {
        self.is_in & other.meets != 0 && other.is_in & self.meets != 0
    }
}

/// A mesh to be judged: faces, edges without faces and lone points, in parts of which some may be kinematic.
///
/// Every vertex and face, and every two edges, that share no vertex may collide, except where the description
/// says otherwise. Two faces are an *intersection* if they meet anywhere but at their common vertices.
///
/// ```
/// use cloth_certify::CollisionMesh;
///
/// let mesh = CollisionMesh::new(6, &[[0, 1, 2], [3, 4, 5]]).build()?;
/// let x = [[0., 0., 0.], [4., 0., 0.], [0., 0., 4.], [1., 1., 1.], [1., -1., 1.], [2., 1., 1.]];
/// let report = mesh.check_state(&x)?;
/// assert_eq!(report.intersections().count(), 2); // two edges of the second face go through the first
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct CollisionMesh {
    pub(crate) surface: Arc<Surface>,
}

impl CollisionMesh {
    /// The largest absolute value (m) of a coordinate of a motion that is to be corrected, and where
    /// distances are asked for. Verdicts have none.
    pub const LIMIT: f64 = 1e9;

    /// Describes a mesh of `vertex_count` vertices; faces have any orientation, and need not be manifold.
    #[must_use]
    #[allow(clippy::new_ret_no_self, reason = "a mesh is described before it is built")]
    pub fn new(vertex_count: usize, faces: &[[u32; 3]]) -> MeshBuilder<'_> {
        MeshBuilder {
            vertex_count,
            faces,
            edges: &[],
            part: &[],
            kinematic: &[],
            masks: &[],
            exclusions: &[],
            can_collide: None,
        }
    }

    /// Number of vertices.
    #[must_use]
    pub fn vertex_count(&self) -> usize {
        self.surface.vertex_count()
    }

    /// Adjacency of the mesh. The ids of edges are those of its [`Topology::edges`].
    #[must_use]
    pub fn topology(&self) -> &Topology {
        self.surface.topology()
    }

    /// Whether a pair may collide: that share no vertex, and which the description does not exempt.
    pub(crate) fn guards(&self, pair: Pair) -> bool {
        self.surface.permanent_exemption(pair).is_none()
    }
}

/// The description of a [`CollisionMesh`].
#[derive(Clone, Copy)]
pub struct MeshBuilder<'a> {
    vertex_count: usize,
    faces: &'a [[u32; 3]],
    edges: &'a [[u32; 2]],
    part: &'a [u16],
    kinematic: &'a [bool],
    masks: &'a [Mask],
    exclusions: &'a [[u32; 2]],
    can_collide: Option<&'a dyn Fn(u16, u16) -> bool>,
}

impl std::fmt::Debug for MeshBuilder<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (vertices, faces) = (self.vertex_count, self.faces.len());
        f.debug_struct("MeshBuilder")
            .field("vertices", &vertices)
            .field("faces", &faces)
            .finish_non_exhaustive()
    }
}

impl<'a> MeshBuilder<'a> {
    /// Edges without faces: wires, hair. One that a face has as well is that edge. Vertices without faces and
    /// edges are points, which collide with faces.
    #[must_use]
    pub fn edges(self, edges: &'a [[u32; 2]]) -> Self {
        Self { edges, ..self }
    }

    /// The part of each vertex, from 0; without it everything is part 0.
    #[must_use]
    pub fn parts(self, part: &'a [u16]) -> Self {
        Self { part, ..self }
    }

    /// Which parts are kinematic: their motion is never corrected, and two of them do not collide.
    #[must_use]
    pub fn kinematic(self, kinematic: &'a [bool]) -> Self {
        Self { kinematic, ..self }
    }

    /// The mask of each part; without them all parts collide.
    #[must_use]
    pub fn masks(self, masks: &'a [Mask]) -> Self {
        Self { masks, ..self }
    }

    /// Which parts collide, and whether a part collides with itself (`a == b`). It is asked once for each
    /// pair of parts, the smaller one first, when the mesh is built.
    #[must_use]
    pub fn can_collide(self, can_collide: &'a dyn Fn(u16, u16) -> bool) -> Self {
        Self { can_collide: Some(can_collide), ..self }
    }

    /// Pairs of vertices whose primitives do not collide, as if the two were one: seams.
    #[must_use]
    pub fn exclusions(self, exclusions: &'a [[u32; 2]]) -> Self {
        Self { exclusions, ..self }
    }

    /// Builds the mesh.
    ///
    /// # Errors
    /// If an index is out of range, a face or an edge has equal corners or joins two parts, an array has the
    /// wrong length, or there is too much of something.
    pub fn build(self) -> Result<CollisionMesh, MeshError> {
        for (kind, count) in [("vertices", self.vertex_count), ("faces", self.faces.len())] {
            check_count(kind, count)?;
        }
        let topology = Topology::with_loose_edges(self.vertex_count, self.faces, self.edges)?;
        check_count("edges", topology.edges().len())?;
        let no_parts;
        let part = match self.part {
            [] => {
                no_parts = vec![0; self.vertex_count];
                &no_parts
            }
            part => part,
        };
        if part.len() != self.vertex_count {
            let (got, expected) = (part.len(), self.vertex_count);
            return Err(MeshError::Length { name: "parts", got, expected });
        }
        self.check_parts(part)?;
        let missing = self.exclusions.iter().enumerate().find_map(|(index, pair)| {
            pair.iter().find(|&&v| v as usize >= self.vertex_count).map(|&vertex| (index, vertex))
        });
        if let Some((index, vertex)) = missing {
            return Err(MeshError::Exclusion { index, vertex, vertex_count: self.vertex_count });
        }
        let parts = part.iter().max().map_or(1, |&last| usize::from(last) + 1);
        let movable;
        let kinematic = match self.kinematic {
            [] => {
                movable = vec![false; parts];
                &movable
            }
            kinematic => kinematic,
        };
        let interactions = self.interactions(parts);
        let of_face: Vec<u16> = self.faces.iter().map(|face| part[face[0] as usize]).collect();
        let regions = match &interactions {
            Some(table) => Regions { of_face: &of_face, of_vertex: part, interactions: Some(table) },
            None => Regions::default(),
        };
        let surface = Surface::for_gate_alone(topology, part, kinematic, self.exclusions, regions);
        surface.map(|surface| CollisionMesh { surface: Arc::new(surface) }).map_err(|error| match error {
            SurfaceError::Topology(error) => MeshError::Topology(error),
            error => MeshError::Surface(error),
        })
    }

    fn check_parts(&self, part: &[u16]) -> Result<(), MeshError> {
        for (name, count) in [("kinematic", self.kinematic.len()), ("masks", self.masks.len())] {
            let missing = part.iter().position(|&part| usize::from(part) >= count);
            if let Some(vertex) = missing.filter(|_| count > 0) {
                return Err(MeshError::Part { vertex, part: part[vertex], name, count });
            }
        }
        let mixed = |index: usize, vertices: &[u32], kind: &'static str| {
            let first = part[vertices[0] as usize];
            let other = vertices.iter().map(|&v| part[v as usize]).find(|&other| other != first);
            other.map(|other| MeshError::MixedParts { kind, index, parts: [first, other] })
        };
        let of_faces = self.faces.iter().enumerate().find_map(|(f, face)| mixed(f, face, "face"));
        let mut edges = self.edges.iter().enumerate();
        of_faces.or_else(|| edges.find_map(|(e, edge)| mixed(e, edge, "edge"))).map_or(Ok(()), Err)
    }

    /// Which parts collide; `None` if all do.
    fn interactions(&self, parts: usize) -> Option<Interactions> {
        if self.can_collide.is_none() && self.masks.is_empty() {
            return None;
        }
        let mask = |part: u16| self.masks.get(usize::from(part)).copied();
        let collide = |a: u16, b: u16| {
            let by_masks = mask(a).zip(mask(b)).is_none_or(|(a, b)| a.meets(b));
            by_masks && self.can_collide.is_none_or(|can_collide| can_collide(a, b))
        };
        let mut table = Interactions::all(Interaction::FullMesh);
        for a in 0..parts as u16 {
            for b in (a..parts as u16).filter(|&b| !collide(a, b)) {
                table = table.with(a, b, Interaction::None);
            }
        }
        Some(table)
    }
}

fn check_count(kind: &'static str, count: usize) -> Result<(), MeshError> {
    if count <= MOST { Ok(()) } else { Err(MeshError::TooMany { kind, count, limit: MOST }) }
}
