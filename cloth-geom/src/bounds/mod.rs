//! Bounds that rounding can never turn into wrong ones.
//!
//! A pair of primitives may be skipped only if a lower bound of its distance exceeds an upper bound of its
//! approach. Values computed in plain floating point before they become a bound (a product of coordinates, a
//! closest point) are covered by [`gamma`] with the number of roundings on their longest path.

mod roundoff;
#[cfg(test)]
mod tests;
mod upper;

pub use roundoff::{U32, U64, gamma, gamma_f32, raise_f32};
pub use upper::{upper_f32, upper_norm};
