//! The separation of a contact of cloth and its gradient, from packed positions: all coordinates at once.
//!
//! The numbers are those of [`PointTriangle::linearise`] and [`EdgeEdge::linearise`], which say what is
//! computed; zeros may differ in their signs.

use cloth_contacts::point_triangle::Linear;
use cloth_contacts::{EdgeEdge, PointTriangle, Side};
use cloth_geom::MapInline;
use cloth_geom::lanes::{Lanes, Simd, lanes};

use crate::bodies::{Packed, cross, difference, dot_of_three, packed, vector};

/// A separation linearised at the current positions: `value + gradient . dx`, as [`Linear`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Separation {
    /// Signed separation (m); the distance to keep is not yet subtracted.
    pub(super) value: f32,
    /// Unit normal.
    pub(super) normal: Packed,
    /// Signed weights of the four vertices.
    pub(super) weights: [f32; 4],
}

impl Separation {
    /// Of a point from a triangle, if it is below `wanted` (m): most contacts keep their distance and need no
    /// gradient.
    #[inline(always)]
    pub(super) fn point_triangle(contact: &PointTriangle, x: &[Packed; 4], wanted: f32) -> Option<Self> {
        let [p, p0, p1, p2] = x;
        if contact.side != Side::Frozen {
            let (e1, e2, r) = (difference(p1, p0), difference(p2, p0), difference(p, p0));
            let across = cross(&e1, &e2);
            let area_sq = dot_of_three(&across, &across);
            if area_sq > f32::MIN_POSITIVE {
                let normal = across * (contact.side.sign() / area_sq.sqrt());
                let value = dot_of_three(&normal, &r);
                return (value < wanted).then(|| {
                    let w2 = dot_of_three(&cross(&e1, &r), &across) / area_sq;
                    let w1 = dot_of_three(&cross(&r, &e2), &across) / area_sq;
                    Self { value, normal, weights: [1.0, w1 + w2 - 1.0, -w1, -w2] }
                });
            }
        }
        let [w0, w1, w2] = contact.weights;
        let normal = packed(&contact.normal);
        let [p, p0, p1, p2] = lanes_of_vertices(x);
        let foot = p0 * w0 + p1 * w1 + p2 * w2;
        let value = along(&normal, p - foot);
        (value < wanted).then_some(Self { value, normal, weights: [1.0, -w0, -w1, -w2] })
    }

    /// Of two edges, if it is below `wanted` (m).
    #[inline(always)]
    pub(super) fn edge_edge(contact: &EdgeEdge, x: &[Packed; 4], wanted: f32) -> Option<Self> {
        let ([a0, a1, b0, b1], (s, t)) = (lanes_of_vertices(x), (contact.s, contact.t));
        let normal = packed(&contact.normal);
        let a = a0 * (1.0 - s) + a1 * s;
        let value = along(&normal, a - b0 * (1.0 - t) - b1 * t);
        (value < wanted).then_some(Self { value, normal, weights: [1.0 - s, s, t - 1.0, -t] })
    }

    /// With a normal of three coordinates.
    pub(super) fn linear(&self) -> Linear {
        Linear { value: self.value, normal: vector(&self.normal), weights: self.weights }
    }
}

/// Registers by name: of numbers in an array the compiler computes some one by one.
#[inline(always)]
fn lanes_of_vertices(x: &[Packed; 4]) -> [Lanes; 4] {
    x.map_inline(|x| lanes(x.into()))
}

/// The component of a vector along a direction.
#[inline(always)]
fn along(direction: &Packed, v: Lanes) -> f32 {
    let [x, y, z, _] = (lanes((*direction).into()) * v).numbers();
    (x + y) + z
}

#[cfg(test)]
mod tests {
    use nalgebra::Vector3;
    use proptest::prelude::*;

    use super::*;
    use crate::bodies::point;

    /// Equal bits are equal numbers, but for the sign of zero.
    fn numbers(linear: &Linear) -> Vec<f32> {
        linear.normal.iter().chain(&linear.weights).chain([&linear.value]).copied().collect()
    }

    fn vertex() -> impl Strategy<Value = Packed> {
        (prop::array::uniform3(-1.0_f32..1.0), 0.0_f32..9.0)
            .prop_map(|([x, y, z], w)| Packed::new(x, y, z, w))
    }

    proptest! {
        #[test]
        fn separations_are_those_of_the_contacts(
            x in prop::array::uniform4(vertex()),
            is_flat in prop::bool::weighted(0.2),
            size in prop::sample::select(vec![1.0e-6_f32, 0.01, 1.0, 1.0e3]),
            normal in prop::array::uniform3(-1.0_f32..1.0),
            [w1, w2] in prop::array::uniform2(0.0_f32..1.0),
            wanted in -0.5_f32..0.5,
        ) {
            let mut x = x.map(|x| Packed::new(x.x * size, x.y * size, x.z * size, x.w));
            if is_flat {
                x[3] = x[1];
            }
            let wanted = wanted * size;
            let normal = Vector3::from(normal).try_normalize(1.0e-3).unwrap_or_else(Vector3::y);
            let [p, a, b, c] = x.map(|x| point(&x));
            for side in [Side::Front, Side::Back, Side::Frozen] {
                let weights = [1.0 - w1 - w2, w1, w2];
                let contact = PointTriangle {
                    vertex: 0, face: 0, corners: [1, 2, 3], side, normal, weights, gap: 0.0, distance: 0.0,
                };
                let ours = Separation::point_triangle(&contact, &x, wanted).map(|ours| ours.linear());
                let expected = contact.linearise(&p, [&a, &b, &c]);
                let expected = Some(expected).filter(|linear| linear.value < wanted);
                prop_assert_eq!(ours.as_ref().map(numbers), expected.as_ref().map(numbers));
            }
            let (s, t) = (w1, w2);
            let contact = EdgeEdge {
                edges: [0, 1], a: [0, 1], b: [2, 3], s, t, normal, gap: 0.0, distance: 0.0,
            };
            let ours = Separation::edge_edge(&contact, &x, wanted).map(|ours| ours.linear());
            let expected = Some(contact.linearise([&p, &a], [&b, &c])).filter(|linear| linear.value < wanted);
            prop_assert_eq!(ours.as_ref().map(numbers), expected.as_ref().map(numbers));
        }
    }
}
