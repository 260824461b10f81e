//! Roots of a form from the start to the end, and signs of other forms at them, without approximating a root.
//!
//! From `s = 0` to infinity the chain of signed remainders of `g` and `p` loses as many sign changes as the
//! Cauchy index of `p / g`: the sum of the signs of `g' p` over the roots `s > 0` of `g`, if none is repeated
//! (Basu, Pollack, Roy, theorem 2.58). No evaluation is needed: at 0 the signs are those of the constants, at
//! infinity those of the leading coefficients. One root needs one such sum. Several roots are separated by
//! times between them or, if no floating-point number lies between, by sums weighted with signs of
//! derivatives (Thom's encoding).

use std::cmp::Ordering;

use dashu_int::IBig;

use super::form::{
    Form, derivative, is_zero, over, product, ratio_of, remainder, sign, sign_changes, trimmed, value_at,
    without_excess,
};

/// When something happens.
#[derive(Clone, Debug)]
pub(super) enum RootLocation {
    /// At `t = 0`.
    Start,
    /// At `t = 1`.
    End,
    /// At a zero of a form without repeated ones, somewhere inside a part of the time, over which the form is
    /// given.
    Zero {
        /// The form over the part.
        form: Form,
        /// Two times in [0, 1], neither of which is a zero.
        part: [f64; 2],
        /// Which of the zeros in the part, counted from 0.
        index: i32,
        /// How many zeros there are in the part.
        count: i32,
    },
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
    pub(super) fn isolate(forms: &[&Form]) -> Option<Self> {
        let mut zeros = Self { at_start: true, at_end: true, between: Vec::new() };
        for form in forms.iter().filter(|form| !is_zero(form)) {
            zeros.at_start &= form[0].is_zero();
            zeros.at_end &= form.last().is_some_and(IBig::is_zero);
            let low = form.iter().take_while(|c| c.is_zero()).count();
            let core = without_excess(trimmed(form[low..].to_vec()));
            zeros.between = common_factor(zeros.between, core);
        }
        (!zeros.between.is_empty()).then_some(zeros)
    }

    /// The times, in order.
    pub(super) fn locations(&self) -> impl Iterator<Item = RootLocation> {
        let start = self.at_start.then_some(RootLocation::Start);
        let end = self.at_end.then_some(RootLocation::End);
        start.into_iter().chain(between(&self.between)).chain(end)
    }
}

impl RootLocation {
    /// The sign of a form there.
    pub(super) fn sign_of(&self, form: &Form) -> Ordering {
        match self {
            Self::Start => sign(&form[0]),
            Self::End => form.last().map_or(Ordering::Equal, sign),
            Self::Ratio(numerator, denominator) => sign(&value_at(form, numerator, denominator)),
            Self::Zero { form: zero, part, index, count } => {
                sign_at_zero(zero, &over(form, *part), *index, *count)
            }
        }
    }
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

/// The zeros `s > 0` of a form, in order.
fn between(form: &Form) -> Vec<RootLocation> {
    let changes = sign_changes(form);
    match (changes, &form[..]) {
        (0, _) => Vec::new(),
        (_, [constant, slope]) => vec![ratio(-constant, slope.clone())],
        (1, _) => vec![RootLocation::Zero { form: form.clone(), part: [0.0, 1.0], index: 0, count: 1 }],
        _ => {
            let chain = chain(form.clone(), derivative(form));
            let is_repeated = chain.last().is_none_or(|last| last.len() > 1);
            if is_repeated { ratios(form, &chain) } else { isolated(form, &chain) }
        }
    }
}

/// The zeros `s > 0` of a form without repeated ones, each in a part of its own if some number separates it
/// from the others.
fn isolated(form: &Form, chain: &[Form]) -> Vec<RootLocation> {
    let mut parts = Vec::new();
    let changes = [
        sign_changes(chain.iter().map(|form| &form[0])),
        sign_changes(chain.iter().filter_map(|form| form.last())),
    ];
    split(chain, [0.0, 1.0], changes, &mut parts);
    let locations = parts.into_iter().flat_map(|(part, count)| {
        let form = over(form, part);
        (0..count).map(move |index| RootLocation::Zero { form: form.clone(), part, index, count })
    });
    locations.collect()
}

/// Collects parts that contain zeros, with their number: one, unless no number lies between them.
///
/// Halving the bits of a number halves its exponent first, so at most 62 halvings lead to neighbours.
fn split(chain: &[Form], [a, b]: [f64; 2], [at_a, at_b]: [i32; 2], parts: &mut Vec<([f64; 2], i32)>) {
    let count = at_a - at_b;
    if count == 0 {
        return;
    }
    let halfway = f64::from_bits(a.to_bits().midpoint(b.to_bits()));
    // At most three of the numbers are zeros themselves.
    let numbers = std::iter::successors(Some(halfway), |t| Some(t.next_up())).take(4).take_while(|&t| t < b);
    let mut values = numbers.filter(|&t| t > a).map(|t| (t, values_at(chain, t)));
    match values.find(|(_, values)| !values[0].is_zero()) {
        Some((middle, values)) if count > 1 => {
            let at_middle = sign_changes(&values);
            split(chain, [a, middle], [at_a, at_middle], parts);
            split(chain, [middle, b], [at_middle, at_b], parts);
        }
        _ => parts.push(([a, b], count)),
    }
}

fn values_at(chain: &[Form], t: f64) -> Vec<IBig> {
    let (numerator, denominator) = ratio_of(t);
    chain.iter().map(|form| value_at(form, &numerator, &denominator)).collect()
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

/// The sum of the signs of `g' p` over the zeros `s > 0` of `g`.
fn index_of(p: Form, g: &Form) -> i32 {
    changes_lost(&chain(g.clone(), remainder(p, g)))
}

/// The sign of `p` at one of the zeros `s > 0` of `g`, of which there are `count`, none of them repeated.
///
/// With `a` the sign of `g` at `s = 0`, its slope has the signs `-a, a, -a` at the zeros. With three of them,
/// the second derivative has the sign `a` at the first and `-a` at the last, and `b` at the second, for they
/// lie about its zero.
fn sign_at_zero(g: &Form, p: &Form, index: i32, count: i32) -> Ordering {
    let p = trimmed(without_excess(p.clone()));
    let slope = derivative(g);
    let a = if sign(&g[0]).is_gt() { 1 } else { -1 };
    let alternating = -a * index_of(p.clone(), g); // first - second + third
    if count == 1 {
        return alternating.cmp(&0);
    }
    let p = remainder(p, g);
    let sum = index_of(product(&p, &slope), g); // first + second + third
    let (second, others) = ((sum - alternating) / 2, (sum + alternating) / 2);
    if index == 1 || count == 2 {
        return if index == 1 { second } else { others }.cmp(&0);
    }
    let bend = derivative(&slope);
    let weigh = |p: &Form| index_of(product(&remainder(product(p, &slope), g), &bend), g);
    let b = weigh(&vec![IBig::ONE]); // a + b - a
    let first_less_third = a * (weigh(&p) - b * second);
    let twice = if index == 0 { others + first_less_third } else { others - first_less_third };
    twice.cmp(&0)
}

/// A place, from a ratio with a denominator of any sign.
fn ratio(numerator: IBig, denominator: IBig) -> RootLocation {
    if sign(&denominator).is_lt() {
        RootLocation::Ratio(-numerator, -denominator)
    } else {
        RootLocation::Ratio(numerator, denominator)
    }
}

/// The distinct zeros `s > 0`, in order, of a form of degree 2 or 3 that has a repeated one: all are
/// rational.
fn ratios(form: &Form, chain: &[Form]) -> Vec<RootLocation> {
    let repeated = chain.last().cloned().unwrap_or_default();
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
    zeros.retain(|zero| matches!(zero, RootLocation::Ratio(numerator, _) if sign(numerator).is_gt()));
    zeros.sort_by(|a, b| match (a, b) {
        (RootLocation::Ratio(a, b), RootLocation::Ratio(c, d)) => (a * d).cmp(&(c * b)),
        _ => Ordering::Equal,
    });
    zeros
}

#[cfg(test)]
mod tests;
