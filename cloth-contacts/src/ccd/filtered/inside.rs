//! Whether the point that is closest lies inside both primitives over a part of the time: quartics with error bounds.
//!
//! With `n = e x f`: `x = (q x f).n`, `y = (q x e).n` and `z = n.n`. At a time when `q` lies in the plane of `e` and `f`, and
//! these span one, `q = (x / z) e - (y / z) f`. So a point is inside a triangle where `x`, `-y` and `z - x + y` are not
//! negative, and two edges cross where `x`, `y`, `z - x` and `z - y` are not. Any of them strictly negative means outside; all
//! of them strictly positive means inside; in both cases `z` is positive.
//!
//! Error, in units of the product of the four sizes: a vector at a time is wrong by 4 U (see `relative`), a product of two by
//! 9 U, a component of a cross product by 18 U and 2 U for the sum: 20 U; the middle coefficient, a mean of sums of two, by
//! 22 U, all of a size of 2 at most. A product of two such is wrong by 2 (2 x 22 U) + 4 U = 92 U, the sum of three by 276 U and
//! 4 + 8 of those roundings, 20 U: 296 U of a size of 12. Means of up to three of these products add two roundings, a factor
//! and a division: at most 48 U. So 344 U, and 2 % on top for products of errors: 352 U.

use nalgebra::Vector3;

use super::relative::{LOST, Spatial, U, cross};

/// Where the point that is closest lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// Strictly within, at all times.
    Inside,
    /// Beyond one and the same edge (or end), strictly, at all times.
    Outside,
    /// Neither is certain.
    Unknown,
}

/// Where it lies over a part of the time.
pub(super) fn side(spatial: &Spatial, part: [f64; 2]) -> Side {
    let (q, e, f) = (spatial.q.over(part), spatial.e.over(part), spatial.f.over(part));
    let n = cross(&e, &f);
    let (x, y, z) = (product(&cross(&q, &f), &n), product(&cross(&q, &e), &n), product(&n, &n));
    let [size_q, size_e, size_f] = spatial.size;
    let area = size_e * size_f;
    let unit = 352.0 * U * area;
    let (error_x, error_y, error_z) = (unit * size_q * size_f, unit * size_q * size_e, unit * area);
    if spatial.is_triangle {
        // Two sums of values of at most 12 each: 4 U and 6 U of 12 in the larger units, far below the slack of the sum.
        let error_rest = 1.1 * (error_x + error_y + error_z);
        let rest = combine(&combine(&z, &x, -1.0), &y, 1.0);
        verdict(&[(x, error_x), (negated(&y), error_y), (rest, error_rest)])
    } else {
        let (rest_x, rest_y) = (combine(&z, &x, -1.0), combine(&z, &y, -1.0));
        let (error_rest_x, error_rest_y) = (1.1 * (error_x + error_z), 1.1 * (error_y + error_z));
        verdict(&[(x, error_x), (y, error_y), (rest_x, error_rest_x), (rest_y, error_rest_y)])
    }
}

/// A quartic in the Bernstein basis.
type Quartic = [f64; 5];

fn verdict(conditions: &[(Quartic, f64)]) -> Side {
    let mut inside = true;
    for (quartic, error) in conditions {
        let bound = error + LOST;
        if quartic.iter().all(|&c| c < -bound) {
            return Side::Outside;
        }
        inside &= quartic.iter().all(|&c| c > bound);
    }
    if inside { Side::Inside } else { Side::Unknown }
}

/// The inner product of two quadratics of vectors.
fn product(a: &[Vector3<f64>; 3], b: &[Vector3<f64>; 3]) -> Quartic {
    let dot = |i: usize, k: usize| a[i].dot(&b[k]);
    [
        dot(0, 0),
        (dot(0, 1) + dot(1, 0)) * 0.5,
        (dot(0, 2) + dot(2, 0) + 4.0 * dot(1, 1)) / 6.0,
        (dot(1, 2) + dot(2, 1)) * 0.5,
        dot(2, 2),
    ]
}

fn combine(a: &Quartic, b: &Quartic, factor: f64) -> Quartic {
    [0, 1, 2, 3, 4].map(|k| a[k] + factor * b[k])
}

fn negated(a: &Quartic) -> Quartic {
    a.map(|c| -c)
}
