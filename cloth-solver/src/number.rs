//! Deserialisation of numbers: read as `f64`, checked, and rounded once, so that each error has its key and
//! says which numbers fit.
//!
//! The functions are for `#[serde(deserialize_with = "...")]`; the type of the field says to what a number is
//! rounded, and whether it may be left out.

use nalgebra::{Point3, Vector3};
use serde::de::{Deserialize, DeserializeOwned, Deserializer, Error};

/// What numbers have to be.
pub struct Check {
    /// Whether a finite number fits.
    pub fits: fn(f64) -> bool,
    /// Which numbers fit, in words that complete "must be ...".
    pub wanted: &'static str,
}

/// A number, or several, that is read as `f64` and checked.
pub trait Number: Sized {
    /// What is read.
    type Raw: DeserializeOwned;

    /// The number, if it fits before and after it is rounded; else a sentence that begins with "must be".
    ///
    /// # Errors
    /// If the number is not finite or does not fit, and if rounding makes it infinite or zero.
    fn from_raw(raw: Self::Raw, check: &Check) -> Result<Self, String>;
}

impl Number for f64 {
    type Raw = Self;

    fn from_raw(raw: Self, check: &Check) -> Result<Self, String> {
        if raw.is_finite() && (check.fits)(raw) {
            Ok(raw)
        } else {
            Err(format!("must be {}, found {raw}", check.wanted))
        }
    }
}

impl Number for f32 {
    type Raw = f64;

    fn from_raw(raw: f64, check: &Check) -> Result<Self, String> {
        let value = f64::from_raw(raw, check)?;
        let rounded = value as Self;
        if rounded.is_infinite() {
            return Err(format!(
                "must be at most {:e}, the largest number of 32 bits, found {value:e}",
                Self::MAX
            ));
        }
        if rounded == 0.0 && value != 0.0 {
            return Err(format!(
                "must be zero or at least 1e-45, the least number of 32 bits, found {value:e}"
            ));
        }
        if !(check.fits)(rounded.into()) {
            return Err(format!(
                "must be {} in 32 bits, found {value}, which is rounded to {rounded}",
                check.wanted
            ));
        }
        Ok(rounded)
    }
}

impl Number for u32 {
    type Raw = Self;

    fn from_raw(raw: Self, check: &Check) -> Result<Self, String> {
        f64::from_raw(raw.into(), check).map(|_| raw)
    }
}

/// A number that may be missing; `null` in JSON.
impl<N: Number> Number for Option<N> {
    type Raw = Option<N::Raw>;

    fn from_raw(raw: Self::Raw, check: &Check) -> Result<Self, String> {
        raw.map(|raw| N::from_raw(raw, check)).transpose()
    }
}

impl<N: Number<Raw = f64>> Number for [N; 3] {
    type Raw = [f64; 3];

    fn from_raw(raw: [f64; 3], check: &Check) -> Result<Self, String> {
        if !raw.iter().all(|&c| c.is_finite() && (check.fits)(c)) {
            return Err(format!("must be {}, found {raw:?}", check.wanted));
        }
        let [x, y, z] = raw.map(|c| N::from_raw(c, check));
        Ok([x?, y?, z?])
    }
}

impl Number for Vector3<f32> {
    type Raw = [f64; 3];

    fn from_raw(raw: [f64; 3], check: &Check) -> Result<Self, String> {
        <[f32; 3]>::from_raw(raw, check).map(Self::from)
    }
}

impl Number for Point3<f32> {
    type Raw = [f64; 3];

    fn from_raw(raw: [f64; 3], check: &Check) -> Result<Self, String> {
        <[f32; 3]>::from_raw(raw, check).map(Self::from)
    }
}

/// Reads a number and refuses it unless it passes the check.
///
/// # Errors
/// Those of [`Number::from_raw`].
pub fn checked<'de, N: Number, D: Deserializer<'de>>(d: D, check: &Check) -> Result<N, D::Error> {
    N::from_raw(N::Raw::deserialize(d)?, check).map_err(D::Error::custom)
}

macro_rules! checks {
    ($($(#[$doc:meta])* $name:ident: $fits:expr, $wanted:literal;)*) => {$(
        $(#[$doc])*
        ///
        /// # Errors
        /// If it is anything else.
        pub fn $name<'de, N: Number, D: Deserializer<'de>>(d: D) -> Result<N, D::Error> {
            checked(d, &Check { fits: $fits, wanted: $wanted })
        }
    )*};
}

checks! {
    /// Any number.
    finite: |_| true, "finite";
    /// A number above zero.
    positive: |v| v > 0.0, "positive and finite";
    /// A number that is not below zero.
    non_negative: |v| v >= 0.0, "zero or positive, and finite";
    /// A part of a whole that is less than all of it.
    share: |v| (0.0..1.0).contains(&v), "at least 0 and less than 1";
    /// A part of a whole, or all of it.
    fraction: |v| (0.0..=1.0).contains(&v), "from 0 to 1";
    /// A part of a whole that is not nothing.
    positive_fraction: |v| v > 0.0 && v <= 1.0, "above 0 and at most 1";
    /// A relative residual.
    tolerance: |v| v > 0.0 && v < 1.0, "above 0 and below 1";
    /// A Poisson ratio.
    poisson: |v| v > -1.0 && v < 1.0, "above -1 and below 1";
    /// A number of things of which there is at least one.
    count: |v| v >= 1.0, "at least 1";
}

/// Numbers whose infinity is written as nothing, since JSON has no infinity.
pub(crate) mod infinite_as_null {
    use serde::{Deserializer, Serialize, Serializer};

    fn finite(value: f32) -> Option<f32> {
        value.is_finite().then_some(value)
    }

    macro_rules! module {
        ($name:ident) => {
            pub(crate) mod $name {
                use super::*;

                pub(crate) fn serialize<S: Serializer>(value: &f32, s: S) -> Result<S::Ok, S::Error> {
                    finite(*value).serialize(s)
                }

                pub(crate) fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<f32, D::Error> {
                    let value = crate::number::$name::<Option<f32>, D>(d)?;
                    Ok(value.unwrap_or(f32::INFINITY))
                }
            }
        };
    }
    module!(positive);
    module!(non_negative);

    /// A list of them, or none.
    pub(crate) mod list {
        use super::*;
        use crate::number::{Check, Number};
        use serde::de::{Deserialize, Error};

        pub(crate) fn serialize<S: Serializer>(values: &Option<Vec<f32>>, s: S) -> Result<S::Ok, S::Error> {
            let values = values.as_ref().map(|values| values.iter().copied().map(finite).collect::<Vec<_>>());
            values.serialize(s)
        }

        pub(crate) fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Option<Vec<f32>>, D::Error> {
            let check = Check { fits: |v| v >= 0.0, wanted: "zero or positive" };
            let read = |raw| Option::<f32>::from_raw(raw, &check).map(|value| value.unwrap_or(f32::INFINITY));
            let values = Option::<Vec<Option<f64>>>::deserialize(d)?;
            let read = |values: Vec<_>| values.into_iter().map(read).collect::<Result<_, _>>();
            values.map(read).transpose().map_err(D::Error::custom)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read<N: Number<Raw = f64>>(value: f64) -> Result<N, String> {
        N::from_raw(value, &Check { fits: |v| (0.0..1e300).contains(&v), wanted: "fitting" })
    }

    #[test]
    fn a_number_is_rounded_once_to_nearest() {
        // Halfway between two numbers of 32 bits but for the last bits of an f64.
        let above = 1.0 + 2f64.powi(-24) + 2f64.powi(-50);
        assert_eq!(read::<f32>(above), Ok(1.0f32.next_up()));
        assert_eq!(read::<f32>(0.1), Ok(0.1f32));
        assert_eq!(read::<f32>(0.0), Ok(0.0));
        assert_eq!(read::<f64>(1e-300), Ok(1e-300));
    }

    #[test]
    fn a_number_that_becomes_infinite_or_zero_is_refused() {
        let error = |value| read::<f32>(value).expect_err("refused");
        assert_eq!(error(1e39), "must be at most 3.4028235e38, the largest number of 32 bits, found 1e39");
        assert_eq!(error(1e-46), "must be zero or at least 1e-45, the least number of 32 bits, found 1e-46");
        assert_eq!(error(-1.0), "must be fitting, found -1");
        assert_eq!(error(f64::NAN), "must be fitting, found NaN");
    }

    #[test]
    fn a_number_has_to_fit_after_it_is_rounded() {
        let below_one = Check { fits: |v| v < 1.0, wanted: "below 1" };
        let error = f32::from_raw(1.0 - 1e-12, &below_one).expect_err("refused");
        assert_eq!(error, "must be below 1 in 32 bits, found 0.999999999999, which is rounded to 1");
        assert!(f64::from_raw(1.0 - 1e-12, &below_one).is_ok());
    }
}
