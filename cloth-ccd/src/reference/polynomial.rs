//! Polynomials in the time with integer coefficients, and vectors of them.

use std::cmp::Ordering;
use std::ops::{Add, Mul, Sub};

use cloth_geom::exact::decompose;
use dashu_int::IBig;
use dashu_int::ops::{Gcd, UnsignedAbs};

/// A dyadic rational: `numerator / 2^shift`.
#[derive(Clone, Debug)]
pub(super) struct Dyadic {
    pub(super) numerator: IBig,
    pub(super) shift: usize,
}

impl Dyadic {
    pub(super) fn integer(value: i32) -> Self {
        Self { numerator: value.into(), shift: 0 }
    }

    /// A finite number.
    pub(super) fn from_f64(value: f64) -> Self {
        let (mantissa, exponent) = decompose(value);
        let numerator = IBig::from(mantissa) << exponent.max(0) as usize;
        Self { numerator, shift: (-exponent).max(0) as usize }
    }

    pub(super) fn cmp(&self, other: &Self) -> Ordering {
        (&self.numerator << other.shift).cmp(&(&other.numerator << self.shift))
    }

    /// Halfway between two.
    pub(super) fn middle(&self, other: &Self) -> Self {
        let shift = self.shift.max(other.shift);
        let at = |x: &Self| &x.numerator << (shift - x.shift);
        Self { numerator: at(self) + at(other), shift: shift + 1 }
    }
}

/// Coefficients from the constant one upwards; the last is not zero, and the zero polynomial has none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Polynomial(Vec<IBig>);

impl Polynomial {
    pub(super) fn new(mut coefficients: Vec<IBig>) -> Self {
        while coefficients.last().is_some_and(IBig::is_zero) {
            coefficients.pop();
        }
        Self(coefficients)
    }

    pub(super) fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn derivative(&self) -> Self {
        Self::new(self.0.iter().enumerate().skip(1).map(|(k, c)| c * IBig::from(k)).collect())
    }

    pub(super) fn negated(&self) -> Self {
        Self(self.0.iter().map(|c| -c).collect())
    }

    /// The sign of the value at a time, by Horner's rule on `2^(shift degree)` times the value.
    pub(super) fn sign_at(&self, t: &Dyadic) -> Ordering {
        let mut value = IBig::ZERO;
        for (k, c) in self.0.iter().rev().enumerate() {
            value = value * &t.numerator + (c << (k * t.shift));
        }
        value.cmp(&IBig::ZERO)
    }

    /// The polynomial over the greatest common divisor of its coefficients: the same roots and signs, smaller
    /// numbers.
    fn primitive(self) -> Self {
        let divisor = self.0.iter().fold(IBig::ZERO.unsigned_abs(), |g, c| {
            if g.is_zero() { c.unsigned_abs() } else { g.gcd(c.unsigned_abs()) }
        });
        if divisor.is_zero() || divisor.is_one() {
            return self;
        }
        let divisor = IBig::from(divisor);
        Self(self.0.iter().map(|c| c / &divisor).collect())
    }

    /// Quotient and remainder of the division by `divisor`, both times one positive number.
    fn divided_by(&self, divisor: &Self) -> (Self, Self) {
        let lead = divisor.0.last().expect("a divisor is not zero");
        let scale = IBig::from(lead.unsigned_abs());
        let mut rest = self.0.clone();
        let mut quotient = vec![IBig::ZERO; (self.0.len() + 1).saturating_sub(divisor.0.len())];
        for place in (0..quotient.len()).rev() {
            let top = rest.pop().expect("one more than the divisor's");
            let factor = if *lead > IBig::ZERO { top } else { -top };
            for value in rest.iter_mut().chain(&mut quotient) {
                *value *= &scale;
            }
            for (k, c) in divisor.0[..divisor.0.len() - 1].iter().enumerate() {
                rest[place + k] -= &factor * c;
            }
            quotient[place] = factor;
        }
        (Self::new(quotient), Self::new(rest))
    }

    /// The remainder of the division by `divisor`, times some positive number.
    pub(super) fn remainder(&self, divisor: &Self) -> Self {
        self.divided_by(divisor).1.primitive()
    }

    /// The quotient of a division that leaves no remainder, times some positive number.
    pub(super) fn quotient(&self, divisor: &Self) -> Self {
        let (quotient, rest) = self.divided_by(divisor);
        debug_assert!(rest.is_zero());
        quotient.primitive()
    }

    /// A greatest common divisor; zero if both are.
    fn gcd(&self, other: &Self) -> Self {
        let (mut a, mut b) = (self.clone(), other.clone());
        while !b.is_zero() {
            (a, b) = (b.clone(), a.remainder(&b));
        }
        a
    }

    /// The polynomial with the same roots, each of them once.
    pub(super) fn square_free(&self) -> Self {
        self.quotient(&self.gcd(&self.derivative()))
    }
}

impl Add for &Polynomial {
    type Output = Polynomial;
    fn add(self, other: Self) -> Polynomial {
        let (long, short) = if self.0.len() < other.0.len() { (other, self) } else { (self, other) };
        let mut sum = long.0.clone();
        for (s, c) in sum.iter_mut().zip(&short.0) {
            *s += c;
        }
        Polynomial::new(sum)
    }
}

impl Sub for &Polynomial {
    type Output = Polynomial;
    fn sub(self, other: Self) -> Polynomial {
        let mut difference = self.0.clone();
        difference.resize(self.0.len().max(other.0.len()), IBig::ZERO);
        for (d, c) in difference.iter_mut().zip(&other.0) {
            *d -= c;
        }
        Polynomial::new(difference)
    }
}

impl Mul for &Polynomial {
    type Output = Polynomial;
    fn mul(self, other: Self) -> Polynomial {
        if self.is_zero() || other.is_zero() {
            return Polynomial(Vec::new());
        }
        let mut product = vec![IBig::ZERO; self.0.len() + other.0.len() - 1];
        for (i, a) in self.0.iter().enumerate() {
            for (k, b) in other.0.iter().enumerate() {
                product[i + k] += a * b;
            }
        }
        Polynomial::new(product)
    }
}

/// A vector whose components are polynomials.
#[derive(Clone, Debug)]
pub(super) struct Vector(pub(super) [Polynomial; 3]);

impl Vector {
    pub(super) fn dot(&self, other: &Self) -> Polynomial {
        let [x, y, z] = [0, 1, 2].map(|k| &self.0[k] * &other.0[k]);
        &(&x + &y) + &z
    }

    pub(super) fn cross(&self, other: &Self) -> Self {
        let component = |i: usize, k: usize| &(&self.0[i] * &other.0[k]) - &(&self.0[k] * &other.0[i]);
        Self([component(1, 2), component(2, 0), component(0, 1)])
    }
}

impl Sub for &Vector {
    type Output = Vector;
    fn sub(self, other: Self) -> Vector {
        Vector([0, 1, 2].map(|k| &self.0[k] - &other.0[k]))
    }
}
