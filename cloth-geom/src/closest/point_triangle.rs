//! The point of a triangle closest to a point.
//!
//! Either the foot on the plane lies inside, or the closest point lies on an edge. The foot is found by its
//! parameter along one edge, from a dot product, and by its height over that edge, from cross products: in
//! `foot = a + t (b - a) + h (height vector)` both errors move the foot by `u M` however thin the triangle
//! is. Barycentric weights from three areas would each be off by `u / sin`.

use nalgebra::{Point3, RealField};

use super::area::direction;
use super::{SegmentFeature, point_segment};

/// The feature of a triangle that contains a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TriangleFeature {
    /// Corner 0, 1 or 2.
    Vertex(u8),
    /// The open edge from corner `k` to corner `k + 1` (2 to 0).
    Edge(u8),
    /// The open face.
    Face,
}

/// The point of a triangle closest to a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointTriangle<T> {
    /// Barycentric weights of the three corners: within [0, 1], their sum 1 up to rounding.
    pub weights: [T; 3],
    /// Squared distance (m²).
    pub distance_sq: T,
    /// Where on the triangle the closest point lies.
    pub feature: TriangleFeature,
}

/// The point of the closed triangle closest to `p`. See [`super`] for error bound and range.
///
/// A triangle without area is the union of its edges. Of features at the same distance the first edge wins.
#[must_use]
#[inline]
pub fn point_triangle<T: RealField + Copy>(p: &Point3<T>, corners: [&Point3<T>; 3]) -> PointTriangle<T> {
    foot_inside(p, corners).unwrap_or_else(|| on_edges(p, corners))
}

/// The foot of `p` on the plane, if it lies strictly inside the triangle.
#[inline]
fn foot_inside<T: RealField + Copy>(p: &Point3<T>, [a, b, c]: [&Point3<T>; 3]) -> Option<PointTriangle<T>> {
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let normal = ab.cross(&ac);
    let direction = direction(&normal)?;
    let (height, whole) = (ab.cross(&ap).dot(&direction), normal.dot(&direction));
    if !(height > T::zero() && height < whole) {
        return None;
    }
    let weight_c = height / whole;
    let weight_b = (ap.dot(&ab) - weight_c * ac.dot(&ab)) / ab.norm_squared();
    let weight_a = T::one() - weight_b - weight_c;
    if !(weight_a > T::zero() && weight_b > T::zero() && weight_c > T::zero()) {
        return None;
    }
    let apart = ap * weight_a + (p - b) * weight_b + (p - c) * weight_c;
    Some(PointTriangle {
        weights: [weight_a, weight_b, weight_c],
        distance_sq: apart.norm_squared(),
        feature: TriangleFeature::Face,
    })
}

/// The closest point on the three edges.
#[inline]
fn on_edges<T: RealField + Copy>(p: &Point3<T>, corners: [&Point3<T>; 3]) -> PointTriangle<T> {
    let edge = |k: usize| (k, point_segment(p, corners[k], corners[(k + 1) % 3]));
    let nearer = |x: (usize, super::PointSegment<T>), y: (usize, super::PointSegment<T>)| {
        if y.1.distance_sq < x.1.distance_sq { y } else { x }
    };
    let (k, best) = nearer(nearer(edge(0), edge(1)), edge(2));
    let next = (k + 1) % 3;
    let mut weights = [T::zero(); 3];
    weights[k] = best.weights[0];
    weights[next] = best.weights[1];
    let feature = match best.feature {
        SegmentFeature::Start => TriangleFeature::Vertex(k as u8),
        SegmentFeature::End => TriangleFeature::Vertex(next as u8),
        SegmentFeature::Interior => TriangleFeature::Edge(k as u8),
    };
    PointTriangle { weights, distance_sq: best.distance_sq, feature }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]];

    /// Checks a squared distance and the weights in all orders of the corners.
    fn expect(p: [f64; 3], corners: [[f64; 3]; 3], distance_sq: f64, weights: [f64; 3]) {
        for order in ORDERS {
            let [a, b, c] = order.map(|k| Point3::from(corners[k]));
            let answer = point_triangle(&p.into(), [&a, &b, &c]);
            assert_eq!(answer.distance_sq, distance_sq, "{p:?} {order:?}");
            assert_eq!(answer.weights, order.map(|k| weights[k]), "{p:?} {order:?}");
            let zero = |k: u8| answer.weights[k as usize] == 0.0;
            match answer.feature {
                TriangleFeature::Face => assert!(![0, 1, 2].into_iter().any(zero)),
                TriangleFeature::Edge(k) => assert!(zero((k + 2) % 3) && !zero(k) && !zero((k + 1) % 3)),
                TriangleFeature::Vertex(k) => assert!(zero((k + 1) % 3) && zero((k + 2) % 3)),
            }
        }
    }

    const RIGHT: [[f64; 3]; 3] = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]];

    #[test]
    fn names_all_seven_regions_in_all_orders() {
        expect([1.0, 1.0, 2.0], RIGHT, 4.0, [0.5, 0.25, 0.25]);
        expect([1.0, -1.0, 2.0], RIGHT, 5.0, [0.75, 0.25, 0.0]);
        expect([3.0, 3.0, 0.0], RIGHT, 2.0, [0.0, 0.5, 0.5]);
        expect([-1.0, 3.0, 1.0], RIGHT, 2.0, [0.25, 0.0, 0.75]);
        expect([-1.0, -1.0, 1.0], RIGHT, 3.0, [1.0, 0.0, 0.0]);
        expect([6.0, 1.0, 0.0], RIGHT, 5.0, [0.0, 1.0, 0.0]);
        expect([1.0, 6.0, 0.0], RIGHT, 5.0, [0.0, 0.0, 1.0]);
    }

    #[test]
    fn finds_points_of_the_triangle_itself() {
        expect([1.0, 2.0, 0.0], RIGHT, 0.0, [0.25, 0.25, 0.5]);
        expect([2.0, 0.0, 0.0], RIGHT, 0.0, [0.5, 0.5, 0.0]);
        expect([2.0, 2.0, 0.0], RIGHT, 0.0, [0.0, 0.5, 0.5]);
        expect([0.0, 4.0, 0.0], RIGHT, 0.0, [0.0, 0.0, 1.0]);
    }

    #[test]
    fn takes_the_far_corner_region_of_an_obtuse_triangle_rightly() {
        // Left of both lines through corner 0, and yet closest to the edge from corner 0 to corner 1.
        let obtuse = [[0.0, 0.0, 0.0], [8.0, 0.0, 0.0], [-8.0, 1.0, 0.0]];
        expect([2.0, -1.0, 0.0], obtuse, 1.0, [0.75, 0.25, 0.0]);
    }

    #[test]
    fn falls_back_to_the_edges_without_area() {
        let collinear = [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [8.0, 0.0, 0.0]];
        for order in ORDERS {
            let [a, b, c] = order.map(|k| Point3::from(collinear[k]));
            for (x, distance_sq) in
                [(-1.0, 10.0), (0.0, 9.0), (1.0, 9.0), (2.0, 9.0), (5.0, 9.0), (9.0, 10.0)]
            {
                let answer = point_triangle(&Point3::new(x, 3.0, 0.0), [&a, &b, &c]);
                assert_eq!(answer.distance_sq, distance_sq, "{x} {order:?}");
                assert_ne!(answer.feature, TriangleFeature::Face);
            }
        }
    }

    #[test]
    fn takes_equal_corners_as_a_segment_or_a_point() {
        let (u, v) = (Point3::new(1.0, 0.0, 0.0), Point3::new(5.0, 0.0, 0.0));
        for corners in [[&u, &u, &v], [&u, &v, &u], [&v, &u, &u]] {
            let answer = point_triangle(&Point3::new(3.0, 2.0, 0.0), corners);
            assert_eq!(answer.distance_sq, 4.0);
            assert_eq!(point_triangle(&Point3::new(0.0, 2.0, 0.0), corners).distance_sq, 5.0);
        }
        let answer = point_triangle(&Point3::new(1.0, 2.0, 0.0), [&u, &u, &u]);
        assert_eq!((answer.weights, answer.distance_sq), ([1.0, 0.0, 0.0], 4.0));
        assert_eq!(answer.feature, TriangleFeature::Vertex(0));
    }
}
