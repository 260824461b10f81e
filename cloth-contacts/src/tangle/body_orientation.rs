//! The outward direction of bodies.
//!
//! Of two intersecting sheets neither side is known to be wrong. For cloth and a body with an inside, the
//! faces of the body give the outward direction everywhere. A connected component of a body has an inside if
//! almost none of its edges are borders and if its volume by the divergence theorem is not zero; the sign of
//! that volume is the orientation of its faces.

use cloth_geom::{DisjointSets, Topology};
use nalgebra::{Point3, Vector3};

use super::Contour;
use crate::coordinate::exact;
use crate::{Coordinate, EdgeEdge, PointTriangle, Surface};

/// Share of the edges of a piece that may be borders: holes at the neck or behind the eyes.
const MAX_BORDER_SHARE: f64 = 0.02;
/// Largest cosine between a push and the outward direction for which the push is tangential.
const MAX_TANGENTIAL_COSINE: f64 = 0.2;

/// The orientation of the faces of bodies, by vertex.
#[derive(Clone, Debug, Default)]
pub struct BodyOrientation {
    /// 1 if the faces point outward, -1 if they point inward, 0 if this is undefined or the vertex belongs to
    /// cloth.
    signs: Vec<f64>,
    /// Scratch memory of [`BodyOrientation::find`]: connected components, each by its smallest vertex.
    sets: DisjointSets,
    pieces: Vec<Piece>,
}

/// What is known of a piece.
#[derive(Clone, Copy, Debug, Default)]
struct Piece {
    edges: usize,
    borders: usize,
    /// Six times its volume (m3).
    volume: f64,
}

impl Piece {
    fn sign(&self) -> f64 {
        let is_closed = self.borders as f64 <= MAX_BORDER_SHARE * self.edges as f64;
        match self.volume {
            v if is_closed && v > 0.0 => 1.0,
            v if is_closed && v < 0.0 => -1.0,
            _ => 0.0,
        }
    }
}

impl BodyOrientation {
    /// Of the bodies of a surface in a pose (m).
    #[must_use]
    pub fn new<T: Coordinate>(surface: &Surface, at: &[Point3<T>]) -> Self {
        let mut orientation = Self::default();
        orientation.find(surface, at);
        orientation
    }

    /// Becomes that of the bodies of a surface in a pose (m); allocates nothing if it was one of as many
    /// vertices before.
    pub fn find<T: Coordinate>(&mut self, surface: &Surface, at: &[Point3<T>]) {
        let Self { signs, sets, pieces } = self;
        let (topology, count) = (surface.topology(), surface.vertex_count());
        sets.reset(count);
        let of_body = |v: u32| surface.is_body(v);
        for &[a, b] in topology.edges().iter().filter(|e| of_body(e[0])) {
            sets.join(a, b);
        }
        pieces.clear();
        pieces.resize(count, Piece::default());
        for (e, &[a, _]) in topology.edges().iter().enumerate().filter(|(_, e)| of_body(e[0])) {
            let piece = &mut pieces[sets.find(a) as usize];
            piece.edges += 1;
            piece.borders += usize::from(topology.edge_faces(e).len() < 2);
        }
        for face in topology.faces().iter().filter(|f| of_body(f[0])) {
            let [a, b, c] = face.map(|v| exact(&at[v as usize]).coords);
            pieces[sets.find(face[0]) as usize].volume += a.dot(&b.cross(&c));
        }
        signs.clear();
        signs.extend((0..count as u32).map(|v| pieces[sets.find(v) as usize].sign()));
    }

    /// Which side of a contour is a body that has an inside, if one is.
    pub fn body_side(&self, contour: &Contour, topology: &Topology) -> Option<usize> {
        if contour.both_sided {
            return None;
        }
        let knows = |&f: &u32| self.sign(topology.faces()[f as usize][0]) != 0.0;
        (0..2).find(|&side| !contour.sides[side].is_empty() && contour.sides[side].iter().all(knows))
    }

    fn sign(&self, v: u32) -> f64 {
        self.signs.get(v as usize).copied().unwrap_or(0.0)
    }

    /// The unit direction out of the body at a face of it.
    pub fn outward_normal_at_face(
        &self,
        f: u32,
        at: &[Point3<f64>],
        topology: &Topology,
    ) -> Option<Vector3<f64>> {
        let sign = self.sign(topology.faces()[f as usize][0]);
        if sign == 0.0 { None } else { normal(f, at, topology).map(|n| n * sign) }
    }

    /// The unit direction out of the body, as the mean over some of its faces.
    pub fn mean_outward_normal(
        &self,
        faces: &[u32],
        at: &[Point3<f64>],
        topology: &Topology,
    ) -> Option<Vector3<f64>> {
        let normals = faces.iter().filter_map(|&f| self.outward_normal_at_face(f, at, topology));
        normals.sum::<Vector3<f64>>().try_normalize(1e-9)
    }

    /// The unit direction out of the body at an edge of it.
    fn outward_normal_at_edge(
        &self,
        e: u32,
        at: &[Point3<f64>],
        topology: &Topology,
    ) -> Option<Vector3<f64>> {
        self.mean_outward_normal(topology.edge_faces(e as usize), at, topology)
    }

    /// The unit direction out of the body at a vertex of it.
    fn outward_normal_at_vertex(
        &self,
        v: u32,
        at: &[Point3<f64>],
        topology: &Topology,
    ) -> Option<Vector3<f64>> {
        self.mean_outward_normal(topology.vertex_faces(v as usize), at, topology)
    }

    /// The direction in which a vertex-face contact pushes, if one of its primitives belongs to a body with
    /// an inside.
    pub fn push_of_point_triangle(
        &self,
        contact: &PointTriangle,
        at: &[Point3<f64>],
        topology: &Topology,
    ) -> Option<PushDirection> {
        let normal = contact.normal.cast::<f64>();
        if self.sign(contact.corners[0]) != 0.0 {
            return Some(PushDirection::classify(
                self.outward_normal_at_face(contact.face, at, topology),
                normal,
            ));
        }
        (self.sign(contact.vertex) != 0.0).then(|| {
            PushDirection::classify(self.outward_normal_at_vertex(contact.vertex, at, topology), -normal)
        })
    }

    /// The direction in which an edge-edge contact pushes, if one of its edges belongs to a body with an
    /// inside.
    pub fn push_of_edge_edge(
        &self,
        contact: &EdgeEdge,
        at: &[Point3<f64>],
        topology: &Topology,
    ) -> Option<PushDirection> {
        let normal = contact.normal.cast::<f64>();
        if self.sign(contact.b[0]) != 0.0 {
            return Some(PushDirection::classify(
                self.outward_normal_at_edge(contact.edges[1], at, topology),
                normal,
            ));
        }
        (self.sign(contact.a[0]) != 0.0).then(|| {
            PushDirection::classify(self.outward_normal_at_edge(contact.edges[0], at, topology), -normal)
        })
    }
}

/// The direction in which a contact pushes cloth relative to a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PushDirection {
    /// It pushes the cloth out.
    Outward,
    /// It pushes it in.
    Inward,
    /// It pushes it along.
    Tangential,
}

impl PushDirection {
    fn classify(out: Option<Vector3<f64>>, pushed: Vector3<f64>) -> Self {
        match out.map(|out| out.dot(&pushed)) {
            Some(cos) if cos > MAX_TANGENTIAL_COSINE => Self::Outward,
            Some(cos) if cos < -MAX_TANGENTIAL_COSINE => Self::Inward,
            _ => Self::Tangential,
        }
    }
}

/// Unit normal of a face; none if it has no area.
fn normal(face: u32, at: &[Point3<f64>], topology: &Topology) -> Option<Vector3<f64>> {
    let [a, b, c] = topology.faces()[face as usize].map(|v| at[v as usize]);
    (b - a).cross(&(c - a)).try_normalize(0.0)
}
