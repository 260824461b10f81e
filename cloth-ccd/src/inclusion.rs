//! Inclusion-based continuous collision detection: parts of the domain that certainly hold no contact are dropped,
//! others cut.
//!
//! Wang, Ferguson, Schneider, Jiang, Attene and Panozzo, "A Large Scale Benchmark and an Inclusion-Based Algorithm for
//! Continuous Collision Detection", TOG 2021 ("Tight Inclusion"). What it proves, it proves in `f64` with derived
//! bounds for any finite coordinates; what it cannot prove it calls an impact.
//!
//! It differs from the paper, all for speed and for fewer false impacts:
//!
//! - a cell is dropped by a separating direction of its corners' hull, not only by their box;
//! - triangles are cut along their longest edge, so that there is no half of the parameter square to leave out;
//! - cells are taken by time and not by level: the first that is small enough is the answer, and nothing later was looked at;
//! - errors are what rounding took from the very values at hand, and not a bound for the whole query.

pub(super) mod cell;
pub(super) mod difference;
pub(super) mod directions;

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use self::cell::{Cell, CellVerdict};
use self::difference::Difference;
use super::{Ccd, CcdError, Query, Toi, check};

/// The inclusion-based method: never misses, is never late, and may call near misses impacts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inclusion {
    /// Size (m) of the image of a part of the domain below which it counts as an impact unless it is proved free.
    ///
    /// Only misses nearer than this may be called impacts for it, and few of these are. A time of impact is early by
    /// about the time that it takes to move so far. By default a micrometre, as in the paper: a thread is a hundred
    /// times as thick. A thousandth of it takes half as long again.
    pub tolerance: f64,
    /// Most parts that are looked at in a query; then the earliest that is still open counts as an impact.
    ///
    /// By default 10,000, a few milliseconds; a few hundred are the rule for an impact. Three of the 2,824 public
    /// queries reach it, all of them impacts, edges whose distance rounding hides for a while: their times are early by
    /// up to 0.002 of the step.
    pub max_checks: u32,
}

impl Default for Inclusion {
    fn default() -> Self {
        Self { tolerance: 1e-6, max_checks: 10_000 }
    }
}

impl Ccd for Inclusion {
    fn impact(&self, query: &Query, distance: f64) -> Result<Option<Toi>, CcdError> {
        check(query, distance)?;
        let time = match query {
            Query::PointPoint(corners) => self.earliest(&Difference::<1>::new(corners, distance)),
            Query::PointEdge(corners) => self.earliest(&Difference::<2>::new(corners, distance)),
            Query::PointTriangle(corners) => self.earliest(&Difference::<3>::new(corners, distance)),
            Query::EdgeEdge(corners) => self.earliest(&Difference::<4>::new(corners, distance)),
        };
        Ok(time.map(Toi::no_earlier_than))
    }
}

impl Inclusion {
    /// The earliest time at which a cell cannot be proved free.
    fn earliest<const K: usize>(&self, difference: &Difference<K>) -> Option<f64> {
        let tolerance = difference.scaled(self.tolerance);
        let mut open = BinaryHeap::new();
        open.extend(OpenCell::unless_free(Cell::whole(difference), difference.distance));
        let mut checks = 1;
        while let Some(OpenCell { cell, verdict }) = open.pop() {
            let time = cell.time;
            let Some(bisection) = cell.bisection(tolerance, verdict).filter(|_| checks < self.max_checks)
            else {
                return Some(time);
            };
            open.extend(
                cell.bisect(bisection)
                    .into_iter()
                    .filter_map(|half| OpenCell::unless_free(half, difference.distance)),
            );
            checks += 2;
        }
        None
    }
}

/// A cell that may hold an impact; the greatest is the earliest, and of those the smallest, so that the search goes
/// deep first.
struct OpenCell<const K: usize> {
    cell: Cell<K>,
    verdict: CellVerdict,
}

impl<const K: usize> OpenCell<K> {
    fn unless_free(cell: Cell<K>, distance: f64) -> Option<Self> {
        let verdict = cell.verdict(distance);
        (verdict != CellVerdict::Free).then_some(Self { cell, verdict })
    }

    fn key(&self) -> (Reverse<u64>, u32) {
        // Times are not negative, so they are ordered as their bits are.
        (Reverse(self.cell.time.to_bits()), self.cell.depth)
    }
}

impl<const K: usize> Ord for OpenCell<K> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

impl<const K: usize> PartialOrd for OpenCell<K> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<const K: usize> PartialEq for OpenCell<K> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<const K: usize> Eq for OpenCell<K> {}

#[cfg(test)]
pub(super) mod corpus;

#[cfg(test)]
pub(super) mod trials;

#[cfg(test)]
mod tests;
