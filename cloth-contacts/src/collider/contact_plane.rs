//! Contact planes of one shape for the motion of one point, in the frame of the shape.

use nalgebra::{Point3, Vector3};

use super::{Nearest, Shape};

/// A point that moves past a shape.
#[derive(Clone, Copy, Debug)]
pub(super) struct PointMotion {
    /// At the start of the step.
    pub(super) start: Point3<f32>,
    /// At its end.
    pub(super) end: Point3<f32>,
    /// Within this distance (m) a surface is near.
    pub(super) reach: f32,
}

/// A plane of a shape's surface.
#[derive(Clone, Copy, Debug)]
pub(super) struct ContactPlane {
    /// Outward unit normal.
    pub(super) normal: Vector3<f32>,
    /// Signed distance (m) of the start from the plane.
    pub(super) distance: f32,
    /// The surface point that carries the plane along.
    pub(super) foot: Point3<f32>,
    /// Whether the path of the point enters the shape here: a contact in any case.
    pub(super) is_entry: bool,
}

impl ContactPlane {
    pub(super) fn at(p: &Point3<f32>, nearest: Nearest) -> Self {
        let Nearest { normal, distance } = nearest;
        Self { normal, distance, foot: p - normal * distance, is_entry: false }
    }
}

impl Shape {
    /// The plane at the nearest point, if there is never another.
    #[inline]
    pub(super) fn single_contact_plane(&self, motion: &PointMotion) -> Option<ContactPlane> {
        match self {
            Self::Mesh(_) | Self::Compound(_) => None,
            #[cfg(feature = "parry")]
            Self::Parry(_) => None,
            _ => Some(ContactPlane::at(&motion.start, self.nearest(&motion.start))),
        }
    }

    /// Calls `each` with the plane at the nearest point, and after it with those of other walls in the way.
    #[inline]
    pub(super) fn contact_planes(&self, motion: &PointMotion, each: &mut dyn FnMut(ContactPlane)) {
        if let Self::Compound(compound) = self {
            compound.contact_planes(motion, each);
            return;
        }
        let first = ContactPlane::at(&motion.start, self.nearest(&motion.start));
        each(first);
        match self {
            Self::Mesh(mesh) => mesh.other_walls(motion, &first, each),
            #[cfg(feature = "parry")]
            Self::Parry(shape) => shape.other_walls(motion, &first, each),
            _ => {}
        }
    }
}
