//! A shape in the world, moving through a step.

use nalgebra::{Isometry3, Translation3, UnitQuaternion};

use super::{ColliderError, Shape};

/// Largest coordinate (m) of a position or a pose: beyond it `f32` is coarser than a metre.
pub const MAX_COORDINATE: f32 = 1.0e7;

/// A shape with its poses at the two ends of a step, and its friction coefficient.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Collider {
    /// The solid.
    pub shape: Shape,
    /// Pose at the start of the step.
    pub pose_t0: Isometry3<f32>,
    /// Pose at the end of the step.
    pub pose_t1: Isometry3<f32>,
    /// Coulomb friction coefficient between it and cloth.
    pub friction: f32,
    /// Whether its axis is part of the collision surface, see [`Collider::guarded`]; no effect on shapes
    /// without an axis.
    #[cfg_attr(feature = "serde", serde(default, rename = "guarded"))]
    pub is_guarded: bool,
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
        Ok(Self { shape, pose_t0: pose, pose_t1: pose, friction, is_guarded: false })
    }

    /// The same collider moving from where it ended the last step to `pose`.
    ///
    /// # Errors
    /// If the pose is not finite, or beyond 1e7 m.
    pub fn moved_to(&self, pose: Isometry3<f32>) -> Result<Self, ColliderError> {
        check_pose(&pose)?;
        Ok(Self { pose_t0: self.pose_t1, pose_t1: pose, ..self.clone() })
    }

    /// The collider over the part `[from, to]` of this step, as fractions of it.
    ///
    /// Rotations blend as normalised quaternions: no transcendental function, so the same bits everywhere.
    #[must_use]
    pub fn part_of_step(&self, from: f32, to: f32) -> Self {
        Self { pose_t0: self.pose_at(from), pose_t1: self.pose_at(to), ..self.clone() }
    }

    /// The pose at a fraction of the step.
    #[must_use]
    pub fn pose_at(&self, fraction: f32) -> Isometry3<f32> {
        pose_between(&self.pose_t0, &self.pose_t1, fraction)
    }
}

/// Interpolates two poses: translation linearly, rotation by the shorter arc; exact at both ends.
#[must_use]
pub fn pose_between(from: &Isometry3<f32>, to: &Isometry3<f32>, fraction: f32) -> Isometry3<f32> {
    if from == to || fraction == 0.0 {
        return *from;
    }
    // Normalising would round.
    if fraction == 1.0 {
        return *to;
    }
    let translation = from.translation.vector.lerp(&to.translation.vector, fraction);
    // Of the two quaternions of a rotation, the nearer one.
    let near = if from.rotation.coords.dot(&to.rotation.coords) < 0.0 {
        UnitQuaternion::new_unchecked(-to.rotation.into_inner())
    } else {
        to.rotation
    };
    Isometry3::from_parts(Translation3::from(translation), from.rotation.nlerp(&near, fraction))
}

pub(super) fn check_pose(pose: &Isometry3<f32>) -> Result<(), ColliderError> {
    let is_in_range = pose.translation.vector.iter().all(|c| c.abs() <= MAX_COORDINATE);
    let is_finite = pose.rotation.coords.iter().all(|c| c.is_finite());
    if is_in_range && is_finite { Ok(()) } else { Err(ColliderError::Pose) }
}
