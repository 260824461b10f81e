//! A cubic over [0, 1] with a bound on its error: where it certainly has a sign, and between which times it
//! has a root.

use super::relative::U;

/// A cubic in the Bernstein basis.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cubic {
    pub(super) coefficients: [f64; 4],
    /// How far any value, and any coefficient over a part of the time, may be from the truth.
    pub(super) error: f64,
}

/// Roots of a cubic over a part of the time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum RootStatus {
    /// It is nowhere zero.
    NoRoot,
    /// It changes sign between these two times, and is nowhere zero outside of them.
    Bracket([f64; 2]),
    /// Rounding hides what it does.
    Unknown,
}

/// Maximum number of bisections of a part with equal signs at both ends in the proof that it has no root.
const HALVINGS: u32 = 6;

/// Newton's steps: each doubles the right digits once the iteration has come near.
const STEPS: usize = 16;

impl Cubic {
    /// From coefficients that are wrong by at most `error` and of size `bound` at most.
    ///
    /// Values and coefficients over a part come from three rounds of weighted means; each round adds 4 U of
    /// the largest coefficient (1 - t, two products, a sum).
    pub(super) fn new(coefficients: [f64; 4], error: f64, bound: f64) -> Self {
        Self { coefficients, error: error + 13.0 * U * bound }
    }

    /// The value at a time, within the error.
    pub(super) fn at(&self, t: f64) -> f64 {
        self.blossom(t, t, t)
    }

    /// The polar form: the multiaffine function that is the cubic on its diagonal. With arguments among `a`
    /// and `b` it gives the coefficients over [a, b].
    fn blossom(&self, r: f64, s: f64, t: f64) -> f64 {
        let [a, b, c, d] = self.coefficients;
        let mean = |x: f64, y: f64, t: f64| x * (1.0 - t) + y * t;
        let (ab, bc, cd) = (mean(a, b, r), mean(b, c, r), mean(c, d, r));
        mean(mean(ab, bc, s), mean(bc, cd, s), t)
    }

    fn over(&self, [a, b]: [f64; 2]) -> [f64; 4] {
        [self.blossom(a, a, a), self.blossom(a, a, b), self.blossom(a, b, b), self.blossom(b, b, b)]
    }

    /// The sign of a value or coefficient, if rounding cannot have changed it.
    fn sign(&self, value: f64) -> Option<bool> {
        (value.abs() > self.error).then_some(value > 0.0)
    }

    /// Whether all coefficients surely have one sign, so that the cubic is nowhere zero.
    pub(super) fn is_one_signed(&self, coefficients: &[f64; 4]) -> bool {
        let (error, [a, b, c, d]) = (self.error, *coefficients);
        (a > error && b > error && c > error && d > error)
            || (a < -error && b < -error && c < -error && d < -error)
    }

    /// The times at which the cubic turns, in order: where its slope may change sign.
    pub(super) fn extrema(&self) -> impl Iterator<Item = f64> {
        let [a, b, c, d] = self.coefficients;
        let (first, middle, last) = (b - a, c - b, d - c);
        // slope / 3 = quadratic t^2 + 2 half t + first, solved without cancellation
        let (quadratic, half) = (first - 2.0 * middle + last, middle - first);
        let discriminant = half * half - quadratic * first;
        let root = if discriminant > 0.0 { discriminant.sqrt() } else { 0.0 };
        let sum = -(half + root.copysign(half));
        let (x, y) = (sum / quadratic, first / sum);
        let inside = move |t: f64| (discriminant > 0.0 && t > 0.0 && t < 1.0).then_some(t);
        [inside(x.min(y)), inside(x.max(y))].into_iter().flatten()
    }

    /// What the cubic does over a part of the time.
    pub(super) fn root_status(&self, [a, b]: [f64; 2]) -> RootStatus {
        match (self.sign(self.at(a)), self.sign(self.at(b))) {
            (Some(at_a), Some(at_b)) if at_a != at_b => self.bracket([a, b], at_a),
            (Some(_), Some(_)) if self.has_no_root([a, b], HALVINGS) => RootStatus::NoRoot,
            _ => RootStatus::Unknown,
        }
    }

    /// Whether the cubic surely is nowhere zero over a part.
    fn has_no_root(&self, [a, b]: [f64; 2], halvings: u32) -> bool {
        let coefficients = self.over([a, b]);
        if self.is_one_signed(&coefficients) {
            return true;
        }
        let middle = 0.5 * (a + b);
        let ends_agree = coefficients[0] * coefficients[3] > 0.0;
        halvings > 0
            && ends_agree
            && self.has_no_root([a, middle], halvings - 1)
            && self.has_no_root([middle, b], halvings - 1)
    }

    /// Two times as near as rounding allows, between which the sign changes from that at `a`.
    fn bracket(&self, [a, b]: [f64; 2], positive_at_a: bool) -> RootStatus {
        let root = self.newton([a, b], positive_at_a);
        let mut width = 4.0 * self.error / self.slope(root).abs() + 4.0 * U;
        for _ in 0..8 {
            let [low, high] = [(root - width).max(a), (root + width).min(b)];
            let signs = [self.sign(self.at(low)), self.sign(self.at(high))];
            if signs == [Some(positive_at_a), Some(!positive_at_a)] {
                let alone = (low == a || self.has_no_root([a, low], HALVINGS))
                    && (high == b || self.has_no_root([high, b], HALVINGS));
                return if alone { RootStatus::Bracket([low, high]) } else { RootStatus::Unknown };
            }
            width *= 8.0;
        }
        RootStatus::Unknown
    }

    /// Newton's iteration, kept between times of opposite sign.
    fn newton(&self, [mut a, mut b]: [f64; 2], positive_at_a: bool) -> f64 {
        let (at_a, at_b) = (self.at(a), self.at(b));
        let mut t = a + (b - a) * (at_a / (at_a - at_b));
        for _ in 0..STEPS {
            let value = self.at(t);
            *if (value > 0.0) == positive_at_a { &mut a } else { &mut b } = t;
            let step = value / self.slope(t);
            if step.abs() <= 2.0 * U {
                break;
            }
            t = if t - step > a && t - step < b { t - step } else { 0.5 * (a + b) };
        }
        t
    }

    fn slope(&self, t: f64) -> f64 {
        let [a, b, c, d] = self.coefficients;
        let mean = |x: f64, y: f64| x * (1.0 - t) + y * t;
        3.0 * mean(mean(b - a, c - b), mean(c - b, d - c))
    }
}
