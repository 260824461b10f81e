//! Whether a closed segment and a closed triangle have a point in common: exactly, degenerate ones included.
//!
//! ```text
//! ends on one side of the plane          no         two signs; almost every pair of a broad phase ends here
//! ends on two sides, or one end on it    the line passes all three edges on one side, or touches them
//! both ends on it                        no line along an edge separates them, seen along one axis
//! triangle without area                  a segment: its extreme corners in lexicographic order
//! ```
//!
//! In a plane, two disjoint convex sets have a separating line along an edge of one of them, because the
//! edges of their Minkowski difference are parallel to theirs. So the coplanar case needs no case
//! distinction.

use nalgebra::Point3;

use super::finite::check_finite;
use super::orient::Plane;
use super::{Axis, Sign, orient2d, orient3d};

type Point = Point3<f64>;

/// How a segment meets a triangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IntersectionKind {
    /// The open segment crosses the inside of the triangle from one side to the other.
    Proper,
    /// A single point, at an end of the segment or on the boundary of the triangle; or the triangle has no
    /// area.
    Touching,
    /// The triangle has an area, and both ends of the segment lie in its plane.
    Coplanar,
    /// A coordinate is not finite: no verdict exists, and none passes as clean.
    NotFinite,
}

/// Whether the closed segment and the closed triangle have a point in common.
///
/// Either may be degenerate. Exact for all finite coordinates; true if one is not finite.
#[must_use]
#[inline]
pub fn segment_meets_triangle(segment: [&Point; 2], triangle: [&Point; 3]) -> bool {
    segment_triangle_kind(segment, triangle).is_some()
}

/// How the closed segment and the closed triangle meet; `None` if they have no point in common.
///
/// The verdict and the cost are those of [`segment_meets_triangle`].
#[must_use]
#[inline]
pub fn segment_triangle_kind(segment: [&Point; 2], triangle: [&Point; 3]) -> Option<IntersectionKind> {
    let plane = Plane::through(triangle);
    let sides = segment.map(|end| plane.side(end));
    if sides[0] == sides[1] && sides[0] != Sign::Zero {
        return None;
    }
    near_kind(segment, triangle, sides)
}

/// The kind for ends that are not both strictly on one side of the plane.
#[inline(never)]
fn near_kind(segment: [&Point; 2], triangle: [&Point; 3], sides: [Sign; 2]) -> Option<IntersectionKind> {
    let strict = !sides.contains(&Sign::Zero);
    if !strict && check_finite(segment.into_iter().chain(triangle)).is_err() {
        return Some(IntersectionKind::NotFinite);
    }
    if sides == [Sign::Zero; 2] {
        return flat_kind(segment, triangle);
    }
    let ([p, q], [a, b, c]) = (segment, triangle);
    let (ab, bc) = (orient3d(p, q, a, b), orient3d(p, q, b, c));
    if opposed(ab, bc) {
        return None;
    }
    let ca = orient3d(p, q, c, a);
    if opposed(ab, ca) || opposed(bc, ca) {
        return None;
    }
    let crosses_inside = ![ab, bc, ca].contains(&Sign::Zero);
    Some(if strict && crosses_inside { IntersectionKind::Proper } else { IntersectionKind::Touching })
}

/// Whether the signs are strictly opposite.
#[inline]
fn opposed(a: Sign, b: Sign) -> bool {
    a != Sign::Zero && a == b.opposite()
}

/// The kind for ends that are coplanar with the triangle, or for a triangle without area.
fn flat_kind([p, q]: [&Point; 2], triangle: [&Point; 3]) -> Option<IntersectionKind> {
    let [a, b, c] = triangle;
    let turns = Axis::ALL.map(|axis| (axis, orient2d(a, b, c, axis)));
    let Some((axis, turn)) = turns.into_iter().find(|&(_, turn)| turn != Sign::Zero) else {
        let [least, _, greatest] = lexicographic(triangle);
        return segments_meet([p, q], [least, greatest]).then_some(IntersectionKind::Touching);
    };
    let outside = Some(turn.opposite());
    let apart = [[a, b], [b, c], [c, a]].iter().any(|&edge| common_side(edge, &[p, q], axis) == outside)
        || common_side([p, q], &[a, b, c], axis).is_some();
    (!apart).then_some(IntersectionKind::Coplanar)
}

/// The side of a line, seen along an axis, on which all the points lie strictly.
fn common_side([u, v]: [&Point; 2], points: &[&Point], axis: Axis) -> Option<Sign> {
    let first = orient2d(u, v, points[0], axis);
    let common = first != Sign::Zero && points[1..].iter().all(|p| orient2d(u, v, p, axis) == first);
    common.then_some(first)
}

/// Whether two closed segments have a point in common; either may be a point.
fn segments_meet([p, q]: [&Point; 2], [u, v]: [&Point; 2]) -> bool {
    if orient3d(p, q, u, v) != Sign::Zero {
        return false;
    }
    let shows_plane = |axis: &Axis| {
        [[p, q, u], [p, q, v], [u, v, p]].iter().any(|&[a, b, c]| orient2d(a, b, c, *axis) != Sign::Zero)
    };
    match Axis::ALL.into_iter().find(shows_plane) {
        Some(axis) => {
            common_side([p, q], &[u, v], axis).is_none() && common_side([u, v], &[p, q], axis).is_none()
        }
        // On one line the lexicographic order is the order along it.
        None => {
            let ([p, q], [u, v]) = (lexicographic([p, q]), lexicographic([u, v]));
            key(p) <= key(v) && key(u) <= key(q)
        }
    }
}

/// The points in lexicographic order.
fn lexicographic<const N: usize>(mut points: [&Point; N]) -> [&Point; N] {
    points.sort_by(|a, b| key(a).partial_cmp(&key(b)).unwrap_or(std::cmp::Ordering::Equal));
    points
}

fn key(p: &Point) -> (f64, f64, f64) {
    (p.x, p.y, p.z)
}

#[cfg(test)]
#[path = "segment_triangle_tests.rs"]
mod tests;
