//! Why a mesh, positions or a motion are refused. Nothing is changed then.

use cloth_contacts::SurfaceError;
use cloth_geom::TopologyError;
use thiserror::Error;

use crate::StateReport;

/// Why no [`CollisionMesh`](crate::CollisionMesh) can be built.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum MeshError {
    /// A face or an edge names a vertex that does not exist, or one vertex twice.
    #[error(transparent)]
    Topology(#[from] TopologyError),
    /// An array does not have the length that it should have.
    #[error("`{name}` has {got} entries instead of {expected}")]
    Length {
        /// The array.
        name: &'static str,
        /// Its length.
        got: usize,
        /// The length that was expected.
        expected: usize,
    },
    /// A vertex is of a part of which it is not said whether it is kinematic, or that has no mask.
    #[error("vertex {vertex} is of part {part}, but `{name}` has {count} entries; parts count from 0")]
    Part {
        /// The vertex.
        vertex: usize,
        /// Its part.
        part: u16,
        /// The array with one entry a part.
        name: &'static str,
        /// Its length.
        count: usize,
    },
    /// A face or an edge joins vertices of two parts.
    #[error(
        "{kind} {index} joins vertices of parts {} and {}; what is joined is one part",
        .parts[0], .parts[1]
    )]
    MixedParts {
        /// "face" or "edge".
        kind: &'static str,
        /// Its index in the faces or in the edges without faces.
        index: usize,
        /// The parts.
        parts: [u16; 2],
    },
    /// An exclusion names a vertex that does not exist.
    #[error("exclusion {index} names vertex {vertex}, but there are {vertex_count} vertices")]
    Exclusion {
        /// The exclusion.
        index: usize,
        /// The vertex it names.
        vertex: u32,
        /// How many vertices there are.
        vertex_count: usize,
    },
    /// There are more vertices, edges or faces than can be numbered.
    #[error("{count} {kind} exceed the supported number of {limit}; judge parts of the mesh separately")]
    TooMany {
        /// "vertices", "edges" or "faces".
        kind: &'static str,
        /// How many there are.
        count: usize,
        /// How many are supported.
        limit: usize,
    },
    /// Another reason why there is no collision surface.
    #[error(transparent)]
    Surface(SurfaceError),
}

/// Why positions or masses are refused.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum InputError {
    /// An array does not have one entry a vertex.
    #[error("`{name}` has {got} entries, but the mesh has {expected} vertices")]
    Length {
        /// The argument.
        name: &'static str,
        /// Its length.
        got: usize,
        /// The number of vertices.
        expected: usize,
    },
    /// A coordinate is NaN or infinite.
    #[error("`{name}` of vertex {vertex} is {value:?}, which is not finite")]
    NotFinite {
        /// The argument.
        name: &'static str,
        /// The vertex.
        vertex: usize,
        /// Its position (m).
        value: [f64; 3],
    },
    /// A coordinate is beyond [`CollisionMesh::LIMIT`](crate::CollisionMesh::LIMIT).
    #[error(
        "`{name}` of vertex {vertex} is {value:?} m, beyond the limit of 1e9 m; move it nearer to the \
         origin, or scale it"
    )]
    BeyondLimit {
        /// The argument.
        name: &'static str,
        /// The vertex.
        vertex: usize,
        /// Its position (m).
        value: [f64; 3],
    },
    /// An inverse mass is negative, NaN or infinite, or its inverse or its square is infinite.
    #[error(
        "inverse mass of vertex {vertex} is {value}; it must be 0, which is immovable, or above 0 with a \
         finite inverse and a finite square"
    )]
    InverseMass {
        /// The vertex.
        vertex: usize,
        /// Its inverse mass (1/kg).
        value: f64,
    },
    /// A distance is negative, NaN or beyond [`CollisionMesh::LIMIT`](crate::CollisionMesh::LIMIT).
    #[error("the distance is {0} m; it must be at least 0 and at most 1e9 m")]
    Distance(f64),
    /// The mesh has more boxes than a broad phase can number.
    #[error("{0} faces exceed the supported number; judge parts of the mesh separately")]
    TooMany(usize),
}

/// Why no certifier can start from a state.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum StartError {
    /// The positions are refused.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The state has intersections.
    #[error("the start is tangled: {0}; start from a clean state, untangle it, or admit tangles")]
    Tangled(StateReport),
}

/// Why a motion is refused; its end is unchanged.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum CorrectError {
    /// Positions or masses are refused.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The motion does not start where the last one ended, and its start has intersections.
    #[error("the motion starts elsewhere than the last one ended, in a tangled state: {0}")]
    Tangled(StateReport),
}

impl From<StartError> for CorrectError {
    fn from(error: StartError) -> Self {
        match error {
            StartError::Input(error) => Self::Input(error),
            StartError::Tangled(report) => Self::Tangled(report),
        }
    }
}
