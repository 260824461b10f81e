//! The names of what can be wrong with a mesh.

use thiserror::Error;

/// One thing that is wrong with a mesh; displayed as one line that names indices.
///
/// The order of the variants is the order in which problems are reported.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// A coordinate is NaN or infinite.
    #[error("vertex {vertex} has a coordinate that is not finite")]
    NonFinitePosition {
        /// The vertex.
        vertex: u32,
    },
    /// A face names a vertex that does not exist.
    #[error("face {face} uses vertex {vertex}, but there are {vertex_count} vertices")]
    IndexOutOfRange {
        /// The face.
        face: u32,
        /// The first such vertex it names.
        vertex: u32,
        /// How many vertices there are.
        vertex_count: usize,
    },
    /// A face names one vertex more than once.
    #[error("face {face} uses vertex {vertex} more than once")]
    RepeatedVertex {
        /// The face.
        face: u32,
        /// The vertex.
        vertex: u32,
    },
    /// The three corners of a face lie on one line, exactly.
    #[error("face {face} has exactly zero area")]
    ZeroArea {
        /// The face.
        face: u32,
    },
    /// A face has the same three vertices as an earlier one, in whatever order.
    #[error("face {face} has the same vertices as face {first}")]
    DuplicateFace {
        /// The later face.
        face: u32,
        /// The first face with these vertices.
        first: u32,
    },
    /// More than two faces meet in an edge.
    #[error("edge {}-{} has {} faces: {}", edge[0], edge[1], faces.len(), list(faces))]
    NonManifoldEdge {
        /// The edge's vertices, (min, max).
        edge: [u32; 2],
        /// Its faces, ascending.
        faces: Vec<u32>,
    },
    /// The faces around a vertex form more than one fan, where a fan is connected through edges at the
    /// vertex.
    #[error(
        "vertex {vertex} joins {} fans of faces that share no edge there: {}", fans.len(), fan_list(fans)
    )]
    NonManifoldVertex {
        /// The vertex.
        vertex: u32,
        /// The faces of each fan, ascending; fans by their first face.
        fans: Vec<Vec<u32>>,
    },
    /// The two faces of an edge run along it in the same direction: one of them is inside out. Edges with
    /// more than two faces are reported as [`Problem::NonManifoldEdge`] only.
    #[error("edge {}-{} has the same direction in faces {} and {}", edge[0], edge[1], faces[0], faces[1])]
    InconsistentWinding {
        /// The edge's vertices, (min, max).
        edge: [u32; 2],
        /// Its faces, ascending.
        faces: [u32; 2],
    },
    /// No face uses a vertex.
    #[error("vertex {vertex} is used by no face")]
    UnreferencedVertex {
        /// The vertex.
        vertex: u32,
    },
}

/// What is wrong, without where; ordered as problems are reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "each is the variant of `Problem` with the same name")]
pub enum ProblemKind {
    NonFinitePosition,
    IndexOutOfRange,
    RepeatedVertex,
    ZeroArea,
    DuplicateFace,
    NonManifoldEdge,
    NonManifoldVertex,
    InconsistentWinding,
    UnreferencedVertex,
}

impl Problem {
    /// The kind of this problem.
    #[must_use]
    pub fn kind(&self) -> ProblemKind {
        match self {
            Self::NonFinitePosition { .. } => ProblemKind::NonFinitePosition,
            Self::IndexOutOfRange { .. } => ProblemKind::IndexOutOfRange,
            Self::RepeatedVertex { .. } => ProblemKind::RepeatedVertex,
            Self::ZeroArea { .. } => ProblemKind::ZeroArea,
            Self::DuplicateFace { .. } => ProblemKind::DuplicateFace,
            Self::NonManifoldEdge { .. } => ProblemKind::NonManifoldEdge,
            Self::NonManifoldVertex { .. } => ProblemKind::NonManifoldVertex,
            Self::InconsistentWinding { .. } => ProblemKind::InconsistentWinding,
            Self::UnreferencedVertex { .. } => ProblemKind::UnreferencedVertex,
        }
    }

    /// Visits every face id, so that a problem found on a part of a mesh can be named in the whole.
    pub(crate) fn for_each_face(&mut self, visit: impl FnMut(&mut u32)) {
        match self {
            Self::NonFinitePosition { .. } | Self::UnreferencedVertex { .. } => {}
            Self::IndexOutOfRange { face, .. }
            | Self::RepeatedVertex { face, .. }
            | Self::ZeroArea { face } => {
                [face].into_iter().for_each(visit);
            }
            Self::DuplicateFace { face, first } => [face, first].into_iter().for_each(visit),
            Self::NonManifoldEdge { faces, .. } => faces.iter_mut().for_each(visit),
            Self::NonManifoldVertex { fans, .. } => fans.iter_mut().flatten().for_each(visit),
            Self::InconsistentWinding { faces, .. } => faces.iter_mut().for_each(visit),
        }
    }
}

fn list(ids: &[u32]) -> String {
    ids.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")
}

fn fan_list(fans: &[Vec<u32>]) -> String {
    fans.iter().map(|fan| list(fan)).collect::<Vec<_>>().join(" | ")
}
