//! Monitors the check of one state: reports its progress if it takes long, and stops it at a limit.

use std::ops::ControlFlow;
use std::path::Path;

use cloth_contacts::intersect::CheckProgress;

use crate::console::{self, count};
use crate::interrupt::INTERRUPT;

/// After so many pairs of triangles, some ten seconds, the first word is said; the next ones at twice as many
/// each.
const FIRST_WORD: u64 = 10_000_000;

/// Nobody can use a list of more intersections, and it fills the memory.
const MAX_INTERSECTIONS: u64 = 10_000_000;

/// What has been seen of the check of a state.
pub(super) struct CheckMonitor<'a> {
    path: &'a Path,
    max_pairs: u64,
    next_word: u64,
    /// Pairs of triangles that were decided.
    pub(super) pairs: u64,
}

impl<'a> CheckMonitor<'a> {
    pub(super) fn new(path: &'a Path, max_pairs: u64) -> Self {
        Self { path, max_pairs, next_word: FIRST_WORD, pairs: 0 }
    }

    /// Takes word of a check, and says whether it goes on.
    pub(super) fn see(&mut self, progress: CheckProgress) -> ControlFlow<()> {
        let CheckProgress { pairs, intersections } = progress;
        self.pairs = pairs;
        let is_enough = pairs >= self.max_pairs || intersections >= MAX_INTERSECTIONS;
        if is_enough || INTERRUPT.is_requested() {
            return ControlFlow::Break(());
        }
        if pairs >= self.next_word {
            self.next_word = 2 * pairs;
            let [pairs, found] = [pairs, intersections].map(|n| count(n as usize));
            let path = self.path.display();
            console::error(format!(
                "{path}: {pairs} pairs of triangles checked, {found} intersections so far"
            ));
        }
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sees(monitor: &mut CheckMonitor<'_>, pairs: u64, intersections: u64) -> bool {
        monitor.see(CheckProgress { pairs, intersections }).is_continue()
    }

    #[test]
    fn ends_a_check_of_too_many_pairs_or_intersections() {
        let mut monitor = CheckMonitor::new(Path::new("a.obj"), 1000);
        assert!(sees(&mut monitor, 999, MAX_INTERSECTIONS - 1));
        assert!(!sees(&mut monitor, 1000, 0) && monitor.pairs == 1000);
        assert!(!sees(&mut CheckMonitor::new(Path::new("a.obj"), 1000), 1, MAX_INTERSECTIONS));
    }

    #[test]
    fn speaks_at_twice_as_many_pairs_each_time() {
        let mut monitor = CheckMonitor::new(Path::new("a.obj"), u64::MAX);
        for (pairs, next) in [(FIRST_WORD - 1, FIRST_WORD), (FIRST_WORD + 5, 2 * FIRST_WORD + 10)] {
            assert!(sees(&mut monitor, pairs, 0));
            assert_eq!(monitor.next_word, next);
        }
    }
}
