//! Colliders: solid shapes that move through a step and push cloth points out (Lewin 2018, section 3).
//!
//! A contact is a half-space whose plane moves with the surface point that was nearest at the start. It is
//! created if the point is inside, or near, or if its displacement relative to that surface point brings it near:
//! semi-continuous, as the paper has it. Shapes live in their own frame; a collider places one in the world at
//! both ends of a step.

mod capsule;
mod contact;
mod cuboid;
mod plane;
mod sphere;

use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};
use thiserror::Error;

pub use contact::{ColliderContact, ColliderDetector, Points};

/// A solid in its own frame; lengths in metres.
#[derive(Clone, Copy, Debug, PartialEq)]
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
    /// A box around the origin.
    Cuboid {
        /// Half the edge lengths (m).
        half_extents: Vector3<f32>,
    },
}

/// Where a point stands to a shape's surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest {
    /// Unit normal of the surface at the nearest point, outward: the shortest way out, or away.
    pub normal: Vector3<f32>,
    /// Signed distance (m); negative inside. The nearest point is `p - distance * normal`.
    pub distance: f32,
}

/// Why a collider is refused.
#[derive(Clone, Copy, Debug, Error, PartialEq)]
pub enum ColliderError {
    /// A dimension is not a finite number above zero.
    #[error("collider {name} is {value}; it must be finite and greater than zero")]
    Dimension {
        /// The dimension.
        name: &'static str,
        /// Its value.
        value: f32,
    },
    /// The friction coefficient is negative or not finite.
    #[error("collider friction is {0}; it must be finite and not negative")]
    Friction(f32),
    /// A pose is not finite.
    #[error("collider pose is not finite")]
    Pose,
}

impl Shape {
    /// The nearest surface point of `p`, both in the shape's frame.
    ///
    /// Where several are equally near (the centre of a sphere), one is chosen, always the same.
    #[must_use]
    #[inline]
    pub fn nearest(&self, p: &Point3<f32>) -> Nearest {
        match *self {
            Self::Plane => plane::nearest(p),
            Self::Sphere { radius } => sphere::nearest(p, radius),
            Self::Capsule { half_length, radius } => capsule::nearest(p, half_length, radius),
            Self::Cuboid { half_extents } => cuboid::nearest(p, &half_extents),
        }
    }

    fn check(&self) -> Result<(), ColliderError> {
        let positive = |name, value: f32| {
            let fine = value.is_finite() && value > 0.0;
            if fine { Ok(()) } else { Err(ColliderError::Dimension { name, value }) }
        };
        match *self {
            Self::Plane => Ok(()),
            Self::Sphere { radius } => positive("radius", radius),
            Self::Capsule { half_length, radius } => {
                positive("radius", radius)?;
                // A capsule without length is a sphere, and welcome.
                if half_length == 0.0 { Ok(()) } else { positive("half_length", half_length) }
            }
            Self::Cuboid { half_extents } => {
                half_extents.iter().try_for_each(|&e| positive("half extent", e))
            }
        }
    }
}

/// A shape with its poses at the two ends of a step, and its friction coefficient.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Collider {
    /// The solid.
    pub shape: Shape,
    /// Pose at the start of the step.
    pub pose_t0: Isometry3<f32>,
    /// Pose at the end of the step.
    pub pose_t1: Isometry3<f32>,
    /// Coulomb friction coefficient between it and cloth.
    pub friction: f32,
}

impl Collider {
    /// A collider at rest.
    ///
    /// # Errors
    /// If a dimension, the pose or the friction is not a usable number.
    pub fn new(shape: Shape, pose: Isometry3<f32>, friction: f32) -> Result<Self, ColliderError> {
        shape.check()?;
        check_pose(&pose)?;
        if !(friction.is_finite() && friction >= 0.0) {
            return Err(ColliderError::Friction(friction));
        }
        Ok(Self { shape, pose_t0: pose, pose_t1: pose, friction })
    }

    /// The same collider moving from where it ended the last step to `pose`.
    ///
    /// # Errors
    /// If the pose is not finite.
    pub fn moved_to(self, pose: Isometry3<f32>) -> Result<Self, ColliderError> {
        check_pose(&pose)?;
        Ok(Self { pose_t0: self.pose_t1, pose_t1: pose, ..self })
    }

    /// The collider over the part `[from, to]` of this step, as fractions of it.
    ///
    /// Rotations blend as normalised quaternions: no transcendental function, so the same bits everywhere.
    #[must_use]
    pub fn part_of_step(&self, from: f32, to: f32) -> Self {
        Self { pose_t0: self.pose_at(from), pose_t1: self.pose_at(to), ..*self }
    }

    /// The pose at a fraction of the step.
    #[must_use]
    pub fn pose_at(&self, fraction: f32) -> Isometry3<f32> {
        if self.pose_t0 == self.pose_t1 {
            return self.pose_t0;
        }
        let (a, b) = (&self.pose_t0, &self.pose_t1);
        let translation = a.translation.vector.lerp(&b.translation.vector, fraction);
        // Of the two quaternions of a rotation, the nearer one: the shorter way round.
        let near = if a.rotation.coords.dot(&b.rotation.coords) < 0.0 {
            UnitQuaternion::new_unchecked(-b.rotation.into_inner())
        } else {
            b.rotation
        };
        Isometry3::from_parts(Translation3::from(translation), a.rotation.nlerp(&near, fraction))
    }
}

fn check_pose(pose: &Isometry3<f32>) -> Result<(), ColliderError> {
    let numbers = pose.translation.vector.iter().chain(pose.rotation.coords.iter());
    if numbers.copied().all(f32::is_finite) { Ok(()) } else { Err(ColliderError::Pose) }
}
