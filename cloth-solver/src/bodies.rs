//! The positions while they are being solved: four numbers each, so that one instruction moves a vertex.
//!
//! The fourth is zero and stays zero. Packed so, a projection is a handful of four-wide operations; the
//! results are those of three separate coordinates, bit for bit.

use nalgebra::{Point3, Vector3, Vector4};

/// A position or displacement with a fourth coordinate of zero.
pub(crate) type Packed = Vector4<f32>;

/// The positions being solved, and what projection needs to know of them.
pub(crate) struct Bodies<'a> {
    /// Positions (m).
    pub(crate) x: &'a mut [Packed],
    /// Positions at the start of the substep (m).
    pub(crate) x_t0: &'a [Packed],
    /// Inverse masses (1/kg); zero is immovable.
    pub(crate) w: &'a [f32],
    /// The substep (s).
    pub(crate) h: f32,
}

/// Packs points into a buffer of the same length.
pub(crate) fn pack(points: &[Point3<f32>], out: &mut [Packed]) {
    for (to, p) in out.iter_mut().zip(points) {
        *to = Packed::new(p.x, p.y, p.z, 0.0);
    }
}

/// Unpacks points into a buffer of the same length.
pub(crate) fn unpack(packed: &[Packed], out: &mut [Point3<f32>]) {
    for (to, p) in out.iter_mut().zip(packed) {
        *to = point(p);
    }
}

/// The three coordinates as a point.
#[inline]
pub(crate) fn point(p: &Packed) -> Point3<f32> {
    Point3::new(p.x, p.y, p.z)
}

/// The three coordinates as a vector.
#[inline]
pub(crate) fn vector(p: &Packed) -> Vector3<f32> {
    Vector3::new(p.x, p.y, p.z)
}

/// A vector, packed.
#[inline]
pub(crate) fn packed(v: &Vector3<f32>) -> Packed {
    Packed::new(v.x, v.y, v.z, 0.0)
}

/// Sum of the coordinates, in a fixed order.
#[inline]
pub(crate) fn sum(p: &Packed) -> f32 {
    (p.x + p.y) + (p.z + p.w)
}

/// The scalar product, summed in that order.
#[inline]
pub(crate) fn dot(p: &Packed, q: &Packed) -> f32 {
    sum(&p.component_mul(q))
}
