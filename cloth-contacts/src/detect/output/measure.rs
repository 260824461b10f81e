//! Re-evaluation of contacts that are kept for several steps.
//!
//! The set of contacts changes more slowly than their geometry. Closest points, normals and gaps are computed
//! from the present step, so that a plane across the gap separates the two primitives; sides are kept as in
//! [`crate::detect::output::history`].
//!
//! Contacts are evaluated eight at a time with the bits of the scalar functions, which are the reference and
//! decide the degenerate cases: a pair at distance zero, and a vertex in the plane of its face.

use cloth_geom::MapInline;
use cloth_geom::closest::lanes::{point_triangles, segment_segments};
use cloth_geom::closest::{TriangleFeature, point_triangle as closest_on_triangle, segment_segment};
use cloth_geom::lanes::{
    Instructions, LANES8, Simd, WideLanes, cross, dispatch, divided, dot, gather_corners, lanes_of_group,
    level, minus, norm, plus, scaled,
};
use nalgebra::Vector3;

use crate::detect::output::history::{MeasuredSide, kept_direction, kept_side};
use crate::{Contacts, EdgeEdge, Motion, PointTriangle, Side, edge_edge, parallel, point_triangle};

/// Number of contacts per task.
const TASK_SIZE: usize = 256;

impl Contacts {
    /// Re-evaluates all contacts at the start of another step. No contact is added or removed.
    ///
    /// A pair at distance zero without a normal keeps everything but its gap, which becomes 0.
    ///
    /// # Panics
    /// If there are fewer positions or displacements than vertices of the surface.
    pub fn measure(&mut self, motion: &Motion<'_>) {
        let level = level();
        parallel::for_each_piece(&mut self.point_triangles[..], TASK_SIZE, |_, task| {
            dispatch!(level, simd => for group in task.chunks_mut(LANES8) {
                measure_point_triangles(simd, group, motion);
            });
        });
        parallel::for_each_piece(&mut self.edge_edges[..], TASK_SIZE, |_, task| {
            dispatch!(level, simd => for group in task.chunks_mut(LANES8) {
                measure_edge_edges(simd, group, motion);
            });
        });
    }
}

/// Whether each lane has a normal and a finite gap.
#[inline(always)]
fn regular<L: Simd>(length: L, gap: L) -> u32 {
    L::bits(length.like(0.0).is_less(length) & gap.magnitude().is_less(gap.like(f32::INFINITY)))
}

/// Measures up to eight contacts.
#[inline(always)]
fn measure_point_triangles<S: Instructions>(simd: S, group: &mut [PointTriangle], motion: &Motion<'_>) {
    let vertices = lanes_of_group(group, PointTriangle::vertices);
    let [p, a, b, c] = gather_corners(simd, motion.positions, &vertices);
    let closest = point_triangles(&p, [&a, &b, &c]);
    let face_normal = cross(&minus(&b, &a), &minus(&c, &a));
    let face_length = norm(&face_normal);
    let face_unit = divided(&face_normal, face_length);
    let height = dot(&face_unit, &minus(&p, &a));
    // A height of zero has the sign of the motion.
    let zero = height.like(0.0);
    let over_face =
        regular(face_length, height) & WideLanes::<S>::bits(height.is_less(zero) | zero.is_less(height));
    let [u, v, w] = closest.weights();
    let apart = minus(&p, &plus(&plus(&scaled(&a, u), &scaled(&b, v)), &scaled(&c, w)));
    let (length, distance) = (norm(&apart), closest.distances_sq().sqrt());
    let (unit, over_edge) = (divided(&apart, length), regular(length, distance));
    let [face_unit, unit] = [&face_unit, &unit].map_inline(vectors);
    let (height, distance) = (height.numbers(), distance.numbers());
    for (l, contact) in group.iter_mut().enumerate() {
        let closest = closest.lane(l);
        let on_face = closest.feature == TriangleFeature::Face;
        if (if on_face { over_face } else { over_edge }) >> l & 1 == 0 {
            contact.measure(motion);
            continue;
        }
        let (side, normal, gap) = match (on_face, height[l] > 0.0) {
            (true, true) => (Side::Front, face_unit[l], height[l]),
            (true, false) => (Side::Back, -face_unit[l], -height[l]),
            (false, _) => (Side::Frozen, unit[l], distance[l]),
        };
        contact.renew(closest.weights, MeasuredSide { side, normal, gap });
    }
}

/// Measures up to eight contacts.
#[inline(always)]
fn measure_edge_edges<S: Instructions>(simd: S, group: &mut [EdgeEdge], motion: &Motion<'_>) {
    let vertices = lanes_of_group(group, EdgeEdge::vertices);
    let [a0, a1, b0, b1] = gather_corners(simd, motion.positions, &vertices);
    let closest = segment_segments([&a0, &a1], [&b0, &b1]);
    let [s, t] = closest.parameters();
    let one = s.like(1.0);
    let on_first = plus(&scaled(&a0, one - s), &scaled(&a1, s));
    let on_second = plus(&scaled(&b0, one - t), &scaled(&b1, t));
    let apart = minus(&on_first, &on_second);
    let (length, gap) = (norm(&apart), closest.distances_sq().sqrt());
    let (normal, regular) = (vectors(&divided(&apart, length)), regular(length, gap));
    let (s, t, gap) = (s.numbers(), t.numbers(), gap.numbers());
    for (l, contact) in group.iter_mut().enumerate() {
        if regular >> l & 1 == 0 {
            contact.measure(motion);
            continue;
        }
        contact.renew([s[l], t[l]], normal[l], gap[l]);
    }
}

/// The vectors of the lanes.
#[inline(always)]
fn vectors<L: Simd<Array = [f32; LANES8]>>(lanes: &[L; 3]) -> [Vector3<f32>; LANES8] {
    let [x, y, z] = [lanes[0].numbers(), lanes[1].numbers(), lanes[2].numbers()];
    [0, 1, 2, 3, 4, 5, 6, 7].map_inline(|l: usize| Vector3::new(x[l], y[l], z[l]))
}

impl PointTriangle {
    /// The reference of [`measure_point_triangles`].
    fn measure(&mut self, motion: &Motion<'_>) {
        let query = motion.point_triangle(self.vertex, self.corners);
        let closest = closest_on_triangle(query.p, query.corners);
        match point_triangle::predict_from(&query, &closest, f32::INFINITY) {
            Some(point_triangle::PointTrianglePrediction { side, normal, weights, gap, .. }) => {
                self.renew(weights, MeasuredSide { side, normal, gap });
            }
            None => self.gap = 0.0,
        }
    }

    /// Replaces what was measured, and keeps the side.
    #[inline(always)]
    fn renew(&mut self, weights: [f32; 3], measured: MeasuredSide) {
        let MeasuredSide { side, normal, gap } = kept_side(self, measured);
        (self.weights, self.side, self.normal, self.gap) = (weights, side, normal, gap);
    }
}

impl EdgeEdge {
    /// The reference of [`measure_edge_edges`].
    fn measure(&mut self, motion: &Motion<'_>) {
        let query = motion.edge_edge(self.a, self.b);
        let closest = segment_segment(query.a, query.b);
        let (s, t) = (closest.s, closest.t);
        let d_rel = edge_edge::relative_displacement(&query, [s, t]);
        match edge_edge::normal_between(&query, [s, t], &d_rel) {
            Some(normal) => self.renew([s, t], normal, closest.distance_sq.sqrt()),
            None => self.gap = 0.0,
        }
    }

    /// Replaces what was measured, and keeps the direction.
    #[inline(always)]
    fn renew(&mut self, [s, t]: [f32; 2], normal: Vector3<f32>, gap: f32) {
        let (normal, gap) = kept_direction(&self.normal, normal, gap);
        (self.s, self.t, self.normal, self.gap) = (s, t, normal, gap);
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::Point3;
    use proptest::prelude::*;

    use super::*;

    /// Points on a lattice touch, coincide and lie in the planes of faces.
    fn vectors(count: usize) -> impl Strategy<Value = Vec<Vector3<f32>>> {
        let coordinate =
            prop_oneof![-1.0_f32..1.0, (-1_i8..2).prop_map(f32::from), Just(1.0e-20), Just(-0.0)];
        let size = prop_oneof![Just(1.0_f32), Just(1.0e-3), Just(1.0e17)];
        (proptest::collection::vec(prop::array::uniform3(coordinate), count), size)
            .prop_map(|(all, size)| all.into_iter().map(|v| Vector3::from(v) * size).collect())
    }

    /// Vertices, a normal, a gap and a side of a contact before it is measured.
    type Before = ([u32; 4], [f32; 3], f32, u8);

    fn befores() -> impl Strategy<Value = Vec<Before>> {
        let vertices = prop::array::uniform4(0_u32..24);
        let before = (vertices, prop::array::uniform3(-1.0_f32..1.0), -1.0_f32..1.0, 0_u8..3);
        proptest::collection::vec(before, 1..12)
    }

    fn contacts(befores: &[Before]) -> Contacts {
        let sides = [Side::Front, Side::Back, Side::Frozen];
        let point = |&([vertex, a, b, c], normal, gap, side): &Before| PointTriangle {
            vertex,
            face: 0,
            corners: [a, b, c],
            side: sides[usize::from(side)],
            normal: normal.into(),
            weights: [0.2, 0.3, 0.5],
            gap,
            distance: 0.1,
        };
        let edge = |&([a, b, c, d], normal, gap, _): &Before| EdgeEdge {
            edges: [0, 1],
            a: [a, b],
            b: [c, d],
            s: 0.5,
            t: 0.5,
            normal: Vector3::from(normal),
            gap,
            distance: 0.1,
        };
        Contacts {
            point_triangles: befores.iter().map(point).collect(),
            edge_edges: befores.iter().map(edge).collect(),
        }
    }

    fn bits(normal: &Vector3<f32>, numbers: [f32; 4]) -> [u32; 7] {
        let [x, y, z] = (*normal).into();
        let [a, b, c, d] = numbers;
        [x, y, z, a, b, c, d].map(f32::to_bits)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]

        #[test]
        fn eight_at_once_have_the_bits_of_one_at_a_time(
            positions in vectors(24), displacements in vectors(24), befores in befores(),
        ) {
            let positions: Vec<Point3<f32>> = positions.into_iter().map(Point3::from).collect();
            let motion = Motion { positions: &positions, displacements: &displacements };
            let (mut eight, mut one) = (contacts(&befores), contacts(&befores));
            eight.measure(&motion);
            one.point_triangles.iter_mut().for_each(|contact| contact.measure(&motion));
            one.edge_edges.iter_mut().for_each(|contact| contact.measure(&motion));
            for (a, b) in eight.point_triangles.iter().zip(&one.point_triangles) {
                let all = |c: &PointTriangle| {
                    let [u, v, w] = c.weights;
                    bits(&c.normal, [u, v, w, c.gap])
                };
                prop_assert_eq!((all(a), a.side), (all(b), b.side));
            }
            for (a, b) in eight.edge_edges.iter().zip(&one.edge_edges) {
                let all = |c: &EdgeEdge| bits(&c.normal, [c.s, c.t, c.gap, 0.0]);
                prop_assert_eq!(all(a), all(b));
            }
        }
    }
}
