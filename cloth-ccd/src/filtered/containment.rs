//! Whether the point that is closest lies inside both primitives over a part of the time: quartics with error
//! bounds.
//!
//! With `n = e x f`: `x = (q x f).n`, `y = (q x e).n` and `z = n.n`. At a time when `q` lies in the plane of
//! `e` and `f`, and these span one, `q = (x / z) e - (y / z) f`. So a point is inside a triangle where `x`,
//! `-y` and `z - x + y` are not negative, and two edges cross where `x`, `y`, `z - x` and `z - y` are not.
//! Any of them strictly negative means outside; all of them strictly positive means inside; in both cases `z`
//! is positive.
//!
//! Error, in units of the product of the four sizes: a vector at a time is wrong by 4 U (see `relative`), a
//! product of two by 9 U, a component of a cross product by 18 U and 2 U for the sum: 20 U; the middle
//! coefficient, a mean of sums of two, by 22 U, all of a size of 2 at most. A product of two such is wrong by
//! 2 (2 x 22 U) + 4 U = 92 U, the sum of three by 276 U and 4 + 8 of those roundings, 20 U: 296 U of a size
//! of 12. Means of up to three of these products add two roundings, a factor and a division: at most 48 U. So
//! 344 U, and 2 % on top for products of errors: 352 U.

use nalgebra::Vector3;

use super::relative::{Spatial, U, UNDERFLOW_BOUND, cross};

/// Where the point that is closest lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Containment {
    /// Strictly within, at all times.
    Inside,
    /// Beyond one and the same edge (or end), strictly, at all times.
    Outside,
    /// Neither is certain.
    Unknown,
}

/// Containment over a part of the time.
pub(super) fn containment(spatial: &Spatial, part: [f64; 2]) -> Containment {
    let mut inside = true;
    for (quartic, error) in conditions(spatial, part) {
        if quartic.iter().all(|&c| c < -error) {
            return Containment::Outside;
        }
        inside &= quartic.iter().all(|&c| c > error);
    }
    if inside { Containment::Inside } else { Containment::Unknown }
}

/// A quartic over a part of the time in the Bernstein basis, and the error bound of its coefficients.
pub(super) type Condition = ([f64; 5], f64);

/// The conditions. A triangle's fourth is `z`, which the other three imply.
pub(super) fn conditions(spatial: &Spatial, part: [f64; 2]) -> [Condition; 4] {
    let (q, e, f) = (spatial.q.over(part), spatial.e.over(part), spatial.f.over(part));
    let n = cross(&e, &f);
    let [size_q, size_e, size_f] = spatial.size;
    let unit = 352.0 * U * size_e * size_f;
    let x = (product(&cross(&q, &f), &n), unit * size_q * size_f + UNDERFLOW_BOUND);
    let y = (product(&cross(&q, &e), &n), unit * size_q * size_e + UNDERFLOW_BOUND);
    let z = (product(&n, &n), unit * size_e * size_f + UNDERFLOW_BOUND);
    if spatial.is_triangle {
        [x, less(&([0.0; 5], 0.0), &y), plus(&less(&z, &x), &y), z]
    } else {
        [x, y, less(&z, &x), less(&z, &y)]
    }
}

/// Both errors, and on top of them a rounding of U of at most both sizes, 12 each: far below a tenth of 352 U
/// of each.
fn plus(a: &Condition, b: &Condition) -> Condition {
    ([0, 1, 2, 3, 4].map(|k| a.0[k] + b.0[k]), 1.1 * (a.1 + b.1))
}

fn less(a: &Condition, b: &Condition) -> Condition {
    plus(a, &(b.0.map(|c| -c), b.1))
}

/// The inner product of two quadratics of vectors.
fn product(a: &[Vector3<f64>; 3], b: &[Vector3<f64>; 3]) -> [f64; 5] {
    let dot = |i: usize, k: usize| a[i].dot(&b[k]);
    [
        dot(0, 0),
        (dot(0, 1) + dot(1, 0)) * 0.5,
        (dot(0, 2) + dot(2, 0) + 4.0 * dot(1, 1)) / 6.0,
        (dot(1, 2) + dot(2, 1)) * 0.5,
        dot(2, 2),
    ]
}
