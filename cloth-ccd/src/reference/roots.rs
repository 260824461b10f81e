//! Roots of integer polynomials in [0, 1], and signs of other polynomials there, by Sturm's and Tarski's
//! theorem.
//!
//! Tarski's query is the sum of the signs of `p` over the distinct roots of `g` between two times that are no
//! roots of `g`. It equals the loss of sign changes between those times in the chain of signed remainders of
//! `g` and `g' p` (Basu, Pollack, Roy, "Algorithms in Real Algebraic Geometry", theorem 2.73). With `p = 1`
//! it counts roots (Sturm).

use std::cmp::Ordering;

use dashu_int::IBig;

use super::polynomial::{Dyadic, Polynomial};
use crate::Toi;

/// A real root of a polynomial in [0, 1].
#[derive(Clone, Debug)]
pub(super) enum Root {
    /// A dyadic time.
    At(Dyadic),
    /// The only root of a square-free polynomial between two times, neither of which is a root.
    FeatureQueries(Polynomial, Dyadic, Dyadic),
}

/// The distinct roots in [0, 1] of a polynomial that is not zero, in ascending order.
pub(super) fn roots(g: &Polynomial) -> Vec<Root> {
    let mut found = Vec::new();
    let mut g = g.square_free();
    let (start, end) = (Dyadic::integer(0), Dyadic::integer(1));
    for t in [&start, &end] {
        if g.sign_at(t).is_eq() {
            found.push(Root::At(t.clone()));
            g = without_root(&g, t);
        }
    }
    isolate(&g, &start, &end, &mut found);
    found.sort_by(Root::cmp);
    found
}

/// Bisects the interval from `low` to `high`, which are no roots, until each part contains at most one root.
fn isolate(g: &Polynomial, low: &Dyadic, high: &Dyadic, found: &mut Vec<Root>) {
    let one = Polynomial::new(vec![IBig::ONE]);
    match tarski_query(g, &one, low, high) {
        0 => {}
        1 => found.push(Root::FeatureQueries(g.clone(), low.clone(), high.clone())),
        _ => {
            let middle = low.middle(high);
            let is_root = g.sign_at(&middle).is_eq();
            let rest = if is_root { without_root(g, &middle) } else { g.clone() };
            found.extend(is_root.then(|| Root::At(middle.clone())));
            isolate(&rest, low, &middle, found);
            isolate(&rest, &middle, high, found);
        }
    }
}

/// The polynomial divided by `2^shift t - numerator`.
fn without_root(g: &Polynomial, t: &Dyadic) -> Polynomial {
    g.quotient(&Polynomial::new(vec![-&t.numerator, IBig::ONE << t.shift]))
}

/// The sum of the signs of `p` over the roots of `g` between two times that are no roots of `g`.
fn tarski_query(g: &Polynomial, p: &Polynomial, low: &Dyadic, high: &Dyadic) -> i32 {
    let mut chain = vec![g.clone(), &g.derivative() * p];
    while let [.., a, b] = &chain[..]
        && !b.is_zero()
    {
        let next = a.remainder(b).negated();
        chain.push(next);
    }
    sign_changes(&chain, low) - sign_changes(&chain, high)
}

fn sign_changes(chain: &[Polynomial], t: &Dyadic) -> i32 {
    let signs: Vec<_> = chain.iter().map(|p| p.sign_at(t)).filter(|sign| sign.is_ne()).collect();
    signs.windows(2).filter(|pair| pair[0] != pair[1]).count() as i32
}

impl Root {
    /// The sign of a polynomial at the root.
    pub(super) fn sign_of(&self, p: &Polynomial) -> Ordering {
        match self {
            Self::At(t) => p.sign_at(t),
            Self::FeatureQueries(g, low, high) => tarski_query(g, p, low, high).cmp(&0),
        }
    }

    /// Which of two roots of one polynomial is the earlier.
    fn cmp(&self, other: &Self) -> Ordering {
        let ends = |root: &Self| match root {
            Self::At(t) => (t.clone(), t.clone()),
            Self::FeatureQueries(_, low, high) => (low.clone(), high.clone()),
        };
        let ((low, high), (other_low, other_high)) = (ends(self), ends(other));
        low.cmp(&other_low).then(high.cmp(&other_high))
    }

    /// The greatest `f64` that is not later than the root, and the distance to the next unless it is the root
    /// itself.
    pub(super) fn toi(&self) -> Toi {
        // The bits of floating-point numbers of one sign are ordered as the numbers are.
        let (mut low, mut high) = (0.0f64.to_bits(), 1.0f64.to_bits() + 1);
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if self.compared_with(f64::from_bits(middle)).is_lt() { high = middle } else { low = middle }
        }
        let time = f64::from_bits(low);
        let gap = if self.compared_with(time).is_eq() { 0.0 } else { time.next_up() - time };
        Toi { time, gap }
    }

    /// How the root compares with a time in [0, 1]: it is later (greater), the same, or earlier (less).
    fn compared_with(&self, t: f64) -> Ordering {
        let t = Dyadic::from_f64(t);
        match self {
            Self::At(root) => root.cmp(&t),
            Self::FeatureQueries(_, low, _) if t.cmp(low).is_le() => Ordering::Greater,
            Self::FeatureQueries(_, _, high) if t.cmp(high).is_ge() => Ordering::Less,
            Self::FeatureQueries(g, low, _) => match g.sign_at(&t) {
                Ordering::Equal => Ordering::Equal,
                sign if sign == g.sign_at(low) => Ordering::Greater,
                _ => Ordering::Less,
            },
        }
    }
}
