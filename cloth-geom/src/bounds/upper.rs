//! A number that is never below the value that it bounds.

use std::ops::{Add, AddAssign, Mul};

use nalgebra::Vector3;

use super::{OF_F32, U64, UNDERFLOW, gamma, up};

/// An upper bound of a length (m) or of a sum of lengths; at least 0, unless made from a negative number.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Upper(f64);

impl Upper {
    /// Nothing: exact.
    pub const ZERO: Self = Self(0.0);

    /// A bound that exceeds every number.
    pub const INFINITY: Self = Self(f64::INFINITY);

    /// A number that is exact as it is given.
    #[inline]
    #[must_use]
    pub const fn exact(x: f64) -> Self {
        Self(x)
    }

    /// The length of a vector whose coordinates are exact, or sums or differences of two exact numbers.
    ///
    /// One rounding for each coordinate, three squares, two sums and a root: seven at most on any path.
    #[inline]
    #[must_use]
    pub fn norm(v: &Vector3<f64>) -> Self {
        Self::computed(v.norm())
    }

    /// An upper bound from plain `f64`: a sum of lengths (see [`Upper::norm`]), products and bounds, none
    /// negative, with at most sixteen roundings on any path. One margin at the end replaces outward rounding
    /// of each operation.
    ///
    /// Squares of coordinates below `2^-511` may underflow; the possible loss of three of them is added.
    #[inline]
    #[must_use]
    pub fn computed(x: f64) -> Self {
        // Two more roundings, of the product and of the sum.
        Self(x * (1.0 + gamma(20, U64)) + UNDERFLOW)
    }

    /// The bound: at least the bounded value.
    #[inline]
    #[must_use]
    pub const fn get(self) -> f64 {
        self.0
    }

    /// An `f32` upper bound, also covering up to sixteen preceding roundings in `f64`.
    ///
    /// It is raised by `2^-23` of itself, of which rounding to `f32` takes at most half, without a branch.
    #[inline]
    #[must_use]
    pub fn to_f32(self) -> f32 {
        (self.0 + (self.0.abs() * OF_F32 + f64::from(f32::MIN_POSITIVE))) as f32
    }

    /// The greater of two bounds: a bound of the greater of the two values. NaN is propagated.
    #[inline]
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        if other.0 > self.0 || other.0.is_nan() { other } else { self }
    }

    /// The smaller of two bounds of the same value. NaN is ignored.
    #[inline]
    #[must_use]
    pub fn min(self, other: Self) -> Self {
        Self(self.0.min(other.0))
    }

    /// A bound of a multiple of the value; `share` is exact and not negative.
    #[inline]
    #[must_use]
    pub fn times(self, share: f64) -> Self {
        Self(self.0 * share).raised()
    }

    #[inline(always)]
    fn raised(self) -> Self {
        Self(up(self.0))
    }
}

impl Add for Upper {
    type Output = Self;

    #[inline]
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0).raised()
    }
}

impl AddAssign for Upper {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

/// Product of two bounds that are not negative.
impl Mul for Upper {
    type Output = Self;

    #[inline]
    fn mul(self, other: Self) -> Self {
        Self(self.0 * other.0).raised()
    }
}

impl From<f32> for Upper {
    /// An `f32` is exactly an `f64`.
    #[inline]
    fn from(x: f32) -> Self {
        Self(x.into())
    }
}
