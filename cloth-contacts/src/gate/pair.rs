//! A pair of primitives and its motion.

use std::ops::RangeInclusive;

use cloth_geom::MapInline;
use cloth_geom::Topology;
use cloth_geom::closest::{point_triangle, segment_segment};
use nalgebra::{Point3, Vector3};

use crate::Coordinate;
use crate::ccd::Query;
use crate::coordinate::exact;

/// A vertex and a face, or two edges, by ids; ordered by type and ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Pair {
    /// `[vertex, face]`
    PointTriangle([u32; 2]),
    /// `[edge, edge]` in ascending order.
    EdgeEdge([u32; 2]),
}

impl Pair {
    /// Whether both ids exist in a mesh.
    pub(super) fn exists_in(self, topology: &Topology) -> bool {
        let below = |id: u32, count: usize| (id as usize) < count;
        match self {
            Self::PointTriangle([v, f]) => {
                below(v, topology.vertex_count()) && below(f, topology.faces().len())
            }
            Self::EdgeEdge(edges) => edges.iter().all(|&e| below(e, topology.edges().len())),
        }
    }

    /// The vertices of both primitives: the first one or two are those of the first; `None` if an id is out
    /// of range.
    #[must_use]
    pub fn vertices(self, topology: &Topology) -> Option<[u32; 4]> {
        self.exists_in(topology).then(|| self.corners(topology).vertices)
    }

    /// The query for exact continuous detection of the pair in a linear motion (m).
    ///
    /// # Panics
    /// If an id is out of range.
    #[must_use]
    pub fn query<T: Coordinate>(self, topology: &Topology, ends: [&[Point3<T>]; 2]) -> Query {
        let corners = self.corners(topology);
        let [t0, t1] = ends.map(|at| corners.at(at));
        corners.query(t0, t1)
    }

    /// The vertices of both primitives.
    #[inline]
    pub(super) fn corners(self, topology: &Topology) -> PairCorners {
        match self {
            Self::PointTriangle([v, f]) => {
                let [a, b, c] = topology.faces()[f as usize];
                PairCorners { vertices: [v, a, b, c], split: 1 }
            }
            Self::EdgeEdge(edges) => {
                let [[a, b], [c, d]] = edges.map_inline(|e| topology.edges()[e as usize]);
                PairCorners { vertices: [a, b, c, d], split: 2 }
            }
        }
    }
}

/// The vertices of a pair: the first `split` belong to one primitive, the others to the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PairCorners {
    pub(super) vertices: [u32; 4],
    pub(super) split: usize,
}

impl PairCorners {
    pub(super) fn sides(&self) -> (&[u32], &[u32]) {
        self.vertices.split_at(self.split)
    }

    /// Positions of the vertices (m).
    #[inline]
    pub(super) fn at<T: Coordinate>(&self, positions: &[Point3<T>]) -> [Point3<f64>; 4] {
        self.vertices.map_inline(|v| exact(&positions[v as usize]))
    }

    /// The closest points of the two primitives.
    #[inline]
    pub(super) fn closest(&self, p: &[Point3<f64>; 4]) -> Closest {
        let weights = if self.split == 1 {
            let [u, v, w] = point_triangle(&p[0], [&p[1], &p[2], &p[3]]).weights;
            [1.0, u, v, w]
        } else {
            let closest = segment_segment([&p[0], &p[1]], [&p[2], &p[3]]);
            [1.0 - closest.s, closest.s, 1.0 - closest.t, closest.t]
        };
        let point = |side: std::ops::Range<usize>| {
            side.fold(Vector3::zeros(), |sum, k| sum + p[k].coords * weights[k])
        };
        let apart = point(0..self.split) - point(self.split..4);
        Closest { weights, apart, distance: length(&apart) }
    }

    /// The query for exact continuous detection.
    pub(super) fn query(&self, t0: [Point3<f64>; 4], t1: [Point3<f64>; 4]) -> Query {
        if self.split == 1 { Query::point_triangle(t0, t1) } else { Query::edge_edge(t0, t1) }
    }
}

/// The closest points of two primitives.
#[derive(Clone, Copy, Debug)]
pub(super) struct Closest {
    /// Weights of the vertices; those of each primitive sum to 1.
    pub(super) weights: [f64; 4],
    /// Vector from the closest point of the second primitive to that of the first (m).
    pub(super) apart: Vector3<f64>,
    /// Its length (m).
    pub(super) distance: f64,
}

impl Closest {
    /// The unit vector along `apart`: three squares, two sums, a root and a quotient make it longer than 1 by
    /// less than `gamma(8, U64)`. `None` for points that coincide.
    #[inline]
    pub(super) fn direction(&self) -> Option<Vector3<f64>> {
        if SQUARED.contains(&self.distance) {
            return Some(self.apart / self.distance);
        }
        over_its_size(&self.apart).map(|(_, scaled)| scaled / scaled.norm())
    }
}

/// Lengths (m) whose squares lose less than a rounding to underflow, and do not overflow: `2^-500` to
/// `2^500`.
const SQUARED: RangeInclusive<f64> = f64::from_bits((1023 - 500) << 52)..=f64::from_bits((1023 + 500) << 52);

/// The length (m) of any vector, up to some roundings.
#[inline]
fn length(v: &Vector3<f64>) -> f64 {
    let plain = v.norm();
    if SQUARED.contains(&plain) {
        return plain;
    }
    over_its_size(v).map_or(plain, |(size, scaled)| scaled.norm() * size)
}

/// The greatest magnitude of a coordinate, and the vector over it; `None` for zero and what is not finite.
#[cold]
fn over_its_size(v: &Vector3<f64>) -> Option<(f64, Vector3<f64>)> {
    let size = v.amax();
    (size > 0.0 && size.is_finite()).then(|| (size, v / size))
}
