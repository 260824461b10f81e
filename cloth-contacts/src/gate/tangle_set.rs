//! The set of tangles, and which pairs they exempt.
//!
//! A tangle has two vertex sets. A pair of primitives is exempt if all vertices of one are in one set and all
//! vertices of the other in the other set; it may intersect until the tangle is resolved. All other pairs are
//! guarded, so an intersection of an edge and a face can only arise where a pair of their features is exempt.
//! Such an intersection is *tangled*; any other would be a failure of the gate.

use cloth_geom::{Pool, Topology};

use super::pair::{Pair, PairCorners};

/// One side of a tangle: what a vertex is a member of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct TangleSide {
    tangle: u32,
    side: u8,
}

/// The tangles, by the vertex sets of their sides.
#[derive(Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct TangleSet {
    tangles: Pool<[Vec<u32>; 2]>,
    /// Number of motions certified so far.
    motions: u64,
    /// By tangle: number of motions certified before it was found.
    since: Vec<u64>,
    /// Start of the memberships of each vertex; empty if there is no tangle.
    starts: Vec<u32>,
    memberships: Vec<TangleSide>,
    /// Scratch memory of [`TangleSet::index`].
    #[cfg_attr(feature = "serde", serde(skip))]
    entries: Vec<(u32, TangleSide)>,
}

// `clone_from` reuses memory.
impl Clone for TangleSet {
    fn clone(&self) -> Self {
        let mut clone = Self::default();
        clone.clone_from(self);
        clone
    }

    fn clone_from(&mut self, source: &Self) {
        let Self { tangles, motions, since, starts, memberships, entries: _ } = source;
        self.tangles.clone_from(tangles);
        self.motions = *motions;
        self.since.clone_from(since);
        self.starts.clone_from(starts);
        self.memberships.clone_from(memberships);
    }
}

impl TangleSet {
    pub(super) fn tangles(&self) -> &[[Vec<u32>; 2]] {
        &self.tangles
    }

    /// The tangles, each with the number of motions that had been certified when it was found.
    pub(super) fn tangles_since(&self) -> impl Iterator<Item = (&[Vec<u32>; 2], u64)> {
        self.tangles.iter().zip(self.since.iter().copied())
    }

    /// Counts a motion that was certified.
    pub(super) fn count_motion(&mut self) {
        // A number that was read from a file may be the largest.
        self.motions = self.motions.saturating_add(1);
    }

    /// Number of motions certified before the tangle of a pair was found; `None` if the pair is in no tangle.
    pub(super) fn since(&self, corners: &PairCorners) -> Option<u64> {
        if self.starts.is_empty() {
            return None;
        }
        self.tangle_of(corners).map(|tangle| self.since[tangle as usize])
    }

    /// Keeps the tangles for which `is_live` is true. [`TangleSet::index`] must be called afterwards.
    pub(super) fn keep(&mut self, is_live: &[bool]) {
        let mut live = is_live.iter();
        self.tangles.retain(|_| live.next() == Some(&true));
        let mut live = is_live.iter();
        self.since.retain(|_| live.next() == Some(&true));
    }

    /// Adds a tangle and returns its two sides, empty, to be filled with vertices in ascending order.
    /// [`TangleSet::index`] must be called afterwards.
    pub(super) fn add(&mut self) -> &mut [Vec<u32>; 2] {
        self.since.push(self.motions);
        let sides = self.tangles.push_with(Default::default);
        sides.iter_mut().for_each(Vec::clear);
        sides
    }

    /// Builds the memberships of `count` vertices.
    pub(super) fn index(&mut self, count: usize) {
        let Self { tangles, motions: _, since: _, starts, memberships, entries } = self;
        entries.clear();
        for (tangle, sides) in tangles.iter().enumerate() {
            for (side, vertices) in sides.iter().enumerate() {
                let membership = TangleSide { tangle: tangle as u32, side: side as u8 };
                entries.extend(vertices.iter().map(|&v| (v, membership)));
            }
        }
        entries.sort_unstable();
        entries.dedup();
        memberships.clear();
        memberships.extend(entries.iter().map(|entry| entry.1));
        starts.clear();
        if !entries.is_empty() {
            let first = |v: usize| entries.partition_point(|entry| (entry.0 as usize) < v) as u32;
            starts.extend((0..=count).map(first));
        }
    }

    /// Whether every tangle has its age, its vertices ascend and are some of `count`, and the memberships are
    /// those of the tangles.
    pub(super) fn is_well_formed(&self, count: usize) -> bool {
        let sides = || self.tangles.iter().flatten();
        let ascend = sides().all(|side| side.is_sorted_by(|a, b| a < b));
        let have_ages =
            self.since.len() == self.tangles.len() && self.since.iter().all(|&since| since <= self.motions);
        if !ascend || !have_ages || sides().flatten().any(|&v| v as usize >= count) {
            return false;
        }
        let mut indexed = self.clone();
        indexed.index(count);
        indexed.starts == self.starts && indexed.memberships == self.memberships
    }

    /// Number of vertices in tangles.
    pub(super) fn vertex_count(&self) -> usize {
        self.starts.windows(2).filter(|w| w[0] < w[1]).count()
    }

    fn memberships_of(&self, v: u32) -> &[TangleSide] {
        match self.starts.get(v as usize..v as usize + 2) {
            Some(&[from, to]) => &self.memberships[from as usize..to as usize],
            _ => &[],
        }
    }

    /// Whether a pair is exempt by a tangle.
    #[inline]
    pub(super) fn contains(&self, corners: &PairCorners) -> bool {
        !self.starts.is_empty() && self.tangle_of(corners).is_some()
    }

    fn tangle_of(&self, corners: &PairCorners) -> Option<u32> {
        let (a, b) = corners.sides();
        let all_in =
            |vertices: &[u32], m: &TangleSide| vertices.iter().all(|&v| self.memberships_of(v).contains(m));
        self.memberships_of(a[0]).iter().find_map(|m| {
            let other = TangleSide { tangle: m.tangle, side: 1 - m.side };
            (all_in(a, m) && all_in(b, &other)).then_some(m.tangle)
        })
    }

    /// The tangle of an intersection `[edge, face]`; `None` if the gate should have prevented it.
    pub(super) fn tangle_of_hit(&self, [e, f]: [u32; 2], topology: &Topology) -> Option<u32> {
        if self.starts.is_empty() {
            return None;
        }
        let ends = topology.edges()[e as usize].map(|v| Pair::PointTriangle([v, f]));
        let sides = topology.face_edges()[f as usize].map(|g| Pair::EdgeEdge([e.min(g), e.max(g)]));
        ends.into_iter().chain(sides).find_map(|pair| self.tangle_of(&pair.corners(topology)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_is_exempt_from_whichever_side_its_first_primitive_is() {
        let mut set = TangleSet::default();
        for (side, vertices) in set.add().iter_mut().zip([&[0, 1, 5][..], &[2, 3, 4]]) {
            side.extend_from_slice(vertices);
        }
        set.index(7);
        let is_exempt = |vertices, split| set.contains(&PairCorners { vertices, split });
        assert!(is_exempt([0, 1, 2, 3], 2) && is_exempt([2, 3, 0, 1], 2));
        assert!(is_exempt([5, 2, 3, 4], 1) && is_exempt([3, 0, 1, 5], 1));
        for (vertices, split) in [([0, 1, 5, 2], 2), ([0, 2, 1, 3], 2), ([2, 3, 4, 0], 2), ([6, 0, 1, 5], 1)]
        {
            assert!(!is_exempt(vertices, split), "{vertices:?}");
        }
    }
}
