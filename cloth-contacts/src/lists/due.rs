//! Which of the listed pairs are due.

use cloth_geom::MapInline;

use crate::lists::dormant::Dormant;
use crate::lists::frames::Frames;
use crate::lists::list::{Entry, List, Rows, Threshold, may_be_within};
use crate::lists::primitives::{APPROACH_ROUNDING, most};
use crate::lists::search::PairSide;
use crate::parallel;

/// A pair that may come within its reach or clearance.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Due {
    /// `[vertex, face]`, or `[edge, edge]` in ascending order.
    pub(crate) pair: [u32; 2],
    /// Upper bound (m) of its approach in the predicted motion, with the errors of the narrow phase.
    pub(crate) approach: f32,
}

/// The pairs that are due, unordered.
#[derive(Clone, Debug, Default)]
pub(crate) struct DuePairs {
    pub(crate) point_triangles: Vec<Due>,
    pub(crate) edge_edges: Vec<Due>,
    /// Scratch memory of the tasks, by kind.
    pub(crate) memories: [Vec<Vec<Due>>; 2],
}

/// Pairs that one task compares, where all are.
const ENTRIES_AT_ONCE: usize = 4096;

/// Primitives whose rows one task walks.
const ROWS_AT_ONCE: usize = 128;

/// Where the pairs of one kind are put that are due.
pub(crate) struct DueOut<'a> {
    pub(crate) due: &'a mut Vec<Due>,
    pub(crate) memories: &'a mut Vec<Vec<Due>>,
}

/// Whose pairs are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sought {
    /// Those of the primitives beyond their budgets: all that are due.
    BeyondBudget,
    /// Those of the primitives that have changed.
    Changed,
}

/// Which pairs are asked for.
#[derive(Clone, Copy)]
pub(crate) struct DueQuery<'a> {
    pub(crate) frames: &'a Frames,
    pub(crate) dormant: &'a Dormant,
    pub(crate) threshold: Threshold,
}

impl DueQuery<'_> {
    /// Appends the pairs of one kind that are due, of all listed ones; returns their number. The displacements
    /// of all primitives have to be known.
    pub(crate) fn all<const A: usize, const B: usize>(
        &self,
        list: &List,
        a: PairSide<'_, A>,
        b: PairSide<'_, B>,
        DueOut { due, memories }: DueOut<'_>,
    ) -> usize {
        let of = [a.primitives, b.primitives];
        for rows in list.rows() {
            let tasks = rows.all().len().div_ceil(ENTRIES_AT_ONCE);
            parallel::append(due, memories, tasks, |task, due| {
                for entry in rows.all().chunks(ENTRIES_AT_ONCE).nth(task).unwrap_or_default() {
                    let [x, y] = entry.places.map_inline(|place| place as usize);
                    let displaced = of[0].displaced[x] + of[1].displaced[y];
                    self.add_if_due(entry, a, b, displaced, || of[0].coming[x] + of[1].coming[y], due);
                }
            });
        }
        list.len()
    }

    /// Appends the pairs of one kind that are due, of those that have a primitive that is sought; returns the
    /// number of pairs looked at.
    pub(crate) fn of_sought<const A: usize, const B: usize>(
        &self,
        sought: Sought,
        list: &List,
        a: PairSide<'_, A>,
        b: PairSide<'_, B>,
        DueOut { due, memories }: DueOut<'_>,
    ) -> usize {
        let Frames { displaced, coming, .. } = self.frames;
        let visit = |entry: &Entry, due: &mut Vec<Due>| {
            let (vertices, others) = (a.set.vertices(entry.places[0]), b.set.vertices(entry.places[1]));
            let all = most(vertices, displaced) + most(others, displaced);
            self.add_if_due(entry, a, b, all, || most(vertices, coming) + most(others, coming), due);
        };
        // A pair that is due has a primitive that exceeds its budget. It is found by the first one if that
        // is sought.
        let is_within = |displaced: f32, budgets: &[f32; 2]| {
            sought == Sought::BeyondBudget && displaced < budgets[self.threshold as usize]
        };
        let is_found_by_first = |Entry { places: [first, _], budgets, .. }: &Entry| match sought {
            Sought::BeyondBudget => !is_within(most(a.set.vertices(*first), displaced), budgets),
            Sought::Changed => a.primitives.is_sought(*first),
        };
        let of_first = |rows: &Rows, place: u32, due: &mut Vec<Due>| {
            let own = most(a.set.vertices(place), displaced);
            for entry in rows.of_first(place).iter().filter(|entry| !is_within(own, &entry.budgets)) {
                visit(entry, due);
            }
        };
        let of_second = |rows: &Rows, place: u32, due: &mut Vec<Due>| {
            let own = most(b.set.vertices(place), displaced);
            for (index, _) in rows.of_second(place).iter().filter(|(_, budgets)| !is_within(own, budgets)) {
                let entry = rows.entry(*index);
                if !is_found_by_first(entry) {
                    visit(entry, due);
                }
            }
        };
        let [firsts, seconds] = [a.primitives, b.primitives].map_inline(|of| &of.sought);
        let by_first = firsts.len().div_ceil(ROWS_AT_ONCE);
        let tasks = by_first + seconds.len().div_ceil(ROWS_AT_ONCE);
        for rows in list.rows() {
            parallel::append(due, memories, tasks, |task, due| {
                if task < by_first {
                    let places = firsts.chunks(ROWS_AT_ONCE).nth(task).unwrap_or_default();
                    places.iter().for_each(|&place| of_first(rows, place, due));
                } else {
                    let places = seconds.chunks(ROWS_AT_ONCE).nth(task - by_first).unwrap_or_default();
                    places.iter().for_each(|&place| of_second(rows, place, due));
                }
            });
        }
        let in_rows = |rows: &Rows| {
            let by_first = firsts.iter().map(|&place| rows.of_first(place).len());
            by_first.chain(seconds.iter().map(|&place| rows.of_second(place).len())).sum::<usize>()
        };
        list.rows().iter().map(in_rows).sum()
    }

    /// Appends a pair if it is due whose primitives are displaced by this in all (m), of which `coming` is in
    /// the predicted motion.
    #[inline(always)]
    fn add_if_due<const A: usize, const B: usize>(
        &self,
        entry: &Entry,
        a: PairSide<'_, A>,
        b: PairSide<'_, B>,
        displaced: f32,
        coming: impl FnOnce() -> f32,
        due: &mut Vec<Due>,
    ) {
        let Frames { times, coming_time, .. } = *self.frames;
        let [x, y] = entry.places.map_inline(|place| place as usize);
        let beyond = match self.threshold {
            Threshold::Contact => 0.0,
            Threshold::Clearance => a.primitives.beyond_clearance[x] + b.primitives.beyond_clearance[y],
        };
        let by_frames = entry.approach(times) + entry.speed * coming_time;
        let moved = displaced + entry.speed * (times[1] + coming_time);
        let (vertices, others) = (a.set.vertices(x as u32), b.set.vertices(y as u32));
        if may_be_within(entry.separation + beyond, displaced + by_frames, moved)
            && !self.dormant.excludes(vertices, others)
        {
            let mut approach = 0.0;
            if self.threshold == Threshold::Contact {
                // The narrow phase measures the pair at the start: its error is a share of what the
                // primitives extend and of all that they move.
                let error = a.primitives.error[x] + b.primitives.error[y];
                let own = coming() + entry.speed * coming_time;
                approach = own * APPROACH_ROUNDING + error + moved * (APPROACH_ROUNDING - 1.0);
            }
            let pair = [a.set.id(x as u32), b.set.id(y as u32)];
            let pair = if A == B { [pair[0].min(pair[1]), pair[0].max(pair[1])] } else { pair };
            due.push(Due { pair, approach });
        }
    }
}
