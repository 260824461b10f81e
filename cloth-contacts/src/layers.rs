//! Layers: an authored order of garments decides the side of a contact (Lewin 2018, section 5.1).
//!
//! Faces point outward. A vertex of an outer layer belongs in front of the faces of an inner layer, and a
//! vertex of the inner layer behind the faces of the outer. A contact between two layers needs no history.
//! Layers that have passed through each other are detected up to `depth` and brought back:
//!
//! ```text
//!   outer  ----->         correct: gap > 0      inner  -----> wrong: gap < 0, the normal still points to the
//!   inner  ----->                               outer  -----> side where the outer layer belongs
//! ```
//!
//! Parts of two layers that face away from each other, such as the front and the back of a skirt, are not
//! tangled however close they are; vertex normals distinguish the two cases.

use std::cmp::Ordering;

use cloth_geom::Topology;
use nalgebra::{Point3, Vector3};

use crate::{EdgeEdge, PointTriangle, Side, Surface, SurfaceError};

/// Smallest cosine between separation and surface normal for which one primitive counts as above the other.
/// Over the interior of a face the cosine is 1.
const MIN_NORMAL_COSINE: f32 = 0.7;

/// The rank of a vertex in the order of layers; higher ranks are outside. `None`: the vertex belongs to no
/// layer.
pub type Rank = Option<u16>;

/// The authored order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layers {
    /// By vertex; empty if there is no order.
    of_vertex: Vec<Rank>,
    of_face: Vec<Rank>,
    of_edge: Vec<Rank>,
    /// Depth (m) up to which layers on the wrong side are detected.
    pub(crate) depth: f32,
}

/// Which primitive of a pair is outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OuterPrimitive {
    /// The first primitive of a pair: the vertex, or the edge with the lower number.
    First,
    /// The second.
    Second,
}

impl OuterPrimitive {
    /// +1 if the first is outside.
    pub(crate) fn sign(self) -> f32 {
        if self == Self::First { 1.0 } else { -1.0 }
    }
}

impl Layers {
    /// Whether there is no order at all.
    pub(crate) fn is_empty(&self) -> bool {
        self.of_vertex.is_empty()
    }

    /// The outer one of a vertex and a face; `None` if they are not of two layers.
    #[inline]
    pub(crate) fn point_triangle(&self, [vertex, face]: [u32; 2]) -> Option<OuterPrimitive> {
        if self.is_empty() {
            return None;
        }
        outer(self.of_vertex[vertex as usize], self.of_face[face as usize])
    }

    /// The outer one of two edges; `None` if they are not of two layers.
    #[inline]
    pub(crate) fn edge_edge(&self, [a, b]: [u32; 2]) -> Option<OuterPrimitive> {
        if self.is_empty() {
            return None;
        }
        outer(self.of_edge[a as usize], self.of_edge[b as usize])
    }

    /// The layer of a vertex.
    pub(crate) fn of_vertex(&self, vertex: u32) -> Rank {
        self.of_vertex.get(vertex as usize).copied().flatten()
    }

    /// The layer of a face.
    pub(crate) fn of_face(&self, face: u32) -> Rank {
        self.of_face.get(face as usize).copied().flatten()
    }
}

fn outer(a: Rank, b: Rank) -> Option<OuterPrimitive> {
    match a?.cmp(&b?) {
        Ordering::Greater => Some(OuterPrimitive::First),
        Ordering::Less => Some(OuterPrimitive::Second),
        Ordering::Equal => None,
    }
}

impl Surface {
    /// Adds an order of layers: the rank of each vertex, higher ranks outside. Layers on the wrong side are
    /// detected up to `depth` (m) from each other. A face or edge with vertices of two layers belongs to
    /// neither.
    ///
    /// # Errors
    /// If the number of ranks is not that of the vertices, or if the depth is negative or not finite.
    pub fn with_layers(mut self, of_vertex: &[Rank], depth: f32) -> Result<Self, SurfaceError> {
        let expected = self.vertex_count();
        if of_vertex.len() != expected {
            return Err(SurfaceError::Length { name: "layers", got: of_vertex.len(), expected });
        }
        if !(depth.is_finite() && depth >= 0.0) {
            return Err(SurfaceError::Depth(depth));
        }
        let common = |vertices: &[u32]| {
            let mut ranks = vertices.iter().map(|&v| of_vertex[v as usize]);
            let first = ranks.next().flatten();
            if ranks.all(|rank| rank == first) { first } else { None }
        };
        if of_vertex.iter().any(Option::is_some) {
            self.layers = Layers {
                of_face: self.topology.faces().iter().map(|f| common(f)).collect(),
                of_edge: self.topology.edges().iter().map(|e| common(e)).collect(),
                of_vertex: of_vertex.to_vec(),
                depth,
            };
        }
        Ok(self)
    }
}

/// Area-weighted vertex normals at the start of the step; computed only if there are layers.
#[derive(Clone, Debug, Default)]
pub(crate) struct VertexNormals {
    at: Vec<Vector3<f32>>,
}

impl VertexNormals {
    /// Computes the normals at these positions (m).
    pub(crate) fn measure(&mut self, topology: &Topology, positions: &[Point3<f32>]) {
        self.at.clear();
        self.at.resize(positions.len(), Vector3::zeros());
        for face in topology.faces() {
            let [a, b, c] = face.map(|v| positions[v as usize]);
            let area = (b - a).cross(&(c - a));
            face.iter().for_each(|&v| self.at[v as usize] += area);
        }
    }

    /// The normal at a point inside a face or an edge, not of unit length; one weight for each vertex.
    pub(crate) fn between(&self, vertices: &[u32], weights: &[f32]) -> Vector3<f32> {
        let weighted = vertices.iter().zip(weights).map(|(&v, &w)| unit(self.at[v as usize]) * w);
        weighted.fold(Vector3::zeros(), |sum, n| sum + n)
    }
}

fn unit(v: Vector3<f32>) -> Vector3<f32> {
    v.try_normalize(0.0).unwrap_or_default()
}

/// Turns a contact to the side that the order of layers requires. Returns false if no contact is needed: the
/// pair is beyond `near` (m) on the correct side, or side by side on the wrong one, where a contact would
/// preserve the tangle.
pub(crate) fn orient_point_triangle(
    contact: &mut PointTriangle,
    outer: OuterPrimitive,
    normals: &VertexNormals,
    approach: f32,
    near: f32,
) -> bool {
    let surface = normals.between(&contact.corners, &contact.weights);
    let height = match contact.side {
        Side::Frozen => unit(surface).dot(&contact.normal),
        side => side.sign(),
    } * outer.sign();
    let same_orientation = normals.between(&[contact.vertex], &[1.0]).dot(&surface) > 0.0;
    if height > -MIN_NORMAL_COSINE || !same_orientation {
        return !(same_orientation && height < 0.0) && contact.gap - approach.max(0.0) < near;
    }
    contact.flip_side();
    true
}

/// As [`orient_point_triangle`], for a contact of two edges.
pub(crate) fn orient_edge_edge(
    contact: &mut EdgeEdge,
    outer: OuterPrimitive,
    normals: &VertexNormals,
    approach: f32,
    near: f32,
) -> bool {
    let of_a = normals.between(&contact.a, &[1.0 - contact.s, contact.s]);
    let of_b = normals.between(&contact.b, &[1.0 - contact.t, contact.t]);
    let surface = unit(of_a + of_b);
    let height = surface.dot(&contact.normal) * outer.sign();
    let same_orientation = of_a.dot(&of_b) > 0.0;
    if height > -MIN_NORMAL_COSINE || !same_orientation {
        return !(same_orientation && height < 0.0) && contact.gap - approach.max(0.0) < near;
    }
    (contact.normal, contact.gap) = (-contact.normal, -contact.gap);
    true
}
