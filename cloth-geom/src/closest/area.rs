//! The direction in which areas are measured, safe from squaring an area out of the scalar's range.

use nalgebra::{RealField, Vector3};

/// The normal divided by its greatest component; none if that is so small that its digits are lost.
///
/// Below `1 / (greatest number * machine epsilon)`, 2.4e-32 m² for `f32`, a product of lengths nears the
/// subnormal numbers. A shape with so little area is `area / M` wide: less than `64 u M` for `M > 1e-13` m.
#[inline]
pub(super) fn direction<T: RealField + Copy>(normal: &Vector3<T>) -> Option<Vector3<T>> {
    let size = normal.x.abs().max(normal.y.abs()).max(normal.z.abs());
    let greatest = T::max_value().unwrap_or_else(T::one);
    (size > T::one() / (greatest * T::default_epsilon())).then(|| normal * (T::one() / size))
}
