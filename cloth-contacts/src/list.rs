//! Candidate lists in one growing array: a list made anew goes to the end, and gaps are closed when they are many.

use cloth_geom::bounds::{Lower, Upper};

use crate::drift::DISTANCE_ERROR;
use crate::relative_motion::RelativeMotion;

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
        self.path > motion.path_next() || self.way > motion.way_next()
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

    pub(crate) fn least(&self, other: &Self) -> Self {
        Self { path: self.path.min(other.path), way: self.way.min(other.way) }
    }
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
const LEAST_GAPS: usize = 1 << 12;

/// All lists of one kind.
#[derive(Clone, Debug, Default)]
pub(crate) struct Arena {
    items: Vec<Candidate>,
    packed: Vec<Candidate>,
}

impl Arena {
    /// Begins a list; what is pushed from now on is its content.
    pub(crate) fn begin(&self) -> usize {
        self.items.len()
    }

    pub(crate) fn push(&mut self, candidate: Candidate) {
        self.items.push(candidate);
    }

    /// Ends the list that began there.
    pub(crate) fn end(&self, start: usize) -> Span {
        Span { start: start as u32, len: (self.items.len() - start) as u32 }
    }

    /// The candidates of a list.
    pub(crate) fn of(&self, span: Span) -> &[Candidate] {
        &self.items[span.range()]
    }

    /// Forgets all lists.
    pub(crate) fn clear(&mut self) {
        self.items.clear();
    }

    /// Closes the gaps between lists, if they make up half of the array. The given lists are all that is kept; they
    /// hold `live` candidates in all.
    pub(crate) fn compact<'a>(&mut self, live: usize, spans: impl Iterator<Item = &'a mut Span>) {
        if self.items.len() <= 2 * live + LEAST_GAPS {
            return;
        }
        self.packed.clear();
        for span in spans {
            let start = self.packed.len() as u32;
            self.packed.extend_from_slice(&self.items[span.range()]);
            span.start = start;
        }
        // Copied back, not swapped: a run that is repeated then finds every array as long as it was.
        self.items.clear();
        self.items.extend_from_slice(&self.packed);
    }

    /// Looks at the candidates of a list whose marks are reached; returns the least marks that are left for those who watch.
    ///
    /// `open` says how far (m) a pair is beyond their reach; of that, `rounding` may be wrong. It is told whether the pair
    /// was within reach before, and may then say nothing. Candidates that cannot be in contact before the list
    /// expires are dropped.
    pub(crate) fn look(
        &mut self,
        span: &mut Span,
        watch: Watch,
        motion: &RelativeMotion,
        (expires, rounding): (f32, Upper),
        open: &mut impl FnMut([u32; 2], bool) -> Option<f64>,
    ) -> Marks {
        let items = &mut self.items[span.range()];
        let (mut least, mut kept) = (Marks::NEVER, 0);
        for i in 0..items.len() {
            let Candidate { pair, marks: mut of_all } = items[i];
            let mut marks = of_all[watch as usize];
            if !marks.are_ahead(motion)
                && let Some(open) = open(pair, marks.was_near())
            {
                // The error of a distance grows with it; of a pair within reach the sign is all that counts.
                marks.measured(Lower::exact(open * (1.0 - 2.0 * DISTANCE_ERROR)) - rounding, motion);
            }
            of_all[watch as usize] = marks;
            // The reach of contact is the greatest: what cannot be in contact is no concern of anybody.
            if of_all[Watch::Contact as usize].way <= expires {
                least = least.least(&marks);
                items[kept] = Candidate { pair, marks: of_all };
                kept += 1;
            }
        }
        span.len = kept as u32;
        least
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
        assert_eq!(arena.items.len(), 5);
        let ids = |span: Span| arena.of(span).iter().map(|c| c.pair[0]).collect::<Vec<_>>();
        assert_eq!(ids(first), [100_000, 100_001, 100_002]);
        assert_eq!(ids(second), [300_000, 300_001]);
    }
}
