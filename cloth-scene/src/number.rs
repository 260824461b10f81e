//! The checks of the numbers of a scene: those of the solver's own descriptions, and of angles and
//! directions.
//!
//! Numbers that are transformed before they are rounded keep their digits, but they have to fit in 32 bits,
//! so that what vanishes or overflows is refused at its line.

use cloth_solver::number::{Check, Number};
pub(crate) use cloth_solver::number::{count, share};
use serde::de::{Deserialize, Deserializer, Error};

/// Any number.
pub(crate) fn finite<'de, N: Number<Raw: Narrow>, D: Deserializer<'de>>(d: D) -> Result<N, D::Error> {
    checked(d, &Check { fits: |_| true, wanted: "finite" })
}

/// A number above zero.
pub(crate) fn positive<'de, N: Number<Raw: Narrow>, D: Deserializer<'de>>(d: D) -> Result<N, D::Error> {
    checked(d, &Check { fits: |v| v > 0.0, wanted: "positive and finite" })
}

/// A number that is not below zero.
pub(crate) fn non_negative<'de, N: Number<Raw: Narrow>, D: Deserializer<'de>>(d: D) -> Result<N, D::Error> {
    checked(d, &Check { fits: |v| v >= 0.0, wanted: "zero or positive, and finite" })
}

/// An angle (degrees) from straight down to level.
pub(crate) fn quarter_turn<'de, N: Number<Raw: Narrow>, D: Deserializer<'de>>(d: D) -> Result<N, D::Error> {
    checked(d, &Check { fits: |v| (0.0..=90.0).contains(&v), wanted: "from 0 to 90 degrees" })
}

/// A vector whose length is neither zero nor beyond all numbers.
pub(crate) fn direction<'de, V: From<[f64; 3]>, D: Deserializer<'de>>(d: D) -> Result<V, D::Error> {
    let v: [f64; 3] = finite(d)?;
    let length_sq: f64 = v.iter().map(|c| c * c).sum();
    if length_sq.is_normal() {
        Ok(v.into())
    } else {
        Err(D::Error::custom(format!("must be a direction, found {v:?}")))
    }
}

fn checked<'de, N: Number<Raw: Narrow>, D: Deserializer<'de>>(d: D, check: &Check) -> Result<N, D::Error> {
    let raw = N::Raw::deserialize(d)?;
    raw.narrow(check).and_then(|()| N::from_raw(raw, check)).map_err(D::Error::custom)
}

/// A number, or several, as it is read.
pub(crate) trait Narrow: Copy {
    /// Whether it fits the check once it is rounded to 32 bits.
    fn narrow(self, check: &Check) -> Result<(), String>;
}

impl Narrow for f64 {
    fn narrow(self, check: &Check) -> Result<(), String> {
        f32::from_raw(self, check).map(drop)
    }
}

impl Narrow for [f64; 3] {
    fn narrow(self, check: &Check) -> Result<(), String> {
        <[f32; 3]>::from_raw(self, check).map(drop)
    }
}

impl<T: Narrow> Narrow for Option<T> {
    fn narrow(self, check: &Check) -> Result<(), String> {
        self.map_or(Ok(()), |number| number.narrow(check))
    }
}
