//! Directions that separate the primitives at both ends of a linear motion, and therefore throughout:
//! half-spaces are convex.

use cloth_geom::closest::{point_segment, point_triangle, segment_segment};
use nalgebra::{Point3, Vector3};

use super::relative::{Relative, Shape, U, UNDERFLOW_BOUND};
use crate::Query;

/// How often the time is halved in search of directions for each part.
const HALVINGS: u32 = 4;

/// Whether one axis separates the primitives strictly at both ends. Coordinates are compared, so nothing is
/// rounded; it is true whenever the swept boxes are apart, and more often.
pub(super) fn along_an_axis(query: &Query) -> bool {
    let first = query.first_corners();
    let gap = |points: &[Point3<f64>], axis: usize| {
        let least = |points: &[Point3<f64>]| points.iter().fold(f64::INFINITY, |m, p| m.min(p[axis]));
        let most = |points: &[Point3<f64>]| points.iter().fold(f64::NEG_INFINITY, |m, p| m.max(p[axis]));
        let (a, b) = points.split_at(first);
        (most(a) < least(b), most(b) < least(a))
    };
    (0..3).any(|axis| {
        let (start, end) = (gap(query.start(), axis), gap(query.end(), axis));
        (start.0 && end.0) || (start.1 && end.1)
    })
}

/// Whether each part of the time has a direction that separates the primitives strictly at both of its ends.
pub(super) fn throughout(relative: &Relative) -> bool {
    parts_are_apart(relative, [0.0, 1.0], HALVINGS)
}

fn parts_are_apart(relative: &Relative, [a, b]: [f64; 2], halvings: u32) -> bool {
    let middle = 0.5 * (a + b);
    let is_apart = |t: f64, direction: &Vector3<f64>| {
        relative.separation_at(t, direction) > direction.abs().sum() * relative.rounding() + UNDERFLOW_BOUND
    };
    let mut middle_is_apart = false;
    for direction in relative.directions_at(middle) {
        if is_apart(a, &direction) && is_apart(b, &direction) {
            return true;
        }
        middle_is_apart |= is_apart(middle, &direction);
    }
    // Where not even the middle is apart, no halving will help.
    halvings > 0
        && middle_is_apart
        && parts_are_apart(relative, [a, middle], halvings - 1)
        && parts_are_apart(relative, [middle, b], halvings - 1)
}

impl Relative {
    /// What a component of a corner relative to another may be wrong by (m): 4 U of each of up to three
    /// differences, and two sums; an inner product adds one product and two sums. 10 U of the sum of the
    /// sizes covers all of these 9.
    pub(super) fn rounding(&self) -> f64 {
        10.0 * U * (self.q.size() + self.e.size() + self.f.size())
    }

    /// Directions in which the primitives may be apart, each with a greatest component of 1 or -1.
    pub(super) fn directions_at(&self, t: f64) -> impl Iterator<Item = Vector3<f64>> {
        let (between, square) = self.between_at(t);
        let scaled = |direction: Vector3<f64>| {
            let greatest = direction.amax();
            (greatest > 0.0).then(|| direction / greatest)
        };
        [Some(between), square].into_iter().flatten().filter_map(scaled)
    }

    /// The vector between the closest points, and, where these are inside an edge or a triangle, a
    /// perpendicular vector of any length.
    ///
    /// The first has a rounding error relative to the extent, the second relative to itself: it separates
    /// primitives whose distance is a millionth of their extent.
    pub(super) fn between_at(&self, t: f64) -> (Vector3<f64>, Option<Vector3<f64>>) {
        let [q, e, f] = [self.q.at(t), self.e.at(t), self.f.at(t)];
        match self.shape {
            Shape::Points => (q, None),
            Shape::Edge => {
                let [_, along] = point_segment(&q.into(), &Point3::origin(), &e.into()).weights;
                (q - e * along, is_inside(along).then(|| square_to(&e, &q)))
            }
            Shape::Triangle => from_triangle(&q, &e, &f),
            Shape::Edges => between_edges(&q, &e, &f),
        }
    }

    /// The least component along a direction of all differences between a corner of the one and a corner of
    /// the other.
    pub(super) fn separation_at(&self, t: f64, direction: &Vector3<f64>) -> f64 {
        let [q, e, f] = [self.q.at(t), self.e.at(t), self.f.at(t)];
        let along = |x: Vector3<f64>| x.dot(direction);
        match self.shape {
            Shape::Points => along(q),
            Shape::Edge => along(q).min(along(q - e)),
            Shape::Triangle => along(q).min(along(q - e)).min(along(q - f)),
            Shape::Edges => {
                let far = q + f;
                along(q).min(along(q - e)).min(along(far)).min(along(far - e))
            }
        }
    }
}

fn is_inside(weight: f64) -> bool {
    weight > 0.0 && weight < 1.0
}

/// The part of a vector that is square to an edge, times the edge's squared length.
fn square_to(edge: &Vector3<f64>, vector: &Vector3<f64>) -> Vector3<f64> {
    edge.cross(vector).cross(edge)
}

/// The normal of two vectors, on the side of a third.
fn normal_towards(e: &Vector3<f64>, f: &Vector3<f64>, side: &Vector3<f64>) -> Vector3<f64> {
    let normal = e.cross(f);
    if normal.dot(side) < 0.0 { -normal } else { normal }
}

/// From the triangle of `e` and `f` at the origin to the point `q`.
fn from_triangle(
    q: &Vector3<f64>,
    e: &Vector3<f64>,
    f: &Vector3<f64>,
) -> (Vector3<f64>, Option<Vector3<f64>>) {
    let corners = [Vector3::zeros(), *e, *f];
    let weights = point_triangle(&(*q).into(), corners.map(Point3::from).each_ref()).weights;
    let between = q - e * weights[1] - f * weights[2];
    let zeros = weights.iter().filter(|&&weight| weight == 0.0).count();
    let square = match (zeros, weights.iter().position(|&weight| weight == 0.0)) {
        (0, _) => Some(normal_towards(e, f, &between)),
        (1, Some(opposite)) => {
            let [a, b] = [corners[(opposite + 1) % 3], corners[(opposite + 2) % 3]];
            Some(square_to(&(b - a), &(q - a)))
        }
        _ => None,
    };
    (between, square)
}

/// From the edge `e` at the origin to the edge `f` at `q`.
fn between_edges(
    q: &Vector3<f64>,
    e: &Vector3<f64>,
    f: &Vector3<f64>,
) -> (Vector3<f64>, Option<Vector3<f64>>) {
    let [o, to_e, to_q, to_f] = [Vector3::zeros(), *e, *q, q + f].map(Point3::from);
    let closest = segment_segment([&o, &to_e], [&to_q, &to_f]);
    let between = q + f * closest.t - e * closest.s;
    let square = match (is_inside(closest.s), is_inside(closest.t)) {
        (true, true) => Some(normal_towards(e, f, &between)),
        (true, false) => Some(square_to(e, if closest.t == 0.0 { q } else { &to_f.coords })),
        (false, true) => Some(square_to(f, &if closest.s == 0.0 { *q } else { q - e })),
        (false, false) => None,
    };
    (between, square)
}
