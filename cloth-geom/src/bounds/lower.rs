//! A number that is never above the value that it bounds.

use std::ops::{Add, Sub};

use nalgebra::Vector3;

use super::{OF_F32, U64, UNDERFLOW, Upper, down, gamma};

/// A lower bound of a distance (m) or of a difference of distances; may be negative.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Lower(f64);

impl Lower {
    /// Nothing is known.
    pub const UNKNOWN: Self = Self(f64::NEG_INFINITY);

    /// A number that is exact as it is given.
    #[inline]
    #[must_use]
    pub const fn exact(x: f64) -> Self {
        Self(x)
    }

    /// The length of a vector whose coordinates are exact, or sums or differences of two exact numbers; see
    /// [`Upper::norm`].
    #[inline]
    #[must_use]
    pub fn norm(v: &Vector3<f64>) -> Self {
        Self(down(v.norm() * (1.0 - gamma(8, U64)) - UNDERFLOW))
    }

    /// The bound: at most the bounded value.
    #[inline]
    #[must_use]
    pub const fn get(self) -> f64 {
        self.0
    }

    /// An `f32` lower bound, also covering one preceding rounding in `f64`; see [`Upper::to_f32`]. Infinity
    /// is not a number.
    #[inline]
    #[must_use]
    pub fn to_f32(self) -> f32 {
        (self.0 - (self.0.abs() * OF_F32 + f64::from(f32::MIN_POSITIVE))) as f32
    }

    /// The smaller of two bounds: a bound of the smaller of the two values. NaN is propagated.
    #[inline]
    #[must_use]
    pub fn min(self, other: Self) -> Self {
        if other.0 < self.0 || other.0.is_nan() { other } else { self }
    }

    /// Whether the bounded value is certainly greater than that of the upper bound. False for NaN.
    #[inline]
    #[must_use]
    pub fn exceeds(self, other: Upper) -> bool {
        self.0 > other.get()
    }
}

impl Sub<Upper> for Lower {
    type Output = Self;

    #[inline]
    fn sub(self, other: Upper) -> Self {
        Self(down(self.0 - other.get()))
    }
}

impl Add for Lower {
    type Output = Self;

    #[inline]
    fn add(self, other: Self) -> Self {
        Self(down(self.0 + other.0))
    }
}

impl From<f32> for Lower {
    /// An `f32` is exactly an `f64`.
    #[inline]
    fn from(x: f32) -> Self {
        Self(x.into())
    }
}
