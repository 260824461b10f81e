//! Every operation against rational arithmetic, where rounding is nearest to matter.

use dashu_int::IBig;
use nalgebra::Vector3;
use proptest::prelude::*;

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

proptest! {
    #![proptest_config(ProptestConfig { cases: 4096, ..ProptestConfig::default() })]

    #[test]
    fn sums_and_differences_err_to_their_side(a in number(), b in number(), sign in any::<bool>()) {
        let d = if sign { a } else { -a };
        prop_assert!(exact((Upper::exact(a) + Upper::exact(b)).get()) >= exact(a) + exact(b));
        prop_assert!(exact((Lower::exact(d) - Upper::exact(b)).get()) <= exact(d) - exact(b));
        prop_assert!(exact((Lower::exact(d) + Lower::exact(b)).get()) <= exact(d) + exact(b));
    }

    #[test]
    fn bounds_stay_bounds_in_f32(a in number()) {
        prop_assert!(f64::from(Upper::exact(a).to_f32()) >= a);
        prop_assert!(f64::from(Lower::exact(a).to_f32()) <= a);
        prop_assert!(f64::from(Lower::exact(-a).to_f32()) <= -a);
    }

    #[test]
    fn a_length_is_never_below_the_true_one(x in number(), y in number(), z in number()) {
        let v = Vector3::new(x, -y, z);
        let length = Upper::norm(&v).get();
        prop_assume!(length < 1e100);
        // Squares in units of 2^-2280.
        let square = |x: f64| exact(x) * exact(x);
        let true_square = square(x) + square(y) + square(z);
        prop_assert!(square(length) >= true_square);
        let least = Lower::norm(&v).get();
        prop_assert!(least <= 0.0 || square(least) <= true_square);
    }
}

#[test]
fn a_sum_swallows_nothing_however_small_it_is_beside_the_sum() {
    let (small, mut sum) = (1.0e-25, Upper::exact(4.0));
    (0..1000).for_each(|_| sum += Upper::exact(small));
    assert!(sum.get() > 4.0 + 1000.0 * small && sum.get() < 4.0 + 1.0e-11);
}

#[test]
fn a_nan_exceeds_nothing_and_is_never_lost() {
    let nan = Upper::exact(f64::NAN);
    assert!(!Lower::exact(f64::INFINITY).exceeds(nan) && !Lower::exact(f64::NAN).exceeds(Upper::ZERO));
    assert!(nan.max(Upper::ZERO).get().is_nan() && Upper::ZERO.max(nan).get().is_nan());
    assert!(nan.to_f32().is_nan() && (Upper::ZERO + nan).get().is_nan());
    assert_eq!(Upper::exact(1.0).min(nan), Upper::exact(1.0));
}

#[test]
fn gamma_is_no_less_than_the_product_of_its_roundings() {
    for n in [1, 2, 6, 64, 128] {
        let product = (0..n).fold(1.0, |p: f64, _| p * (1.0 + U32));
        assert!(gamma(n, U32) >= product - 1.0 && gamma(n, U32) < 1.1 * f64::from(n) * U32);
    }
}
