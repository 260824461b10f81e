//! The time of a place, between two neighbouring numbers or as near as was asked for.

use std::cmp::Ordering;

use cloth_geom::exact::decompose;
use dashu_int::IBig;

use super::form::{Form, derivative, sign, sign_changes, value_at};
use super::signs::{Place, chain};
use crate::ccd::Toi;

/// A time that is not late, and whose gap is at most `max_gap` or one unit in the last place.
pub(super) fn of(place: &Place, max_gap: f64) -> Toi {
    let later_than = match place {
        Place::Start => return Toi::exact(0.0),
        Place::End => return Toi::exact(1.0),
        Place::Ratio(numerator, denominator) => later_than_ratio(numerator, denominator),
        Place::Zero { form, count: 1, .. } => later_than_only_zero(form),
        Place::Zero { form, index, .. } => later_than_zero(form, *index),
    };
    bisect(&later_than, max_gap)
}

/// How the place compares with a time, given as `s = numerator / denominator`.
type LaterThan<'a> = Box<dyn Fn(&IBig, &IBig) -> Ordering + 'a>;

fn later_than_ratio<'a>(numerator: &'a IBig, denominator: &'a IBig) -> LaterThan<'a> {
    Box::new(move |n, d| (numerator * d).cmp(&(n * denominator)))
}

/// The form has the sign of its constant coefficient before its only zero, and the other one after it.
fn later_than_only_zero(form: &Form) -> LaterThan<'_> {
    let before = sign(&form[0]);
    Box::new(move |n, d| match sign(&value_at(form, n, d)) {
        Ordering::Equal => Ordering::Equal,
        sign if sign == before => Ordering::Greater,
        _ => Ordering::Less,
    })
}

/// Counts the zeros up to a time, that time included (Sturm).
fn later_than_zero(form: &Form, index: i32) -> LaterThan<'_> {
    let chain = chain(form.clone(), derivative(form));
    let at_zero = sign_changes(chain.iter().map(|form| &form[0]));
    Box::new(move |n, d| {
        let values: Vec<_> = chain.iter().map(|form| value_at(form, n, d)).collect();
        let last_included = at_zero - sign_changes(&values) - 1;
        match index.cmp(&last_included) {
            Ordering::Equal if !values[0].is_zero() => Ordering::Less,
            order => order,
        }
    })
}

/// Halves the time until the gap is small enough.
fn bisect(later_than: &LaterThan<'_>, max_gap: f64) -> Toi {
    let place_against = |t: f64| {
        let (mantissa, exponent) = decompose(t);
        let (numerator, whole) = match exponent {
            0.. => (IBig::from(mantissa) << exponent as usize, IBig::ONE),
            _ => (IBig::from(mantissa), IBig::ONE << exponent.unsigned_abs() as usize),
        };
        let denominator = whole - &numerator;
        later_than(&numerator, &denominator)
    };
    let (mut low, mut high) = (0.0f64, 1.0f64);
    while high - low > max_gap && low.next_up() < high {
        // Halving the time shrinks the gap fastest; far below the rest of it, halving the exponents does.
        let far_below = low < 0.5 * high && high < 1e-6;
        let middle = if far_below {
            f64::from_bits(low.to_bits().midpoint(high.to_bits()))
        } else {
            low.midpoint(high)
        };
        match place_against(middle) {
            Ordering::Equal => return Toi::exact(middle),
            Ordering::Greater => low = middle,
            Ordering::Less => high = middle,
        }
    }
    Toi::between(low, high)
}
