//! Reference implementation of closest points: the minimum over all features, in `f64`.
//!
//! Every vertex, every edge and every face has a closest point if its projection is inside; the nearest is
//! the result. Solutions are refined by their residual, so that thin shapes lose no digits. Error: a few
//! `2^-53 M` (the notation of [`super`]).

use nalgebra::{Point3, Vector3};

use super::{PointSegment, PointTriangle, SegmentFeature, SegmentSegment, TriangleFeature};

/// Rounds of refinement. Each multiplies the error by about `2^-53 / sin`: 32 rounds serve shapes down to a
/// few units of roundoff across, where the boundary is as near as rounding lets anything be.
const ROUNDS: usize = 32;

/// See [`super::point_segment`].
#[must_use]
pub fn point_segment(p: &Point3<f64>, a: &Point3<f64>, b: &Point3<f64>) -> PointSegment<f64> {
    let mut best = PointSegment {
        weights: [1.0, 0.0],
        distance_sq: (p - a).norm_squared(),
        feature: SegmentFeature::Start,
    };
    let end = (p - b).norm_squared();
    if end < best.distance_sq {
        best = PointSegment { weights: [0.0, 1.0], distance_sq: end, feature: SegmentFeature::End };
    }
    let along = b - a;
    let t = (p - a).dot(&along) / along.norm_squared();
    if 0.0 < t && t < 1.0 {
        let distance_sq = (p - a - along * t).norm_squared();
        if distance_sq < best.distance_sq {
            best = PointSegment { weights: [1.0 - t, t], distance_sq, feature: SegmentFeature::Interior };
        }
    }
    best
}

/// See [`super::point_triangle`].
#[must_use]
pub fn point_triangle(p: &Point3<f64>, corners: [&Point3<f64>; 3]) -> PointTriangle<f64> {
    let mut best =
        PointTriangle { weights: [0.0; 3], distance_sq: f64::INFINITY, feature: TriangleFeature::Face };
    for k in 0..3 {
        let next = (k + 1) % 3;
        let edge = point_segment(p, corners[k], corners[next]);
        if edge.distance_sq < best.distance_sq {
            let feature = match edge.feature {
                SegmentFeature::Start => TriangleFeature::Vertex(k as u8),
                SegmentFeature::End => TriangleFeature::Vertex(next as u8),
                SegmentFeature::Interior => TriangleFeature::Edge(k as u8),
            };
            best = PointTriangle { weights: [0.0; 3], distance_sq: edge.distance_sq, feature };
            (best.weights[k], best.weights[next]) = (edge.weights[0], edge.weights[1]);
        }
    }
    if let Some((weights, distance_sq)) = foot(p, corners)
        && distance_sq < best.distance_sq
    {
        best = PointTriangle { weights, distance_sq, feature: TriangleFeature::Face };
    }
    best
}

/// Weights and squared distance of the foot on the plane, if it lies inside.
fn foot(p: &Point3<f64>, [a, b, c]: [&Point3<f64>; 3]) -> Option<([f64; 3], f64)> {
    let normal = (b - a).cross(&(c - a));
    let opposite_edges = [c - b, a - c, b - a];
    let residual = |w: [f64; 3]| (p - a) * w[0] + (p - b) * w[1] + (p - c) * w[2];
    let mut weights = [1.0 / 3.0; 3];
    for _ in 0..ROUNDS {
        // The residual, in areas over the edges; the first weight is what the others leave.
        let r = residual(weights);
        for k in 1..3 {
            weights[k] += opposite_edges[k].cross(&r).dot(&normal) / normal.norm_squared();
        }
        weights[0] = 1.0 - weights[1] - weights[2];
    }
    weights.iter().all(|&w| w > 0.0).then(|| (weights, residual(weights).norm_squared()))
}

/// See [`super::segment_segment`].
#[must_use]
pub fn segment_segment([a0, a1]: [&Point3<f64>; 2], [b0, b1]: [&Point3<f64>; 2]) -> SegmentSegment<f64> {
    let on_a = |p: &Point3<f64>, t: f64| (point_segment(p, a0, a1), t);
    let on_b = |p: &Point3<f64>, s: f64| (s, point_segment(p, b0, b1));
    let from_b = [on_a(b0, 0.0), on_a(b1, 1.0)].map(|(a, t)| (a.weights[1], t, a.distance_sq));
    let from_a = [on_b(a0, 0.0), on_b(a1, 1.0)].map(|(s, b)| (s, b.weights[1], b.distance_sq));
    let candidates = from_b.into_iter().chain(from_a).chain(on_lines([a0, a1], [b0, b1]));
    let nearest = candidates.min_by(|x, y| x.2.total_cmp(&y.2));
    let (s, t, distance_sq) = nearest.unwrap_or((0.0, 0.0, f64::INFINITY));
    let feature = |x: f64| match x {
        0.0 => SegmentFeature::Start,
        1.0 => SegmentFeature::End,
        _ => SegmentFeature::Interior,
    };
    SegmentSegment { s, t, distance_sq, feature_a: feature(s), feature_b: feature(t) }
}

/// Parameters and squared distance of the closest pair of the two lines, if it lies inside both segments.
fn on_lines([a0, a1]: [&Point3<f64>; 2], [b0, b1]: [&Point3<f64>; 2]) -> Option<(f64, f64, f64)> {
    let (along_a, along_b) = (a1 - a0, b1 - b0);
    let normal = along_a.cross(&along_b);
    let apart = |s: f64, t: f64| -> Vector3<f64> { (b0 - a0) + along_b * t - along_a * s };
    let (mut s, mut t) = (0.0, 0.0);
    for _ in 0..ROUNDS {
        let r = apart(s, t);
        s += r.cross(&along_b).dot(&normal) / normal.norm_squared();
        t += r.cross(&along_a).dot(&normal) / normal.norm_squared();
    }
    let inside = 0.0 < s && s < 1.0 && 0.0 < t && t < 1.0;
    inside.then(|| (s, t, apart(s, t).norm_squared()))
}
