//! Simultaneous traversal of one tree with itself or of two trees, visiting each pair of nodes once.
//!
//! The recursion depth is at most the sum of both depths, so no explicit stack is needed.

use super::layout::Span;
use crate::box_f32::{BoxF32, LANES};
use crate::run::{ALL, Run};
use crate::sink::Sink;

/// In a matrix of an eight with itself, the lanes behind each row, so that each pair comes once.
const UPPER: u64 = 0x0080_c0e0_f0f8_fcfe;

/// A tree as a query sees it.
pub(super) struct Tree<'a> {
    pub(super) run: Run<'a>,
    pub(super) nodes: &'a [BoxF32],
}

impl Tree<'_> {
    /// Hands over each overlapping pair once, in either order.
    pub(super) fn self_pairs(&self, sink: &mut impl Sink) {
        if !self.run.packets.is_empty() {
            self.within(Span::root(self.run.packets.len()), sink);
        }
    }

    /// Hands over each overlapping pair `(own, other)` once.
    pub(super) fn pairs_with(&self, other: &Tree<'_>, sink: &mut impl Sink) {
        let (own, others) = (self.run.packets.len(), other.run.packets.len());
        if own > 0 && others > 0 {
            self.between(Span::root(own), other, Span::root(others), sink);
        }
    }

    fn within(&self, span: Span, sink: &mut impl Sink) {
        if span.count == 1 {
            self.within_block(span.block, sink);
            return;
        }
        let [left, right] = span.halves();
        self.within(left, sink);
        self.within(right, sink);
        self.between(left, self, right, sink);
    }

    fn within_block(&self, block: usize, sink: &mut impl Sink) {
        let first = block * LANES;
        let rows = ALL >> (LANES - LANES.min(self.run.rows.len() - first));
        let pairs = self.run.overlaps(block, &self.run, first, rows, UPPER);
        self.run.emit(block, &self.run, first, pairs, sink);
    }

    fn between(&self, own: Span, other: &Tree<'_>, theirs: Span, sink: &mut impl Sink) {
        if !self.nodes[own.node].touches(&other.nodes[theirs.node]) {
            return;
        }
        if own.count == 1 && theirs.count == 1 {
            self.between_blocks(own, other, theirs, sink);
        } else if own.count >= theirs.count {
            for half in own.halves() {
                self.between(half, other, theirs, sink);
            }
        } else {
            for half in theirs.halves() {
                self.between(own, other, half, sink);
            }
        }
    }

    fn between_blocks(&self, own: Span, other: &Tree<'_>, theirs: Span, sink: &mut impl Sink) {
        let rows = other.run.packets[theirs.block].touching(&self.nodes[own.node]);
        let first = theirs.block * LANES;
        let pairs = self.run.overlaps(own.block, &other.run, first, rows, u64::MAX);
        self.run.emit(own.block, &other.run, first, pairs, sink);
    }
}
