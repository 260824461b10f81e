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

/// More than what a single operation may add: two neighbours of a number, and two of the smallest normal
/// ones.
fn slack(x: f64) -> IBig {
    exact(x.abs() * 4.0 * f64::EPSILON) + exact(4.0 * f64::MIN_POSITIVE)
}

/// More than what `to_f32` may add: a step of `f32` and the rounding.
fn slack_of_f32(x: f64) -> f64 {
    x.abs() * 4.0 * U32 + 4.0 * f64::from(f32::MIN_POSITIVE)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4096, ..ProptestConfig::default() })]

    #[test]
    fn sums_and_differences_err_to_their_side_and_little(
        a in number(), b in number(), sign in any::<bool>(),
    ) {
        let d = if sign { a } else { -a };
        let slack = slack(a.max(b));
        let (upper, sum) = (exact((Upper::exact(a) + Upper::exact(b)).get()), exact(a) + exact(b));
        prop_assert!(upper >= sum && upper <= &sum + &slack);
        let (lower, left) = (exact((Lower::exact(d) - Upper::exact(b)).get()), exact(d) - exact(b));
        prop_assert!(lower <= left && lower >= left - &slack);
        let (lower, sum) = (exact((Lower::exact(d) + Lower::exact(b)).get()), exact(d) + exact(b));
        prop_assert!(lower <= sum && lower >= sum - slack);
    }

    #[test]
    fn products_err_upward_and_little(a in number(), b in number()) {
        // In units of 2^-2280.
        let product = exact(a) * exact(b);
        let slack = &product / (1_u64 << 50) + exact(4.0 * f64::MIN_POSITIVE) * exact(1.0);
        for upper in [Upper::exact(a).times(b), Upper::exact(a) * Upper::exact(b)] {
            let upper = exact(upper.get()) * exact(1.0);
            prop_assert!(upper >= product && upper <= &product + &slack);
        }
    }

    #[test]
    fn bounds_stay_bounds_in_f32_and_lose_little(a in number()) {
        let upper = f64::from(Upper::exact(a).to_f32());
        prop_assert!(upper >= a && upper <= a + slack_of_f32(a));
        // What sixteen roundings before have taken is covered, too.
        prop_assert!(upper >= a * (1.0 + gamma(16, U64)));
        for d in [a, -a] {
            let lower = f64::from(Lower::exact(d).to_f32());
            prop_assert!(lower <= d && lower >= d - slack_of_f32(d));
            prop_assert!(lower <= d - d.abs() * gamma(1, U64));
        }
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
        // Neither is off by more than its roundings, and what underflow can take.
        let off = 64.0 * U64 * v.amax() + 4.0 * UNDERFLOW;
        prop_assert!(length - least <= off, "{least} {length}");
    }

    #[test]
    fn the_greater_and_the_lesser_are_chosen(a in number(), b in number(), sign in any::<bool>()) {
        let d = if sign { a } else { -a };
        prop_assert_eq!(Upper::exact(a).max(Upper::exact(b)).get(), a.max(b));
        prop_assert_eq!(Upper::exact(a).min(Upper::exact(b)).get(), a.min(b));
        prop_assert_eq!(Lower::exact(d).min(Lower::exact(b)).get(), d.min(b));
        prop_assert_eq!(Lower::exact(d).exceeds(Upper::exact(b)), d > b);
        prop_assert!(!Lower::exact(a).exceeds(Upper::exact(a)));
    }

    #[test]
    fn numbers_of_f32_are_taken_as_they_are(a in any::<f32>().prop_filter("a number", |a| !a.is_nan())) {
        prop_assert_eq!((Upper::from(a).get(), Lower::from(a).get()), (f64::from(a), f64::from(a)));
    }
}

#[test]
fn the_underflow_bound_covers_the_loss_and_is_negligible() {
    // The root of three times the least subnormal number, squared three times over.
    assert!(UNDERFLOW * UNDERFLOW >= 3.0 * f64::from_bits(1) && UNDERFLOW < 1.0e-150);
    assert!(Upper::ZERO.get().to_bits() == 0 && Upper::norm(&Vector3::zeros()).get() == UNDERFLOW);
}

#[test]
fn a_sum_swallows_nothing_however_small_it_is() {
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
