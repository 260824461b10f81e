//! Numbers with outward rounding: rounding can never turn them into a wrong bound.
//!
//! A pair of primitives may be skipped only if a lower bound of its distance exceeds an upper bound of its
//! approach. [`Lower`] and [`Upper`] are these two kinds of number. Every operation on them rounds to the
//! safe side, so a chain of operations needs no margin:
//!
//! ```text
//!      real numbers                  stored
//!   s_1 + s_2 + ... + s_n    <=    Upper, after any number of additions      (each rounds up)
//!   d - s                    >=    Lower - Upper
//!   d > s                    <=    Lower::exceeds(Upper)                     (false for NaN)
//! ```
//!
//! Values computed in plain floating point before they become a bound (a product of coordinates, a closest
//! point) are covered by [`gamma`] with the number of roundings on their longest path.
//!
//! | file | content |
//! |---|---|
//! | `upper`, `lower` | the two kinds of number |
//! | `roundoff` | unit roundoffs and `gamma` |

mod lower;
mod roundoff;
#[cfg(test)]
mod tests;
mod upper;

pub use lower::Lower;
pub use roundoff::{U32, U64, gamma, gamma_f32, raise_f32};
pub use upper::Upper;

/// Share by which a bound is moved before it is rounded to `f32`: twice the unit roundoff.
const OF_F32: f64 = 2.0 * U32;

/// More than the square root of all that three squares can lose to underflow: `2^-1074` each.
const UNDERFLOW: f64 = f64::from_bits((1023 - 510) << 52);

/// At least the next `f64` above a sum, product or root that rounding may have brought down.
///
/// The unit in the last place of a normal `x` is at most `2^-52 |x|`, and that of a subnormal one is below
/// the smallest normal number, so `x` plus what is added here lies at or above its neighbour, and rounding
/// keeps it there.
#[inline(always)]
fn up(x: f64) -> f64 {
    x + (x.abs() * f64::EPSILON + f64::MIN_POSITIVE)
}

/// At most the next `f64` below; see [`up`].
#[inline(always)]
fn down(x: f64) -> f64 {
    x - (x.abs() * f64::EPSILON + f64::MIN_POSITIVE)
}
