//! The verdict over integers, in a bounded number of operations.
//!
//! With `s = t / (1 - t)` a vector that moves linearly is `x0 + s x1`, up to the positive factor `1 - t`. So all that depends on
//! the time is an integer polynomial in `s` (a form in `t` and `1 - t`), the start is `s = 0`, the end is its leading coefficient, and
//! the times between are `s > 0`: signs there follow from those of constant and of leading coefficients (see `signs`).
//!
//! - The height (degree 3) tells when the primitives may touch; three or four quartics tell whether they do.
//! - Where the features span nothing (all quartics zero), or the height is zero throughout, the edges decide: what enters a triangle
//!   within its plane crosses an edge of it, and edges in one plane begin to cross at an end of one of them. What is in from the start
//!   is seen at the start.
//!
//! Cost: some 200 products of integers for the forms, at most 9 remainder chains of at most 4 members for the signs, and for
//! the time one evaluation for each bit of it.

mod edge;
mod form;
mod integers;
mod signs;
mod time;

use std::cmp::Ordering;

use crate::ccd::{Query, Toi};
use form::{Form, cross, difference, dot_linear, dot_quadratic, is_one_signed, negated};
use integers::Corners;
use signs::{Place, Zeros};

/// When the primitives first touch, with a gap of at most `max_gap` or one unit in the last place.
pub(super) fn impact(query: &Query, max_gap: f64) -> Option<Toi> {
    let corners = Corners::new(query);
    let places = match query {
        Query::PointPoint(_) => edge::points(&corners, 0, 1).into_iter().collect(),
        Query::PointEdge(_) => edge::point_edge(&corners, 0, [1, 2]).into_iter().collect(),
        Query::PointTriangle(_) => triangle(&corners),
        Query::EdgeEdge(_) => edges(&corners),
    };
    let times = places.iter().map(|place: &Place| time::of(place, max_gap));
    times.min_by(|a, b| a.time.total_cmp(&b.time).then(a.gap.total_cmp(&b.gap)))
}

/// A point with a triangle: by its inside, and by its sides where that does not suffice. Conditions as in `inside`.
fn triangle(corners: &Corners) -> Vec<Place> {
    let [q, e, f] = [corners.span(1, 0), corners.span(1, 2), corners.span(1, 3)];
    let normal = cross(&e, &f);
    let conditions = || {
        let x = dot_quadratic(&cross(&q, &f), &normal);
        let y = negated(dot_quadratic(&cross(&q, &e), &normal));
        let rest = difference(difference(dot_quadratic(&normal, &normal), &x), &y);
        vec![x, y, rest]
    };
    across(&dot_linear(&q, &normal), conditions, || {
        [[1, 2], [2, 3], [3, 1]].into_iter().filter_map(|side| edge::point_edge(corners, 0, side)).collect()
    })
}

/// Two edges: by their insides, and by their ends where that does not suffice. Conditions as in `inside`.
fn edges(corners: &Corners) -> Vec<Place> {
    let [q, e, f] = [corners.span(0, 2), corners.span(0, 1), corners.span(2, 3)];
    let normal = cross(&e, &f);
    let conditions = || {
        let (x, y) = (dot_quadratic(&cross(&q, &f), &normal), dot_quadratic(&cross(&q, &e), &normal));
        let whole = dot_quadratic(&normal, &normal);
        let (rest_x, rest_y) = (difference(whole.clone(), &x), difference(whole, &y));
        vec![x, y, rest_x, rest_y]
    };
    across(&dot_linear(&q, &normal), conditions, || {
        let ends = [(0, [2, 3]), (1, [2, 3]), (2, [0, 1]), (3, [0, 1])];
        ends.into_iter().filter_map(|(end, edge)| edge::point_edge(corners, end, edge)).collect()
    })
}

/// Where the height is zero and all conditions hold, and what the edges say where the features span nothing.
fn across(
    height: &Form,
    conditions: impl FnOnce() -> Vec<Form>,
    edges: impl FnOnce() -> Vec<Place>,
) -> Vec<Place> {
    if is_one_signed(height) {
        return Vec::new();
    }
    let conditions = conditions();
    let mut spans_nothing = false;
    let mut holds = |signs: &[Ordering]| {
        let nothing = signs.iter().all(|sign| sign.is_eq());
        spans_nothing |= nothing;
        !nothing && signs.iter().all(|sign| sign.is_ge())
    };
    let Some(zeros) = Zeros::of(&[height]) else {
        let inside_at_start = holds(&signs::at_start(&conditions));
        return if inside_at_start { vec![Place::Start] } else { edges() };
    };
    let mut places: Vec<_> = zeros.first(&conditions, &mut holds).into_iter().collect();
    if spans_nothing {
        places.extend(edges());
    }
    places
}
