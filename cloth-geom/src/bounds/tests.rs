//! Every operation against rational arithmetic, where rounding is nearest to matter.

use dashu_int::IBig;
use nalgebra::Vector3;
use proptest::prelude::*;

use super::upper::UNDERFLOW;
use super::*;

/// The number in units of 2^-1140: exact for every finite `f64`, and for products of numbers around 1.
fn exact(x: f64) -> IBig {
    let bits = x.to_bits();
    let (exponent, fraction) = ((bits >> 52 & 0x7ff) as usize, bits & ((1 << 52) - 1));
    let mantissa = if exponent == 0 { fraction } else { fraction | 1 << 52 };
    let magnitude = IBig::from(mantissa) << (exponent.max(1) + 65);
    if x < 0.0 { -magnitude } else { magnitude }
}

/// Zero, subnormal, tiny, ordinary and large numbers, and neighbours of powers of two.
fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        Just(0.0),
        (0..4_u64).prop_map(f64::from_bits),
        (-30..30_i32, -2..3_i64)
            .prop_map(|(e, ulps)| f64::from_bits(((2_f64.powi(e)).to_bits() as i64 + ulps) as u64)),
        0.0..1.0_f64,
        (0.0..1.0_f64).prop_map(|x| x * 1e-300),
        (0.0..1.0_f64).prop_map(|x| x * 1e9),
    ]
}

/// More than what `upper_f32` may add: a step of `f32` and the rounding.
fn slack_of_f32(x: f64) -> f64 {
    x.abs() * 4.0 * U32 + 4.0 * f64::from(f32::MIN_POSITIVE)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4096, ..ProptestConfig::default() })]

    #[test]
    fn bounds_stay_bounds_in_f32_and_lose_little(a in number()) {
        for d in [a, -a] {
            let upper = f64::from(upper_f32(d));
            prop_assert!(upper >= d && upper <= d + slack_of_f32(d));
            // What sixteen roundings before have taken is covered, too.
            prop_assert!(upper >= d + d.abs() * gamma(16, U64));
        }
    }

    #[test]
    fn a_length_is_never_below_the_true_one(x in number(), y in number(), z in number()) {
        let v = Vector3::new(x, -y, z);
        let length = upper_norm(&v);
        prop_assume!(length < 1e100);
        // Squares in units of 2^-2280.
        let square = |x: f64| exact(x) * exact(x);
        prop_assert!(square(length) >= square(x) + square(y) + square(z));
        // It is not off by more than its roundings, and what underflow can take.
        let off = 64.0 * U64 * v.amax() + 2.0 * UNDERFLOW;
        prop_assert!(length - v.norm() <= off, "{length}");
    }
}

#[test]
fn the_underflow_bound_covers_the_loss_and_is_negligible() {
    // The root of three times the least subnormal number, squared three times over.
    assert!(UNDERFLOW * UNDERFLOW >= 3.0 * f64::from_bits(1) && UNDERFLOW < 1.0e-150);
    assert_eq!(upper_norm(&Vector3::zeros()), UNDERFLOW);
    assert!(upper_f32(f64::NAN).is_nan());
}

#[test]
fn gamma_bounds_the_product_of_its_roundings_tightly() {
    for n in 1..=128_u32 {
        let product = (0..n).fold(1.0, |p: f64, _| p * (1.0 + U32));
        assert!(gamma(n, U32) >= product - 1.0);
        // The chain, and what it leaves of 1, are exact; so the quotient can be compared exactly.
        let chain = f64::from(n) * U32;
        let (least, found) = (exact(chain) * exact(1.0), exact(gamma(n, U32)) * exact(1.0 - chain));
        assert!(found >= least && found <= &least + &least / (1_u64 << 48), "{n}");
    }
}

#[test]
fn shares_in_f32_are_the_next_above_those_in_f64() {
    for n in 1..=128 {
        for (share, exact) in [(gamma_f32(n), gamma(n, U32)), (raise_f32(n), 1.0 + gamma(n, U32))] {
            assert!(f64::from(share) >= exact && f64::from(share.next_down()) < exact, "{n}");
        }
    }
    assert_eq!(roundoff::ceil_f32(1.5), 1.5);
    assert_eq!((U32, U64), (f64::from(f32::EPSILON) / 2.0, f64::EPSILON / 2.0));
}
