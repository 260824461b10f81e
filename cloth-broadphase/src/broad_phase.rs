//! The contract of every broad phase: report exactly the overlapping pairs of boxes.
//!
//! All implementations report the same set. The order of the visits is unspecified, and each pair is visited
//! once; the provided methods sort the pairs into canonical order. To add an implementation, write the three
//! required methods in a file of its own and call `conformance_suite!` with it.

use std::fmt::Debug;

use crate::{AnyBroadPhase, Boxes, PairFilter, Pairs};

/// Reports which boxes overlap: exactly the set that [`BruteForce`](crate::BruteForce) reports.
///
/// Boxes are closed: boxes that touch overlap.
///
/// The supertraits let a detector, and a simulation with it, own any broad phase, be cloned and be shared
/// between threads.
pub trait BroadPhase: Clone + Debug + Default + Send + Sync + 'static {
    /// Takes a new state of the boxes: moved, more or fewer. Cheapest when their number stays and they moved
    /// little.
    fn update(&mut self, boxes: &Boxes);

    /// Visits each overlapping pair of own boxes that the filter allows once, as `(a, b)` with `a < b`.
    fn visit_self_pairs(&self, filter: &PairFilter<'_>, visit: &mut impl FnMut(u32, u32));

    /// Visits each overlapping pair `(own, other)` that the filter allows once.
    fn visit_pairs_with(&self, other: &Boxes, filter: &PairFilter<'_>, visit: &mut impl FnMut(u32, u32));

    /// Collects the pairs of own boxes in canonical order.
    fn self_pairs(&self, filter: &PairFilter<'_>, out: &mut Pairs) {
        out.refill(|found| self.visit_self_pairs(filter, &mut |a, b| found.push([a, b])));
    }

    /// Collects the pairs `[own, other]` in canonical order.
    fn pairs_with(&self, other: &Boxes, filter: &PairFilter<'_>, out: &mut Pairs) {
        out.refill(|found| self.visit_pairs_with(other, filter, &mut |a, b| found.push([a, b])));
    }

    /// This broad phase without its type, for owners without a type parameter.
    fn into_any(self) -> AnyBroadPhase {
        AnyBroadPhase::boxed(self)
    }
}
