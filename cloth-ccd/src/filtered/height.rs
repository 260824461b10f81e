//! The height `q . (e x f)`: a cubic in the time that is zero wherever the primitives touch.
//!
//! Error of its coefficients, with `M` the product of the sizes of `q`, `e` and `f`: a component of `e x f`
//! is two products (3 U each: two differences, one rounding) and a sum (2 U), together 8 U; the middle
//! coefficient is a mean of two such (8 U) of at most 2 and one more sum (2 U): 10 U, of a vector of at most
//! 2. A product with `q` adds 2 U for the difference and 2 U for itself: 14 U, so the sum of three is wrong
//! by 42 U and, by its two roundings (at most 4 and 6), 10 U: 52 U of a value of at most 6. The inner
//! coefficients are thirds of sums of three such: their sum is rounded by 18 U and the third by 6 U, which
//! makes 52 U + 6 U + 6 U = 64 U. Products of errors, and sizes that are rounded themselves, are in the slack
//! up to 71 U.

use super::containment::{Containment, containment};
use super::cubic::{Cubic, RootStatus};
use super::relative::{Spatial, U, UNDERFLOW_BOUND, cross};
use super::stage::{Decision, Stage};
use crate::Toi;

/// Decides by the height and by the containment at its roots; `None` if rounding leaves it undecided.
pub(super) fn decide(spatial: &Spatial, max_gap: f64) -> Option<Decision> {
    let height = height(spatial);
    if height.is_one_signed(&height.coefficients) {
        return Some(Decision::miss(Stage::Height));
    }
    let mut stage = Stage::Height;
    let mut from = 0.0;
    for to in height.extrema().chain([1.0]) {
        match height.root_status([from, to]) {
            RootStatus::NoRoot => {}
            RootStatus::Bracket([a, b]) => match containment(spatial, [a, b]) {
                Containment::Outside => stage = Stage::Outside,
                // Inside all the while, and the height is zero at some time of it.
                Containment::Inside if b - a <= max_gap => {
                    return Some(Decision { impact: Some(Toi::between(a, b)), stage: Stage::Inside });
                }
                _ => return None,
            },
            RootStatus::Unknown if containment(spatial, [from, to]) == Containment::Outside => {
                stage = Stage::Outside;
            }
            RootStatus::Unknown => return None,
        }
        from = to;
    }
    Some(Decision::miss(stage))
}

/// The height over the whole time.
pub(super) fn height(spatial: &Spatial) -> Cubic {
    let Spatial { q, e, f, size, .. } = spatial;
    let [n0, n1, n2] = cross(e, f);
    let coefficients = [
        q.t0.dot(&n0),
        (2.0 * q.t0.dot(&n1) + q.t1.dot(&n0)) / 3.0,
        (q.t0.dot(&n2) + 2.0 * q.t1.dot(&n1)) / 3.0,
        q.t1.dot(&n2),
    ];
    let whole = size[0] * size[1] * size[2];
    Cubic::new(coefficients, 71.0 * U * whole + UNDERFLOW_BOUND, 6.1 * whole)
}
