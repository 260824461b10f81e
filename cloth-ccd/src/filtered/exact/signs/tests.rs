//! Signs at zeros that are known because the form is made from them.

use super::*;

fn form(coefficients: &[i32]) -> Form {
    coefficients.iter().map(|&c| IBig::from(c)).collect()
}

/// The form whose zeros are these integers, times a number.
fn with_zeros(zeros: &[i32], factor: i32) -> Form {
    zeros.iter().fold(form(&[factor]), |g, &zero| product(&g, &form(&[-zero, 1])))
}

/// Quadratics with small coefficients: many of them are zero at small integers.
fn quadratics() -> impl Iterator<Item = Form> {
    (0..7 * 7 * 7).map(|k| form(&[k % 7 - 3, k / 7 % 7 - 3, k / 49 - 3]))
}

#[test]
fn finds_the_sign_at_each_of_up_to_three_zeros() {
    for zeros in [&[2][..], &[1, 3], &[-2, 1, 4], &[1, 2, 3], &[1, 2, 5], &[-1, 3], &[-3, -1, 2]] {
        for factor in [1, -2] {
            let g = with_zeros(zeros, factor);
            let positive: Vec<i32> = zeros.iter().copied().filter(|&zero| zero > 0).collect();
            for p in quadratics() {
                for (index, &zero) in positive.iter().enumerate() {
                    let expected = sign(&value_at(&p, &zero.into(), &IBig::ONE));
                    let found = sign_at_zero(&g, &p, index as i32, positive.len() as i32);
                    assert_eq!(found, expected, "{p:?} at {zero} of {zeros:?} times {factor}");
                }
            }
        }
    }
}

#[test]
fn finds_places_in_order_whatever_zeros_are_repeated() {
    let cases =
        [&[1, 1, 4][..], &[1, 4, 4], &[3, 3, 3], &[2, 2], &[-1, -1, 2], &[-2, 3, 3], &[1, 2, 3], &[-5, 1]];
    for zeros in cases {
        let mut expected: Vec<i32> = zeros.iter().copied().filter(|&zero| zero > 0).collect();
        expected.dedup();
        let locations: Vec<RootLocation> =
            Zeros::isolate(&[&with_zeros(zeros, -3)]).unwrap().locations().collect();
        assert_eq!(locations.len(), expected.len(), "{zeros:?}: {locations:?}");
        for (location, &zero) in locations.iter().zip(&expected) {
            assert!(location.sign_of(&form(&[-zero, 1])).is_eq(), "{zero} of {zeros:?}: {location:?}");
            assert!(location.sign_of(&form(&[1 - zero, 1])).is_gt(), "{zero} of {zeros:?}: {location:?}");
        }
    }
}

#[test]
fn finds_zeros_at_both_ends_and_none_where_all_vanishes() {
    let locations: Vec<RootLocation> =
        Zeros::isolate(&[&form(&[0, -2, 1, 0])]).unwrap().locations().collect();
    assert!(
        matches!(&locations[..], [RootLocation::Start, RootLocation::Ratio(..), RootLocation::End]),
        "{locations:?}"
    );
    assert!(Zeros::isolate(&[&form(&[0, 0]), &form(&[0, 0])]).is_none());
}

#[test]
fn finds_what_several_forms_have_in_common() {
    let (a, b) = (with_zeros(&[2, 3], 1), with_zeros(&[3, 5], 4));
    let locations: Vec<RootLocation> =
        Zeros::isolate(&[&a, &b, &form(&[0, 0, 0])]).unwrap().locations().collect();
    assert_eq!(locations.len(), 1);
    assert!(locations[0].sign_of(&form(&[-3, 1])).is_eq());
    assert_eq!(Zeros::isolate(&[&a, &with_zeros(&[1, 5], 1)]).unwrap().locations().count(), 0);
}

#[test]
fn distinguishes_zeros_between_which_there_is_no_number() {
    // s = 1 and s = 1 + 2^-80: no f64 lies between t = 1/2 and its neighbour there.
    let one = IBig::ONE << 80usize;
    let g = product(&form(&[-1, 1]), &[-(&one + IBig::ONE), one.clone()]);
    let locations: Vec<RootLocation> = Zeros::isolate(&[&g]).unwrap().locations().collect();
    assert!(matches!(
        &locations[..],
        [RootLocation::Zero { count: 2, index: 0, .. }, RootLocation::Zero { count: 2, index: 1, .. }]
    ));
    let after_the_first = vec![-(&one * IBig::from(2) + IBig::ONE), one * IBig::from(2)];
    assert!(locations[0].sign_of(&after_the_first).is_lt() && locations[1].sign_of(&after_the_first).is_gt());
    assert!(locations[0].sign_of(&form(&[-1, 1])).is_eq() && locations[1].sign_of(&form(&[-1, 1])).is_gt());
}
