//! Pairs that are released for one motion because they cannot be kept apart.

use nalgebra::Point3;

use super::pair::{Pair, PairCorners};
use crate::Coordinate;

/// A released pair. The first `split` vertices belong to one primitive, the others to the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReleasedPair {
    /// The vertices of both primitives.
    pub vertices: [u32; 4],
    /// 1 for a vertex and a face, 2 for two edges.
    pub split: usize,
}

impl ReleasedPair {
    /// Penetration depth (m) along the line of the closest points at the start, from the positions (m) at
    /// both ends of the motion; 0 if there is none, or if the distance at the start is zero.
    #[must_use]
    pub fn depth<T: Coordinate>(&self, start: &[Point3<T>], end: &[Point3<T>]) -> f32 {
        let corners = PairCorners { vertices: self.vertices, split: self.split };
        let closest = corners.closest(&corners.at(start));
        let Some(normal) = closest.direction() else { return 0.0 };
        let [t0, t1] = [corners.at(start), corners.at(end)];
        let displacement = |k: usize| normal.dot(&(t1[k] - t0[k])) * closest.weights[k];
        let nearer: f64 =
            (0..4).map(|k| if k < self.split { -displacement(k) } else { displacement(k) }).sum();
        (nearer - closest.distance).max(0.0) as f32
    }
}

/// Released pairs, sorted.
#[derive(Clone, Debug, Default)]
pub(super) struct Released {
    pairs: Vec<Pair>,
    released: Vec<ReleasedPair>,
}

impl Released {
    pub(super) fn clear(&mut self) {
        self.pairs.clear();
        self.released.clear();
    }

    #[inline]
    pub(super) fn contains(&self, pair: Pair) -> bool {
        !self.pairs.is_empty() && self.pairs.binary_search(&pair).is_ok()
    }

    pub(super) fn insert(&mut self, pair: Pair, corners: &PairCorners) {
        if let Err(place) = self.pairs.binary_search(&pair) {
            self.pairs.insert(place, pair);
            let (vertices, split) = (corners.vertices, corners.split);
            self.released.insert(place, ReleasedPair { vertices, split });
        }
    }

    pub(super) fn as_slice(&self) -> &[ReleasedPair] {
        &self.released
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_depth_is_how_far_a_vertex_goes_through_the_face() {
        let face = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]].map(Point3::from);
        let at = |height: f32, lift: f32| {
            let mut all = vec![Point3::new(0.2, height, 0.3)];
            all.extend(face.map(|p| Point3::new(p.x, p.y + lift, p.z)));
            all
        };
        let pair = ReleasedPair { vertices: [0, 1, 2, 3], split: 1 };
        let depth = |start: f32, end: f32, lift: f32| pair.depth(&at(start, 0.0), &at(end, lift));
        let near = |depth: f32, proposed: f32| (depth - proposed).abs() < 1e-6;
        assert!(near(depth(0.5, -0.25, 0.0), 0.25), "the vertex goes through");
        assert!(near(depth(0.5, 0.25, 0.5), 0.25), "the face comes to meet it");
        assert!(near(depth(-0.5, 0.25, 0.0), 0.25), "from below");
        assert_eq!(depth(0.5, 0.25, 0.0), 0.0);
        assert_eq!(depth(0.0, -0.25, 0.0), 0.0, "what touches at the start has no line");
    }
}
