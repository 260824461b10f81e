//! Replaces `lists/skipping.rs`: the same numbers, one of which may be faulty.

use cloth_geom::lanes::Lanes8;

#[path = "../lists/skipping.rs"]
mod sound;

use crate::Detector;
use crate::faults::Weakness;

/// The numbers with one fault.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Skipping {
    sound: sound::Skipping,
    weakness: Weakness,
}

impl Skipping {
    pub(crate) fn with_weakness(weakness: Weakness) -> Self {
        Self { weakness, ..Self::default() }
    }

    fn scaled(self, weakness: Weakness, factor: f32) -> f32 {
        if self.weakness == weakness { factor } else { 1.0 }
    }

    pub(crate) fn displacement(self, bound: Lanes8) -> Lanes8 {
        let short = Lanes8::splat(self.scaled(Weakness::DisplacementShort, 0.99));
        self.sound.displacement(bound) * short
    }

    pub(crate) fn end(self, end: f32) -> f32 {
        self.sound.end(end) * self.scaled(Weakness::EndLate, 1.05)
    }

    pub(crate) fn before_search(self, time: f32) -> f32 {
        self.sound.before_search(time) * self.scaled(Weakness::BeforeSearchIgnored, 0.0)
    }

    pub(crate) fn slack(self, slack: f32) -> f32 {
        self.sound.slack(slack) * self.scaled(Weakness::SlackShort, 0.99)
    }

    pub(crate) fn separation(self, measured: f32, error: f32) -> f32 {
        self.sound.separation(measured, error * self.scaled(Weakness::SeparationUnrounded, -1.0))
    }

    pub(crate) fn budget(self, budget: f32) -> f32 {
        self.sound.budget(budget) * self.scaled(Weakness::BudgetLong, 1.01)
    }

    pub(crate) fn grows(self, leaf: usize) -> bool {
        self.sound.grows(leaf) && !(self.weakness == Weakness::GrowthForgets && leaf.is_multiple_of(3))
    }
}

impl Detector {
    /// Injects a fault into the lists.
    #[doc(hidden)]
    pub fn weaken(&mut self, weakness: Weakness) {
        self.lists.skipping = Skipping::with_weakness(weakness);
        self.lists.weaken_dormant(weakness);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gate::chord_tests::{self, FalselyCertified, approach_within_slack, part_since_before};
    use crate::lists::tests::{
        Lost, Seen, approach_beyond_budgets, approach_by_all_slack, dive_one_by_one, fly_until_the_end,
        touch_from_afar,
    };

    /// Checks that motions lose no pair, and lose one with this fault.
    fn check(weakness: Weakness, motions: fn(Skipping) -> Result<Seen, Lost>) {
        motions(Skipping::default()).unwrap();
        let lost = motions(Skipping::with_weakness(weakness)).expect_err("no pair is lost");
        println!("{weakness:?}: {lost:?}");
    }

    /// Checks that no chord is falsely certified, and that one is with this fault.
    fn check_chords(weakness: Weakness, chords: fn(Skipping) -> Result<chord_tests::Seen, FalselyCertified>) {
        chords(Skipping::default()).unwrap();
        let found = chords(Skipping::with_weakness(weakness)).expect_err("no chord is falsely certified");
        println!("{weakness:?}: {found:?}");
    }

    #[test]
    fn displacements_one_per_cent_short_certify_a_chord_with_crossings() {
        check_chords(Weakness::DisplacementShort, approach_within_slack);
    }

    #[test]
    fn motion_before_the_search_that_is_ignored_certifies_a_chord_with_crossings() {
        check_chords(Weakness::BeforeSearchIgnored, part_since_before);
    }

    #[test]
    fn displacements_one_per_cent_short_lose_a_pair() {
        check(Weakness::DisplacementShort, approach_by_all_slack);
    }

    #[test]
    fn slacks_one_per_cent_short_lose_a_pair() {
        check(Weakness::SlackShort, approach_by_all_slack);
    }

    #[test]
    fn budgets_one_per_cent_long_lose_a_pair() {
        check(Weakness::BudgetLong, approach_beyond_budgets);
    }

    #[test]
    fn frames_used_five_per_cent_too_long_lose_a_pair() {
        check(Weakness::EndLate, fly_until_the_end);
    }

    #[test]
    fn separations_without_their_error_lose_a_pair() {
        check(Weakness::SeparationUnrounded, touch_from_afar);
    }

    #[test]
    fn growth_that_forgets_leaves_loses_a_pair() {
        check(Weakness::GrowthForgets, dive_one_by_one);
    }
}
