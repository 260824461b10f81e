//! Closest points of four pairs at a time, bitwise equal to the scalar functions.
//!
//! Each lane evaluates all branches of [`point_triangle`](super::point_triangle()) and of
//! [`segment_segment`](super::segment_segment()) with the same operations, and selects the result: a select
//! is cheaper than a mispredicted branch. Coordinates and their differences must be finite.

use super::{SegmentFeature, SegmentSegment, TriangleFeature};
use crate::MapInline;
use crate::lanes::{Lanes, Lanes3, chosen, cross, dot, greater, minus, plus_scaled, scaled};

/// The points of four triangles that are closest to four points.
#[derive(Clone, Copy, Debug)]
pub struct PointTriangles {
    weights: [[f32; 4]; 3],
    distance_sq: [f32; 4],
    /// The nearest edge; 3 for the face.
    edge: [f32; 4],
    /// The parameter on the nearest edge.
    along: [f32; 4],
}

/// The closest pairs of points of four pairs of segments.
#[derive(Clone, Copy, Debug)]
pub struct SegmentSegments {
    s: [f32; 4],
    t: [f32; 4],
    distance_sq: [f32; 4],
}

impl PointTriangles {
    /// The weights of the corners.
    #[inline]
    #[must_use]
    pub fn weights(&self) -> [Lanes; 3] {
        let [a, b, c] = self.weights;
        [Lanes::new(a), Lanes::new(b), Lanes::new(c)]
    }

    /// Squared distances (m²).
    #[inline]
    #[must_use]
    pub fn distances_sq(&self) -> [f32; 4] {
        self.distance_sq
    }

    /// The answer in a lane.
    ///
    /// # Panics
    /// If there is no such lane.
    #[inline]
    #[must_use]
    pub fn lane(&self, l: usize) -> super::PointTriangle<f32> {
        let edge = self.edge[l] as u8;
        let feature = match edge {
            3 => TriangleFeature::Face,
            k => match SegmentFeature::at(self.along[l]) {
                SegmentFeature::Start => TriangleFeature::Vertex(k),
                SegmentFeature::End => TriangleFeature::Vertex((k + 1) % 3),
                SegmentFeature::Interior => TriangleFeature::Edge(k),
            },
        };
        super::PointTriangle {
            weights: self.weights.map_inline(|w| w[l]),
            distance_sq: self.distance_sq[l],
            feature,
        }
    }
}

impl SegmentSegments {
    /// The parameters on the first and on the second segment.
    #[inline]
    #[must_use]
    pub fn parameters(&self) -> [Lanes; 2] {
        [Lanes::new(self.s), Lanes::new(self.t)]
    }

    /// Squared distances (m²).
    #[inline]
    #[must_use]
    pub fn distances_sq(&self) -> [f32; 4] {
        self.distance_sq
    }

    /// The answer in a lane.
    ///
    /// # Panics
    /// If there is no such lane.
    #[inline]
    #[must_use]
    pub fn lane(&self, l: usize) -> SegmentSegment<f32> {
        SegmentSegment {
            s: self.s[l],
            t: self.t[l],
            distance_sq: self.distance_sq[l],
            feature_a: SegmentFeature::at(self.s[l]),
            feature_b: SegmentFeature::at(self.t[l]),
        }
    }
}

/// The points of closed triangles closest to `p`; see [`point_triangle`](super::point_triangle()).
#[inline]
#[must_use]
pub fn point_triangles(p: &Lanes3, corners: [&Lanes3; 3]) -> PointTriangles {
    let (inside, weights, distance_sq) = feet_inside(p, corners);
    let mut edge = Lanes::ZERO;
    let (mut along, mut nearest) = on_edge(p, corners[0], corners[1]);
    for (k, number) in [(1, Lanes::ONE), (2, Lanes::splat(2.0))] {
        let (t, apart) = on_edge(p, corners[k], corners[(k + 1) % 3]);
        let nearer = apart.simd_lt(nearest);
        (edge, along, nearest) =
            (nearer.select(number, edge), nearer.select(t, along), nearer.select(apart, nearest));
    }
    // The weights of the nearest edge: 1 - t at its first corner, t at the next.
    let first = Lanes::ONE - along;
    let of_edges = [0_u8, 1, 2].map_inline(|k| {
        let starts = edge.simd_eq(Lanes::splat(f32::from(k)));
        let ends = edge.simd_eq(Lanes::splat(f32::from((k + 2) % 3)));
        starts.select(first, ends.select(along, Lanes::ZERO))
    });
    PointTriangles {
        weights: [0, 1, 2].map_inline(|k| inside.select(weights[k], of_edges[k]).to_array()),
        distance_sq: inside.select(distance_sq, nearest).to_array(),
        edge: inside.select(Lanes::splat(3.0), edge).to_array(),
        along: along.to_array(),
    }
}

/// The closest points of closed segments; see [`segment_segment`](super::segment_segment()).
#[inline]
#[must_use]
pub fn segment_segments([a0, a1]: [&Lanes3; 2], [b0, b1]: [&Lanes3; 2]) -> SegmentSegments {
    let (along_a, along_b, between) = (minus(a1, a0), minus(b1, b0), minus(b0, a0));
    let normal = cross(&along_a, &along_b);
    let (has_direction, direction) = directions(&normal);
    let on_lines = clamped_ratios(dot(&cross(&between, &along_b), &direction), dot(&normal, &direction));
    let on_lines = has_direction.select(on_lines, Lanes::ZERO);
    let t =
        clamped_ratios(dot(&minus(&scaled(&along_a, on_lines), &between), &along_b), dot(&along_b, &along_b));
    let s = clamped_ratios(dot(&plus_scaled_first(&along_b, t, &between), &along_a), dot(&along_a, &along_a));
    let (s_inside, t_inside) = (s.simd_lt(Lanes::ONE), t.simd_lt(Lanes::ONE));
    let way_a = scaled(&along_a, s);
    let from_b0 = chosen(
        s_inside,
        &minus(&plus_scaled(&between, &along_b, t), &way_a),
        &plus_scaled(&minus(b0, a1), &along_b, t),
    );
    let from_b1 = chosen(s_inside, &minus(&minus(b1, a0), &way_a), &minus(b1, a1));
    let apart = chosen(t_inside, &from_b0, &from_b1);
    SegmentSegments { s: s.to_array(), t: t.to_array(), distance_sq: dot(&apart, &apart).to_array() }
}

/// `a s + b`, in this order.
#[inline]
fn plus_scaled_first(a: &Lanes3, s: Lanes, b: &Lanes3) -> Lanes3 {
    [a[0] * s + b[0], a[1] * s + b[1], a[2] * s + b[2]]
}

/// Where the feet lie strictly inside, their weights and squared distances.
#[inline]
fn feet_inside(p: &Lanes3, [a, b, c]: [&Lanes3; 3]) -> (Lanes, [Lanes; 3], Lanes) {
    let (ab, ac, ap) = (minus(b, a), minus(c, a), minus(p, a));
    let normal = cross(&ab, &ac);
    let (has_direction, direction) = directions(&normal);
    let (height, whole) = (dot(&cross(&ab, &ap), &direction), dot(&normal, &direction));
    let between = height.simd_gt(Lanes::ZERO) & height.simd_lt(whole);
    let weight_c = height / whole;
    let weight_b = (dot(&ap, &ab) - weight_c * dot(&ac, &ab)) / dot(&ab, &ab);
    let weight_a = Lanes::ONE - weight_b - weight_c;
    let weights = [weight_a, weight_b, weight_c];
    let positive = weights.map(|w| w.simd_gt(Lanes::ZERO));
    let inside = has_direction & between & positive[0] & positive[1] & positive[2];
    let apart = scaled(&ap, weight_a);
    let apart = plus_scaled(&apart, &minus(p, b), weight_b);
    let apart = plus_scaled(&apart, &minus(p, c), weight_c);
    (inside, weights, dot(&apart, &apart))
}

/// The parameters of the points of segments closest to `p`, and their squared distances.
#[inline]
fn on_edge(p: &Lanes3, a: &Lanes3, b: &Lanes3) -> (Lanes, Lanes) {
    let (along, to_p) = (minus(b, a), minus(p, a));
    let t = clamped_ratios(dot(&to_p, &along), dot(&along, &along));
    let apart = chosen(t.simd_lt(Lanes::ONE), &minus(&to_p, &scaled(&along, t)), &minus(p, b));
    (t, dot(&apart, &apart))
}

/// As `area::direction`: where there is a direction, and which.
#[inline]
fn directions(normal: &Lanes3) -> (Lanes, Lanes3) {
    let size = greater(greater(normal[0].abs(), normal[1].abs()), normal[2].abs());
    let least = Lanes::splat(1.0 / (f32::MAX * f32::EPSILON));
    (size.simd_gt(least), scaled(normal, Lanes::ONE / size))
}

/// As `point_segment::clamped_ratio`.
#[inline]
fn clamped_ratios(numerator: Lanes, denominator: Lanes) -> Lanes {
    let below_one = numerator.simd_lt(denominator).select(numerator / denominator, Lanes::ONE);
    numerator.simd_gt(Lanes::ZERO).select(below_one, Lanes::ZERO)
}

#[cfg(test)]
mod tests {
    use nalgebra::Point3;
    use proptest::prelude::*;

    use super::*;
    use crate::closest::{point_triangle, segment_segment};
    use crate::lanes::gather;

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
        fn four_at_once_have_the_bits_of_one_at_a_time(points in points()) {
            let points: Vec<Point3<f32>> = points.into_iter().map(Point3::from).collect();
            let of = |k: u32| gather(&points, [4 * k, 4 * k + 1, 4 * k + 2, 4 * k + 3]);
            let [p, a, b, c] = [of(0), of(1), of(2), of(3)];
            let faces = point_triangles(&p, [&a, &b, &c]);
            let edges = segment_segments([&p, &a], [&b, &c]);
            for l in 0..4 {
                let [p, a, b, c] = [0, 4, 8, 12].map(|k| &points[k + l]);
                let one = point_triangle(p, [a, b, c]);
                let bits = |x: f32| x.to_bits();
                prop_assert_eq!(faces.lane(l).weights.map(bits), one.weights.map(bits));
                prop_assert_eq!(bits(faces.distances_sq()[l]), bits(one.distance_sq));
                prop_assert_eq!(faces.lane(l).feature, one.feature);
                let one = segment_segment([p, a], [b, c]);
                prop_assert_eq!(edges.lane(l), one);
                prop_assert_eq!([edges.s[l], edges.t[l], edges.distances_sq()[l]].map(bits), [one.s, one.t, one.distance_sq].map(bits));
            }
        }
    }
}
