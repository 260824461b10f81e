//! For how many motions lists are made: longer ones are searched less often, but contain more pairs.
//!
//! The best number depends on the scene. It is sought by counted work, in nanoseconds of one machine, so that
//! it is the same in every run.

use crate::lists::search::Found;

/// Chooses for how many motions lists are made: predicted ones, or where none is predicted, those that are
/// certified.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plan {
    /// Whether motions are predicted ones.
    are_predicted: bool,
    /// Which of the plans is in use, and work for a motion with each of them, as last seen; 0 if it was never
    /// in use.
    number: usize,
    each: [f64; PLANS.len()],
    /// Number of searches.
    searches: usize,
    /// Work for the lists in use, and number of motions that they have served.
    work: f64,
    served: u32,
}

/// Numbers of predicted motions; and of certified ones where none is predicted. The first is used first.
const PLANS: [f32; 3] = [1.02, 2.0, 3.0];
const CERTIFIED_PLANS: [f32; PLANS.len()] = [8.0, 3.0, 1.02];

/// One search in this many tries a plan beside the best one.
const TRIAL: usize = 10;

/// A plan that took this many times the work of the best one is tried in one of this many trials.
const FAR_WORSE: f64 = 1.5;
const RARELY: usize = 16;

impl Plan {
    /// For predicted motions; the default is for certified ones.
    pub(crate) fn for_predicted() -> Self {
        Self { are_predicted: true, ..Self::default() }
    }

    /// Whether motions are predicted ones.
    pub(crate) fn are_predicted(&self) -> bool {
        self.are_predicted
    }

    /// Number of motions.
    pub(crate) fn motions(&self) -> f32 {
        if self.are_predicted { PLANS[self.number] } else { CERTIFIED_PLANS[self.number] }
    }

    /// Whether lists are made for one motion.
    pub(crate) fn is_for_one(&self) -> bool {
        self.motions() < 1.5
    }

    /// Ends the lists in use and chooses a plan for the next ones.
    pub(crate) fn begin(&mut self) {
        if self.served > 0 {
            let (each, seen) = (&mut self.each[self.number], self.work / f64::from(self.served));
            *each = if *each == 0.0 { seen } else { 0.7 * *each + 0.3 * seen };
            self.searches += 1;
            let known = |n: &usize| if self.each[*n] == 0.0 { f64::INFINITY } else { self.each[*n] };
            let order = |a: &usize, b: &usize| known(a).total_cmp(&known(b));
            let best = (0..PLANS.len()).min_by(order).unwrap_or(0);
            let trial = match self.searches % (2 * TRIAL) {
                0 => best.saturating_sub(1),
                TRIAL => (best + 1).min(PLANS.len() - 1),
                _ => best,
            };
            let is_far_worse = self.each[trial] > FAR_WORSE * self.each[best];
            let is_rare = (self.searches / (2 * TRIAL)).is_multiple_of(RARELY);
            self.number = if is_far_worse && !is_rare { best } else { trial };
            self.served = 0;
        }
        self.work = 0.0;
    }

    /// Counts a motion that the lists in use serve.
    pub(crate) fn serve(&mut self) {
        self.served += 1;
    }

    /// Counts listed pairs that are looked at, and those of them that are due.
    pub(crate) fn count_due(&mut self, looked_at: usize, due: usize) {
        self.work += 4.0 * looked_at as f64 + 60.0 * due as f64;
    }

    /// Counts a search among this many primitives.
    pub(crate) fn count(&mut self, found: &[Found], primitives: usize) {
        self.work += 36.0 * primitives as f64;
        for part in found {
            let [leaves, tested, listed] = [part.leaves, part.tested, part.entries.len()].map(|n| n as f64);
            self.work += 215.0 * leaves + 25.0 * tested + 21.0 * listed;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many of a number of searches used each plan, with this work for a motion.
    fn used(work: [f64; PLANS.len()], searches: usize) -> [usize; PLANS.len()] {
        let (mut plan, mut used) = (Plan::default(), [0; PLANS.len()]);
        for _ in 0..searches {
            plan.begin();
            used[plan.number] += 1;
            plan.serve();
            plan.work = work[plan.number];
        }
        used
    }

    #[test]
    fn the_cheapest_plan_is_used_and_its_neighbours_are_tried() {
        for best in 0..PLANS.len() {
            let mut work = [1.2_f64; PLANS.len()];
            work[best] = 1.0;
            // From the first plan the last one is found by way of the middle.
            work[1] = work[1].min(1.1);
            let used = used(work, 2000);
            let tried = 2000 - used[best];
            assert!(used[best] > 1750 && (80..220).contains(&tried), "{best}: {used:?}");
        }
    }

    #[test]
    fn a_plan_that_is_far_worse_is_tried_rarely() {
        let near = used([1.0, 1.4, 2.0], 3200)[1];
        let far = used([1.0, 1.6, 2.0], 3200)[1];
        assert!(near > 140 && (2..25).contains(&far), "{near} {far}");
    }
}
