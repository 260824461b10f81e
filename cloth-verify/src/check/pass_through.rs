//! Pass-throughs between the states of a mesh, exactly, with every vertex in linear motion from state to
//! state.

use std::fmt;

use cloth_contacts::impacts::{ImpactFinder, Impacts};
use cloth_contacts::intersect::{ClosedSeams, IntersectError};
use nalgebra::Point3;
use serde::Serialize;

use super::PreparedMesh;

/// Pairs that cross between successive states.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct PassThroughReport {
    /// Vertex-face and edge-edge pairs that share no vertex and cross, summed over the motions from state to
    /// state.
    pub(super) pass_throughs: usize,
    /// Number of motions with a crossing.
    pub(super) frames_with: usize,
    /// The first pairs of the first motion with a crossing.
    pub(super) examples: Vec<PassThrough>,
}

/// One crossing pair, in the vertex and face indices of the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub(super) enum PassThrough {
    /// A vertex crosses a face.
    VertexFace { vertex: u32, face: u32 },
    /// Two edges cross, each given by its vertices.
    EdgeEdge { edges: [[u32; 2]; 2] },
}

impl fmt::Display for PassThrough {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::VertexFace { vertex, face } => write!(f, "vertex {vertex} crosses face {face}"),
            Self::EdgeEdge { edges: [[a, b], [c, d]] } => write!(f, "edge {a}-{b} crosses edge {c}-{d}"),
        }
    }
}

/// Checks the motion between successive states.
#[derive(Default)]
pub(super) struct PassThroughObserver {
    finder: ImpactFinder,
    /// The state that was shown last; empty before the first.
    before: Vec<Point3<f64>>,
    /// The seams that were closed in it.
    closed_before: ClosedSeams,
    /// At most this many pairs are named.
    examples: usize,
    found: Option<PassThroughReport>,
}

impl PassThroughObserver {
    /// Lists at most this many examples.
    pub(super) fn naming(examples: usize) -> Self {
        Self { examples, ..Self::default() }
    }

    /// The crossings so far; none before the second state.
    pub(super) fn found(self) -> Option<PassThroughReport> {
        self.found
    }

    /// Takes a state that a cut leads to: there is no motion from the previous one.
    pub(super) fn cut(&mut self, positions: Vec<Point3<f64>>, closed: ClosedSeams) {
        (self.before, self.closed_before) = (positions, closed);
    }

    /// StateCounts the crossings since the previous state, without pairs joined by a seam that is closed in
    /// either state; none for the first state.
    pub(super) fn check(
        &mut self,
        positions: Vec<Point3<f64>>,
        closed: ClosedSeams,
        mesh: &PreparedMesh,
    ) -> Result<Option<usize>, IntersectError> {
        let before = std::mem::replace(&mut self.before, positions);
        let closed_before = std::mem::replace(&mut self.closed_before, closed);
        if before.is_empty() {
            return Ok(None);
        }
        let mut crossings = self.finder.find(&before, &self.before, &mesh.topology)?;
        // A vertex without faces is not part of the cloth; the check of a state ignores it too.
        let topology = &mesh.topology;
        crossings.vertex_faces.retain(|&[v, _]| !topology.vertex_faces(v as usize).is_empty());
        closed_before.remove_joined(&mut crossings, topology);
        self.closed_before.remove_joined(&mut crossings, topology);
        let report = self.found.get_or_insert_default();
        if report.pass_throughs == 0 {
            report.examples = named(&crossings, mesh).take(self.examples).collect();
        }
        report.pass_throughs += crossings.count();
        report.frames_with += usize::from(crossings.count() > 0);
        Ok(Some(crossings.count()))
    }
}

fn named<'a>(crossings: &'a Impacts, mesh: &'a PreparedMesh) -> impl Iterator<Item = PassThrough> + 'a {
    let vertex = |v: u32| mesh.sources[v as usize];
    let edge = move |e: u32| mesh.topology.edges()[e as usize].map(vertex);
    let vertex_faces = crossings.vertex_faces.iter();
    let vertex_faces = vertex_faces
        .map(move |&[v, f]| PassThrough::VertexFace { vertex: vertex(v), face: mesh.face_ids[f as usize] });
    vertex_faces
        .chain(crossings.edge_edges.iter().map(move |pair| PassThrough::EdgeEdge { edges: pair.map(edge) }))
}
