//! Dormant vertices: those that do not move, so that no pair of them has to be looked at until they do.
//!
//! A caller that keeps vertices where they are names them once. Pairs of dormant vertices are then neither
//! listed nor tested, which takes two things to be sound, and both are checked at every update: dormant
//! vertices are where they were when they were named, and they stay there. Otherwise all are awake from then
//! on, and pairs are searched again.

use std::ops::Range;

use nalgebra::{Point3, Vector3};

use crate::lists::frames::Path;

/// The dormant vertices.
#[derive(Clone, Debug, Default)]
pub(crate) struct Dormant {
    /// Whether each vertex is dormant; empty if none is.
    is_dormant: Vec<bool>,
    /// The dormant vertices, and where they were (m) when first seen; none are known before the next update.
    ranges: Vec<Range<usize>>,
    positions: Vec<Point3<f32>>,
}

impl Dormant {
    /// Replaces the dormant vertices, of `count`. Whether one wakes.
    pub(crate) fn set<'a>(
        &mut self,
        count: usize,
        ranges: impl IntoIterator<Item = &'a Range<usize>>,
    ) -> bool {
        let former = std::mem::take(&mut self.is_dormant);
        self.clear();
        self.ranges.extend(ranges.into_iter().cloned());
        if !self.ranges.is_empty() {
            self.is_dormant.resize(count, false);
        }
        for range in &self.ranges {
            self.is_dormant[range.clone()].fill(true);
        }
        let wakes = |(v, &was): (usize, &bool)| was && self.is_dormant.get(v) != Some(&true);
        fault!(DormantNeverExpire, former.iter().enumerate().any(wakes))
    }

    pub(crate) fn clear(&mut self) {
        self.is_dormant.clear();
        self.ranges.clear();
        self.positions.clear();
    }

    /// Whether any vertex is dormant.
    pub(crate) fn is_any(&self) -> bool {
        !self.is_dormant.is_empty()
    }

    /// Whether all these vertices are dormant.
    #[inline]
    pub(crate) fn includes(&self, vertices: &[u32]) -> bool {
        !self.is_dormant.is_empty() && vertices.iter().all(|&v| self.is_dormant[v as usize])
    }

    /// Whether a pair of primitives is left out.
    #[inline]
    pub(crate) fn excludes(&self, a: &[u32], b: &[u32]) -> bool {
        !self.is_dormant.is_empty()
            && fault!(
                DormantBesideMoving,
                self.includes(a) && self.includes(b),
                [a, b].map(|of| self.includes(of))
            )
    }

    /// Whether the dormant vertices are where they were and stay there; those seen for the first time are
    /// where they were.
    pub(crate) fn are_still(&mut self, start: &[Point3<f32>], path: &Path<'_>) -> bool {
        if self.positions.is_empty() {
            let positions = self.ranges.iter().flat_map(|range| &start[range.clone()]);
            self.positions.extend(positions);
        }
        let mut known = &self.positions[..];
        let are_still = self.ranges.iter().all(|range| {
            let (own, others) = known.split_at(range.len());
            known = others;
            let stay = match path {
                Path::Predicted(by) => by[range.clone()].iter().all(|d| *d == Vector3::zeros()),
                Path::Linear(end) => end[range.clone()] == *own,
            };
            stay && start[range.clone()] == *own
        });
        fault!(DormantMayMove, are_still)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Six vertices of which 1, 2 and 4 are dormant.
    fn dormant() -> (Dormant, Vec<Point3<f32>>) {
        let mut dormant = Dormant::default();
        assert!(!dormant.set(6, &[1..3, 4..5]));
        (dormant, (0..6_u8).map(|v| Point3::new(f32::from(v), 0.5, -1.0)).collect())
    }

    #[test]
    fn pairs_are_left_out_if_all_their_vertices_are_dormant() {
        let (mut dormant, _) = dormant();
        assert!(dormant.excludes(&[1], &[2, 4]) && dormant.excludes(&[2, 4], &[1]));
        for (a, b) in [(&[0][..], &[1, 2][..]), (&[1], &[2, 3]), (&[3], &[0]), (&[1, 5], &[2, 4])] {
            assert!(!dormant.excludes(a, b) && !dormant.excludes(b, a), "{a:?} {b:?}");
        }
        dormant.clear();
        assert!(!dormant.excludes(&[1], &[2, 4]));
    }

    #[test]
    fn a_vertex_wakes_if_it_is_no_longer_named() {
        let (mut dormant, _) = dormant();
        let mut wakes = |count, range: Range<usize>| dormant.set(count, std::slice::from_ref(&range));
        assert!(!wakes(6, 1..5));
        assert!(!wakes(6, 0..5));
        assert!(wakes(6, 0..4));
        // A surface of fewer vertices.
        assert!(wakes(3, 0..2));
        assert!(dormant.set(3, &[]));
        assert!(!dormant.set(6, &[1..3, 4..5]));
        assert!(!dormant.set(6, &[1..3, 4..5]));
        assert!(dormant.set(6, &[0..2, 4..5]));
    }

    #[test]
    fn dormant_vertices_are_still_until_one_moves() {
        let (_, at) = dormant();
        let still = vec![Vector3::zeros(); 6];
        for v in 0..6 {
            let is_awake = [0, 3, 5].contains(&v);
            let mut elsewhere = at.clone();
            elsewhere[v].z += 1.0e-6;
            let mut moves = still.clone();
            moves[v].x = 1.0e-30;
            for (start, path) in [
                (&at, Path::Predicted(&moves)),
                (&elsewhere, Path::Predicted(&still)),
                (&at, Path::Linear(&elsewhere)),
                (&elsewhere, Path::Linear(&elsewhere)),
                (&elsewhere, Path::Linear(&at)),
            ] {
                let (mut dormant, _) = dormant();
                assert!(dormant.are_still(&at, &Path::Predicted(&still)));
                assert!(dormant.are_still(&at, &Path::Linear(&at)));
                assert_eq!(dormant.are_still(start, &path), is_awake, "vertex {v}, {path:?}");
            }
        }
    }

    #[test]
    fn what_is_not_a_number_is_not_still() {
        let (mut dormant, mut at) = dormant();
        at[4].x = f32::NAN;
        assert!(!dormant.are_still(&at, &Path::Linear(&at)));
    }
}
