//! The motion relative to one corner in floating point, with error bounds.
//!
//! `U` is the unit roundoff, 2^-53. A difference of two coordinates is rounded once, so its error is `U` of
//! itself; the same difference at a time between the ends is `(1 - t) x0 + t x1`, with an error of at most
//! `(1 difference + 1 for 1 - t + 1 product + 1 sum) U = 4 U` of the larger of the two.

use nalgebra::{Point3, Vector3};

use crate::Query;

/// The unit roundoff of `f64`.
pub(super) const U: f64 = f64::EPSILON / 2.0;

/// Extents (m) outside of which the filter does not try: at most four factors are multiplied, so nothing
/// overflows, and what underflow loses, at most 2^-1074 before it is multiplied by 2^300 and some tens of
/// such are added, stays below `UNDERFLOW_BOUND`.
const LARGEST: f64 = 1.267_650_600_228_229_4e30; // 2^100

/// See `LARGEST`: 2^-700.
pub(super) const UNDERFLOW_BOUND: f64 = 1.901_1e-211;

/// A vector that moves linearly.
#[derive(Clone, Copy, Debug)]
pub(super) struct LinearVector {
    pub(super) t0: Vector3<f64>,
    pub(super) t1: Vector3<f64>,
}

impl LinearVector {
    fn between(a: [&Point3<f64>; 2], b: [&Point3<f64>; 2]) -> Self {
        Self { t0: b[0] - a[0], t1: b[1] - a[1] }
    }

    /// At a time in [0, 1]; see the module for its error.
    pub(super) fn at(&self, t: f64) -> Vector3<f64> {
        self.t0 * (1.0 - t) + self.t1 * t
    }

    pub(super) fn over(&self, [a, b]: [f64; 2]) -> Self {
        Self { t0: self.at(a), t1: self.at(b) }
    }

    /// The largest component at either end, which bounds every component in between.
    pub(super) fn size(&self) -> f64 {
        self.t0.amax().max(self.t1.amax())
    }
}

/// How the corners of the primitives hang on `q`, `e` and `f`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// `q`
    Points,
    /// Point and edge: `q` from its first end to the point, `e` the edge.
    Edge,
    /// Point and triangle: `q` from its first corner to the point, `e` and `f` its sides there.
    Triangle,
    /// Two edges: `q` from the first end of one to the first of the other, `e` the one, `f` the other.
    Edges,
}

/// The motion of both primitives relative to one corner.
#[derive(Clone, Copy, Debug)]
pub(super) struct Relative {
    pub(super) shape: Shape,
    pub(super) q: LinearVector,
    pub(super) e: LinearVector,
    pub(super) f: LinearVector,
}

impl Relative {
    /// None if the motion is too large for the filter.
    pub(super) fn new(query: &Query) -> Option<Self> {
        let corner = |k: usize| [&query.start()[k], &query.end()[k]];
        let from_to = |a: usize, b: usize| LinearVector::between(corner(a), corner(b));
        let nothing = LinearVector { t0: Vector3::zeros(), t1: Vector3::zeros() };
        let (shape, q, e, f) = match query {
            Query::PointPoint(_) => (Shape::Points, from_to(0, 1), nothing, nothing),
            Query::PointEdge(_) => (Shape::Edge, from_to(1, 0), from_to(1, 2), nothing),
            Query::PointTriangle(_) => (Shape::Triangle, from_to(1, 0), from_to(1, 2), from_to(1, 3)),
            Query::EdgeEdge(_) => (Shape::Edges, from_to(0, 2), from_to(0, 1), from_to(2, 3)),
        };
        let is_moderate = |x: &LinearVector| x.size() <= LARGEST; // false for NaN and infinity too
        [q, e, f].iter().all(is_moderate).then_some(Self { shape, q, e, f })
    }

    /// The motion as a height over a plane or between two lines, if it is one.
    pub(super) fn spatial(&self) -> Option<Spatial> {
        let is_triangle = match self.shape {
            Shape::Points | Shape::Edge => return None,
            Shape::Triangle => true,
            Shape::Edges => false,
        };
        let size = [self.q.size(), self.e.size(), self.f.size()];
        Some(Spatial { is_triangle, q: self.q, e: self.e, f: self.f, size })
    }
}

/// Two primitives that meet where `q` lies in the plane of `e` and `f`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spatial {
    /// A point and a triangle, or else two edges.
    pub(super) is_triangle: bool,
    pub(super) q: LinearVector,
    pub(super) e: LinearVector,
    pub(super) f: LinearVector,
    /// The largest components of `q`, `e` and `f`.
    pub(super) size: [f64; 3],
}

/// The cross product of two moving vectors, as coefficients in the Bernstein basis of degree 2.
pub(super) fn cross(a: &LinearVector, b: &LinearVector) -> [Vector3<f64>; 3] {
    [a.t0.cross(&b.t0), (a.t0.cross(&b.t1) + a.t1.cross(&b.t0)) * 0.5, a.t1.cross(&b.t1)]
}
