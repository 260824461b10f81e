//! Monitors the check of one state: reports its progress if it takes long, and stops it at a limit.

use std::ops::ControlFlow;

use cloth_contacts::intersect::CheckProgress;

use super::CheckEvent;
use crate::Interrupt;

/// After so many pairs of triangles, some ten seconds, the first word is said; the next ones at twice as many
/// each.
const FIRST_WORD: u64 = 10_000_000;

/// Nobody can use a list of more intersections, and it fills the memory.
const MAX_INTERSECTIONS: u64 = 10_000_000;

/// What has been seen of the check of a state.
pub(super) struct CheckMonitor {
    interrupt: Interrupt,
    max_pairs: u64,
    next_word: u64,
    /// Pairs of triangles that were decided.
    pub(super) pairs: u64,
}

impl CheckMonitor {
    pub(super) fn new(max_pairs: u64, interrupt: Interrupt) -> Self {
        Self { interrupt, max_pairs, next_word: FIRST_WORD, pairs: 0 }
    }

    /// Takes word of a check, and says whether it goes on.
    pub(super) fn see(
        &mut self,
        progress: CheckProgress,
        on_event: &mut dyn FnMut(CheckEvent),
    ) -> ControlFlow<()> {
        let CheckProgress { pairs, intersections } = progress;
        self.pairs = pairs;
        let is_enough = pairs >= self.max_pairs || intersections >= MAX_INTERSECTIONS;
        if is_enough || self.interrupt.is_requested() {
            return ControlFlow::Break(());
        }
        if pairs >= self.next_word {
            self.next_word = 2 * pairs;
            on_event(CheckEvent::Pairs { pairs, intersections });
        }
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn monitor(max_pairs: u64) -> CheckMonitor {
        CheckMonitor::new(max_pairs, Interrupt::NEVER)
    }

    fn sees(monitor: &mut CheckMonitor, pairs: u64, intersections: u64) -> bool {
        monitor.see(CheckProgress { pairs, intersections }, &mut |_| {}).is_continue()
    }

    #[test]
    fn ends_a_check_of_too_many_pairs_or_intersections() {
        let mut few = monitor(1000);
        assert!(sees(&mut few, 999, MAX_INTERSECTIONS - 1));
        assert!(!sees(&mut few, 1000, 0) && few.pairs == 1000);
        assert!(!sees(&mut monitor(1000), 1, MAX_INTERSECTIONS));
    }

    #[test]
    fn speaks_at_twice_as_many_pairs_each_time() {
        let mut monitor = monitor(u64::MAX);
        for (pairs, next) in [(FIRST_WORD - 1, FIRST_WORD), (FIRST_WORD + 5, 2 * FIRST_WORD + 10)] {
            assert!(sees(&mut monitor, pairs, 0));
            assert_eq!(monitor.next_word, next);
        }
    }
}
