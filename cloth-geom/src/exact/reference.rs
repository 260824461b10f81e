//! Reference implementation of the predicates by integer vector algebra.
//!
//! Deliberately different from the fast version: it computes the intersection point (in homogeneous
//! coordinates) where the fast one compares orientations, solves for segment parameters where that searches
//! for a separating line, and compares normals where that compares sides.

use dashu_int::IBig;
use dashu_int::ops::UnsignedAbs;
use nalgebra::Point3;

use super::integers::{IntVector, sign, to_integers};
use super::{Axis, IntersectionKind, Sign};

/// See [`super::orient3d`].
#[must_use]
pub fn orient3d(a: &Point3<f64>, b: &Point3<f64>, c: &Point3<f64>, d: &Point3<f64>) -> Sign {
    let Some([a, b, c, d]) = to_integers([a, b, c, d]) else { return Sign::Zero };
    sign(&(&b - &a).cross(&(&c - &a)).dot(&(&d - &a)))
}

/// See [`super::orient2d`].
#[must_use]
pub fn orient2d(a: &Point3<f64>, b: &Point3<f64>, c: &Point3<f64>, axis: Axis) -> Sign {
    let Some([a, b, c]) = to_integers([a, b, c]) else { return Sign::Zero };
    sign((&b - &a).cross(&(&c - &a)).component(axis as usize))
}

/// See [`super::is_flat_fold`]. The normals of the faces, oriented alike about the edge, are parallel and
/// have the same sense.
#[must_use]
pub fn is_flat_fold(edge: [&Point3<f64>; 2], apex_a: &Point3<f64>, apex_b: &Point3<f64>) -> bool {
    let Some([p, q, a, b]) = to_integers([edge[0], edge[1], apex_a, apex_b]) else { return true };
    let along = &q - &p;
    let (normal_a, normal_b) = (along.cross(&(&a - &p)), along.cross(&(&b - &p)));
    normal_a.cross(&normal_b).is_zero() && sign(&normal_a.dot(&normal_b)) == Sign::Positive
}

/// See [`super::segment_meets_triangle`].
#[must_use]
pub fn segment_meets_triangle(segment: [&Point3<f64>; 2], triangle: [&Point3<f64>; 3]) -> bool {
    segment_triangle_kind(segment, triangle).is_some()
}

/// See [`super::segment_triangle_kind`].
#[must_use]
pub fn segment_triangle_kind(
    segment: [&Point3<f64>; 2],
    triangle: [&Point3<f64>; 3],
) -> Option<IntersectionKind> {
    let ([p, q], [a, b, c]) = (segment, triangle);
    let Some([p, q, a, b, c]) = to_integers([p, q, a, b, c]) else {
        return Some(IntersectionKind::NotFinite);
    };
    let normal = (&b - &a).cross(&(&c - &a));
    let (height_p, height_q) = (normal.dot(&(&p - &a)), normal.dot(&(&q - &a)));
    let corners = [a, b, c];
    let meets_an_edge = || (0..3).any(|k| segments_meet([&p, &q], [&corners[k], &corners[(k + 1) % 3]]));

    if normal.is_zero() {
        return meets_an_edge().then_some(IntersectionKind::Touching);
    }
    if height_p.is_zero() && height_q.is_zero() {
        let holds = |x| inside(x, &IBig::ONE, &corners, &normal) != Sign::Negative;
        return (holds(&p) || holds(&q) || meets_an_edge()).then_some(IntersectionKind::Coplanar);
    }
    if sign(&height_p) == sign(&height_q) {
        return None;
    }
    // The crossing point is x / weight: each end counts with the height of the other.
    let (weight_p, weight_q) = (IBig::from(height_q.unsigned_abs()), IBig::from(height_p.unsigned_abs()));
    let x = &p.scaled(&weight_p) + &q.scaled(&weight_q);
    match inside(&x, &(&weight_p + &weight_q), &corners, &normal) {
        Sign::Negative => None,
        Sign::Positive if !weight_p.is_zero() && !weight_q.is_zero() => Some(IntersectionKind::Proper),
        _ => Some(IntersectionKind::Touching),
    }
}

/// Whether the point `x / weight` of the triangle's plane lies inside (positive), on the boundary, or
/// outside.
fn inside(x: &IntVector, weight: &IBig, corners: &[IntVector; 3], normal: &IntVector) -> Sign {
    let area = |k: usize| {
        let edge = &corners[(k + 1) % 3] - &corners[k];
        sign(&edge.cross(&(x - &corners[k].scaled(weight))).dot(normal))
    };
    area(0).min(area(1)).min(area(2))
}

/// Whether two closed segments have a point in common; either may be a point.
fn segments_meet([p, q]: [&IntVector; 2], [u, v]: [&IntVector; 2]) -> bool {
    let (along_p, along_u, between) = (q - p, v - u, u - p);
    let normal = along_p.cross(&along_u);
    if normal.is_zero() {
        // Parallel, or a point: if they meet, an end of one lies on the other.
        return on_segment(p, [u, v])
            || on_segment(q, [u, v])
            || on_segment(u, [p, q])
            || on_segment(v, [p, q]);
    }
    // p + s along_p = u + t along_u, both parameters times the squared normal.
    let whole = normal.dot(&normal);
    let s = between.cross(&along_u).dot(&normal);
    let t = between.cross(&along_p).dot(&normal);
    between.dot(&normal).is_zero() && [s, t].iter().all(|x| (IBig::ZERO..=whole.clone()).contains(x))
}

/// Whether a point lies on a closed segment.
fn on_segment(x: &IntVector, [u, v]: [&IntVector; 2]) -> bool {
    let (to_u, to_v) = (u - x, v - x);
    to_u.cross(&to_v).is_zero() && sign(&to_u.dot(&to_v)) != Sign::Positive
}
