//! Why a surface cannot be built.

use cloth_geom::TopologyError;
use thiserror::Error;

/// Why a surface cannot be built.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum SurfaceError {
    /// The faces have no topology.
    #[error(transparent)]
    Topology(#[from] TopologyError),
    /// An array has the wrong length.
    #[error("`{name}` has {got} entries, but the surface has {expected} vertices")]
    Length {
        /// The field.
        name: &'static str,
        /// Its length.
        got: usize,
        /// The number of vertices.
        expected: usize,
    },
    /// A radius is not a finite, non-negative number.
    #[error("`{name}` of vertex {vertex} is {value}; it must be finite and not negative")]
    Radius {
        /// The field.
        name: &'static str,
        /// The vertex.
        vertex: usize,
        /// Its value.
        value: f32,
    },
    /// The radius grows from the first vertex of an edge or a face.
    #[error(
        "the radius of vertex {0} is larger than that of the first vertex of its edge or face; number the \
         larger end first"
    )]
    RadiusOrder(usize),
    /// A rest position is not finite.
    #[error("rest position of vertex {0} is not finite")]
    Rest(usize),
    /// The depth to which entangled layers are found is negative or not finite.
    #[error("the depth of layers is {0}; it must be finite and not negative")]
    Depth(f32),
    /// An index is out of range.
    #[error("`{name}` contains {index}, which is out of range: there are {count}")]
    Index {
        /// The field.
        name: &'static str,
        /// The index.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// A list of regions has the wrong length.
    #[error(
        "`{name}` has {got} entries, but there are {expected} {of}; pass one entry each, or an empty slice"
    )]
    Regions {
        /// The field.
        name: &'static str,
        /// Its length.
        got: usize,
        /// How many there are.
        expected: usize,
        /// What is counted.
        of: &'static str,
    },
    /// A prepared part belongs to another description.
    #[error(
        "the prepared shape of part {0} has other faces, vertices or another radius than the description; \
         prepare it again"
    )]
    Shape(usize),
    /// Parts and regions form too many groups.
    #[error("parts and regions make {0} groups; at most 65,535 are supported: use fewer regions")]
    TooManyGroups(usize),
}
