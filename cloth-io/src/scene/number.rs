//! The checks that numbers of a scene pass on the way in, so that each error has its line and key.

use serde::{Deserialize, Deserializer, de::Error};

/// Reads a number and refuses it unless `fits`; `what` completes "must be ...".
fn checked<'de, D: Deserializer<'de>>(d: D, fits: impl Fn(f64) -> bool, what: &str) -> Result<f64, D::Error> {
    let value = f64::deserialize(d)?;
    if value.is_finite() && fits(value) {
        Ok(value)
    } else {
        Err(D::Error::custom(format!("must be {what}, found {value}")))
    }
}

pub(super) fn finite<'de, D: Deserializer<'de>>(d: D) -> Result<f64, D::Error> {
    checked(d, |_| true, "finite")
}

pub(super) fn positive<'de, D: Deserializer<'de>>(d: D) -> Result<f64, D::Error> {
    checked(d, |v| v > 0.0, "positive and finite")
}

pub(super) fn non_negative<'de, D: Deserializer<'de>>(d: D) -> Result<f64, D::Error> {
    checked(d, |v| v >= 0.0, "zero or positive, and finite")
}

/// A part of a whole that is less than all of it.
fn share<'de, D: Deserializer<'de>>(d: D) -> Result<f64, D::Error> {
    checked(d, |v| (0.0..1.0).contains(&v), "at least 0 and less than 1")
}

/// A relative residual.
fn tolerance<'de, D: Deserializer<'de>>(d: D) -> Result<f64, D::Error> {
    checked(d, |v| v > 0.0 && v < 1.0, "above 0 and below 1")
}

fn poisson<'de, D: Deserializer<'de>>(d: D) -> Result<f64, D::Error> {
    checked(d, |v| v > -1.0 && v < 1.0, "above -1 and below 1")
}

/// An angle (degrees) from straight down to level.
fn quarter_turn<'de, D: Deserializer<'de>>(d: D) -> Result<f64, D::Error> {
    checked(d, |v| (0.0..=90.0).contains(&v), "from 0 to 90 degrees")
}

pub(super) fn count<'de, D: Deserializer<'de>>(d: D) -> Result<u32, D::Error> {
    match u32::deserialize(d)? {
        0 => Err(D::Error::custom("must be at least 1, found 0")),
        n => Ok(n),
    }
}

pub(super) fn finite3<'de, D: Deserializer<'de>>(d: D) -> Result<[f64; 3], D::Error> {
    let v = <[f64; 3]>::deserialize(d)?;
    if v.iter().all(|c| c.is_finite()) {
        Ok(v)
    } else {
        Err(D::Error::custom(format!("must be finite, found {v:?}")))
    }
}

/// A vector whose length is neither zero nor beyond all numbers.
pub(super) fn direction<'de, D: Deserializer<'de>>(d: D) -> Result<[f64; 3], D::Error> {
    let v = finite3(d)?;
    let length_sq: f64 = v.iter().map(|c| c * c).sum();
    if length_sq.is_normal() {
        Ok(v)
    } else {
        Err(D::Error::custom(format!("must be a direction, found {v:?}")))
    }
}

/// The same checks for keys that may be left out.
pub(super) mod optional {
    use serde::Deserializer;

    macro_rules! optional {
        ($($check:ident -> $value:ty),*) => {$(
            pub(in super::super) fn $check<'de, D: Deserializer<'de>>(d: D) -> Result<Option<$value>, D::Error> {
                super::$check(d).map(Some)
            }
        )*};
    }
    optional!(finite -> f64, positive -> f64, non_negative -> f64, share -> f64, tolerance -> f64, poisson -> f64, quarter_turn -> f64, count -> u32, finite3 -> [f64; 3], direction -> [f64; 3]);
}

/// Three numbers that are all positive: lengths of a box.
pub(super) fn optional_positive3<'de, D: Deserializer<'de>>(d: D) -> Result<Option<[f64; 3]>, D::Error> {
    let v = finite3(d)?;
    if v.iter().all(|&c| c > 0.0) {
        Ok(Some(v))
    } else {
        Err(D::Error::custom(format!("must be positive, found {v:?}")))
    }
}
