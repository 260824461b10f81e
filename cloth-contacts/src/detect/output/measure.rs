//! Re-evaluation of contacts that are kept for several steps.
//!
//! The set of contacts changes more slowly than their geometry. Closest points, normals and gaps are computed
//! from the present step, so that a plane across the gap separates the two primitives; sides are kept as in
//! [`crate::detect::output::history`].
//!
//! Contacts are evaluated four at a time with the bits of the scalar functions, which are the reference and
//! decide the degenerate cases: a pair at distance zero, and a vertex in the plane of its face.

use cloth_geom::MapInline;
use cloth_geom::closest::lanes::{point_triangles, segment_segments};
use cloth_geom::closest::{TriangleFeature, point_triangle as closest_on_triangle, segment_segment};
use cloth_geom::lanes::{LANES, Lanes, Lanes3, cross, divided, dot, gather, minus, norm, plus, scaled};
use nalgebra::Vector3;

use crate::detect::narrow::lanes;
use crate::detect::output::history::{keep_direction, keep_side};
use crate::{Contacts, EdgeEdge, Motion, PointTriangle, Side, edge_edge, parallel, point_triangle};

/// Number of groups of contacts per task.
const TASK_SIZE: usize = 64;

impl Contacts {
    /// Re-evaluates all contacts at the start of another step. No contact is added or removed.
    ///
    /// A pair at distance zero without a normal keeps everything but its gap, which becomes 0.
    ///
    /// # Panics
    /// If there are fewer positions or displacements than vertices of the surface.
    pub fn measure(&mut self, motion: &Motion<'_>) {
        parallel::for_each_group(&mut self.point_triangles, LANES, TASK_SIZE, |group| {
            measure_point_triangles(group, motion);
        });
        parallel::for_each_group(&mut self.edge_edges, LANES, TASK_SIZE, |group| {
            measure_edge_edges(group, motion);
        });
    }
}

/// Whether each lane has a normal and a finite gap.
#[inline]
fn regular(length: Lanes, gap: Lanes) -> u32 {
    (length.simd_gt(Lanes::ZERO) & gap.abs().simd_lt(Lanes::splat(f32::INFINITY))).to_bitmask()
}

/// Measures up to four contacts.
#[inline]
fn measure_point_triangles(group: &mut [PointTriangle], motion: &Motion<'_>) {
    let vertices = lanes(group, PointTriangle::vertices);
    let corner = |k: usize| gather(motion.positions, [0, 1, 2, 3].map_inline(|l| vertices[l][k]));
    let [p, a, b, c] = [corner(0), corner(1), corner(2), corner(3)];
    let closest = point_triangles(&p, [&a, &b, &c]);
    let face_normal = cross(&minus(&b, &a), &minus(&c, &a));
    let face_length = norm(&face_normal);
    let face_unit = divided(&face_normal, face_length);
    let height = dot(&face_unit, &minus(&p, &a));
    // A height of zero has the sign of the motion.
    let over_face = regular(face_length, height) & !height.simd_eq(Lanes::ZERO).to_bitmask();
    let [u, v, w] = closest.weights();
    let apart = minus(&p, &plus(&plus(&scaled(&a, u), &scaled(&b, v)), &scaled(&c, w)));
    let (length, distance) = (norm(&apart), Lanes::new(closest.distances_sq()).sqrt());
    let (unit, over_edge) = (divided(&apart, length), regular(length, distance));
    let [face_unit, unit] = [&face_unit, &unit].map_inline(vectors);
    let (height, distance) = (height.to_array(), distance.to_array());
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
        let before = *contact;
        *contact = PointTriangle { side, normal, weights: closest.weights, gap, ..before };
        keep_side(&before, contact);
    }
}

/// Measures up to four contacts.
#[inline]
fn measure_edge_edges(group: &mut [EdgeEdge], motion: &Motion<'_>) {
    let vertices = lanes(group, EdgeEdge::vertices);
    let end = |k: usize| gather(motion.positions, [0, 1, 2, 3].map_inline(|l| vertices[l][k]));
    let [a0, a1, b0, b1] = [end(0), end(1), end(2), end(3)];
    let closest = segment_segments([&a0, &a1], [&b0, &b1]);
    let [s, t] = closest.parameters();
    let at = |p: &Lanes3, q: &Lanes3, u: Lanes| plus(&scaled(p, Lanes::ONE - u), &scaled(q, u));
    let apart = minus(&at(&a0, &a1, s), &at(&b0, &b1, t));
    let (length, gap) = (norm(&apart), Lanes::new(closest.distances_sq()).sqrt());
    let (normal, regular) = (vectors(&divided(&apart, length)), regular(length, gap));
    let (s, t, gap) = (s.to_array(), t.to_array(), gap.to_array());
    for (l, contact) in group.iter_mut().enumerate() {
        if regular >> l & 1 == 0 {
            contact.measure(motion);
            continue;
        }
        let before = *contact;
        *contact = EdgeEdge { s: s[l], t: t[l], normal: normal[l], gap: gap[l], ..before };
        keep_direction(&before, contact);
    }
}

/// The vectors of the lanes.
#[inline]
fn vectors(lanes: &Lanes3) -> [Vector3<f32>; LANES] {
    let [x, y, z] = [lanes[0].to_array(), lanes[1].to_array(), lanes[2].to_array()];
    [0, 1, 2, 3].map_inline(|l| Vector3::new(x[l], y[l], z[l]))
}

impl PointTriangle {
    /// The reference of [`measure_point_triangles`].
    fn measure(&mut self, motion: &Motion<'_>) {
        let query = motion.point_triangle(self.vertex, self.corners);
        let closest = closest_on_triangle(query.p, query.corners);
        match point_triangle::predict_from(&query, &closest, f32::INFINITY) {
            Some(point_triangle::PointTrianglePrediction { side, normal, weights, gap, .. }) => {
                let before = *self;
                *self = Self { side, normal, weights, gap, ..before };
                keep_side(&before, self);
            }
            None => self.gap = 0.0,
        }
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
            Some(normal) => {
                let before = *self;
                *self = Self { s, t, normal, gap: closest.distance_sq.sqrt(), ..before };
                keep_direction(&before, self);
            }
            None => self.gap = 0.0,
        }
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
        fn four_at_once_have_the_bits_of_one_at_a_time(
            positions in vectors(24), displacements in vectors(24), befores in befores(),
        ) {
            let positions: Vec<Point3<f32>> = positions.into_iter().map(Point3::from).collect();
            let motion = Motion { positions: &positions, displacements: &displacements };
            let (mut four, mut one) = (contacts(&befores), contacts(&befores));
            four.measure(&motion);
            one.point_triangles.iter_mut().for_each(|contact| contact.measure(&motion));
            one.edge_edges.iter_mut().for_each(|contact| contact.measure(&motion));
            for (a, b) in four.point_triangles.iter().zip(&one.point_triangles) {
                let all = |c: &PointTriangle| bits(&c.normal, [c.weights[0], c.weights[1], c.weights[2], c.gap]);
                prop_assert_eq!((all(a), a.side), (all(b), b.side));
            }
            for (a, b) in four.edge_edges.iter().zip(&one.edge_edges) {
                let all = |c: &EdgeEdge| bits(&c.normal, [c.s, c.t, c.gap, 0.0]);
                prop_assert_eq!(all(a), all(b));
            }
        }
    }
}
