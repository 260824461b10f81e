//! Several shapes that move as one.

use std::sync::Arc;

use cloth_geom::bounds::gamma_f32;
use nalgebra::{Isometry3, Point3};

use super::contact_plane::{ContactPlane, PointMotion};
use super::{ColliderError, Nearest, Shape, bounds_of};

/// Several shapes in a common frame; clones share them.
///
/// The nearest point is that of the part with the smallest signed distance: outside the nearest of all,
/// inside the exit of the part that the point penetrates most. Each part makes its own contacts, so cloth
/// rests in the hollow between two parts as between two colliders.
#[derive(Clone, Debug)]
pub struct CompoundShape(Arc<[Part]>);

/// One shape of a compound.
#[derive(Clone, Debug)]
pub(super) struct Part {
    /// Where it stands in the compound.
    pub(super) pose: Isometry3<f32>,
    pub(super) shape: Shape,
    /// Offset (m) of the surface from that of the inner shape: convex shapes then have rounded edges, and
    /// signed distances are reduced by it.
    pub(super) rounding: f32,
}

impl CompoundShape {
    /// Parts with their poses in the frame of the compound.
    ///
    /// # Errors
    /// If there is no part, or one is unusable.
    pub fn new(parts: Vec<(Isometry3<f32>, Shape)>) -> Result<Self, ColliderError> {
        Self::of_parts(parts.into_iter().map(|(pose, shape)| Part { pose, shape, rounding: 0.0 }).collect())
    }

    /// As [`Self::new`], of parts that may be rounded.
    pub(super) fn of_parts(parts: Vec<Part>) -> Result<Self, ColliderError> {
        if parts.is_empty() {
            return Err(ColliderError::Empty("compound"));
        }
        for part in &parts {
            part.shape.check()?;
            super::body::check_pose(&part.pose)?;
            super::not_negative("border radius", part.rounding)?;
        }
        Ok(Self(parts.into()))
    }

    pub(super) fn parts(&self) -> &[Part] {
        &self.0
    }

    pub(super) fn nearest(&self, p: &Point3<f32>) -> Nearest {
        let of = |part: &Part| {
            let found = part.shape.nearest(&part.pose.inverse_transform_point(p));
            Nearest { normal: part.pose.rotation * found.normal, distance: found.distance - part.rounding }
        };
        let first = of(&self.0[0]);
        self.0[1..].iter().map(of).fold(first, |best, n| if n.distance < best.distance { n } else { best })
    }

    pub(super) fn contact_planes(&self, motion: &PointMotion, each: &mut dyn FnMut(ContactPlane)) {
        for Part { pose, shape, rounding } in &*self.0 {
            let [start, end] = [motion.start, motion.end].map(|p| pose.inverse_transform_point(&p));
            shape.contact_planes(&PointMotion { start, end, ..*motion }, &mut |plane| {
                let foot = pose * (plane.foot + plane.normal * *rounding);
                let (normal, distance) = (pose.rotation * plane.normal, plane.distance - rounding);
                each(ContactPlane { normal, distance, foot, ..plane });
            });
        }
    }

    /// The box around all parts; `None` if one is unbounded.
    pub(super) fn bounds(&self) -> Option<[Point3<f32>; 2]> {
        let mut all: Option<[Point3<f32>; 2]> = None;
        for part in &*self.0 {
            let corners = super::corners(&part.shape.bounds()?).map(|c| part.pose * c);
            // Turned corners are rounded: a rotation from a quaternion has some twenty roundings, the sums
            // five. Products that underflow lose far less than the least normal number.
            let [low, high] = bounds_of(&corners);
            let farthest = low.coords.amax().max(high.coords.amax());
            let slack = part.rounding + gamma_f32(32) * (farthest + part.rounding) + f32::MIN_POSITIVE;
            let (low, high) = (low.map(|c| c - slack), high.map(|c| c + slack));
            all = Some(all.map_or([low, high], |[a, b]| [a.inf(&low), b.sup(&high)]));
        }
        all
    }
}

impl PartialEq for CompoundShape {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}
