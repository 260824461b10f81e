//! The interface of a culling certificate: what a method knows of the normals and the border of a patch.
//!
//! A method never decides about a pair. It provides a view direction from which all faces of a patch are
//! front-facing, and decides whether the border of the patch in that view is a strictly simple closed curve.
//! It may decline either, but must never be wrong.

use std::marker::PhantomData;

use nalgebra::Point3;

use super::{Contour, View};

/// A method to certify that a patch does not meet itself.
pub trait Certificate {
    /// What is known of the normals of a set of faces.
    type Normals: Copy;

    /// Whether separating planes are tested for small patches that are not adjacent or share one vertex.
    const PARTED_BY_PLANES: bool = false;

    /// Summary of the normals of a few faces, given by their corners; normals are right-handed. There must be
    /// at least one face.
    fn of_faces<'a>(faces: impl Iterator<Item = [&'a Point3<f64>; 3]> + Clone) -> Self::Normals;

    /// What is known of two sets of faces together.
    fn join(a: &Self::Normals, b: &Self::Normals) -> Self::Normals;

    /// A view along a direction with which every normal of the set has a strictly positive product; `None` if
    /// no such direction is known.
    fn view(normals: &Self::Normals) -> Option<View>;

    /// Whether the contour is certainly a strictly simple closed curve.
    fn is_strictly_simple(contour: &mut Contour) -> bool;
}

/// No certificate: every pair of faces with overlapping boxes remains. The baseline for comparison.
#[derive(Clone, Copy, Debug, Default)]
pub struct BoxesOnly;

impl Certificate for BoxesOnly {
    type Normals = ();

    fn of_faces<'a>(_: impl Iterator<Item = [&'a Point3<f64>; 3]> + Clone) {}

    fn join((): &(), (): &()) {}

    fn view((): &()) -> Option<View> {
        None
    }

    fn is_strictly_simple(_: &mut Contour) -> bool {
        false
    }
}

/// A method with additional tests for planes that separate small patches with overlapping boxes.
#[derive(Clone, Copy, Debug, Default)]
pub struct WithPlanes<C>(PhantomData<C>);

impl<C: Certificate> Certificate for WithPlanes<C> {
    type Normals = C::Normals;

    const PARTED_BY_PLANES: bool = true;

    #[inline]
    fn of_faces<'a>(faces: impl Iterator<Item = [&'a Point3<f64>; 3]> + Clone) -> Self::Normals {
        C::of_faces(faces)
    }

    #[inline]
    fn join(a: &Self::Normals, b: &Self::Normals) -> Self::Normals {
        C::join(a, b)
    }

    fn view(normals: &Self::Normals) -> Option<View> {
        C::view(normals)
    }

    fn is_strictly_simple(contour: &mut Contour) -> bool {
        C::is_strictly_simple(contour)
    }
}
