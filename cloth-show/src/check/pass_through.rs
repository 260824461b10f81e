//! What is reported of pass-throughs between the states of a mesh.

use std::fmt;

use cloth_contacts::impacts::Impacts;
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

impl PassThroughReport {
    /// Adds what crosses in a motion of a mesh, of which at most so many pairs are named.
    pub(super) fn add(&mut self, crossings: &Impacts, mesh: &PreparedMesh, examples: usize) {
        if self.pass_throughs == 0 {
            self.examples = named(crossings, mesh).take(examples).collect();
        }
        self.pass_throughs += crossings.count();
        self.frames_with += usize::from(crossings.count() > 0);
    }
}

/// The pairs, in the numbers of the file.
pub(super) fn named<'a>(
    crossings: &'a Impacts,
    mesh: &'a PreparedMesh,
) -> impl Iterator<Item = PassThrough> + 'a {
    let vertex = |v: u32| mesh.sources[v as usize];
    let edge = move |e: u32| mesh.topology.edges()[e as usize].map(vertex);
    let vertex_faces = crossings.vertex_faces.iter();
    let vertex_faces = vertex_faces
        .map(move |&[v, f]| PassThrough::VertexFace { vertex: vertex(v), face: mesh.face_ids[f as usize] });
    vertex_faces
        .chain(crossings.edge_edges.iter().map(move |pair| PassThrough::EdgeEdge { edges: pair.map(edge) }))
}
