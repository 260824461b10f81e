//! Candidate lists in one growing array: a list made anew goes to the end, and gaps are closed when they are many.

use cloth_geom::bounds::{Lower, Upper};

use crate::detect::motion::relative_motion::RelativeMotion;
use crate::narrow_phase_error::DISTANCE_ERROR;

/// Who looks at candidates, and within which reach a pair concerns them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Threshold {
    /// Detection: what could come into contact, by the reach of the surface that the lists are of.
    Contact,
    /// The gate: what could come nearer than its clearance, which is less.
    Clearance,
}

/// A candidate pair, and for each who watches the readings of its patches' relative motion (m) up to either of which it cannot come
/// within their reach.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Candidate {
    /// `[vertex, face]`, or `[edge, edge]`, ascending.
    pub(crate) pair: [u32; 2],
    /// By [`Threshold`].
    pub(crate) limits: [MotionLimits; 2],
}

/// Readings of a relative motion (m), rounded down: below them a pair is apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct MotionLimits {
    /// Minus infinity for a pair that was within its reach.
    path: f32,
    net: f32,
}

impl MotionLimits {
    pub(crate) const UNLIMITED: Self = Self { path: f32::INFINITY, net: f32::INFINITY };

    /// Of a pair that was `separation` (m) beyond its reach when the relative motion began.
    pub(crate) fn new(separation: Lower) -> Self {
        let separation = separation.to_f32();
        Self { path: separation, net: separation }
    }

    /// Whether one of them is not yet reached by the end of the coming step.
    #[inline]
    pub(crate) fn exceed(&self, motion: &RelativeMotion) -> bool {
        (self.path > motion.path_next()) | (self.net > motion.net_next())
    }

    /// Whether they are those of a candidate that concerns nobody.
    fn is_unlimited(&self) -> bool {
        self.path == f32::INFINITY && self.net == f32::INFINITY
    }

    /// Whether the pair was within reach when it was measured.
    fn was_within_reach(&self) -> bool {
        self.path == f32::NEG_INFINITY
    }

    /// Takes in that the pair is `separation` (m) beyond its reach now.
    fn update(&mut self, separation: Lower, motion: &RelativeMotion) {
        // The reading of the path is a number; what it bounds is no concern here. The last rounding is covered by that to `f32`.
        let path = Lower::exact(motion.path().get() + separation.get());
        self.path = if separation.get() > 0.0 { path.to_f32() } else { f32::NEG_INFINITY };
        // Up to the way so far the pair may have come nearer and gone back.
        let net = Lower::exact(separation.get() - motion.net().get());
        self.net = self.net.max(net.to_f32());
    }

    #[inline]
    pub(crate) fn min(&self, other: &Self) -> Self {
        let lesser = |a: f32, b: f32| if a < b { a } else { b };
        Self { path: lesser(self.path, other.path), net: lesser(self.net, other.net) }
    }
}

/// The kind of all candidates of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CandidateKind {
    PointTriangle,
    EdgeEdge,
}

/// A candidate whose marks are reached.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ActiveCandidate {
    /// `[vertex, face]`, or `[edge, edge]`, ascending.
    pub(crate) pair: [u32; 2],
    /// Whether it was within reach when it was last measured.
    pub(crate) was_within_reach: bool,
}

/// Looks at candidates, a list at a time.
pub(crate) trait NarrowPhase {
    /// Says of each candidate how far (m) it is open beyond its reach, in their order; or nothing of one that cannot be in contact and was
    /// near. `separation` is empty before.
    fn measure(
        &mut self,
        kind: CandidateKind,
        active: &[ActiveCandidate],
        separations: &mut Vec<Option<f64>>,
    );

    /// Takes number `k` of those that were last measured, which could be in contact in the coming step.
    fn accept(&mut self, kind: CandidateKind, k: usize, pair: [u32; 2]);
}

/// Where a list lies.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Span {
    new: u32,
    len: u32,
}

impl Span {
    pub(crate) fn len(&self) -> usize {
        self.len as usize
    }

    fn range(&self) -> std::ops::Range<usize> {
        self.new as usize..self.new as usize + self.len as usize
    }
}

/// Gaps that are not worth closing.
const MIN_GAPS: usize = 1 << 10;

/// Of a list, the share of candidates of no concern from which on it is closed up: one in this many.
const COMPACTION_SHARE: usize = 8;

/// All lists of one kind: arrays side by side, since nearly every look ends at the marks of one who watches.
#[derive(Clone, Debug, Default)]
pub(crate) struct Arena {
    /// `[vertex, face]`, or `[edge, edge]`, ascending.
    pairs: Vec<[u32; 2]>,
    /// By [`Threshold`].
    limits: [Vec<MotionLimits>; 2],
    packed: Packed,
    /// Of the list that is looked at: the places of the candidates whose marks are reached, the candidates, and how far each is open.
    indices: Vec<u32>,
    active: Vec<ActiveCandidate>,
    separations: Vec<Option<f64>>,
}

/// Where lists are put while gaps are closed.
#[derive(Clone, Debug, Default)]
struct Packed {
    pairs: Vec<[u32; 2]>,
    limits: [Vec<MotionLimits>; 2],
}

impl Arena {
    /// Begins a list; what is pushed from now on is its content.
    pub(crate) fn begin(&self) -> usize {
        self.pairs.len()
    }

    pub(crate) fn push(&mut self, candidate: Candidate) {
        self.pairs.push(candidate.pair);
        self.limits
            .iter_mut()
            .zip(candidate.limits)
            .for_each(|(limits, limits_of_one)| limits.push(limits_of_one));
    }

    /// Ends the list that began there.
    pub(crate) fn end(&self, new: usize) -> Span {
        Span { new: new as u32, len: (self.pairs.len() - new) as u32 }
    }

    /// Forgets all lists.
    pub(crate) fn clear(&mut self) {
        self.pairs.clear();
        self.limits.iter_mut().for_each(Vec::clear);
    }

    /// Closes the gaps between lists, if they make up half of the array. The given lists are all that is kept; they
    /// hold `live` candidates in all.
    pub(crate) fn compact<'a>(&mut self, live: usize, spans: impl Iterator<Item = &'a mut Span>) {
        if self.pairs.len() <= 2 * live + MIN_GAPS {
            return;
        }
        let packed = &mut self.packed;
        packed.pairs.clear();
        packed.limits.iter_mut().for_each(Vec::clear);
        for span in spans {
            let new = packed.pairs.len() as u32;
            packed.pairs.extend_from_slice(&self.pairs[span.range()]);
            for (packed, limits) in packed.limits.iter_mut().zip(&self.limits) {
                packed.extend_from_slice(&limits[span.range()]);
            }
            span.new = new;
        }
        // Copied back, not swapped: a run that is repeated then finds every array as long as it was.
        self.pairs.clone_from(&packed.pairs);
        self.limits.iter_mut().zip(&packed.limits).for_each(|(limits, packed)| limits.clone_from(packed));
    }

    /// Looks at the candidates of a list whose marks are reached; returns the least marks that are left for those who watch.
    ///
    /// Of the distance (m) that is measured, `rounding` may be wrong. Candidates that cannot be in contact before the list
    /// expires are dropped.
    pub(crate) fn test(
        &mut self,
        (kind, span): (CandidateKind, &mut Span),
        threshold: Threshold,
        motion: &RelativeMotion,
        (expires, rounding): (f32, Upper),
        test: &mut impl NarrowPhase,
    ) -> MotionLimits {
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
                // The error of a distance grows with it; of a pair within reach the sign is all that counts.
                limits.update(Lower::exact(separation * (1.0 - 2.0 * DISTANCE_ERROR)) - rounding, motion);
                // Whose marks are ahead again is apart throughout the coming step.
                if !limits.exceed(motion) {
                    test.accept(kind, k, active.pair);
                }
            }
            // The reach of contact is the greatest: what cannot be in contact is no concern of anybody.
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

    /// Finds the candidates whose marks are reached; returns the least marks of the others.
    fn find_active(&mut self, span: Span, threshold: Threshold, motion: &RelativeMotion) -> MotionLimits {
        let (pairs, limits) = (&self.pairs[span.range()], &self.limits[threshold as usize][span.range()]);
        self.indices.resize(span.len(), 0);
        let (mut least, mut count) = (MotionLimits::UNLIMITED, 0);
        // Without a branch: whether a candidate wakes is anybody's guess.
        for (place, limits_of_one) in (span.new..).zip(limits) {
            let is_inactive = limits_of_one.exceed(motion);
            self.indices[count] = place;
            count += usize::from(!is_inactive);
            let others = if is_inactive { *limits_of_one } else { MotionLimits::UNLIMITED };
            least = least.min(&others);
        }
        self.indices.truncate(count);
        self.active.clear();
        self.active.extend(self.indices.iter().map(|&place| {
            let i = (place - span.new) as usize;
            ActiveCandidate { pair: pairs[i], was_within_reach: limits[i].was_within_reach() }
        }));
        least
    }

    /// Removes the candidates of a list that concern nobody.
    fn compact_list(&mut self, span: &mut Span) {
        let mut kept = span.range().start;
        for i in span.range() {
            if self.limits.iter().any(|limits| !limits[i].is_unlimited()) {
                self.pairs[kept] = self.pairs[i];
                self.limits.iter_mut().for_each(|limits| limits[kept] = limits[i]);
                kept += 1;
            }
        }
        span.len = kept as u32 - span.new;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closes_gaps_and_keeps_the_lists() {
        let mut arena = Arena::default();
        let mut make = |first: u32, len: u32| {
            let new = arena.begin();
            (first..first + len).for_each(|i| {
                arena.push(Candidate { pair: [i, i], limits: [MotionLimits::new(Lower::exact(0.0)); 2] });
            });
            arena.end(new)
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
