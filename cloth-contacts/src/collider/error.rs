//! Why a collider is refused.

use cloth_geom::TopologyError;
use thiserror::Error;

/// Why a collider is refused.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum ColliderError {
    /// A dimension is not a finite number above zero.
    #[error("collider {name} is {value}; it must be finite and greater than zero")]
    Dimension {
        /// The dimension.
        name: &'static str,
        /// Its value.
        value: f32,
    },
    /// A shape without an axis is to be guarded.
    #[error(
        "only a sphere, a capsule, a tapered capsule or a box can be guarded; use a mesh body for other \
         shapes"
    )]
    NoAxis,
    /// The friction coefficient is negative or not finite.
    #[error("collider friction is {0}; it must be finite and not negative")]
    Friction(f32),
    /// A pose is not finite, or beyond 1e7 m.
    #[error("collider pose is not finite or beyond 1e7 m")]
    Pose,
    /// A point of a hull or mesh is not finite, or its square leaves the range of `f32`.
    #[error("point {0} of the collider is not finite or beyond 1e18 m")]
    Point(usize),
    /// The points of a hull lie in one plane, to within a rounding of their coordinates.
    #[error("the {0} points of the convex collider span no volume; use a two-sided mesh for a flat one")]
    Flat(usize),
    /// A mesh or a compound has nothing in it.
    #[error("the collider's {0} is empty")]
    Empty(&'static str),
    /// The faces of a mesh are unusable.
    #[error("collider mesh: {0}")]
    Faces(#[from] TopologyError),
    /// A face without area has no sides.
    #[error("face {0} of the collider mesh has no area; repair the mesh first")]
    FaceWithoutArea(usize),
    /// The faces at an edge do not form a surface with two sides.
    #[error(
        "edge {0:?} of the collider mesh has {1} faces, whose orientations disagree; orient them \
         consistently, or use the mesh as two-sided"
    )]
    Edge([u32; 2], usize),
    /// A mesh that is to be a solid has a boundary.
    #[error(
        "edge {0:?} of the collider mesh has one face, but a solid must be closed; close the hole, or use \
         the mesh as one-sided or two-sided"
    )]
    Open([u32; 2]),
    /// The faces of a solid point inward.
    #[error("the faces of the collider mesh point inward; reverse every face")]
    InsideOut,
    /// A shape of parry that cannot be used.
    #[cfg(feature = "parry")]
    #[error("parry shape {kind}: {why}")]
    Parry {
        /// What parry calls it.
        kind: &'static str,
        /// What is wrong.
        why: &'static str,
    },
}
