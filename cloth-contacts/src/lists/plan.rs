//! For how long lists are made: those that are made for longer are searched less often, but contain more
//! pairs.
//!
//! The best number of motions depends on the scene. It is found by trying, in counted work (nanoseconds of
//! one machine), so that it is the same in every run. No constant here affects a result.

use crate::lists::frames::Path;
use crate::lists::list::Threshold;
use crate::lists::search::SearchTask;

// The constants were set by hand on `hang`, `drape-sphere`, `twist`, `pile` and `stack`. Below them is what
// half or twice of each, or what is named, makes of the instructions of sixteen steps of the first three
// (small size, in that order).

/// Numbers of predicted motions; and of certified ones where none is predicted. The first is used first.
///
/// With 5 and 8 as well nothing was faster, and `pile` took 1.1 times as long.
const PLANS: [f32; 3] = [1.02, 2.0, 3.0];
const CERTIFIED_PLANS: [f32; PLANS.len()] = [8.0, 3.0, 1.02];

/// One search in this many tries a plan next to the best one: a tenth of the searches is what it costs to
/// notice that a scene has changed.
const TRIAL: usize = 10;

/// A plan that took this many times the work of the best one is tried in one of this many trials.
const FAR_WORSE: f64 = 1.5;
const RARELY: usize = 16;

/// The longest time of a predicted motion: by how much the next one may exceed the one at the search, in the
/// direction of its frame.
///
/// 1.02: 1.00, 0.99, 1.00; 1.5: 1.00, 1.06, 1.00.
const PREDICTION: f32 = 1.1;

/// Least share of a predicted motion that a certified one counts as. It matters where there are more than
/// twenty substeps in a prediction, which none of the three has: 0.02 and 0.2 make no difference.
const LEAST_SHARE: f32 = 0.05;

/// Factor on the displacement in a slack: room for its rounding.
const DISPLACEMENT_MARGIN: f32 = 1.02;

/// Least slack, in mean edge lengths, where the caller asks for less.
///
/// Half: 1.00, 1.00, 1.00; twice: 1.00, 1.00, 0.99. The solver asks for more.
const LEAST_SLACK: f32 = 0.02;

/// Largest planned displacement beyond the present motion, in mean edge lengths: with more, the neighbours of
/// flat cloth are listed.
///
/// Half: 1.00, 1.02, 1.00; twice: 1.00, 1.00, 1.00.
const MAX_PLANNED: f32 = 0.2;

/// Share of the least slack that is planned where lists serve one motion, since the next one will exceed them
/// in any case.
///
/// 0: 1.00, 0.97, 1.00; 1: 1.00, 1.16, 1.00.
const SLACK_OF_ONE_MOTION: f32 = 0.2;

/// A slack is enlarged if this share of it is exceeded, by this factor on the displacement.
///
/// 0.6: 0.99, 1.02, 1.00; 1: 1.01, 1.02, 1.00. 1.1: 0.97, 1.00, 1.00; 2: 1.01, 1.02, 1.00.
const GROWTH_THRESHOLD: f32 = 0.8;
const GROWTH_FACTOR: f32 = 1.5;

/// All pairs are searched, instead of added, where more than one vertex in this many has to get a larger
/// slack.
///
/// 16: 1.09, 1.01, 1.00; 64: 1.00, 1.01, 1.00.
const GROWN_SHARE: usize = 32;

/// The same where more pairs have been added than this many and one in this many listed ones.
///
/// 512 in place of 2048: 0.97, 1.00, 1.00; half and twice of the share: no difference.
const ADDED: usize = 2048;
const ADDED_SHARE: usize = 4;

/// By threshold: all listed pairs are compared where more than one vertex in this many exceeds its budget.
///
/// 4 and 16, and 2 and 6: within 0.4 %.
const ALL_SHARE: [usize; 2] = [8, 3];

/// For which times lists are made.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Horizon {
    /// The latest start of a predicted motion.
    pub(crate) end: f32,
    /// The longest time of a predicted motion; 0 where lists serve certified motions alone.
    pub(crate) prediction: f32,
    /// The latest end of a certified motion: the sum of both.
    pub(crate) certified_end: f32,
    /// What the frames move in a unit of time, as a multiple of the motion at the search.
    pub(crate) scale: f32,
    /// How many times the motion at the search is planned for once more.
    further: f32,
    is_for_one: bool,
}

impl Horizon {
    /// Lists for a number of motions, of which the last may be a predicted one of the longest time
    /// `prediction`.
    pub(crate) fn new(motions: f32, scale: f32, prediction: f32) -> Self {
        let end = if prediction > 0.0 { motions - 1.0 } else { motions };
        Self { end, prediction, certified_end: end + prediction, scale, ..Self::default() }
    }

    /// The latest time at which a motion starts if it is predicted, and at which it ends if it is certified.
    pub(crate) fn end_of(&self, path: &Path<'_>) -> f32 {
        match path {
            Path::Predicted(_) => self.end,
            Path::Linear(_) => self.certified_end,
        }
    }

    /// Displacement (m) up to which all pairs of a vertex are to be listed, from its displacement (m) in the
    /// motion at the search, the mean length of its edges (m), and the least slack (m). `are_fast` says
    /// whether [`Horizon::are_fast`].
    pub(crate) fn slack(&self, displaced: f32, spacing: f32, least: f32, are_fast: bool) -> f32 {
        let share = if self.is_for_one && are_fast { SLACK_OF_ONE_MOTION } else { 1.0 };
        let further = (self.further * displaced).min(MAX_PLANNED * spacing);
        displaced * DISPLACEMENT_MARGIN + share * slack_at_least(least, spacing) + further.max(0.0)
    }

    /// Whether so many of all vertices move by more than their least slack that lists for one motion will not
    /// serve another one.
    pub(crate) fn are_fast(fast: usize, vertices: usize) -> bool {
        fast * GROWN_SHARE > vertices
    }
}

/// The least slack (m) of a vertex with this mean length of its edges (m).
fn slack_at_least(least: f32, spacing: f32) -> f32 {
    least.max(LEAST_SLACK * spacing)
}

/// Whether a displacement (m) exceeds a slack (m) or nearly does, so that it has to grow; true for NaN.
pub(crate) fn has_to_grow(displaced: f32, slack: f32) -> bool {
    !(displaced <= GROWTH_THRESHOLD * slack)
}

/// What a slack (m) grows to for a displacement (m) that it exceeds or nearly does, `beyond` (m) of which it
/// need not cover.
pub(crate) fn grown_slack(displaced: f32, beyond: f32, spacing: f32, least: f32) -> f32 {
    displaced * GROWTH_FACTOR - beyond + slack_at_least(least, spacing)
}

/// Whether all pairs should be searched instead of those of the vertices whose slacks have to grow.
pub(crate) fn is_search_cheaper(growing: usize, vertices: usize, added: usize, listed: usize) -> bool {
    growing * GROWN_SHARE > vertices || added > ADDED + listed / ADDED_SHARE
}

/// Whether all listed pairs should be compared instead of those of the vertices beyond their budgets.
pub(crate) fn is_all_cheaper(beyond_budget: usize, vertices: usize, threshold: Threshold) -> bool {
    beyond_budget * ALL_SHARE[threshold as usize] > vertices
}

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

impl Plan {
    /// For predicted motions; the default is for certified ones.
    pub(crate) fn for_predicted() -> Self {
        Self { are_predicted: true, ..Self::default() }
    }

    /// Whether motions are predicted ones.
    pub(crate) fn are_predicted(&self) -> bool {
        self.are_predicted
    }

    /// Number of motions for which the lists in use are made.
    pub(crate) fn motions(&self) -> f32 {
        if self.are_predicted { PLANS[self.number] } else { CERTIFIED_PLANS[self.number] }
    }

    /// Ends the lists in use and plans the next ones, for a search at the start of a motion. `times` are
    /// those at both ends of the motion that was measured last, of a certified one its share of the predicted
    /// one.
    pub(crate) fn next(&mut self, path: &Path<'_>, times: [f32; 2]) -> Horizon {
        // A motion that is certified is a share of the predicted one in which it began.
        let share_of_predicted = match path {
            Path::Linear(_) if self.are_predicted => (times[1] - times[0]).clamp(LEAST_SHARE, 1.0),
            _ => 1.0,
        };
        self.choose();
        let motions = self.motions();
        let is_for_one = motions < 1.5;
        let (planned, prediction) = match path {
            // In a plan for one motion the next predicted one will want lists of its own, and the next one
            // that is certified exceeds the slacks of this one as this one did.
            Path::Linear(_) if !self.are_predicted || is_for_one => (motions * share_of_predicted, 0.0),
            _ => (motions, PREDICTION),
        };
        let further = planned / share_of_predicted - 1.0;
        Horizon { further, is_for_one, ..Horizon::new(planned, 1.0 / share_of_predicted, prediction) }
    }

    /// Chooses the plan of the next lists by the work of those in use.
    fn choose(&mut self) {
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
    pub(crate) fn count(&mut self, tasks: &[SearchTask], primitives: usize) {
        self.work += 36.0 * primitives as f64;
        for task in tasks {
            let [leaves, tested, listed] = [task.leaves, task.tested, task.entries.len()].map(|n| n as f64);
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
            plan.choose();
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
