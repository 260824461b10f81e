//! A pair of primitives: a vertex and a face, or two edges.

use cloth_contacts::ccd::{Ccd, Query, Reference};
use nalgebra::{Point3, Vector3};
use serde::{Deserialize, Serialize};

/// Positions at both ends of a motion (m), as they are stored.
#[derive(Clone, Copy, Debug)]
pub(super) struct MotionPath<'a> {
    pub(super) t0: &'a [Point3<f32>],
    pub(super) t1: &'a [Point3<f32>],
}

/// A vertex and a face, or two edges, by their vertices; equal pairs have equal values, however they were
/// named.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Pair {
    /// The vertices of both primitives, those of each ascending; of two edges the lesser comes first.
    pub vertices: [u32; 4],
    /// How many of them belong to the first primitive: 1 for a vertex and a face, 2 for two edges.
    pub split: usize,
}

impl Pair {
    /// The pair of two edges, or of a vertex and a face if `split` is 1.
    #[must_use]
    pub fn new(vertices: [u32; 4], split: usize) -> Self {
        let [a, b, c, d] = vertices;
        if split == 1 { Self::vertex_face(a, [b, c, d]) } else { Self::edge_edge([a, b], [c, d]) }
    }

    /// A vertex and a face.
    #[must_use]
    pub fn vertex_face(vertex: u32, mut face: [u32; 3]) -> Self {
        face.sort_unstable();
        Self { vertices: [vertex, face[0], face[1], face[2]], split: 1 }
    }

    /// Two edges.
    #[must_use]
    pub fn edge_edge(mut a: [u32; 2], mut b: [u32; 2]) -> Self {
        a.sort_unstable();
        b.sort_unstable();
        let ([a, b], [c, d]) = if a <= b { (a, b) } else { (b, a) };
        Self { vertices: [a, b, c, d], split: 2 }
    }

    /// The vertices of either primitive.
    #[must_use]
    pub fn sides(&self) -> (&[u32], &[u32]) {
        self.vertices.split_at(self.split)
    }

    /// Where the vertices are (m); exact.
    pub(super) fn at(&self, positions: &[Point3<f32>]) -> [Point3<f64>; 4] {
        self.vertices.map(|v| positions[v as usize].cast())
    }

    /// Differences of a point of the first primitive and one of the second, at both ends of a motion: see
    /// [`Differences`].
    pub(super) fn differences(&self, path: &MotionPath<'_>) -> Differences {
        let [t0, t1] = [path.t0, path.t1].map(|positions| self.at(positions));
        let among = |p: &[Point3<f64>; 4]| match self.split {
            1 => [p[0] - p[1], p[0] - p[2], p[0] - p[3], p[0] - p[3]],
            _ => [p[0] - p[2], p[0] - p[3], p[1] - p[2], p[1] - p[3]],
        };
        let across = |p: &[Point3<f64>; 4]| match self.split {
            1 => (p[2] - p[1]).cross(&(p[3] - p[1])),
            _ => (p[1] - p[0]).cross(&(p[3] - p[2])),
        };
        Differences { t0: among(&t0), t1: among(&t1), across: [across(&t0), across(&t1)] }
    }

    /// Whether the two meet during a motion, touching included: exact, by the reference of continuous
    /// collision detection.
    pub(super) fn meets(&self, path: &MotionPath<'_>) -> bool {
        let [t0, t1] = [path.t0, path.t1].map(|positions| self.at(positions));
        let query = if self.split == 1 { Query::point_triangle(t0, t1) } else { Query::edge_edge(t0, t1) };
        // What has no answer is not finite, and must not pass as apart.
        !Reference.is_free(&query, 0.0).unwrap_or(false)
    }
}

/// The corners of the Minkowski difference of a pair at both ends of a motion. The pair is apart at a time if
/// and only if the origin lies outside of their hull at that time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Differences {
    /// At the start (m); the last is repeated for a vertex and a face.
    pub(super) t0: [Vector3<f64>; 4],
    /// Positions at the end (m).
    pub(super) t1: [Vector3<f64>; 4],
    /// The direction across the face, or across both edges, at the two ends.
    pub(super) across: [Vector3<f64>; 2],
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_is_the_same_however_it_is_named() {
        let faces = [[5, 9, 7], [9, 7, 5], [7, 5, 9], [9, 5, 7]];
        assert!(faces.iter().all(|&f| Pair::vertex_face(6, f) == Pair::new([6, 5, 7, 9], 1)));
        let edges = [([8, 3], [4, 2]), ([3, 8], [2, 4]), ([2, 4], [8, 3])];
        assert!(edges.iter().all(|&(a, b)| Pair::edge_edge(a, b) == Pair::new([3, 8, 2, 4], 2)));
    }
}
