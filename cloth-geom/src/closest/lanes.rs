//! Closest points of several pairs at a time, bitwise equal to the scalar functions.
//!
//! Each lane evaluates all branches of [`point_triangle`](super::point_triangle()) and of
//! [`segment_segment`](super::segment_segment()) with the same operations, and selects the result: a select
//! is cheaper than a mispredicted branch. Coordinates and their differences must be finite.

use super::{SegmentFeature, SegmentSegment, TriangleFeature};
use crate::MapInline;
use crate::lanes::{Lanes, Simd, chosen, cross, dot, greater, minus, plus_scaled, scaled};

/// The points of several triangles that are closest to as many points.
#[derive(Clone, Copy, Debug)]
pub struct PointTriangles<L: Simd = Lanes> {
    weights: [L; 3],
    distance_sq: L,
    /// By item: weights, squared distance, the nearest edge (3 for the face), and the parameter on that edge.
    items: ([L::Array; 3], L::Array, L::Array, L::Array),
}

/// The closest pairs of points of several pairs of segments.
#[derive(Clone, Copy, Debug)]
pub struct SegmentSegments<L: Simd = Lanes> {
    parameters: [L; 2],
    distance_sq: L,
    /// By item: parameters and squared distance.
    items: ([L::Array; 2], L::Array),
}

impl<L: Simd> PointTriangles<L> {
    /// The weights of the corners.
    #[inline(always)]
    #[must_use]
    pub fn weights(&self) -> [L; 3] {
        self.weights
    }

    /// Squared distances (m²).
    #[inline(always)]
    #[must_use]
    pub fn distances_sq(&self) -> L {
        self.distance_sq
    }

    /// The answer in a lane.
    ///
    /// # Panics
    /// If there is no such lane.
    #[inline(always)]
    #[must_use]
    pub fn lane(&self, l: usize) -> super::PointTriangle<f32> {
        let (weights, distance_sq, edge, along) = &self.items;
        let feature = match edge[l] as u8 {
            3 => TriangleFeature::Face,
            k => match SegmentFeature::at(along[l]) {
                SegmentFeature::Start => TriangleFeature::Vertex(k),
                SegmentFeature::End => TriangleFeature::Vertex((k + 1) % 3),
                SegmentFeature::Interior => TriangleFeature::Edge(k),
            },
        };
        let [u, v, w] = weights;
        super::PointTriangle { weights: [u[l], v[l], w[l]], distance_sq: distance_sq[l], feature }
    }
}

impl<L: Simd> SegmentSegments<L> {
    /// The parameters on the first and on the second segment.
    #[inline(always)]
    #[must_use]
    pub fn parameters(&self) -> [L; 2] {
        self.parameters
    }

    /// Squared distances (m²).
    #[inline(always)]
    #[must_use]
    pub fn distances_sq(&self) -> L {
        self.distance_sq
    }

    /// The answer in a lane.
    ///
    /// # Panics
    /// If there is no such lane.
    #[inline(always)]
    #[must_use]
    pub fn lane(&self, l: usize) -> SegmentSegment<f32> {
        let ([s, t], distance_sq) = &self.items;
        let (s, t) = (s[l], t[l]);
        let [feature_a, feature_b] = [s, t].map_inline(SegmentFeature::at);
        SegmentSegment { s, t, distance_sq: distance_sq[l], feature_a, feature_b }
    }
}

/// The points of closed triangles closest to `p`; see [`point_triangle`](super::point_triangle()).
#[inline(always)]
#[must_use]
pub fn point_triangles<L: Simd>(p: &[L; 3], corners: [&[L; 3]; 3]) -> PointTriangles<L> {
    let (inside, weights, distance_sq) = feet_inside(p, corners);
    let number = |number: f32| p[0].like(number);
    let (along, nearest) = on_edge(p, corners[0], corners[1]);
    // Closest so far: number of the edge, parameter on it, squared distance; and the weights, of which those
    // of an edge are 1 - t at its first corner and t at the next.
    let mut best = [number(0.0), along, nearest, number(1.0) - along, along, number(0.0)];
    for k in [1, 2] {
        let (t, apart) = on_edge(p, corners[k], corners[(k + 1) % 3]);
        let (nearer, first) = (apart.is_less(best[2]), number(1.0) - t);
        let weights = if k == 1 { [number(0.0), first, t] } else { [t, number(0.0), first] };
        let this = [number(k as f32), t, apart, weights[0], weights[1], weights[2]];
        for (best, this) in best.iter_mut().zip(this) {
            *best = L::choose(nearer, this, *best);
        }
    }
    let [edge, along, nearest, ..] = best;
    let weights = [0, 1, 2].map_inline(|k: usize| L::choose(inside, weights[k], best[3 + k]));
    let distance_sq = L::choose(inside, distance_sq, nearest);
    let edge = L::choose(inside, number(3.0), edge);
    let items = (weights.map_inline(L::numbers), distance_sq.numbers(), edge.numbers(), along.numbers());
    PointTriangles { weights, distance_sq, items }
}

/// The closest points of closed segments; see [`segment_segment`](super::segment_segment()).
#[inline(always)]
#[must_use]
pub fn segment_segments<L: Simd>([a0, a1]: [&[L; 3]; 2], [b0, b1]: [&[L; 3]; 2]) -> SegmentSegments<L> {
    let (along_a, along_b, between) = (minus(a1, a0), minus(b1, b0), minus(b0, a0));
    let normal = cross(&along_a, &along_b);
    let (has_direction, direction) = directions(&normal);
    let on_lines = clamped_ratios(dot(&cross(&between, &along_b), &direction), dot(&normal, &direction));
    let one = on_lines.like(1.0);
    let on_lines = L::choose(has_direction, on_lines, one.like(0.0));
    let t =
        clamped_ratios(dot(&minus(&scaled(&along_a, on_lines), &between), &along_b), dot(&along_b, &along_b));
    let s = clamped_ratios(dot(&plus_scaled_first(&along_b, t, &between), &along_a), dot(&along_a, &along_a));
    let (s_inside, t_inside) = (s.is_less(one), t.is_less(one));
    let way_a = scaled(&along_a, s);
    let from_b0 = chosen(
        s_inside,
        &minus(&plus_scaled(&between, &along_b, t), &way_a),
        &plus_scaled(&minus(b0, a1), &along_b, t),
    );
    let from_b1 = chosen(s_inside, &minus(&minus(b1, a0), &way_a), &minus(b1, a1));
    let apart = chosen(t_inside, &from_b0, &from_b1);
    let distance_sq = dot(&apart, &apart);
    let items = ([s.numbers(), t.numbers()], distance_sq.numbers());
    SegmentSegments { parameters: [s, t], distance_sq, items }
}

/// `a s + b`, in this order.
#[inline(always)]
fn plus_scaled_first<L: Simd>(a: &[L; 3], s: L, b: &[L; 3]) -> [L; 3] {
    [a[0] * s + b[0], a[1] * s + b[1], a[2] * s + b[2]]
}

/// Where the feet lie strictly inside, their weights and squared distances.
#[inline(always)]
fn feet_inside<L: Simd>(p: &[L; 3], [a, b, c]: [&[L; 3]; 3]) -> (L::Mask, [L; 3], L) {
    let (ab, ac, ap) = (minus(b, a), minus(c, a), minus(p, a));
    let normal = cross(&ab, &ac);
    let (has_direction, direction) = directions(&normal);
    let (height, whole) = (dot(&cross(&ab, &ap), &direction), dot(&normal, &direction));
    let zero = height.like(0.0);
    let between = zero.is_less(height) & height.is_less(whole);
    let weight_c = height / whole;
    let weight_b = (dot(&ap, &ab) - weight_c * dot(&ac, &ab)) / dot(&ab, &ab);
    let weight_a = zero.like(1.0) - weight_b - weight_c;
    let weights = [weight_a, weight_b, weight_c];
    let positive = weights.map_inline(|w| zero.is_less(w));
    let inside = has_direction & between & positive[0] & positive[1] & positive[2];
    let apart = scaled(&ap, weight_a);
    let apart = plus_scaled(&apart, &minus(p, b), weight_b);
    let apart = plus_scaled(&apart, &minus(p, c), weight_c);
    (inside, weights, dot(&apart, &apart))
}

/// The parameters of the points of segments closest to `p`, and their squared distances.
#[inline(always)]
fn on_edge<L: Simd>(p: &[L; 3], a: &[L; 3], b: &[L; 3]) -> (L, L) {
    let (along, to_p) = (minus(b, a), minus(p, a));
    let t = clamped_ratios(dot(&to_p, &along), dot(&along, &along));
    let apart = chosen(t.is_less(t.like(1.0)), &minus(&to_p, &scaled(&along, t)), &minus(p, b));
    (t, dot(&apart, &apart))
}

/// As `area::direction`: where there is a direction, and which.
#[inline(always)]
fn directions<L: Simd>(normal: &[L; 3]) -> (L::Mask, [L; 3]) {
    let size = greater(greater(normal[0].magnitude(), normal[1].magnitude()), normal[2].magnitude());
    let least = size.like(1.0 / (f32::MAX * f32::EPSILON));
    (least.is_less(size), scaled(normal, size.like(1.0) / size))
}

/// As `point_segment::clamped_ratio`.
#[inline(always)]
fn clamped_ratios<L: Simd>(numerator: L, denominator: L) -> L {
    let (zero, one) = (numerator.like(0.0), numerator.like(1.0));
    let below_one = L::choose(numerator.is_less(denominator), numerator / denominator, one);
    L::choose(zero.is_less(numerator), below_one, zero)
}

#[cfg(test)]
mod tests {
    use nalgebra::Point3;
    use proptest::prelude::*;

    use super::*;
    use crate::closest::{point_triangle, segment_segment};
    use crate::lanes::{Instructions, LANES8, available, dispatch, gather, gather_corners, level_named};

    /// What eight pairs have in the widest registers.
    #[inline(always)]
    fn wide<S: Instructions>(
        simd: S,
        points: &[Point3<f32>],
        ids: &[[u32; 4]; LANES8],
    ) -> ([crate::closest::PointTriangle<f32>; LANES8], [SegmentSegment<f32>; LANES8]) {
        let [p, a, b, c] = gather_corners(simd, points, ids);
        let (faces, edges) = (point_triangles(&p, [&a, &b, &c]), segment_segments([&p, &a], [&b, &c]));
        (std::array::from_fn(|l| faces.lane(l)), std::array::from_fn(|l| edges.lane(l)))
    }

    /// Lattices provoke parallel segments, points on edges and shapes of no extent; sizes reach to the ends
    /// of the range.
    fn points() -> impl Strategy<Value = Vec<[f32; 3]>> {
        let coordinate =
            prop_oneof![-1.0f32..1.0, (-2i8..3).prop_map(f32::from), Just(0.0), Just(-0.0), Just(1.0e-20),];
        let size = prop_oneof![Just(1.0f32), Just(1.0e-13), Just(1.0e17), Just(1.0e-4)];
        (proptest::collection::vec(prop::array::uniform3(coordinate), 16), size)
            .prop_map(|(points, size)| points.into_iter().map(|p| p.map(|x| x * size)).collect())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn four_and_eight_at_once_have_the_bits_of_one(points in points()) {
            let points: Vec<Point3<f32>> = points.into_iter().map(Point3::from).collect();
            let of = |k: u32| gather(&points, [4 * k, 4 * k + 1, 4 * k + 2, 4 * k + 3]);
            let [p, a, b, c] = [of(0), of(1), of(2), of(3)];
            let faces = point_triangles(&p, [&a, &b, &c]);
            let edges = segment_segments([&p, &a], [&b, &c]);
            // The same pairs in the widest registers, in another order.
            let ids = [0, 1, 2, 3, 3, 2, 1, 0].map(|l| [l, l + 4, l + 8, l + 12]);
            for level in available().into_iter().filter_map(level_named) {
                let (wide_faces, wide_edges) = dispatch!(level, simd => wide(simd, &points, &ids));
                for (l, [item, ..]) in ids.iter().enumerate() {
                    let one_of_four = faces.lane(*item as usize);
                    let bits = |x: f32| x.to_bits();
                    let of_eight = &wide_faces[l];
                    prop_assert_eq!(of_eight.weights.map(bits), one_of_four.weights.map(bits), "{:?}", level);
                    prop_assert_eq!(bits(of_eight.distance_sq), bits(one_of_four.distance_sq), "{:?}", level);
                    prop_assert_eq!(wide_faces[l].feature, one_of_four.feature, "{:?}", level);
                    prop_assert_eq!(wide_edges[l], edges.lane(*item as usize), "{:?}", level);
                }
            }
            for l in 0..4 {
                let [p, a, b, c] = [0, 4, 8, 12].map(|k| &points[k + l]);
                let one = point_triangle(p, [a, b, c]);
                let bits = |x: f32| x.to_bits();
                prop_assert_eq!(faces.lane(l).weights.map(bits), one.weights.map(bits));
                prop_assert_eq!(bits(faces.lane(l).distance_sq), bits(one.distance_sq));
                prop_assert_eq!(faces.lane(l).feature, one.feature);
                let one = segment_segment([p, a], [b, c]);
                prop_assert_eq!(edges.lane(l), one);
                let lane = edges.lane(l);
                prop_assert_eq!(
                    [lane.s, lane.t, lane.distance_sq].map(bits),
                    [one.s, one.t, one.distance_sq].map(bits)
                );
            }
        }
    }
}
