//! Sums over vertices in a fixed order: the same bits on any number of threads.

use super::sparse::Packed;

/// The sum of the coordinates, in a fixed order.
#[inline]
pub(crate) fn sum(p: &Packed) -> f64 {
    (p.x + p.y) + (p.z + p.w)
}

/// The scalar product.
pub(crate) fn dot(a: &[Packed], b: &[Packed]) -> f64 {
    sum(&a.iter().zip(b).fold(Packed::zeros(), |sum, (a, b)| sum + a.component_mul(b)))
}
