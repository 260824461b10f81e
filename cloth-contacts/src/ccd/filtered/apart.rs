//! Directions that separate the primitives at both ends of a linear motion, and therefore throughout: half-spaces are convex.

use cloth_geom::closest::{point_segment, point_triangle, segment_segment};
use nalgebra::{Point3, Vector3};

use super::relative::{LOST, Relative, Shape, U};
use crate::ccd::Query;

/// How often the time is halved in search of directions for each part.
const HALVINGS: u32 = 4;

/// Whether one axis separates the primitives strictly at both ends. Coordinates are compared, so nothing is rounded; it holds
/// whenever the swept boxes are apart, and more often.
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
    let direction = relative.direction_at(middle);
    let bound = direction.abs().sum() * relative.rounding() + LOST;
    let is_apart = |t: f64| relative.separation_at(t, &direction) > bound;
    if is_apart(a) && is_apart(b) {
        return true;
    }
    // Where not even the middle is apart, no halving will help.
    halvings > 0
        && is_apart(middle)
        && parts_are_apart(relative, [a, middle], halvings - 1)
        && parts_are_apart(relative, [middle, b], halvings - 1)
}

impl Relative {
    /// What a component of a corner relative to another may be wrong by (m): 4 U of each of up to three differences, and two
    /// sums; an inner product adds one product and two sums. 10 U of the sum of the sizes covers all of these 9.
    pub(super) fn rounding(&self) -> f64 {
        10.0 * U * (self.q.size() + self.e.size() + self.f.size())
    }

    /// From the closest point of the first primitive (or triangle, or edge) to that of the other: `q` less what `e` and `f` span.
    pub(super) fn direction_at(&self, t: f64) -> Vector3<f64> {
        let [q, e, f] = [self.q.at(t), self.e.at(t), self.f.at(t)];
        let [o, to_q, to_e] = [Point3::origin(), Point3::from(q), Point3::from(e)];
        match self.shape {
            Shape::Points => q,
            Shape::Edge => q - e * point_segment(&to_q, &o, &to_e).weights[1],
            Shape::Triangle => {
                let [_, y, z] = point_triangle(&to_q, [&o, &to_e, &Point3::from(f)]).weights;
                q - e * y - f * z
            }
            Shape::Edges => {
                let closest = segment_segment([&o, &to_e], [&to_q, &(to_q + f)]);
                q + f * closest.t - e * closest.s
            }
        }
    }

    /// The least component along a direction of all differences between a corner of the one and a corner of the other.
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
