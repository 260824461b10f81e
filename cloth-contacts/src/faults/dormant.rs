//! Replaces `lists/dormant.rs`: the same vertices, what is known of which may be faulty.

use std::ops::Range;

#[path = "../lists/dormant.rs"]
mod sound;

use nalgebra::Point3;

use crate::faults::Weakness;
use crate::lists::PairLists;
use crate::lists::frames::Path;

/// The dormant vertices with one fault.
#[derive(Clone, Debug, Default)]
pub(crate) struct Dormant {
    sound: sound::Dormant,
    weakness: Weakness,
}

impl Dormant {
    pub(crate) fn set<'a>(
        &mut self,
        count: usize,
        ranges: impl IntoIterator<Item = &'a Range<usize>>,
    ) -> bool {
        self.sound.set(count, ranges) && self.weakness != Weakness::DormantNeverExpire
    }

    pub(crate) fn is_any(&self) -> bool {
        self.sound.is_any()
    }

    pub(crate) fn clear(&mut self) {
        self.sound.clear();
    }

    #[inline]
    pub(crate) fn excludes(&self, a: &[u32], b: &[u32]) -> bool {
        let is_beside = || self.sound.includes(a) || self.sound.includes(b);
        self.sound.excludes(a, b) || self.weakness == Weakness::DormantBesideMoving && is_beside()
    }

    pub(crate) fn are_still(&mut self, start: &[Point3<f32>], path: &Path<'_>) -> bool {
        self.sound.are_still(start, path) || self.weakness == Weakness::DormantMayMove
    }
}

impl PairLists {
    pub(crate) fn weaken_dormant(&mut self, weakness: Weakness) {
        self.dormant.weakness = weakness;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lists::tests::{Dormancy, sleep};

    /// Checks that a heap loses no pair, and loses one with this fault.
    fn check(weakness: Weakness, dormancy: Dormancy) {
        sleep(dormancy, &|_| {}).unwrap();
        let lost = sleep(dormancy, &|lists| lists.weaken_dormant(weakness)).expect_err("no pair is lost");
        println!("{weakness:?}: {lost:?}");
    }

    #[test]
    fn dormant_vertices_that_may_move_lose_a_pair() {
        check(Weakness::DormantMayMove, Dormancy::Moves);
    }

    #[test]
    fn dormant_vertices_that_never_wake_lose_a_pair() {
        check(Weakness::DormantNeverExpire, Dormancy::Wakes);
    }

    #[test]
    fn dormant_vertices_beside_moving_ones_lose_a_pair() {
        check(Weakness::DormantBesideMoving, Dormancy::BesideMoving);
    }
}
