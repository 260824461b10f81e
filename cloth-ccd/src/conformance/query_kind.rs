//! The four kinds of pairs, so that one generator serves all of them.

use nalgebra::Point3;

use crate::Query;

/// Which primitives a query is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueryKind {
    /// Two points.
    PointPoint,
    /// A point and a segment.
    PointEdge,
    /// A point and a triangle.
    PointTriangle,
    /// Two segments.
    EdgeEdge,
}

impl QueryKind {
    /// All kinds, the simplest first.
    pub const ALL: [Self; 4] = [Self::PointPoint, Self::PointEdge, Self::PointTriangle, Self::EdgeEdge];

    /// The kind of a query.
    #[must_use]
    pub fn from_query(query: &Query) -> Self {
        match query {
            Query::PointPoint(_) => Self::PointPoint,
            Query::PointEdge(_) => Self::PointEdge,
            Query::PointTriangle(_) => Self::PointTriangle,
            Query::EdgeEdge(_) => Self::EdgeEdge,
        }
    }

    /// How many corners the first primitive has, and how many the second.
    #[must_use]
    pub fn corners(self) -> [usize; 2] {
        match self {
            Self::PointPoint => [1, 1],
            Self::PointEdge => [1, 2],
            Self::PointTriangle => [1, 3],
            Self::EdgeEdge => [2, 2],
        }
    }

    /// How many corners both have.
    #[must_use]
    pub fn count(self) -> usize {
        self.corners().iter().sum()
    }

    /// The query of this kind about the first [`QueryKind::count`] of some positions (m) at the start and at
    /// the end.
    #[must_use]
    pub fn query(self, t0: &[Point3<f64>; 4], t1: &[Point3<f64>; 4]) -> Query {
        let three = |[a, b, c, _]: [Point3<f64>; 4]| [a, b, c];
        match self {
            Self::PointPoint => Query::point_point([t0[0], t0[1]], [t1[0], t1[1]]),
            Self::PointEdge => Query::point_edge(three(*t0), three(*t1)),
            Self::PointTriangle => Query::point_triangle(*t0, *t1),
            Self::EdgeEdge => Query::edge_edge(*t0, *t1),
        }
    }
}

/// The positions of a query at the start and at the end; corners that it does not have lie at the origin.
pub(super) fn positions(query: &Query) -> [[Point3<f64>; 4]; 2] {
    [query.start(), query.end()]
        .map(|points| std::array::from_fn(|i| points.get(i).copied().unwrap_or_default()))
}
