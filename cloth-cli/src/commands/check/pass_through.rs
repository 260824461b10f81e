//! What passed through between the states of a subject: exactly, every vertex on a straight line from state to state.

use std::fmt;

use cloth_broadphase::BlockTree;
use cloth_contacts::impacts::{ImpactFinder, Impacts};
use cloth_contacts::intersect::{ClosedSeams, IntersectError};
use nalgebra::Point3;
use serde::Serialize;

use crate::commands::meshes::PreparedMesh;

/// Pairs that met between successive states.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(super) struct PassThroughReport {
    /// Summed over the ways from state to state: vertex and face, or edge and edge, that share no vertex.
    pub(super) pass_throughs: usize,
    /// Number of ways on which any met.
    pub(super) frames_with: usize,
    /// The first ones of the first way on which any met.
    pub(super) examples: Vec<PassThrough>,
}

/// One pair that met, in the numbers of the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub(super) enum PassThrough {
    /// A vertex met a face.
    VertexFace { vertex: u32, face: u32 },
    /// Two edges met, each given by its vertices.
    EdgeEdge { edges: [[u32; 2]; 2] },
}

impl fmt::Display for PassThrough {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::VertexFace { vertex, face } => write!(f, "vertex {vertex} met face {face}"),
            Self::EdgeEdge { edges: [[a, b], [c, d]] } => write!(f, "edge {a}-{b} met edge {c}-{d}"),
        }
    }
}

/// Looks at the ways between the states that it is shown.
#[derive(Default)]
pub(super) struct PassThroughObserver {
    finder: ImpactFinder<BlockTree>,
    /// The state that was shown last; empty before the first.
    before: Vec<Point3<f64>>,
    /// The seams that were closed in it.
    closed_before: ClosedSeams,
    /// At most this many pairs are named.
    examples: usize,
    found: Option<PassThroughReport>,
}

impl PassThroughObserver {
    /// Names at most so many pairs.
    pub(super) fn naming(examples: usize) -> Self {
        Self { examples, ..Self::default() }
    }

    /// What met until now; none before there were two states.
    pub(super) fn found(self) -> Option<PassThroughReport> {
        self.found
    }

    /// The pairs that met since the state that was shown last, without those that a seam joins which is closed in either; none if this is the
    /// first.
    pub(super) fn show(
        &mut self,
        positions: Vec<Point3<f64>>,
        closed: ClosedSeams,
        sound: &PreparedMesh,
    ) -> Result<Option<usize>, IntersectError> {
        let before = std::mem::replace(&mut self.before, positions);
        let closed_before = std::mem::replace(&mut self.closed_before, closed);
        if before.is_empty() {
            return Ok(None);
        }
        let mut met = self.finder.find(&before, &self.before, &sound.topology)?;
        // A vertex of no face is no cloth; the check of a state does not see it either.
        let topology = &sound.topology;
        met.vertex_faces.retain(|&[v, _]| !topology.vertex_faces(v as usize).is_empty());
        let joined = |a: &[u32], b: &[u32]| closed_before.joins(a, b) || self.closed_before.joins(a, b);
        met.vertex_faces.retain(|&[v, f]| !joined(&[v], &topology.faces()[f as usize]));
        met.edge_edges.retain(|pair| {
            let [a, b] = pair.map(|e| topology.edges()[e as usize]);
            !joined(&a, &b)
        });
        let report = self.found.get_or_insert_default();
        if report.pass_throughs == 0 {
            report.examples = named(&met, sound).take(self.examples).collect();
        }
        report.pass_throughs += met.count();
        report.frames_with += usize::from(met.count() > 0);
        Ok(Some(met.count()))
    }
}

fn named<'a>(met: &'a Impacts, sound: &'a PreparedMesh) -> impl Iterator<Item = PassThrough> + 'a {
    let vertex = |v: u32| sound.sources[v as usize];
    let edge = move |e: u32| sound.topology.edges()[e as usize].map(vertex);
    let vertex_faces = met.vertex_faces.iter();
    let vertex_faces = vertex_faces
        .map(move |&[v, f]| PassThrough::VertexFace { vertex: vertex(v), face: sound.face_ids[f as usize] });
    vertex_faces.chain(met.edge_edges.iter().map(move |pair| PassThrough::EdgeEdge { edges: pair.map(edge) }))
}
