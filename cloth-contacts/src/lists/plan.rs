//! For how long lists are made, and for which slack: those that are made for longer or for more are searched
//! less often, but contain more pairs.
//!
//! What is best depends on the scene and changes with it. It is found by trying, in counted work (nanoseconds
//! of one machine), so that it is the same in every run. No constant here affects a result.

use std::cmp::Ordering;

use crate::lists::frames::Path;
use crate::lists::list::Threshold;
use crate::lists::search::SearchTask;

// The constants were set by hand on `hang`, `drape-sphere`, `twist`, `pile` and `stack`. Below them is what
// half or twice of each, or what is named, makes of the instructions of sixteen steps of the first three
// (small size, in that order).

/// Numbers of predicted motions; and of certified ones where none is predicted. The first is used first.
///
/// The last number of predicted ones goes with more than the least slack alone. With less, and with slacks
/// tried whatever is measured, a frame of `pile` takes 1.2 of its time at the 95th percentile.
const MOTIONS: [f32; 4] = [1.02, 2.0, 3.0, 6.0];
const CERTIFIED_MOTIONS: [f32; 3] = [8.0, 3.0, 1.02];

/// Multiples of the least slack for predicted motions, and which of them is used first; certified ones have
/// the least slack.
///
/// Cloth that is far from everything but its neighbours is searched half as often with four times the slack.
/// Where the neighbours of flat cloth are just out of reach, more than half of it lists them all.
const SLACKS: [f32; 4] = [0.5, 1.0, 2.0, 4.0];
const FIRST_SLACK: usize = 1;

/// Between these ratios of the work of measuring pairs to all other less slack is tried; below them, more.
///
/// 0.5 in place of 0.8, with a trial in six: detection takes 1.2 of its time in `garment`, 0.98 in `hang`,
/// 1.03 in `cape-walk`.
const MUCH_MEASURED: [f64; 2] = [0.8, 2.0];

/// One search in this many tries a plan next to the best one: what it costs to notice that a scene has
/// changed. 8: detection takes 0.98 and 1.09 of its time in `cape-walk` and `twist`.
const TRIAL: usize = 5;

/// A plan that took this many times the work of the best one is tried in one of this many rounds.
const FAR_WORSE: f64 = 1.5;
const RARELY: usize = 8;

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
    /// Of which multiple of the least slack lists are made.
    slack_scale: f32,
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
        let least = self.slack_scale * share * slack_at_least(least, spacing);
        displaced * DISPLACEMENT_MARGIN + least + further.max(0.0)
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

/// Chooses for how many motions and for which slack lists are made: for predicted motions, or where none is
/// predicted, for those that are certified.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plan {
    /// Whether motions are predicted ones.
    are_predicted: bool,
    /// Which numbers of motions and multiples of the slack are in use, and work for a motion with each, as
    /// last seen; 0 if they were never in use.
    used: [usize; 2],
    each: [[f64; SLACKS.len()]; MOTIONS.len()],
    /// Work for the lists in use that is in proportion to the pairs that were measured, and all other of
    /// their searches.
    measured: f64,
    culled: f64,
    /// Number of searches.
    searches: usize,
    /// Number of neighbours that had their turn to be tried.
    turns: usize,
    /// Work for the lists in use, and number of motions that they have served.
    work: f64,
    served: u32,
}

impl Plan {
    /// For predicted motions; the default is for certified ones.
    pub(crate) fn for_predicted() -> Self {
        Self { are_predicted: true, used: [0, FIRST_SLACK], ..Self::default() }
    }

    /// Whether motions are predicted ones.
    pub(crate) fn are_predicted(&self) -> bool {
        self.are_predicted
    }

    /// Number of motions for which the lists in use are made.
    pub(crate) fn motions(&self) -> f32 {
        if self.are_predicted { MOTIONS[self.used[0]] } else { CERTIFIED_MOTIONS[self.used[0]] }
    }

    fn slack_scale(&self) -> f32 {
        if self.are_predicted { SLACKS[self.used[1]] } else { 1.0 }
    }

    /// Whether there is such a plan.
    fn is_plan(&self, [motions, slack]: [usize; 2]) -> bool {
        match self.are_predicted {
            true => slack < SLACKS.len() && motions < MOTIONS.len() - usize::from(slack <= FIRST_SLACK),
            false => slack == 0 && motions < CERTIFIED_MOTIONS.len(),
        }
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
        let slack_scale = self.slack_scale();
        let horizon = Horizon::new(planned, 1.0 / share_of_predicted, prediction);
        Horizon { further, slack_scale, is_for_one, ..horizon }
    }

    /// Chooses the plan of the next lists by the work of those in use.
    fn choose(&mut self) {
        if self.served > 0 && self.work > 0.0 {
            let seen = self.work / f64::from(self.served);
            let each = &mut self.each[self.used[0]][self.used[1]];
            *each = if *each == 0.0 { seen } else { 0.7 * *each + 0.3 * seen };
            self.searches += 1;
            self.used = self.best();
            if self.searches.is_multiple_of(TRIAL)
                && let Some(trial) = self.next_trial()
            {
                self.used = trial;
            }
        }
        self.served = 0;
        (self.work, self.measured, self.culled) = (0.0, 0.0, 0.0);
    }

    /// The plan that took the least work, of those that were in use.
    fn best(&self) -> [usize; 2] {
        let known =
            |&[m, s]: &[usize; 2]| if self.each[m][s] == 0.0 { f64::INFINITY } else { self.each[m][s] };
        let all = (0..MOTIONS.len()).flat_map(|m| (0..SLACKS.len()).map(move |s| [m, s]));
        all.filter(|plan| self.is_plan(*plan))
            .min_by(|a, b| known(a).total_cmp(&known(b)))
            .unwrap_or_default()
    }

    /// Whether another slack may be better than the one in use: more of it where little is measured, less
    /// where that is most of the work, but not all; and back to the least slack in any case.
    fn is_promising(&self, used: usize, other: usize) -> bool {
        let share = self.measured / self.culled;
        match other.cmp(&used) {
            Ordering::Less => used > FIRST_SLACK || (MUCH_MEASURED[0]..MUCH_MEASURED[1]).contains(&share),
            Ordering::Equal => true,
            Ordering::Greater => used < FIRST_SLACK || share < MUCH_MEASURED[0],
        }
    }

    /// The next neighbour of the plan in use that is worth a trial.
    fn next_trial(&mut self) -> Option<[usize; 2]> {
        let [m, s] = self.used;
        let near = [[m.wrapping_sub(1), s], [m, s.wrapping_sub(1)], [m + 1, s], [m, s + 1]];
        for _ in 0..near.len() {
            let [x, y] = near[self.turns % near.len()];
            let is_rare = (self.turns / near.len()).is_multiple_of(RARELY);
            self.turns += 1;
            if self.is_plan([x, y])
                && self.is_promising(s, y)
                && (is_rare || self.each[x][y] <= FAR_WORSE * self.each[m][s])
            {
                return Some([x, y]);
            }
        }
        None
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
        let mut culled = 21.0 * primitives as f64;
        let mut measured = 0.0;
        for task in tasks {
            let [leaves, tested, listed] = [task.leaves, task.tested, task.entries.len()].map(|n| n as f64);
            culled += 75.0 * leaves;
            measured += 39.0 * tested + 10.0 * listed;
        }
        self.work += culled + measured;
        self.culled += culled;
        self.measured += measured;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Uses a plan for predicted motions for a number of searches, with this work for a motion and this ratio
    /// of measured pairs; how often each was in use.
    fn search(
        plan: &mut Plan,
        searches: usize,
        share: f64,
        work: impl Fn([usize; 2]) -> f64,
    ) -> [[usize; SLACKS.len()]; MOTIONS.len()] {
        let mut used = [[0; SLACKS.len()]; MOTIONS.len()];
        for _ in 0..searches {
            plan.choose();
            used[plan.used[0]][plan.used[1]] += 1;
            plan.serve();
            (plan.work, plan.measured, plan.culled) = (work(plan.used), share, 1.0);
        }
        used
    }

    fn steps_between([m, s]: [usize; 2], [x, y]: [usize; 2]) -> f64 {
        (m.abs_diff(x) + s.abs_diff(y)) as f64
    }

    #[test]
    fn the_cheapest_plan_is_used_and_its_neighbours_are_tried() {
        let all = (0..MOTIONS.len()).flat_map(|m| (0..SLACKS.len()).map(move |s| [m, s]));
        for best in all.filter(|plan| Plan::for_predicted().is_plan(*plan)) {
            let share = if best[1] < FIRST_SLACK { 1.0 } else { 0.1 };
            // From the first plan the best one is found step by step.
            let work = |of| 1.0 + 0.1 * steps_between(of, best);
            let used = search(&mut Plan::for_predicted(), 2000, share, work);
            let tried = 2000 - used[best[0]][best[1]];
            assert!((300..450).contains(&tried), "{best:?}: {used:?}");
        }
    }

    #[test]
    fn the_first_plan_is_kept_until_there_is_work() {
        let mut plan = Plan::for_predicted();
        plan.serve();
        plan.choose();
        assert_eq!(plan.used, [0, FIRST_SLACK]);
    }

    #[test]
    fn slack_is_tried_by_how_much_is_measured() {
        let tried = |share| {
            let used = search(&mut Plan::for_predicted(), 200, share, |of| {
                1.0 + steps_between(of, [0, FIRST_SLACK])
            });
            [0, FIRST_SLACK + 1].map(|slack| used[0][slack] > 0)
        };
        assert_eq!([0.1, 1.0, 3.0].map(tried), [[false, true], [true, false], [false, false]]);
    }

    #[test]
    fn a_plan_that_is_far_worse_is_tried_rarely() {
        let tried = |cost: f64| {
            let work =
                |of| if of == [1, FIRST_SLACK] { cost } else { 1.0 + steps_between(of, [0, FIRST_SLACK]) };
            search(&mut Plan::for_predicted(), 3200, 3.0, work)[1][FIRST_SLACK]
        };
        let (near, far) = (tried(1.4), tried(1.6));
        assert!(near > 140 && far > 2 && far * 7 < near, "{near} {far}");
    }

    #[test]
    fn a_scene_that_changes_is_noticed() {
        let mut plan = Plan::for_predicted();
        for (best, share) in [([3, 3], 0.1), ([0, 0], 1.0)] {
            search(&mut plan, 500, share, |of| 1.0 + 0.2 * steps_between(of, best));
            assert_eq!(plan.best(), best);
        }
    }
}
