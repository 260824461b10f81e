//! A point with an edge, and two points, over integers.

use super::form::{Form, cross, dot};
use super::integers::Corners;
use super::signs::{Place, Zeros, at_start};

/// When a point first lies on a closed edge: on its line, and between its ends (`(p - a).(b - p)` is not negative, which also
/// says that they are one point if the edge is one).
pub(super) fn point_edge(corners: &Corners, p: usize, [a, b]: [usize; 2]) -> Option<Place> {
    let (to_p, edge) = (corners.span(a, p), corners.span(a, b));
    let across = cross(&to_p, &edge);
    let off_line: [Form; 3] = [0, 1, 2].map(|k| across.iter().map(|c| c[k].clone()).collect());
    let between = [dot(&to_p, &corners.span(p, b))];
    let all_hold = &mut |signs: &[std::cmp::Ordering]| signs.iter().all(|sign| sign.is_ge());
    match Zeros::of(&off_line.each_ref()) {
        Some(zeros) => zeros.first(&between, all_hold),
        None if all_hold(&at_start(&between)) => Some(Place::Start),
        // On the line throughout, and beside the edge at first: it comes in over an end, where the product is zero.
        None => Zeros::of(&[&between[0]])?.first(&[], all_hold),
    }
}

/// When two points first meet.
pub(super) fn points(corners: &Corners, a: usize, b: usize) -> Option<Place> {
    let [start, end] = corners.span(a, b);
    let components: Vec<Form> = start.into_iter().zip(end).map(|(x, y)| vec![x, y]).collect();
    match Zeros::of(&components.iter().collect::<Vec<_>>()) {
        Some(zeros) => zeros.first(&[], &mut |_| true),
        None => Some(Place::Start),
    }
}
