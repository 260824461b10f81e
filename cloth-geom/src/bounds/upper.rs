//! Numbers that are never below the value that they bound.

use nalgebra::Vector3;

use super::{U32, U64, gamma};

/// More than the square root of all that three squares can lose to underflow: `2^-1074` each.
pub(super) const UNDERFLOW: f64 = f64::from_bits((1023 - 510) << 52);

/// An upper bound of the length of a vector whose coordinates are exact, or sums or differences of two exact
/// numbers.
///
/// One rounding for each coordinate, three squares, two sums and a root: seven at most on any path. The
/// margin covers eleven more, of products and sums with numbers that are not negative.
///
/// Squares of coordinates below `2^-511` may underflow; the possible loss of three of them is added.
#[inline]
#[must_use]
pub fn upper_norm(v: &Vector3<f64>) -> f64 {
    // Two more roundings, of the product and of the sum.
    v.norm() * (1.0 + gamma(20, U64)) + UNDERFLOW
}

/// An `f32` that is at least `x`, and at least what `x` was before up to sixteen roundings in `f64`.
///
/// It is raised by `2^-23` of itself, of which rounding to `f32` takes at most half, without a branch.
#[inline]
#[must_use]
pub fn upper_f32(x: f64) -> f32 {
    (x + (x.abs() * (2.0 * U32) + f64::from(f32::MIN_POSITIVE))) as f32
}
