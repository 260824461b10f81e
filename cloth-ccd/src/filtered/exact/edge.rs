//! A point with an edge, and two points, over integers.

use super::form::{Form, component, cross, dot};
use super::integers::IntegerCorners;
use super::signs::{RootLocation, Zeros};

/// When a point first lies on a closed edge: on its line, and between its ends (`(p - a).(b - p)` is not
/// negative, which also says that they are one point if the edge is one).
pub(super) fn point_edge(corners: &IntegerCorners, p: usize, [a, b]: [usize; 2]) -> Option<RootLocation> {
    let (to_p, edge) = (corners.span(a, p), corners.span(a, b));
    let across = cross(&to_p, &edge);
    let off_line: [Form; 3] = [0, 1, 2].map(|axis| component(&across, axis));
    let between = dot(&to_p, &corners.span(p, b));
    let is_between = |location: &RootLocation| location.sign_of(&between).is_ge();
    match Zeros::isolate(&off_line.each_ref()) {
        Some(zeros) => zeros.locations().find(is_between),
        None if is_between(&RootLocation::Start) => Some(RootLocation::Start),
        // On the line throughout, and beside the edge at first: it comes in over an end, where the product is
        // zero.
        None => Zeros::isolate(&[&between])?.locations().next(),
    }
}

/// When two points first meet.
pub(super) fn points(corners: &IntegerCorners, a: usize, b: usize) -> Option<RootLocation> {
    let [start, end] = corners.span(a, b);
    let components: Vec<Form> = start.into_iter().zip(end).map(|(x, y)| vec![x, y]).collect();
    match Zeros::isolate(&components.iter().collect::<Vec<_>>()) {
        Some(zeros) => zeros.locations().next(),
        None => Some(RootLocation::Start),
    }
}
