//! A coordinate as a quotient of two integers: exactly the `f64` of that value, or an error.
//!
//! Every finite `f64` is an odd integer of at most 53 bits times a power of two. So a quotient `n / d` is one
//! if, once the twos are taken out of both, what is left of `d` divides what is left of `n`, and the result
//! has at most 53 bits and its place in the range of exponents. That needs one division and no greatest
//! common divisor, and it looks at the lengths first, so that a hostile number of a million digits costs no
//! more than reading it.

use cloth_geom::exact::decompose;
use dashu_int::ops::{BitTest, DivRem};
use dashu_int::{IBig, Sign, UBig};

/// Binary digits of the significand of an `f64`.
const SIGNIFICANT: usize = 53;

/// The exponent of the last binary digit of the least subnormal number.
const LOWEST: i64 = -1074;

/// The exponent of the first binary digit of the greatest number.
const HIGHEST: i64 = 1023;

/// Why two words are no coordinate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RationalError {
    /// The numerator is not an integer.
    #[error("the numerator is not an integer; write digits alone, such as -3")]
    Numerator,
    /// The denominator is not an integer.
    #[error("the denominator is not an integer; write digits alone, such as 4")]
    Denominator,
    /// The denominator is zero.
    #[error("the denominator is 0; write 1 for a whole number")]
    DivisionByZero,
    /// No `f64` has this value.
    #[error("no f64 has this value; write the exact quotient of the f64 that is meant")]
    NotExact,
}

/// The `f64` that is exactly `numerator / denominator`; both are decimal integers of any length, with a minus
/// sign or none.
///
/// Zero is always positive: a quotient has no negative zero.
///
/// # Errors
/// If a word is no integer, the denominator is zero, or no finite `f64` has this value.
pub fn exact_quotient(numerator: &str, denominator: &str) -> Result<f64, RationalError> {
    let (sign_n, n) = integer(numerator).ok_or(RationalError::Numerator)?.into_parts();
    let (sign_d, d) = integer(denominator).ok_or(RationalError::Denominator)?.into_parts();
    let Some(twos_d) = d.trailing_zeros() else { return Err(RationalError::DivisionByZero) };
    let Some(twos_n) = n.trailing_zeros() else { return Ok(0.0) };
    let odd = odd_quotient(n >> twos_n, d >> twos_d).ok_or(RationalError::NotExact)?;
    let magnitude = scaled(odd, twos_n as i64 - twos_d as i64).ok_or(RationalError::NotExact)?;
    Ok(if sign_n * sign_d == Sign::Negative { -magnitude } else { magnitude })
}

/// The words of a finite number: `exact_quotient` makes the same number of them, but for the sign of zero.
///
/// None for a number that is not finite.
#[must_use]
pub fn to_quotient(value: f64) -> Option<[String; 2]> {
    if !value.is_finite() {
        return None;
    }
    let (mantissa, exponent) = decompose(value);
    let power = UBig::ONE << exponent.unsigned_abs() as usize;
    Some(if exponent < 0 {
        [mantissa.to_string(), power.to_string()]
    } else {
        [(IBig::from(mantissa) * power).to_string(), "1".to_owned()]
    })
}

/// An integer in decimal digits; the parser of the library would take `+1` and `1_000`, too.
fn integer(word: &str) -> Option<IBig> {
    let digits = word.strip_prefix('-').unwrap_or(word);
    let plain = digits.bytes().all(|b| b.is_ascii_digit());
    if plain { word.parse().ok() } else { None }
}

/// The quotient of two odd numbers, if it is an integer that an `f64` can hold; it is odd itself.
fn odd_quotient(n: UBig, d: UBig) -> Option<u64> {
    // A quotient of `a` and `b` bits has at least a - b bits.
    if n.bit_len() > d.bit_len() + SIGNIFICANT {
        return None;
    }
    let (quotient, rest) = n.div_rem(d);
    let fits = rest.is_zero() && quotient.bit_len() <= SIGNIFICANT;
    if fits { u64::try_from(quotient).ok() } else { None }
}

/// `odd * 2^exponent`, if that is a finite `f64` to the last bit.
fn scaled(odd: u64, exponent: i64) -> Option<f64> {
    let first_digit = exponent.checked_add(i64::from(odd.ilog2()))?;
    if exponent < LOWEST || first_digit > HIGHEST {
        return None;
    }
    // `exponent` is now in LOWEST..=HIGHEST. Both factors are exact, and so is their product, since an f64
    // has that value.
    let power = if exponent >= -1022 { ((exponent + 1023) as u64) << 52 } else { 1 << (exponent - LOWEST) };
    Some(odd as f64 * f64::from_bits(power))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn there_and_back(value: f64) -> f64 {
        let [n, d] = to_quotient(value).unwrap();
        exact_quotient(&n, &d).unwrap()
    }

    #[test]
    fn every_kind_of_number_comes_back_bit_for_bit() {
        let tiny = f64::from_bits(1);
        let subnormal = f64::from_bits(0x000f_ffff_ffff_ffff);
        let kinds = [1.0, 0.1, tiny, 3.0 * tiny, subnormal, f64::MIN_POSITIVE, f64::MAX, f64::EPSILON];
        for value in kinds.into_iter().chain([power_1023(), 1e300, 1e-300, 9_007_199_254_740_993.0]) {
            assert_eq!(there_and_back(value).to_bits(), value.to_bits(), "{value:e}");
            assert_eq!(there_and_back(-value).to_bits(), (-value).to_bits(), "{value:e}");
        }
        assert_eq!((there_and_back(-0.0).to_bits(), there_and_back(0.0).to_bits()), (0, 0));
        assert!([f64::NAN, f64::INFINITY, f64::NEG_INFINITY].into_iter().all(|x| to_quotient(x).is_none()));
    }

    /// 2^1023.
    fn power_1023() -> f64 {
        f64::from_bits(2046 << 52)
    }

    proptest! {
        #[test]
        fn every_finite_number_comes_back(bits in any::<u64>()) {
            let value = f64::from_bits(bits);
            prop_assume!(value.is_finite() && value != 0.0);
            prop_assert_eq!(there_and_back(value).to_bits(), bits);
        }

        #[test]
        fn common_factors_and_signs_change_nothing(bits in any::<u64>(), factor in 1_i64..=i64::MAX) {
            let value = f64::from_bits(bits);
            prop_assume!(value.is_finite() && value != 0.0);
            let [n, d] = to_quotient(value).unwrap().map(|word| word.parse::<IBig>().unwrap());
            for factor in [factor, -factor] {
                let [n, d] = [&n * factor, &d * factor].map(|i| i.to_string());
                prop_assert_eq!(exact_quotient(&n, &d).map(f64::to_bits), Ok(bits));
            }
        }

        #[test]
        fn a_value_between_two_numbers_is_refused(bits in 1_u64..0x7fef_ffff_ffff_ffff) {
            // The mean of neighbours: one binary digit more than either has room for.
            let [a, b] = [bits, bits + 1].map(|bits| to_quotient(f64::from_bits(bits)).unwrap());
            let [an, ad, bn, bd] = [&a[0], &a[1], &b[0], &b[1]].map(|word| word.parse::<IBig>().unwrap());
            let [n, d] = [&an * &bd + &bn * &ad, ad * bd * 2].map(|i| i.to_string());
            prop_assert_eq!(exact_quotient(&n, &d), Err(RationalError::NotExact));
        }
    }

    #[test]
    fn refuses_what_no_number_has() {
        let greatest = to_quotient(f64::MAX).unwrap()[0].parse::<UBig>().unwrap();
        let too_large = (UBig::ONE << 1024usize).to_string();
        let too_small = (UBig::ONE << 1075usize).to_string();
        for (n, d) in
            [("1", "3"), ("2", "6"), ("1", "10"), (&too_large, "1"), ("1", &too_small), ("3", &too_small)]
        {
            assert_eq!(exact_quotient(n, d), Err(RationalError::NotExact), "{n}/{d}");
        }
        assert_eq!(exact_quotient(&(&greatest + UBig::ONE).to_string(), "1"), Err(RationalError::NotExact));
        // 2^1074 times two over two: the least subnormal number, not reduced.
        assert_eq!(exact_quotient("2", &too_small), Ok(f64::from_bits(1)));
        assert_eq!(exact_quotient("3", "6"), Ok(0.5));
        assert_eq!(exact_quotient("0", "-7").map(f64::to_bits), Ok(0));
    }

    #[test]
    fn refuses_words_that_are_no_integers() {
        for word in
            ["", "-", "+1", "1_000", "1.0", "1e3", "0x10", "nan", "NaN", "inf", " 1", "--1", "1\0", "１"]
        {
            assert_eq!(exact_quotient(word, "1"), Err(RationalError::Numerator), "{word:?}");
            assert_eq!(exact_quotient("1", word), Err(RationalError::Denominator), "{word:?}");
        }
        for zero in ["0", "-0", "000"] {
            assert_eq!(exact_quotient("1", zero), Err(RationalError::DivisionByZero));
            assert_eq!(exact_quotient("0", zero), Err(RationalError::DivisionByZero));
        }
    }

    #[test]
    fn a_million_digits_are_read_or_refused_at_once() {
        let million = format!("1{}", "0".repeat(1_000_000));
        assert_eq!(exact_quotient(&million, "1"), Err(RationalError::NotExact));
        assert_eq!(exact_quotient("1", &million), Err(RationalError::NotExact));
        assert_eq!(exact_quotient(&million, &million), Ok(1.0));
    }
}
