//! Signs of conditions at the zeros of a form between start and end, without ever approximating a zero.
//!
//! The zeros `s > 0` are told apart by the signs of the form's derivatives there (Thom's encoding), and Tarski's queries (see
//! the reference) over `s > 0` give sums of signs of the condition, weighted with those. Between 0 and infinity a query needs no
//! evaluation: the signs are those of constant and of leading coefficients.

use std::cmp::Ordering;

use dashu_int::IBig;

use super::form::{Form, derivative, product, remainder, sign, sign_changes, trimmed, value_at};

/// When something happens.
#[derive(Clone, Debug)]
pub(super) enum Place {
    /// At `t = 0`.
    Start,
    /// At `t = 1`.
    End,
    /// At the zero number `index`, counted from 0, of `count` zeros `s > 0` of a form without repeated ones.
    Zero { form: Form, index: i32, count: i32 },
    /// At a rational `s > 0`, both numbers being positive.
    Ratio(IBig, IBig),
}

/// The times in [0, 1] at which some forms are all zero.
pub(super) struct Zeros {
    at_start: bool,
    at_end: bool,
    /// Zero at the others; neither its first nor its last coefficient is zero.
    between: Form,
}

impl Zeros {
    /// None if all forms are zero throughout.
    pub(super) fn of(forms: &[&Form]) -> Option<Self> {
        let mut zeros = Self { at_start: true, at_end: true, between: Vec::new() };
        for form in forms.iter().filter(|form| !form.iter().all(IBig::is_zero)) {
            zeros.at_start &= form[0].is_zero();
            zeros.at_end &= form.last().is_some_and(IBig::is_zero);
            let low = form.iter().take_while(|c| c.is_zero()).count();
            let core = trimmed(form[low..].to_vec());
            zeros.between = common_factor(zeros.between, core);
        }
        (!zeros.between.is_empty()).then_some(zeros)
    }

    /// The first of them at which the signs of the conditions are as they must be.
    pub(super) fn first(
        &self,
        conditions: &[Form],
        holds: &mut impl FnMut(&[Ordering]) -> bool,
    ) -> Option<Place> {
        if self.at_start && holds(&at_start(conditions)) {
            return Some(Place::Start);
        }
        for (place, signs) in between(&self.between, conditions) {
            if holds(&signs) {
                return Some(place);
            }
        }
        (self.at_end && holds(&at_end(conditions))).then_some(Place::End)
    }
}

pub(super) fn at_start(conditions: &[Form]) -> Vec<Ordering> {
    conditions.iter().map(|form| sign(&form[0])).collect()
}

fn at_end(conditions: &[Form]) -> Vec<Ordering> {
    conditions.iter().map(|form| form.last().map_or(Ordering::Equal, sign)).collect()
}

/// The greatest common divisor, as far as zeros `s > 0` are concerned; of nothing and something, that.
fn common_factor(mut a: Form, mut b: Form) -> Form {
    if a.is_empty() {
        return b;
    }
    while !b.is_empty() {
        if sign_changes(&a) == 0 || sign_changes(&b) == 0 {
            return vec![IBig::ONE];
        }
        (a, b) = (b.clone(), remainder(a, &b));
    }
    a
}

/// The zeros `s > 0` of a form in order, with the signs of the conditions there.
fn between(form: &Form, conditions: &[Form]) -> Vec<(Place, Vec<Ordering>)> {
    let changes = sign_changes(form);
    if changes == 0 {
        return Vec::new();
    }
    let Some(count) = (if changes == 1 { Some(1) } else { count(form) }) else {
        return at_ratios(form, conditions);
    };
    let by_condition: Vec<_> = conditions.iter().map(|p| signs_at_zeros(form, p, count)).collect();
    let signs = |index: usize| by_condition.iter().map(|signs| signs[index]).collect();
    let place = |index: i32| Place::Zero { form: form.clone(), index, count };
    (0..count).map(|index| (place(index), signs(index as usize))).collect()
}

/// How many zeros `s > 0` a form has; none if some zero, of any sign, is repeated.
fn count(form: &Form) -> Option<i32> {
    let chain = chain(form.clone(), derivative(form));
    (chain.last()?.len() == 1).then(|| changes_lost(&chain))
}

/// Signed remainders, up to the last that is not zero.
pub(super) fn chain(first: Form, second: Form) -> Vec<Form> {
    let mut chain = vec![first, trimmed(second)];
    while let [.., a, b] = &chain[..]
        && !b.is_empty()
    {
        let next = remainder(a.clone(), b).into_iter().map(|c| -c).collect();
        chain.push(next);
    }
    chain.pop();
    chain
}

/// How many sign changes a chain loses from `s = 0` to infinity.
fn changes_lost(chain: &[Form]) -> i32 {
    let at_zero = sign_changes(chain.iter().map(|form| &form[0]));
    let at_infinity = sign_changes(chain.iter().filter_map(|form| form.last()));
    at_zero - at_infinity
}

/// The sum of the signs of `p` over the zeros `s > 0` of a form (Tarski).
fn query(form: &Form, p: &Form) -> i32 {
    changes_lost(&chain(form.clone(), remainder(product(&derivative(form), p), form)))
}

/// The sign of a condition at each of the zeros `s > 0`, of which there are `count`, none of them repeated.
///
/// With `a` the sign of the form at `s = 0`, its slope has the signs `-a, a, -a` at the zeros. With three of them, the second
/// derivative has the sign `a` at the first and `-a` at the last, and `b` at the second, for they lie about its zero. Sums of signs weighted with
/// these are solved for the signs.
fn signs_at_zeros(form: &Form, condition: &Form, count: i32) -> Vec<Ordering> {
    let condition = remainder(trimmed(condition.clone()), form);
    let all = query(form, &condition);
    if count == 1 {
        return vec![all.cmp(&0)];
    }
    if count == 0 {
        return Vec::new();
    }
    let a = if sign(&form[0]).is_gt() { 1 } else { -1 };
    let slope = derivative(form);
    let alternating = a * query(form, &remainder(product(&condition, &slope), form));
    let second = (all + alternating) / 2;
    let others = (all - alternating) / 2; // the first, and the third if there is one
    if count == 2 {
        return vec![others.cmp(&0), second.cmp(&0)];
    }
    let bend = derivative(&slope);
    let b = query(form, &bend); // a - a + b
    let weighted = query(form, &remainder(product(&condition, &bend), form)); // a first + b second - a third
    let first_less_third = a * (weighted - b * second);
    let (first, third) = ((others + first_less_third) / 2, (others - first_less_third) / 2);
    vec![first.cmp(&0), second.cmp(&0), third.cmp(&0)]
}

/// The same where a zero is repeated: a form of degree 2 or 3 then has rational zeros only.
fn at_ratios(form: &Form, conditions: &[Form]) -> Vec<(Place, Vec<Ordering>)> {
    let found = ratios(form).into_iter().filter(|(numerator, _)| sign(numerator).is_gt());
    let with_signs = found.map(|(numerator, denominator)| {
        let signs = conditions.iter().map(|p| sign(&value_at(p, &numerator, &denominator))).collect();
        (Place::Ratio(numerator, denominator), signs)
    });
    with_signs.collect()
}

/// The distinct zeros, in order, as ratios with a positive denominator, of a form that has a repeated one.
fn ratios(form: &Form) -> Vec<(IBig, IBig)> {
    let chain = chain(form.clone(), derivative(form));
    let repeated = chain.last().cloned().unwrap_or_default();
    let ratio = |numerator: IBig, denominator: IBig| {
        if sign(&denominator).is_lt() { (-numerator, -denominator) } else { (numerator, denominator) }
    };
    let mut zeros = match (&form[..], &repeated[..]) {
        // All zeros are one: the mean of them.
        ([_, b, c], _) => vec![ratio(-b, c * IBig::from(2))],
        ([_, _, b, c], [_, _, _]) => vec![ratio(-b, c * IBig::from(3))],
        ([_, _, b, c], [y, x]) => {
            // Twice the repeated zero -y / x, and the other, add up to -b / c.
            vec![ratio(-y, x.clone()), ratio(IBig::from(2) * y * c - b * x, c * x)]
        }
        _ => Vec::new(),
    };
    zeros.sort_by(|(a, b), (c, d)| (a * d).cmp(&(c * b)));
    zeros
}
