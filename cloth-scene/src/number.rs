//! The checks of the numbers of a scene: those of the solver's own descriptions, and of angles and
//! directions.

use cloth_solver::number::{Check, Number, checked};
pub(crate) use cloth_solver::number::{count, finite, non_negative, positive, share};
use serde::{Deserializer, de::Error};

/// An angle (degrees) from straight down to level.
pub(crate) fn quarter_turn<'de, N: Number, D: Deserializer<'de>>(d: D) -> Result<N, D::Error> {
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
