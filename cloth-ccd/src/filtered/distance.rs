//! Whether a motion stays farther apart than a positive distance: separating directions, part by part.
//!
//! Directions between the closest points at the middle of a part of the time are tested at both of its ends;
//! half-spaces are convex, so a direction that separates by more than the distance there does so throughout.
//! Otherwise the part is bisected. A direction is found once the motion in a part is smaller than the excess
//! of the distance. If a short part still is not separated, the primitives come within `d (1 + tolerance)`,
//! or rounding affects the directions of their shape: then their computed distance decides, or exact roots
//! do.

use nalgebra::{Point3, Vector3};

use super::Filtered;
use super::relative::Relative;
use crate::{Ccd, CcdError, Corners, Query, Reference, Toi};

/// Smallest share of the extent that distinguishes two distances: a multiple of the rounding error of a
/// separation (30 U of the extent, see [`Relative::rounding`]).
const RESOLUTION: f64 = 1e-14;

/// Maximum number of parts before exact roots are used; a few thousand cost as much as those. Most queries
/// need fewer than thirty; a motion that slides along at nearly the distance would need millions.
const PARTS: u32 = 2000;

/// When the primitives first come within the distance, if they do; the distance is positive and all is
/// finite.
pub(super) fn impact(query: &Query, distance: f64) -> Result<Option<Toi>, CcdError> {
    match search(query, distance) {
        SearchResult::Free => Ok(None),
        SearchResult::NearFrom(time) => Ok(Some(Toi::no_earlier_than(time))),
        SearchResult::Undecided => Reference.impact(query, distance),
    }
}

/// Result of the search in a part of the time.
enum SearchResult {
    /// Free.
    Free,
    /// Free up to this time, and near soon after.
    NearFrom(f64),
    /// The directions decide neither.
    Undecided,
}

fn search(query: &Query, distance: f64) -> SearchResult {
    let (query, distance) = in_unit(query, distance);
    // Coordinates are below 1, so the differences are moderate; were they not, nothing would be proved.
    let Some(relative) = Relative::new(&query) else { return SearchResult::Undecided };
    let extent = relative.q.size() + relative.e.size() + relative.f.size();
    let mut search = Search {
        parts_left: PARTS,
        relative: &relative,
        distance,
        resolution: (0.4 * Filtered::DISTANCE_TOLERANCE * distance).max(RESOLUTION * extent),
        speed: relative.speed(),
    };
    search.over([0.0, 1.0])
}

struct Search<'a> {
    relative: &'a Relative,
    distance: f64,
    /// Number of parts left.
    parts_left: u32,
    /// Motion (m) of a part below which it is not bisected further.
    resolution: f64,
    /// A bound (m per step) on how fast any two points of the primitives approach.
    speed: f64,
}

impl Search<'_> {
    fn over(&mut self, [a, b]: [f64; 2]) -> SearchResult {
        let Some(left) = self.parts_left.checked_sub(1) else { return SearchResult::Undecided };
        self.parts_left = left;
        let middle = 0.5 * (a + b);
        let is_free = |direction| self.is_apart(a, &direction) && self.is_apart(b, &direction);
        if self.relative.directions_at(middle).any(is_free) {
            return SearchResult::Free;
        }
        if self.speed * (b - a) <= self.resolution {
            let is_near = self.relative.distance_at(middle) <= self.distance + 2.0 * self.resolution;
            return if is_near { SearchResult::NearFrom(a) } else { SearchResult::Undecided };
        }
        match self.over([a, middle]) {
            SearchResult::Free => self.over([middle, b]),
            found => found,
        }
    }

    fn is_apart(&self, t: f64, direction: &Vector3<f64>) -> bool {
        // The length is wrong by less than 4 U: three squares, two sums and a root.
        let length = direction.norm() * (1.0 + 4.0 * f64::EPSILON);
        let slack = direction.abs().sum() * self.relative.rounding() + f64::MIN_POSITIVE;
        self.relative.separation_at(t, direction) - slack > self.distance * length * (1.0 + f64::EPSILON)
    }
}

/// The query and the distance over a power of two that brings all coordinates below 1. What underflows is
/// less than the slack of any comparison.
fn in_unit(query: &Query, distance: f64) -> (Query, f64) {
    let largest = query.start().iter().chain(query.end()).map(|p| p.coords.amax()).fold(distance, f64::max);
    let exponent = if largest > 0.0 { libm::ilogb(largest) + 2 } else { 0 };
    let scaled = |x: f64| libm::scalbn(x, -exponent);
    let point = |p: Point3<f64>| p.map(scaled);
    fn map_corners<const N: usize>(
        corners: &Corners<N>,
        point: impl Fn(Point3<f64>) -> Point3<f64>,
    ) -> Corners<N> {
        Corners { t0: corners.t0.map(&point), t1: corners.t1.map(&point) }
    }
    let query = match query {
        Query::PointPoint(corners) => Query::PointPoint(map_corners(corners, point)),
        Query::PointEdge(corners) => Query::PointEdge(map_corners(corners, point)),
        Query::PointTriangle(corners) => Query::PointTriangle(map_corners(corners, point)),
        Query::EdgeEdge(corners) => Query::EdgeEdge(map_corners(corners, point)),
    };
    (query, scaled(distance).next_up())
}

impl Relative {
    /// The distance (m) at a time, wrong by some roundings of the extent.
    fn distance_at(&self, t: f64) -> f64 {
        let ((direction, _), extent) = (self.between_at(t), self.q.size() + self.e.size() + self.f.size());
        // Scaled, so that no square underflows.
        if extent > 0.0 { (direction / extent).norm() * extent } else { 0.0 }
    }

    /// A bound (m per step) on the relative speed of any two points of the two primitives: that of their
    /// corners.
    fn speed(&self) -> f64 {
        let velocity = |x: &super::relative::LinearVector| (x.t1 - x.t0).norm();
        (velocity(&self.q) + velocity(&self.e) + velocity(&self.f)) * (1.0 + 8.0 * f64::EPSILON)
    }
}
