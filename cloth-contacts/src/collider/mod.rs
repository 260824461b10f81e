//! Colliders: shapes that move during a step and push cloth points out (Lewin 2018, section 3).
//!
//! A contact is a half-space whose plane moves and rotates with the surface point that was nearest at the
//! start. It is created if the point is inside or near the shape, or if its relative displacement brings it
//! near (semi-continuous detection, as in the paper). Shapes are defined in their own frame; a collider has a
//! pose at both ends of a step.
//!
//! ```text
//! Shape::nearest         one point, one shape        sphere, capsule, ..., hull, mesh, parry
//! Shape::contact_planes  planes for a moving point   one for a convex shape, possibly more for others
//! contacts               one point, one collider     the definition
//! ColliderDetector       all points, all colliders   the same contacts, by culling of blocks
//! FaceDetector           faces of coarse cloth      contacts where the axis is nearest
//! face_depth             one face, one shape         how deep the face stands in it
//! ```
//!
//! **Why one plane prevents tunnelling.** A convex shape is behind the plane through its nearest point, so a
//! point that enters it, on any side and however thin it is, crosses that plane first. A path may enter other
//! shapes elsewhere: there the first face on the path gets a plane of its own, and so does a second wall
//! within reach.

mod axis;
mod block_culling;
mod body;
mod capsule;
mod compound;
mod cone;
mod contact;
mod contact_plane;
mod cuboid;
mod cylinder;
mod detect;
mod error;
mod face_contacts;
pub mod face_depth;
mod fingerprint;
mod hull;
mod mesh;
#[cfg(feature = "parry")]
mod parry;
mod plane;
mod point_blocks;
#[doc(hidden)]
pub mod reference;
mod samples;
mod sphere;
mod tapered;

use nalgebra::{Point3, Vector3};

pub use axis::{Axis, AxisEnd};
pub use body::{Collider, MAX_COORDINATE, pose_between};
pub use compound::CompoundShape;
pub use contact::{ClothPoints, ColliderContact};
pub use detect::ColliderDetector;
pub use error::ColliderError;
#[doc(hidden)]
pub use face_contacts::reference as face_contacts_reference;
pub use face_contacts::{ClothFaces, FaceContact, LongestEdges};
pub use hull::HullShape;
pub use mesh::{MeshShape, MeshSides};
#[cfg(feature = "parry")]
pub use parry::ParryShape;

/// A solid in its own frame, or a surface; lengths in metres.
///
/// Hulls, meshes and what parry brings are shared: a clone costs nothing, and two of them are equal if they
/// share. With the feature `serde`, all others are serialised; those are errors.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields))]
#[non_exhaustive]
pub enum Shape {
    /// The half-space below `y = 0`.
    Plane,
    /// A ball around the origin.
    Sphere {
        /// Radius (m).
        radius: f32,
    },
    /// All points within `radius` of the segment from `(0, -half_length, 0)` to `(0, half_length, 0)`.
    Capsule {
        /// Half the length of the axis (m).
        half_length: f32,
        /// Radius (m).
        radius: f32,
    },
    /// The convex hull of two balls, around `(0, -half_length, 0)` and `(0, half_length, 0)`.
    TaperedCapsule {
        /// Half the distance of the two centres (m).
        half_length: f32,
        /// Radius of the lower ball (m).
        bottom_radius: f32,
        /// Radius of the upper ball (m).
        top_radius: f32,
    },
    /// All points within `radius` of the y axis and within `half_length` of the plane `y = 0`.
    Cylinder {
        /// Half the height (m).
        half_length: f32,
        /// Radius (m).
        radius: f32,
    },
    /// A cone around the y axis, its tip at `half_length` and its floor at `-half_length`.
    Cone {
        /// Half the height (m).
        half_length: f32,
        /// Radius of the floor (m).
        radius: f32,
    },
    /// A box around the origin.
    #[cfg_attr(feature = "serde", serde(rename = "box"))]
    Cuboid {
        /// Half the edge lengths (m).
        half_extents: Vector3<f32>,
    },
    /// The convex hull of points.
    #[cfg_attr(feature = "serde", serde(skip))]
    Hull(HullShape),
    /// A triangle mesh: a solid, or a surface with one side or two.
    #[cfg_attr(feature = "serde", serde(skip))]
    Mesh(MeshShape),
    /// Several shapes that move as one.
    #[cfg_attr(feature = "serde", serde(skip))]
    Compound(CompoundShape),
    /// A shape that only parry supports; see [`Shape::from_parry`].
    #[cfg(feature = "parry")]
    #[cfg_attr(feature = "serde", serde(skip))]
    Parry(ParryShape),
}

/// The nearest point on a surface, by normal and signed distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest {
    /// Unit normal of the surface at the nearest point, outward: the shortest way out, or away.
    pub normal: Vector3<f32>,
    /// Signed distance (m); negative inside. The nearest point is `p - distance * normal`.
    pub distance: f32,
}

impl Shape {
    /// The nearest surface point of `p`, both in the shape's frame.
    ///
    /// Where several are equally near (the centre of a sphere), one is chosen, always the same. Beyond 1e18
    /// m, where squares leave the range of `f32`, the distance may be infinite and the normal zero.
    #[must_use]
    #[inline]
    pub fn nearest(&self, p: &Point3<f32>) -> Nearest {
        match self {
            Self::Plane => plane::nearest(p),
            &Self::Sphere { radius } => sphere::nearest(p, radius),
            &Self::Capsule { half_length, radius } => capsule::nearest(p, half_length, radius),
            &Self::TaperedCapsule { half_length, bottom_radius, top_radius } => {
                tapered::nearest(p, half_length, bottom_radius, top_radius)
            }
            &Self::Cylinder { half_length, radius } => cylinder::nearest(p, half_length, radius),
            &Self::Cone { half_length, radius } => cone::nearest(p, half_length, radius),
            Self::Cuboid { half_extents } => cuboid::nearest(p, half_extents),
            Self::Hull(hull) => hull.nearest(p),
            Self::Mesh(mesh) => mesh.nearest(p),
            Self::Compound(compound) => compound.nearest(p),
            #[cfg(feature = "parry")]
            Self::Parry(shape) => shape.nearest(p),
        }
    }

    /// The lower and the upper corner (m) of a box around the solid; `None` if it is unbounded.
    ///
    /// A one-sided surface is unbounded: everything behind its faces is solid, although nothing behind its
    /// border is.
    #[must_use]
    pub fn bounds(&self) -> Option<[Point3<f32>; 2]> {
        let around = |half: Vector3<f32>| Some([Point3::from(-half), Point3::from(half)]);
        match self {
            Self::Plane => None,
            &Self::Sphere { radius } => around(Vector3::repeat(radius)),
            &Self::Capsule { half_length, radius } => {
                around(Vector3::new(radius, half_length + radius, radius))
            }
            &Self::TaperedCapsule { half_length, bottom_radius, top_radius } => {
                let radius = bottom_radius.max(top_radius);
                let low = -(half_length + bottom_radius).max(radius - half_length);
                let high = (half_length + top_radius).max(radius - half_length);
                Some([Point3::new(-radius, low, -radius), Point3::new(radius, high, radius)])
            }
            &(Self::Cylinder { half_length, radius } | Self::Cone { half_length, radius }) => {
                around(Vector3::new(radius, half_length, radius))
            }
            &Self::Cuboid { half_extents } => around(half_extents),
            Self::Hull(hull) => Some(hull.bounds()),
            Self::Mesh(mesh) => mesh.bounds(),
            Self::Compound(compound) => compound.bounds(),
            #[cfg(feature = "parry")]
            Self::Parry(shape) => Some(shape.bounds()),
        }
    }

    /// Whether every dimension is usable; hulls, meshes and the like were checked when they were made.
    pub(crate) fn check(&self) -> Result<(), ColliderError> {
        match *self {
            Self::Sphere { radius } => positive("radius", radius),
            Self::Capsule { half_length, radius } => {
                positive("radius", radius)?;
                not_negative("half_length", half_length)
            }
            Self::TaperedCapsule { half_length, bottom_radius, top_radius } => {
                positive("bottom_radius", bottom_radius)?;
                positive("top_radius", top_radius)?;
                not_negative("half_length", half_length)
            }
            Self::Cylinder { half_length, radius } | Self::Cone { half_length, radius } => {
                positive("radius", radius)?;
                positive("half_length", half_length)
            }
            Self::Cuboid { half_extents } => {
                half_extents.iter().try_for_each(|&e| positive("half extent", e))
            }
            Self::Plane | Self::Hull(_) | Self::Mesh(_) | Self::Compound(_) => Ok(()),
            #[cfg(feature = "parry")]
            Self::Parry(_) => Ok(()),
        }
    }
}

/// Below this length (m) squares lose digits: a point as near to a centre counts as being there.
const TINY: f32 = 1.0e-18;

/// Lengths and coordinates (m) below this have squares and products within the range of `f32`.
const LARGEST: f32 = 1.0e18;

fn positive(name: &'static str, value: f32) -> Result<(), ColliderError> {
    let fine = value.is_finite() && value > 0.0;
    if fine { Ok(()) } else { Err(ColliderError::Dimension { name, value }) }
}

/// Accepts zero as well: a capsule without length is a sphere.
fn not_negative(name: &'static str, value: f32) -> Result<(), ColliderError> {
    if value == 0.0 { Ok(()) } else { positive(name, value) }
}

fn check_points<'a>(points: impl IntoIterator<Item = &'a Point3<f32>>) -> Result<(), ColliderError> {
    let usable = |p: &Point3<f32>| p.iter().all(|c| c.is_finite() && c.abs() <= LARGEST);
    match points.into_iter().position(|p| !usable(p)) {
        Some(bad) => Err(ColliderError::Point(bad)),
        None => Ok(()),
    }
}

/// The box around finite points; there must be at least one.
fn bounds_of<'a>(points: impl IntoIterator<Item = &'a Point3<f32>>) -> [Point3<f32>; 2] {
    let none = [Point3::from(Vector3::repeat(f32::MAX)), Point3::from(Vector3::repeat(f32::MIN))];
    points.into_iter().fold(none, |[low, high], p| [low.inf(p), high.sup(p)])
}

/// The eight corners of a box.
fn corners([low, high]: &[Point3<f32>; 2]) -> [Point3<f32>; 8] {
    std::array::from_fn(|i| {
        Point3::from(Vector3::from_fn(|k, _| if i >> k & 1 == 0 { low[k] } else { high[k] }))
    })
}
