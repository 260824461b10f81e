//! Storage of candidate lists: a growing array to which rebuilt lists are appended, compacted when half of it
//! is unused.

use cloth_geom::bounds::{Lower, Upper};

use crate::detect::motion::relative_motion::RelativeMotion;
use crate::narrow_phase_error::DISTANCE_ERROR;

/// The distance at which a candidate becomes relevant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Threshold {
    /// Detection: the reach of the surface for which the lists were built.
    Contact,
    /// The gate: its clearance, which is smaller.
    Clearance,
}

/// A candidate pair with its motion limits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Candidate {
    /// `[vertex, face]`, or `[edge, edge]` in ascending order.
    pub(crate) pair: [u32; 2],
    /// Indexed by [`Threshold`].
    pub(crate) limits: [MotionLimits; 2],
}

/// Readings of the relative motion bound (m), rounded down, below which the pair cannot be within the
/// threshold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct MotionLimits {
    /// Minus infinity if the pair was within the threshold when it was measured.
    path: f32,
    net: f32,
}

impl MotionLimits {
    pub(crate) const UNLIMITED: Self = Self { path: f32::INFINITY, net: f32::INFINITY };

    /// Limits of a pair with this separation beyond the threshold (m) at the start of the relative motion.
    pub(crate) fn new(separation: Lower) -> Self {
        let separation = separation.to_f32();
        Self { path: separation, net: separation }
    }

    /// Whether at least one limit is not reached by the end of the step.
    #[inline]
    pub(crate) fn exceed(&self, motion: &RelativeMotion) -> bool {
        (self.path > motion.path_next()) | (self.net > motion.net_next())
    }

    /// Whether the candidate has expired.
    fn is_unlimited(&self) -> bool {
        self.path == f32::INFINITY && self.net == f32::INFINITY
    }

    /// Whether the pair was within the threshold when it was measured.
    fn was_within_reach(&self) -> bool {
        self.path == f32::NEG_INFINITY
    }

    /// Updates the limits for the present separation beyond the threshold (m).
    fn update(&mut self, separation: Lower, motion: &RelativeMotion) {
        // `path` is used as a plain number here. The last rounding is covered by the conversion to `f32`.
        let path = Lower::exact(motion.path().get() + separation.get());
        self.path = if separation.get() > 0.0 { path.to_f32() } else { f32::NEG_INFINITY };
        // Within the net displacement so far the pair may have approached and separated again.
        let net = Lower::exact(separation.get() - motion.net().get());
        self.net = self.net.max(net.to_f32());
    }

    #[inline]
    pub(crate) fn min(&self, other: &Self) -> Self {
        let lesser = |a: f32, b: f32| if a < b { a } else { b };
        Self { path: lesser(self.path, other.path), net: lesser(self.net, other.net) }
    }
}

/// The type of the candidates of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CandidateKind {
    PointTriangle,
    EdgeEdge,
}

/// A candidate whose motion limits are reached.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ActiveCandidate {
    /// `[vertex, face]`, or `[edge, edge]` in ascending order.
    pub(crate) pair: [u32; 2],
    /// Whether it was within the threshold when it was last measured.
    pub(crate) was_within_reach: bool,
}

/// Narrow-phase tests of one list at a time.
pub(crate) trait NarrowPhase {
    /// Appends the separation beyond the threshold (m) of each candidate to `separations`, which is empty;
    /// `None` for a candidate that was within the threshold and cannot be in contact.
    fn measure(
        &mut self,
        kind: CandidateKind,
        active: &[ActiveCandidate],
        separations: &mut Vec<Option<f64>>,
    );

    /// Accepts candidate `k` of the last call of `measure`: it may be in contact during the step.
    fn accept(&mut self, kind: CandidateKind, k: usize, pair: [u32; 2]);
}

/// The range of a list in its array.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Span {
    start: u32,
    len: u32,
}

impl Span {
    pub(crate) fn len(&self) -> usize {
        self.len as usize
    }

    fn range(&self) -> std::ops::Range<usize> {
        self.start as usize..self.start as usize + self.len as usize
    }
}

/// What a test of a list has to know of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TestedList<'a> {
    pub(crate) kind: CandidateKind,
    pub(crate) threshold: Threshold,
    /// The relative motion of its two patches.
    pub(crate) motion: &'a RelativeMotion,
    /// Relative motion (m) at which it expires.
    pub(crate) expires: f32,
    /// Largest error of a measured distance (m).
    pub(crate) rounding: Upper,
}

/// Smallest number of unused entries that triggers compaction.
const MIN_GAPS: usize = 1 << 10;

/// A list is compacted when at least one in this many of its candidates has expired.
const COMPACTION_SHARE: usize = 8;

/// All lists of one candidate type, as a structure of arrays: most tests read only the limits.
#[derive(Clone, Debug, Default)]
pub(crate) struct Arena {
    /// `[vertex, face]`, or `[edge, edge]` in ascending order.
    pairs: Vec<[u32; 2]>,
    /// Indexed by [`Threshold`].
    limits: [Vec<MotionLimits>; 2],
    packed: Packed,
    /// Scratch memory of a test: indices of the active candidates, the candidates, and their separations.
    indices: Vec<u32>,
    active: Vec<ActiveCandidate>,
    separations: Vec<Option<f64>>,
}

/// Scratch memory of the compaction.
#[derive(Clone, Debug, Default)]
struct Packed {
    pairs: Vec<[u32; 2]>,
    limits: [Vec<MotionLimits>; 2],
}

impl Arena {
    /// Starts a list; candidates pushed from now on belong to it.
    pub(crate) fn begin(&self) -> usize {
        self.pairs.len()
    }

    pub(crate) fn push(&mut self, candidate: Candidate) {
        self.pairs.push(candidate.pair);
        self.limits
            .iter_mut()
            .zip(candidate.limits)
            .for_each(|(limits, candidate_limits)| limits.push(candidate_limits));
    }

    /// Ends the list that was started at this index.
    pub(crate) fn end(&self, start: usize) -> Span {
        Span { start: start as u32, len: (self.pairs.len() - start) as u32 }
    }

    /// Removes all lists.
    pub(crate) fn clear(&mut self) {
        self.pairs.clear();
        self.limits.iter_mut().for_each(Vec::clear);
    }

    /// Removes unused entries if they make up half of the array. `spans` are the lists to keep, with `live`
    /// candidates in total.
    pub(crate) fn compact<'a>(&mut self, live: usize, spans: impl Iterator<Item = &'a mut Span>) {
        if self.pairs.len() <= 2 * live + MIN_GAPS {
            return;
        }
        let packed = &mut self.packed;
        packed.pairs.clear();
        packed.limits.iter_mut().for_each(Vec::clear);
        for span in spans {
            let start = packed.pairs.len() as u32;
            packed.pairs.extend_from_slice(&self.pairs[span.range()]);
            for (packed, limits) in packed.limits.iter_mut().zip(&self.limits) {
                packed.extend_from_slice(&limits[span.range()]);
            }
            span.start = start;
        }
        // Copied back instead of swapped, so that array capacities are reproducible.
        self.pairs.clone_from(&packed.pairs);
        self.limits.iter_mut().zip(&packed.limits).for_each(|(limits, packed)| limits.clone_from(packed));
    }

    /// Tests the active candidates of a list and returns the smallest limits of the list.
    ///
    /// Candidates that cannot be in contact before the list expires are removed.
    pub(crate) fn test(
        &mut self,
        span: &mut Span,
        list: &TestedList<'_>,
        test: &mut impl NarrowPhase,
    ) -> MotionLimits {
        let &TestedList { kind, threshold, motion, expires, rounding } = list;
        let mut least = self.find_active(*span, threshold, motion);
        if self.active.is_empty() {
            return least;
        }
        self.separations.clear();
        test.measure(kind, &self.active, &mut self.separations);
        let mut expired = 0;
        for (k, (&place, active)) in self.indices.iter().zip(&self.active).enumerate() {
            let i = place as usize;
            let limits = &mut self.limits[threshold as usize][i];
            if let Some(separation) = self.separations[k] {
                // The error of a distance is relative to it; of a pair within the threshold only the sign is
                // used.
                limits.update(Lower::exact(separation * (1.0 - 2.0 * DISTANCE_ERROR)) - rounding, motion);
                // A candidate with a new limit beyond the step is separated throughout the step.
                if !limits.exceed(motion) {
                    test.accept(kind, k, active.pair);
                }
            }
            // The contact threshold is the largest one: a candidate beyond it is not needed by the gate
            // either.
            if self.limits[Threshold::Contact as usize][i].net > expires {
                self.limits.iter_mut().for_each(|limits| limits[i] = MotionLimits::UNLIMITED);
                expired += 1;
            }
            least = least.min(&self.limits[threshold as usize][i]);
        }
        if expired * COMPACTION_SHARE >= span.len() {
            self.compact_list(span);
        }
        least
    }

    /// Finds the active candidates and returns the smallest limits of the others.
    fn find_active(&mut self, span: Span, threshold: Threshold, motion: &RelativeMotion) -> MotionLimits {
        let (pairs, limits) = (&self.pairs[span.range()], &self.limits[threshold as usize][span.range()]);
        self.indices.resize(span.len(), 0);
        let (mut least, mut count) = (MotionLimits::UNLIMITED, 0);
        // Branchless: the outcome is unpredictable.
        for (place, candidate_limits) in (span.start..).zip(limits) {
            let is_inactive = candidate_limits.exceed(motion);
            self.indices[count] = place;
            count += usize::from(!is_inactive);
            let others = if is_inactive { *candidate_limits } else { MotionLimits::UNLIMITED };
            least = least.min(&others);
        }
        self.indices.truncate(count);
        self.active.clear();
        self.active.extend(self.indices.iter().map(|&place| {
            let i = (place - span.start) as usize;
            ActiveCandidate { pair: pairs[i], was_within_reach: limits[i].was_within_reach() }
        }));
        least
    }

    /// Removes expired candidates of a list.
    fn compact_list(&mut self, span: &mut Span) {
        let mut kept = span.range().start;
        for i in span.range() {
            if self.limits.iter().any(|limits| !limits[i].is_unlimited()) {
                self.pairs[kept] = self.pairs[i];
                self.limits.iter_mut().for_each(|limits| limits[kept] = limits[i]);
                kept += 1;
            }
        }
        span.len = kept as u32 - span.start;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closes_gaps_and_keeps_the_lists() {
        let mut arena = Arena::default();
        let mut make = |first: u32, len: u32| {
            let start = arena.begin();
            (first..first + len).for_each(|i| {
                arena.push(Candidate { pair: [i, i], limits: [MotionLimits::new(Lower::exact(0.0)); 2] });
            });
            arena.end(start)
        };
        make(0, MIN_GAPS as u32);
        let mut first = make(100_000, 3);
        make(200_000, 50);
        let mut second = make(300_000, 2);
        arena.compact(5, [&mut second, &mut first].into_iter());
        assert_eq!(arena.pairs.len(), 5);
        let ids = |span: Span| arena.pairs[span.range()].iter().map(|pair| pair[0]).collect::<Vec<_>>();
        assert_eq!(ids(first), [100_000, 100_001, 100_002]);
        assert_eq!(ids(second), [300_000, 300_001]);
    }
}
