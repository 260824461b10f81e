//! Points as integer vectors over a common power of two: exact for all exponents.
//!
//! Every finite `f64` is an integer times a power of two. Scaling all coordinates of a query by the smallest
//! of these powers changes no sign, and gives integers of at most 2,098 bits.

use dashu_int::IBig;
use nalgebra::Point3;
use std::ops::{Add, Sub};

use super::Sign;

/// A vector of three integers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct IntVector([IBig; 3]);

/// The points scaled by one power of two so that all coordinates are integers; none if one is not finite.
pub(super) fn to_integers<const N: usize>(points: [&Point3<f64>; N]) -> Option<[IntVector; N]> {
    if !points.iter().all(|p| p.iter().all(|c| c.is_finite())) {
        return None;
    }
    let parts = points.map(|p| [p.x, p.y, p.z].map(decompose));
    let nonzero = parts.iter().flatten().filter(|&&(mantissa, _)| mantissa != 0);
    let least = nonzero.map(|&(_, exponent)| exponent).min().unwrap_or(0);
    let integer = |(mantissa, exponent): (i64, i32)| match mantissa {
        0 => IBig::ZERO,
        _ => IBig::from(mantissa) << (exponent - least) as usize,
    };
    Some(parts.map(|p| IntVector(p.map(integer))))
}

/// A finite number as `mantissa * 2^exponent`, without loss: the mantissa is odd, or zero with the exponent
/// zero.
///
/// For callers that go on in integers over a common power of two, as the exact predicates do.
#[must_use]
pub fn decompose(value: f64) -> (i64, i32) {
    let bits = value.to_bits();
    let (field, fraction) = ((bits >> 52 & 0x7ff) as i32, (bits & ((1 << 52) - 1)) as i64);
    let (mantissa, exponent) =
        if field == 0 { (fraction, -1074) } else { (fraction | 1 << 52, field - 1075) };
    if mantissa == 0 {
        return (0, 0);
    }
    let twos = mantissa.trailing_zeros();
    let sign = if value.is_sign_negative() { -1 } else { 1 };
    (sign * (mantissa >> twos), exponent + twos as i32)
}

/// The sign of an integer.
pub(super) fn sign(value: &IBig) -> Sign {
    value.cmp(&IBig::ZERO).into()
}

impl IntVector {
    pub(super) fn component(&self, k: usize) -> &IBig {
        &self.0[k]
    }

    pub(super) fn dot(&self, other: &Self) -> IBig {
        (0..3).map(|k| &self.0[k] * &other.0[k]).sum()
    }

    pub(super) fn cross(&self, other: &Self) -> Self {
        let component = |i: usize, j: usize| &self.0[i] * &other.0[j] - &self.0[j] * &other.0[i];
        Self([component(1, 2), component(2, 0), component(0, 1)])
    }

    pub(super) fn scaled(&self, factor: &IBig) -> Self {
        Self([0, 1, 2].map(|k| &self.0[k] * factor))
    }

    pub(super) fn is_zero(&self) -> bool {
        self.0.iter().all(IBig::is_zero)
    }
}

impl Add for &IntVector {
    type Output = IntVector;
    fn add(self, other: Self) -> IntVector {
        IntVector([0, 1, 2].map(|k| &self.0[k] + &other.0[k]))
    }
}

impl Sub for &IntVector {
    type Output = IntVector;
    fn sub(self, other: Self) -> IntVector {
        IntVector([0, 1, 2].map(|k| &self.0[k] - &other.0[k]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decomposes_every_kind_of_number_without_loss() {
        let values = [1.0, -3.5, 0.1, f64::MIN_POSITIVE, f64::MAX, f64::MIN, 5e-324, -1.5e-310, 1e300, 0.0];
        for value in values {
            let (mantissa, exponent) = decompose(value);
            // Two factors, because 2^-1074 and 2^971 are at the ends of the range.
            let half = exponent / 2;
            assert_eq!(mantissa as f64 * 2f64.powi(half) * 2f64.powi(exponent - half), value);
            assert!(mantissa == 0 || mantissa % 2 != 0);
        }
    }

    #[test]
    fn scales_all_points_by_one_power_of_two() {
        let [a, b] = to_integers([&Point3::new(0.25, -1.0, 0.0), &Point3::new(0.0, 0.5, 3.0)]).unwrap();
        assert_eq!(a, IntVector([1.into(), (-4).into(), 0.into()]));
        assert_eq!(b, IntVector([0.into(), 2.into(), 12.into()]));
    }

    #[test]
    fn spans_the_whole_exponent_range() {
        let [a] = to_integers([&Point3::new(5e-324, f64::MAX, 0.0)]).unwrap();
        assert_eq!(a.0[0], IBig::ONE);
        assert_eq!(a.0[1], IBig::from((1u64 << 53) - 1) << (971 + 1074));
    }

    #[test]
    fn refuses_what_is_not_finite() {
        assert_eq!(to_integers([&Point3::new(0.0, f64::NAN, 0.0)]), None);
        assert_eq!(to_integers([&Point3::new(0.0, 0.0, f64::NEG_INFINITY)]), None);
    }
}
