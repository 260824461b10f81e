//! The time of a place, between two neighbouring numbers or as near as was asked for.

use std::cmp::Ordering;

use dashu_int::IBig;
use dashu_int::ops::BitTest;

use super::form::{Form, derivative, ratio_of, sign, sign_changes, value_at};
use super::signs::{RootLocation, chain};
use crate::Toi;

/// A time that is not late, and whose gap is at most `max_gap` or one unit in the last place.
pub(super) fn to_toi(location: &RootLocation, max_gap: f64) -> Toi {
    match location {
        RootLocation::Start => Toi::exact(0.0),
        RootLocation::End => Toi::exact(1.0),
        RootLocation::Ratio(numerator, denominator) => {
            let against = |n: &IBig, d: &IBig| (numerator * d).cmp(&(n * denominator));
            narrow(&against, [0.0, 1.0], guess(&[-numerator, denominator.clone()]), max_gap)
        }
        RootLocation::Zero { form, part: [0.0, 1.0], count: 1, .. } => {
            narrow(&only_zero_against(form), [0.0, 1.0], guess(form), max_gap)
        }
        RootLocation::Zero { form, part, count: 1, .. } => {
            narrow(&within(*part, only_zero_against(form)), *part, None, max_gap)
        }
        RootLocation::Zero { form, part, index, .. } => {
            narrow(&within(*part, zero_against(form, *index)), *part, None, max_gap)
        }
    }
}

/// From times of a part to those of the whole: solves `s = (n0 + n1 s') / (d0 + d1 s')` for `s'`.
fn within(part: [f64; 2], against: impl Fn(&IBig, &IBig) -> Ordering) -> impl Fn(&IBig, &IBig) -> Ordering {
    let [(n0, d0), (n1, d1)] = part.map(ratio_of);
    move |n, d| against(&(n * &d0 - &n0 * d), &(&n1 * d - n * &d1))
}

/// The form has the sign of its constant coefficient before its only zero, and the other one after it.
fn only_zero_against(form: &Form) -> impl Fn(&IBig, &IBig) -> Ordering + '_ {
    let before = sign(&form[0]);
    move |n, d| match sign(&value_at(form, n, d)) {
        Ordering::Equal => Ordering::Equal,
        sign if sign == before => Ordering::Greater,
        _ => Ordering::Less,
    }
}

/// Counts the zeros up to a time, that time included (Sturm).
fn zero_against(form: &Form, index: i32) -> impl Fn(&IBig, &IBig) -> Ordering {
    let chain = chain(form.clone(), derivative(form));
    let at_zero = sign_changes(chain.iter().map(|form| &form[0]));
    move |n, d| {
        let values: Vec<_> = chain.iter().map(|form| value_at(form, n, d)).collect();
        let last_included = at_zero - sign_changes(&values) - 1;
        match index.cmp(&last_included) {
            Ordering::Equal if !values[0].is_zero() => Ordering::Less,
            order => order,
        }
    }
}

/// A time near the only zero of a form, if its coefficients have a range that floating-point numbers have.
fn guess(form: &[IBig]) -> Option<f64> {
    let bits = form.iter().map(BitTest::bit_len).max().unwrap_or(0);
    let shift = bits.saturating_sub(600);
    let form: Vec<f64> = form.iter().map(|c| (c >> shift).to_f64().value()).collect();
    let value = |t: f64| {
        let (mut power, mut value) = (1.0, 0.0);
        for c in form.iter().rev() {
            value = value * t + c * power;
            power *= 1.0 - t;
        }
        value
    };
    let (mut low, mut high) = (0.0, 1.0);
    let starts_positive = value(low) > 0.0;
    if starts_positive == (value(high) > 0.0) {
        return None;
    }
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        *if (value(middle) > 0.0) == starts_positive { &mut low } else { &mut high } = middle;
    }
    Some(low)
}

/// Encloses a place by comparing it with times `s = numerator / denominator`: on both sides of the guess
/// first, then by halves.
fn narrow(
    place_against: &impl Fn(&IBig, &IBig) -> Ordering,
    [mut low, mut high]: [f64; 2],
    guess: Option<f64>,
    max_gap: f64,
) -> Toi {
    let width = |guess: f64| (0.4 * max_gap).max(2.0 * f64::EPSILON * guess);
    let mut tries = guess.into_iter().flat_map(|guess| [guess - width(guess), guess + width(guess)]);
    while high - low > max_gap && low.next_up() < high {
        let t = tries.find(|&t| low < t && t < high).unwrap_or_else(|| halfway(low, high));
        let (numerator, denominator) = ratio_of(t);
        match place_against(&numerator, &denominator) {
            Ordering::Equal => return Toi::exact(t),
            Ordering::Greater => low = t,
            Ordering::Less => high = t,
        }
    }
    Toi::between(low, high)
}

/// Halving the time shrinks the gap fastest; far below the rest of it, halving the exponents does.
fn halfway(low: f64, high: f64) -> f64 {
    if low < 0.5 * high && high < 1e-6 {
        f64::from_bits(low.to_bits().midpoint(high.to_bits()))
    } else {
        low.midpoint(high)
    }
}
