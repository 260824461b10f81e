//! Candidate lists in one growing array: a list made anew goes to the end, and gaps are closed when they are many.

use cloth_geom::bounds::{Lower, Upper};

use crate::detect::motion::relative_motion::RelativeMotion;
use crate::narrow_phase_error::DISTANCE_ERROR;

/// Who looks at candidates, and within which reach a pair concerns them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Watch {
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
    /// By [`Watch`].
    pub(crate) marks: [Marks; 2],
}

/// Readings of a relative motion (m), rounded down: below them a pair is apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Marks {
    /// Minus infinity for a pair that was within its reach.
    path: f32,
    way: f32,
}

impl Marks {
    pub(crate) const NEVER: Self = Self { path: f32::INFINITY, way: f32::INFINITY };

    /// Of a pair that was `open` (m) beyond its reach when the relative motion began.
    pub(crate) fn new(open: Lower) -> Self {
        let open = open.to_f32();
        Self { path: open, way: open }
    }

    /// Whether one of them is not yet reached by the end of the coming step.
    #[inline]
    pub(crate) fn are_ahead(&self, motion: &RelativeMotion) -> bool {
        (self.path > motion.path_next()) | (self.way > motion.way_next())
    }

    /// Whether they are those of a candidate that concerns nobody.
    fn is_never(&self) -> bool {
        self.path == f32::INFINITY && self.way == f32::INFINITY
    }

    /// Whether the pair was within reach when it was measured.
    fn was_near(&self) -> bool {
        self.path == f32::NEG_INFINITY
    }

    /// Takes in that the pair is `open` (m) beyond its reach now.
    fn measured(&mut self, open: Lower, motion: &RelativeMotion) {
        // The reading of the path is a number; what it bounds is no concern here. The last rounding is covered by that to `f32`.
        let path = Lower::exact(motion.path().get() + open.get());
        self.path = if open.get() > 0.0 { path.to_f32() } else { f32::NEG_INFINITY };
        // Up to the way so far the pair may have come nearer and gone back.
        let way = Lower::exact(open.get() - motion.way().get());
        self.way = self.way.max(way.to_f32());
    }

    #[inline]
    pub(crate) fn least(&self, other: &Self) -> Self {
        let lesser = |a: f32, b: f32| if a < b { a } else { b };
        Self { path: lesser(self.path, other.path), way: lesser(self.way, other.way) }
    }
}

/// The kind of all candidates of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    PointTriangle,
    EdgeEdge,
}

/// A candidate whose marks are reached.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Woken {
    /// `[vertex, face]`, or `[edge, edge]`, ascending.
    pub(crate) pair: [u32; 2],
    /// Whether it was within reach when it was last measured.
    pub(crate) was_near: bool,
}

/// Looks at candidates, a list at a time.
pub(crate) trait Look {
    /// Says of each candidate how far (m) it is open beyond its reach, in their order; or nothing of one that cannot be in contact and was
    /// near. `open` is empty before.
    fn measure(&mut self, kind: Kind, woken: &[Woken], open: &mut Vec<Option<f64>>);

    /// Takes number `k` of those that were last measured, which could be in contact in the coming step.
    fn take(&mut self, kind: Kind, k: usize, pair: [u32; 2]);
}

/// Where a list lies.
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

/// Gaps that are not worth closing.
const LEAST_GAPS: usize = 1 << 10;

/// Of a list, the share of candidates of no concern from which on it is closed up: one in this many.
const WORTH_CLOSING: usize = 8;

/// All lists of one kind: arrays side by side, since nearly every look ends at the marks of one who watches.
#[derive(Clone, Debug, Default)]
pub(crate) struct Arena {
    /// `[vertex, face]`, or `[edge, edge]`, ascending.
    pairs: Vec<[u32; 2]>,
    /// By [`Watch`].
    marks: [Vec<Marks>; 2],
    packed: Packed,
    /// Of the list that is looked at: the places of the candidates whose marks are reached, the candidates, and how far each is open.
    places: Vec<u32>,
    woken: Vec<Woken>,
    open: Vec<Option<f64>>,
}

/// Where lists are put while gaps are closed.
#[derive(Clone, Debug, Default)]
struct Packed {
    pairs: Vec<[u32; 2]>,
    marks: [Vec<Marks>; 2],
}

impl Arena {
    /// Begins a list; what is pushed from now on is its content.
    pub(crate) fn begin(&self) -> usize {
        self.pairs.len()
    }

    pub(crate) fn push(&mut self, candidate: Candidate) {
        self.pairs.push(candidate.pair);
        self.marks.iter_mut().zip(candidate.marks).for_each(|(marks, of_one)| marks.push(of_one));
    }

    /// Ends the list that began there.
    pub(crate) fn end(&self, start: usize) -> Span {
        Span { start: start as u32, len: (self.pairs.len() - start) as u32 }
    }

    /// Forgets all lists.
    pub(crate) fn clear(&mut self) {
        self.pairs.clear();
        self.marks.iter_mut().for_each(Vec::clear);
    }

    /// Closes the gaps between lists, if they make up half of the array. The given lists are all that is kept; they
    /// hold `live` candidates in all.
    pub(crate) fn compact<'a>(&mut self, live: usize, spans: impl Iterator<Item = &'a mut Span>) {
        if self.pairs.len() <= 2 * live + LEAST_GAPS {
            return;
        }
        let packed = &mut self.packed;
        packed.pairs.clear();
        packed.marks.iter_mut().for_each(Vec::clear);
        for span in spans {
            let start = packed.pairs.len() as u32;
            packed.pairs.extend_from_slice(&self.pairs[span.range()]);
            for (packed, marks) in packed.marks.iter_mut().zip(&self.marks) {
                packed.extend_from_slice(&marks[span.range()]);
            }
            span.start = start;
        }
        // Copied back, not swapped: a run that is repeated then finds every array as long as it was.
        self.pairs.clone_from(&packed.pairs);
        self.marks.iter_mut().zip(&packed.marks).for_each(|(marks, packed)| marks.clone_from(packed));
    }

    /// Looks at the candidates of a list whose marks are reached; returns the least marks that are left for those who watch.
    ///
    /// Of the distance (m) that is measured, `rounding` may be wrong. Candidates that cannot be in contact before the list
    /// expires are dropped.
    pub(crate) fn look(
        &mut self,
        (kind, span): (Kind, &mut Span),
        watch: Watch,
        motion: &RelativeMotion,
        (expires, rounding): (f32, Upper),
        look: &mut impl Look,
    ) -> Marks {
        let mut least = self.wake(*span, watch, motion);
        if self.woken.is_empty() {
            return least;
        }
        self.open.clear();
        look.measure(kind, &self.woken, &mut self.open);
        let mut dropped = 0;
        for (k, (&place, woken)) in self.places.iter().zip(&self.woken).enumerate() {
            let i = place as usize;
            let marks = &mut self.marks[watch as usize][i];
            if let Some(open) = self.open[k] {
                // The error of a distance grows with it; of a pair within reach the sign is all that counts.
                marks.measured(Lower::exact(open * (1.0 - 2.0 * DISTANCE_ERROR)) - rounding, motion);
                // Whose marks are ahead again is apart throughout the coming step.
                if !marks.are_ahead(motion) {
                    look.take(kind, k, woken.pair);
                }
            }
            // The reach of contact is the greatest: what cannot be in contact is no concern of anybody.
            if self.marks[Watch::Contact as usize][i].way > expires {
                self.marks.iter_mut().for_each(|marks| marks[i] = Marks::NEVER);
                dropped += 1;
            }
            least = least.least(&self.marks[watch as usize][i]);
        }
        if dropped * WORTH_CLOSING >= span.len() {
            self.close_up(span);
        }
        least
    }

    /// Finds the candidates whose marks are reached; returns the least marks of the others.
    fn wake(&mut self, span: Span, watch: Watch, motion: &RelativeMotion) -> Marks {
        let (pairs, marks) = (&self.pairs[span.range()], &self.marks[watch as usize][span.range()]);
        self.places.resize(span.len(), 0);
        let (mut least, mut count) = (Marks::NEVER, 0);
        // Without a branch: whether a candidate wakes is anybody's guess.
        for (place, of_one) in (span.start..).zip(marks) {
            let is_ahead = of_one.are_ahead(motion);
            self.places[count] = place;
            count += usize::from(!is_ahead);
            let others = if is_ahead { *of_one } else { Marks::NEVER };
            least = least.least(&others);
        }
        self.places.truncate(count);
        self.woken.clear();
        self.woken.extend(self.places.iter().map(|&place| {
            let i = (place - span.start) as usize;
            Woken { pair: pairs[i], was_near: marks[i].was_near() }
        }));
        least
    }

    /// Removes the candidates of a list that concern nobody.
    fn close_up(&mut self, span: &mut Span) {
        let mut kept = span.range().start;
        for i in span.range() {
            if self.marks.iter().any(|marks| !marks[i].is_never()) {
                self.pairs[kept] = self.pairs[i];
                self.marks.iter_mut().for_each(|marks| marks[kept] = marks[i]);
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
                arena.push(Candidate { pair: [i, i], marks: [Marks::new(Lower::exact(0.0)); 2] });
            });
            arena.end(start)
        };
        make(0, LEAST_GAPS as u32);
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
