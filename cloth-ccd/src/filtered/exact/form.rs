//! Polynomials in `s = t / (1 - t)`, constant coefficient first, and vectors of them.

use std::cmp::Ordering;

use cloth_geom::exact::decompose;
use dashu_int::IBig;
use dashu_int::ops::UnsignedAbs;

/// Coefficients, the constant one first. The first and the last may be zero: they are what the form is at the
/// start and at the end.
pub(super) type Form = Vec<IBig>;

/// A vector that moves linearly: at the start, and at the end.
pub(super) type LinearForm = [[IBig; 3]; 2];

/// A vector of quadratic forms, by coefficients.
pub(super) type Quadratic = [[IBig; 3]; 3];

fn cross_of(a: &[IBig; 3], b: &[IBig; 3]) -> [IBig; 3] {
    let component = |i: usize, k: usize| &a[i] * &b[k] - &a[k] * &b[i];
    [component(1, 2), component(2, 0), component(0, 1)]
}

fn dot_of(a: &[IBig; 3], b: &[IBig; 3]) -> IBig {
    &a[0] * &b[0] + &a[1] * &b[1] + &a[2] * &b[2]
}

/// The cross product of two moving vectors.
pub(super) fn cross(a: &LinearForm, b: &LinearForm) -> Quadratic {
    let (first, second) = (cross_of(&a[0], &b[1]), cross_of(&a[1], &b[0]));
    let mut middle = first;
    for (m, s) in middle.iter_mut().zip(&second) {
        *m += s;
    }
    [cross_of(&a[0], &b[0]), middle, cross_of(&a[1], &b[1])]
}

/// The inner product of moving vectors: a quadratic.
pub(super) fn dot(a: &LinearForm, b: &LinearForm) -> Form {
    vec![dot_of(&a[0], &b[0]), dot_of(&a[0], &b[1]) + dot_of(&a[1], &b[0]), dot_of(&a[1], &b[1])]
}

/// The inner product with a moving vector: a cubic.
pub(super) fn dot_linear(a: &LinearForm, b: &Quadratic) -> Form {
    vec![
        dot_of(&a[0], &b[0]),
        dot_of(&a[0], &b[1]) + dot_of(&a[1], &b[0]),
        dot_of(&a[0], &b[2]) + dot_of(&a[1], &b[1]),
        dot_of(&a[1], &b[2]),
    ]
}

pub(super) fn negated(vector: &Quadratic) -> Quadratic {
    vector.each_ref().map(|part| part.each_ref().map(|c| -c))
}

pub(super) fn difference(a: &Quadratic, b: &Quadratic) -> Quadratic {
    [0, 1, 2].map(|power| [0, 1, 2].map(|axis| &a[power][axis] - &b[power][axis]))
}

/// One component of a vector.
pub(super) fn component(vector: &Quadratic, axis: usize) -> Form {
    vector.iter().map(|part| part[axis].clone()).collect()
}

pub(super) fn is_zero(form: &[IBig]) -> bool {
    form.iter().all(IBig::is_zero)
}

/// The form without the factors `1 + s` that it has, as many as its degree in `t` is below its degree in `s`.
/// They are positive from the start to the end, and leave the first and the last coefficient as they are.
pub(super) fn without_excess(mut form: Form) -> Form {
    while form.len() > 1 {
        // Synthetic division from below: what is left over is the value at s = -1.
        let mut quotient = Vec::with_capacity(form.len());
        let mut carry = IBig::ZERO;
        for c in &form {
            carry = c - carry;
            quotient.push(carry.clone());
        }
        if !carry.is_zero() {
            break;
        }
        quotient.pop();
        form = quotient;
    }
    form
}

pub(super) fn sign(value: &IBig) -> Ordering {
    value.cmp(&IBig::ZERO)
}

/// Whether all coefficients are of one sign and none is zero: then the form is nowhere zero from the start to
/// the end.
pub(super) fn is_one_signed(form: &[IBig]) -> bool {
    let first = sign(&form[0]);
    first.is_ne() && form.iter().all(|c| sign(c) == first)
}

/// How often the signs of the coefficients change, zeros left out: at least the number of roots `s > 0`
/// (Descartes).
pub(super) fn sign_changes<'a>(values: impl IntoIterator<Item = &'a IBig>) -> i32 {
    let mut changes = 0;
    let mut last = Ordering::Equal;
    for value in values.into_iter().map(sign).filter(|sign| sign.is_ne()) {
        changes += i32::from(last.is_ne() && last != value);
        last = value;
    }
    changes
}

/// Without coefficients that are zero at the high end.
pub(super) fn trimmed(mut form: Form) -> Form {
    while form.last().is_some_and(IBig::is_zero) {
        form.pop();
    }
    form
}

pub(super) fn derivative(form: &[IBig]) -> Form {
    form.iter().enumerate().skip(1).map(|(k, c)| c * IBig::from(k)).collect()
}

pub(super) fn product(a: &[IBig], b: &[IBig]) -> Form {
    if a.is_empty() || b.is_empty() {
        return Vec::new();
    }
    let mut product = vec![IBig::ZERO; a.len() + b.len() - 1];
    for (i, x) in a.iter().enumerate() {
        for (k, y) in b.iter().enumerate() {
            product[i + k] += x * y;
        }
    }
    product
}

/// The remainder of a division, times some positive number; the highest coefficient of the divisor is not
/// zero.
pub(super) fn remainder(mut a: Form, divisor: &[IBig]) -> Form {
    let (lead, rest) = divisor.split_last().expect("a divisor is not zero");
    let scale = IBig::from(lead.unsigned_abs());
    let lead_is_positive = sign(lead).is_gt();
    while a.len() >= divisor.len() {
        let top = a.pop().expect("as long as the divisor");
        if top.is_zero() {
            continue;
        }
        let location = a.len() - rest.len();
        for c in &mut a {
            *c *= &scale;
        }
        for (x, c) in a[location..].iter_mut().zip(rest) {
            if lead_is_positive { *x -= &top * c } else { *x += &top * c }
        }
    }
    trimmed(a)
}

/// The value at `numerator / denominator`, times the denominator to the power of the degree.
pub(super) fn value_at(form: &[IBig], numerator: &IBig, denominator: &IBig) -> IBig {
    let mut power = IBig::ONE;
    let mut value = IBig::ZERO;
    for c in form.iter().rev() {
        value = value * numerator + c * &power;
        power *= denominator;
    }
    value
}

/// A time in [0, 1] as `s = numerator / denominator`; the denominator is zero for 1.
pub(super) fn ratio_of(t: f64) -> (IBig, IBig) {
    let (mantissa, exponent) = decompose(t);
    let (numerator, whole) = match exponent {
        0.. => (IBig::from(mantissa) << exponent as usize, IBig::ONE),
        _ => (IBig::from(mantissa), IBig::ONE << exponent.unsigned_abs() as usize),
    };
    let denominator = whole - &numerator;
    (numerator, denominator)
}

/// The form over a part of the time, whose ends become `s = 0` and infinity, times some positive number.
pub(super) fn over(form: &Form, part: [f64; 2]) -> Form {
    if part == [0.0, 1.0] {
        return form.clone();
    }
    let [(n0, d0), (n1, d1)] = part.map(ratio_of);
    let (numerator, denominator) = ([n0, n1], [d0, d1]);
    let mut power = vec![IBig::ONE];
    let mut value: Form = Vec::new();
    for c in form.iter().rev() {
        value = product(&value, &numerator);
        value.resize(power.len(), IBig::ZERO);
        for (v, p) in value.iter_mut().zip(&power) {
            *v += c * p;
        }
        power = product(&power, &denominator);
    }
    value
}
