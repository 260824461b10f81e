//! The exact stage: the verdict over integers in a bounded number of operations.
//!
//! With `s = t / (1 - t)` a vector in linear motion is `x0 + s x1`, up to the positive factor `1 - t`. All
//! functions of time are integer polynomials in `s` (forms in `t` and `1 - t`); the start is `s = 0`, the end
//! is the leading coefficient, and the times between are `s > 0`: signs there follow from those of constant
//! and of leading coefficients (see `signs`).
//!
//! - The roots of the height (degree 3) are the possible times of contact. At a root `q` is in the plane of
//!   `e` and `f`, so all cross products of these are parallel to the normal, and quadratics decide the
//!   contact: components of cross products along an axis on which the normal is not zero.
//! - Where the normal is zero, or the height is zero throughout, the edges decide: a point that enters a
//!   triangle within its plane crosses an edge of it, and coplanar edges begin to cross at an endpoint of one
//!   of them. A contact at the start is detected at the start.
//!
//! Cost: about 150 integer products for the forms, at most 3 remainder chains of at most 4 members per sign,
//! and one evaluation per bit of the time.

mod edge;
mod form;
mod integers;
mod signs;
mod time;

use std::cmp::Ordering;

use crate::{Query, Toi};
use form::{Form, Quadratic, component, cross, difference, dot_linear, is_one_signed, is_zero, negated};
use integers::IntegerCorners;
use signs::{RootLocation, Zeros};

/// When the primitives first touch, with a gap of at most `max_gap` or one unit in the last place.
pub(super) fn impact(query: &Query, max_gap: f64) -> Option<Toi> {
    let corners = IntegerCorners::new(query);
    let locations = match query {
        Query::PointPoint(_) => edge::points(&corners, 0, 1).into_iter().collect(),
        Query::PointEdge(_) => edge::point_edge(&corners, 0, [1, 2]).into_iter().collect(),
        Query::PointTriangle(_) => triangle(&corners),
        Query::EdgeEdge(_) => edges(&corners),
    };
    let times = locations.iter().map(|location: &RootLocation| time::to_toi(location, max_gap));
    times.min_by(|a, b| a.time.total_cmp(&b.time).then(a.gap.total_cmp(&b.gap)))
}

/// A point with a triangle: by its inside, and by its sides where that does not suffice.
fn triangle(corners: &IntegerCorners) -> Vec<RootLocation> {
    let [q, e, f] = [corners.span(1, 0), corners.span(1, 2), corners.span(1, 3)];
    let normal = cross(&e, &f);
    let inside = || {
        let (x, y) = (cross(&q, &f), negated(&cross(&q, &e)));
        let rest = difference(&difference(&normal, &x), &y);
        vec![x, y, rest]
    };
    across(&dot_linear(&q, &normal), &normal, inside, || {
        [[1, 2], [2, 3], [3, 1]].into_iter().filter_map(|side| edge::point_edge(corners, 0, side)).collect()
    })
}

/// Two edges: by their insides, and by their ends where that does not suffice.
fn edges(corners: &IntegerCorners) -> Vec<RootLocation> {
    let [q, e, f] = [corners.span(0, 2), corners.span(0, 1), corners.span(2, 3)];
    let normal = cross(&e, &f);
    let inside = || {
        let (x, y) = (cross(&q, &f), cross(&q, &e));
        let rest = [difference(&normal, &x), difference(&normal, &y)];
        [x, y].into_iter().chain(rest).collect()
    };
    across(&dot_linear(&q, &normal), &normal, inside, || {
        let ends = [(0, [2, 3]), (1, [2, 3]), (2, [0, 1]), (3, [0, 1])];
        ends.into_iter().filter_map(|(end, edge)| edge::point_edge(corners, end, edge)).collect()
    })
}

/// The first root of the height with the point inside, and the result of the edges where that is undecided.
fn across(
    height: &Form,
    normal: &Quadratic,
    inside: impl FnOnce() -> Vec<Quadratic>,
    edges: impl FnOnce() -> Vec<RootLocation>,
) -> Vec<RootLocation> {
    if is_one_signed(height) {
        return Vec::new();
    }
    let inside = inside();
    let Some(zeros) = Zeros::isolate(&[height]) else {
        // In one plane throughout.
        let starts_inside = lies_inside(&RootLocation::Start, normal, &inside) == Some(true);
        return if starts_inside { vec![RootLocation::Start] } else { edges() };
    };
    let mut found = Vec::new();
    let mut is_open = false;
    for location in zeros.locations() {
        match lies_inside(&location, normal, &inside) {
            Some(true) => {
                found.push(location);
                break;
            }
            Some(false) => {}
            None => is_open = true,
        }
    }
    if is_open {
        found.extend(edges());
    }
    found
}

/// Whether vectors that are parallel to the normal point where it does, or are zero; none if it is zero
/// itself.
fn lies_inside(location: &RootLocation, normal: &Quadratic, vectors: &[Quadratic]) -> Option<bool> {
    (0..3).find_map(|axis| {
        let along = component(normal, axis);
        let sign = if is_zero(&along) { Ordering::Equal } else { location.sign_of(&along) };
        let is_inside = |vector| match location.sign_of(&component(vector, axis)) {
            Ordering::Equal => true,
            side => side == sign,
        };
        sign.is_ne().then(|| vectors.iter().all(is_inside))
    })
}
