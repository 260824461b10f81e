//! Queries: two primitives and their motion.

use cloth_geom::exact::{NotFinite, check_finite};
use nalgebra::Point3;

/// `N` points that move on straight lines, each at its own constant velocity, from `t0` at time 0 to `t1` at
/// time 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Corners<const N: usize> {
    /// Positions at the start (m).
    pub t0: [Point3<f64>; N],
    /// Positions at the end (m).
    pub t1: [Point3<f64>; N],
}

/// A pair of closed primitives in linear motion over the closed time interval [0, 1].
///
/// Any finite coordinates are valid. Primitives may be degenerate: an edge of length zero is a point, a
/// triangle of area zero is an edge or a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Query {
    /// Two points.
    PointPoint(Corners<2>),
    /// A point, then the two ends of a segment.
    PointEdge(Corners<3>),
    /// A point, then the three corners of a triangle.
    PointTriangle(Corners<4>),
    /// The two ends of one segment, then those of the other.
    EdgeEdge(Corners<4>),
}

impl Query {
    /// A point (first) and a triangle.
    #[must_use]
    pub fn point_triangle(t0: [Point3<f64>; 4], t1: [Point3<f64>; 4]) -> Self {
        Self::PointTriangle(Corners { t0, t1 })
    }

    /// Two segments, the ends of one before those of the other.
    #[must_use]
    pub fn edge_edge(t0: [Point3<f64>; 4], t1: [Point3<f64>; 4]) -> Self {
        Self::EdgeEdge(Corners { t0, t1 })
    }

    /// A point (first) and a segment.
    #[must_use]
    pub fn point_edge(t0: [Point3<f64>; 3], t1: [Point3<f64>; 3]) -> Self {
        Self::PointEdge(Corners { t0, t1 })
    }

    /// Two points.
    #[must_use]
    pub fn point_point(t0: [Point3<f64>; 2], t1: [Point3<f64>; 2]) -> Self {
        Self::PointPoint(Corners { t0, t1 })
    }

    /// Positions at the start (m), as many as the pair has corners.
    #[must_use]
    pub fn start(&self) -> &[Point3<f64>] {
        match self {
            Self::PointPoint(corners) => &corners.t0,
            Self::PointEdge(corners) => &corners.t0,
            Self::PointTriangle(corners) | Self::EdgeEdge(corners) => &corners.t0,
        }
    }

    /// Positions at the end (m), in the order of [`Query::start`].
    #[must_use]
    pub fn end(&self) -> &[Point3<f64>] {
        match self {
            Self::PointPoint(corners) => &corners.t1,
            Self::PointEdge(corners) => &corners.t1,
            Self::PointTriangle(corners) | Self::EdgeEdge(corners) => &corners.t1,
        }
    }

    /// How many of the corners belong to the first primitive; the rest belong to the second.
    #[must_use]
    pub fn first_corners(&self) -> usize {
        if matches!(self, Self::EdgeEdge(_)) { 2 } else { 1 }
    }

    /// Checks that all coordinates are finite.
    ///
    /// # Errors
    /// Names the first that is not; the points of the start are counted first, then those of the end.
    pub fn check_finite(&self) -> Result<(), NotFinite> {
        check_finite(self.start().iter().chain(self.end()))
    }
}
