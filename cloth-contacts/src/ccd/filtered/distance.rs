//! Whether a motion is free down to a distance greater than zero: directions that separate by more, part by part.
//!
//! Over a part of the time the direction between the closest points at its middle is tried at both ends; half-spaces being convex, what
//! separates by more than the distance there does so throughout. If it fails the part is halved. It must succeed once the primitives
//! move by less than what their distance has to spare, so where it still fails in a part that is short enough they do come
//! within `d (1 + tolerance)`.

use nalgebra::{Point3, Vector3};

use super::Filtered;
use super::relative::Relative;
use crate::ccd::{Corners, Query, Toi};

/// The finest share of the extent that tells one distance from another: some times what rounding may do to a separation
/// (30 U of the extent, see [`Relative::rounding`]).
const RESOLUTION: f64 = 1e-14;

/// When the primitives first come within the distance, if they do; the distance is positive.
pub(super) fn impact(query: &Query, distance: f64) -> Option<Toi> {
    let (query, distance) = in_unit(query, distance);
    // Coordinates are below 1, so the differences are moderate; were they not, nothing would be proved.
    let Some(relative) = Relative::new(&query) else { return Some(Toi::no_earlier_than(0.0)) };
    let extent = relative.q.size() + relative.e.size() + relative.f.size();
    let search = Search {
        relative: &relative,
        distance,
        enough: (Filtered::DISTANCE_TOLERANCE * distance).max(RESOLUTION * extent),
        speed: relative.speed(),
    };
    search.over([0.0, 1.0])
}

struct Search<'a> {
    relative: &'a Relative,
    distance: f64,
    /// How far (m) the motion of a part may go before the verdict about it is final.
    enough: f64,
    /// A bound (m per step) on how fast any two points of the primitives approach.
    speed: f64,
}

impl Search<'_> {
    fn over(&self, [a, b]: [f64; 2]) -> Option<Toi> {
        let middle = 0.5 * (a + b);
        let direction = self.relative.direction_at(middle);
        if self.is_apart(a, &direction) && self.is_apart(b, &direction) {
            return None;
        }
        if self.speed * (b - a) <= self.enough {
            return Some(Toi::no_earlier_than(a));
        }
        self.over([a, middle]).or_else(|| self.over([middle, b]))
    }

    fn is_apart(&self, t: f64, direction: &Vector3<f64>) -> bool {
        // The length is wrong by less than 4 U: three squares, two sums and a root.
        let length = direction.norm() * (1.0 + 4.0 * f64::EPSILON);
        let slack = direction.abs().sum() * self.relative.rounding() + f64::MIN_POSITIVE;
        self.relative.separation_at(t, direction) - slack > self.distance * length * (1.0 + f64::EPSILON)
    }
}

/// The query and the distance over a power of two that brings all coordinates below 1. What underflows is less than
/// the slack of any comparison.
fn in_unit(query: &Query, distance: f64) -> (Query, f64) {
    let largest = query.start().iter().chain(query.end()).map(|p| p.coords.amax()).fold(distance, f64::max);
    let exponent = if largest > 0.0 { libm::ilogb(largest) + 2 } else { 0 };
    let scaled = |x: f64| libm::scalbn(x, -exponent);
    let point = |p: Point3<f64>| p.map(scaled);
    fn of<const N: usize>(corners: &Corners<N>, point: impl Fn(Point3<f64>) -> Point3<f64>) -> Corners<N> {
        Corners { t0: corners.t0.map(&point), t1: corners.t1.map(&point) }
    }
    let query = match query {
        Query::PointPoint(corners) => Query::PointPoint(of(corners, point)),
        Query::PointEdge(corners) => Query::PointEdge(of(corners, point)),
        Query::PointTriangle(corners) => Query::PointTriangle(of(corners, point)),
        Query::EdgeEdge(corners) => Query::EdgeEdge(of(corners, point)),
    };
    (query, scaled(distance).next_up())
}

impl Relative {
    /// A bound (m per step) on the relative speed of any two points of the two primitives: that of their corners.
    fn speed(&self) -> f64 {
        let velocity = |x: &super::relative::Moving| (x.t1 - x.t0).norm();
        (velocity(&self.q) + velocity(&self.e) + velocity(&self.f)) * (1.0 + 8.0 * f64::EPSILON)
    }
}
