//! Which of the listed pairs are due.

use cloth_geom::MapInline;

use crate::leaves::LeafSet;
use crate::lists::PairLists;
use crate::lists::dormant::Dormant;
use crate::lists::frames::Frames;
use crate::lists::list::{Entry, List, Rows, Threshold, may_be_within};
use crate::lists::plan::is_all_cheaper;
use crate::lists::primitives::{APPROACH_ROUNDING, Primitives, max_over};
use crate::lists::search::PairSide;
use crate::{Surface, parallel};

/// Numbers of listed pairs, and of primitives with their pairs, that are one task.
const TASK_SIZE: usize = 2048;
const SELECTED_TASK_SIZE: usize = 128;

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
    /// Scratch memory of the tasks of either kind.
    memories: [Vec<Vec<Due>>; 2],
}

/// The pairs of one kind that are due, and scratch memory.
struct DueOutput<'a> {
    due: &'a mut Vec<Due>,
    memories: &'a mut Vec<Vec<Due>>,
}

/// Which of the listed pairs are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Selection<'a> {
    /// All.
    All,
    /// Those of the primitives that exceed their budgets, which are all that are due. A primitive exceeds its
    /// own only with a vertex that does: these vertices.
    OverBudget(&'a [u32]),
    /// Those of the primitives of these vertices, which have changed.
    Changed(&'a [u32]),
}

impl PairLists {
    /// Replaces `due` by the pairs that may come within the threshold in the motion of the last update. With
    /// `changed`, only those with one of these vertices.
    pub(crate) fn due(
        &mut self,
        surface: &Surface,
        threshold: Threshold,
        changed: Option<&[u32]>,
        due: &mut DuePairs,
    ) {
        let compared = self.find_due(surface, threshold, changed, due);
        self.plan.count_due(compared, due.point_triangles.len() + due.edge_edges.len());
    }

    /// As [`PairLists::due`], without a trace in the plan; the number of pairs that were compared.
    pub(super) fn find_due(
        &mut self,
        surface: &Surface,
        threshold: Threshold,
        changed: Option<&[u32]>,
        due: &mut DuePairs,
    ) -> usize {
        due.point_triangles.clear();
        due.edge_edges.clear();
        let leaves = &*surface.leaves;
        let Self { frames, dormant, points, edges, faces, point_triangles, edge_edges, .. } = self;
        let displaced = &*frames.displaced;
        let selection = match changed {
            Some(changed) => Selection::Changed(changed),
            None => {
                let budgets = displaced.iter().zip(&self.budgets[threshold as usize]);
                let over = (0..).zip(budgets).filter(|(_, (displaced, budget))| !(displaced < budget));
                self.over_budget.clear();
                self.over_budget.extend(over.map(|(v, _)| v));
                match is_all_cheaper(self.over_budget.len(), displaced.len(), threshold) {
                    true => Selection::All,
                    false => Selection::OverBudget(&self.over_budget),
                }
            }
        };
        if matches!(selection, Selection::OverBudget([]) | Selection::Changed([])) {
            return 0;
        }
        let query = DueQuery { frames, dormant, threshold, selection };
        let DuePairs { point_triangles: due_points, edge_edges: due_edges, memories } = due;
        let [of_points, of_edges] = memories;
        let of_points = DueOutput { due: due_points, memories: of_points };
        let of_edges = DueOutput { due: due_edges, memories: of_edges };
        let (of_points, of_edges) = parallel::join(
            || {
                query.prepare(&leaves.points, points);
                query.prepare(&leaves.faces, faces);
                let points = PairSide { set: &leaves.points, primitives: points };
                let faces = PairSide { set: &leaves.faces, primitives: faces };
                query.collect(point_triangles, points, faces, of_points)
            },
            || {
                query.prepare(&leaves.edges, edges);
                let edges = PairSide { set: &leaves.edges, primitives: edges };
                query.collect(edge_edges, edges, edges, of_edges)
            },
        );
        of_points + of_edges
    }
}

/// Which pairs are asked for.
#[derive(Clone, Copy)]
struct DueQuery<'a> {
    frames: &'a Frames,
    dormant: &'a Dormant,
    threshold: Threshold,
    selection: Selection<'a>,
}

impl DueQuery<'_> {
    /// Finds what is needed of the primitives of one kind.
    fn prepare<const N: usize>(&self, set: &LeafSet<N>, primitives: &mut Primitives) {
        match self.selection {
            Selection::All => primitives.find_displacements(set, self.frames),
            Selection::OverBudget(vertices) => {
                primitives.select(set, vertices, Some((&self.frames.displaced, self.threshold)));
            }
            Selection::Changed(vertices) => primitives.select(set, vertices, None),
        }
    }

    /// Appends the pairs of one kind that are due; returns the number of those that were compared.
    fn collect<const A: usize, const B: usize>(
        &self,
        list: &List,
        a: PairSide<'_, A>,
        b: PairSide<'_, B>,
        out: DueOutput<'_>,
    ) -> usize {
        match self.selection {
            Selection::All => self.collect_all(list, a, b, out),
            Selection::OverBudget(_) | Selection::Changed(_) => self.collect_selected(list, a, b, out),
        }
    }

    fn collect_all<const A: usize, const B: usize>(
        &self,
        list: &List,
        a: PairSide<'_, A>,
        b: PairSide<'_, B>,
        DueOutput { due, memories }: DueOutput<'_>,
    ) -> usize {
        for rows in list.rows() {
            parallel::extend_in_pieces(due, memories, rows.all(), TASK_SIZE, |_, entries, due| {
                self.compare(entries, a, b, due)
            });
        }
        list.len()
    }

    fn collect_selected<const A: usize, const B: usize>(
        &self,
        list: &List,
        a: PairSide<'_, A>,
        b: PairSide<'_, B>,
        DueOutput { due, memories }: DueOutput<'_>,
    ) -> usize {
        let mut compared = 0;
        for rows in list.rows() {
            let [first, second] = [a.primitives, b.primitives].map_inline(|of| &of.selected[..]);
            let mut extend = |selected, compare: &(dyn Fn(&[u32], &mut Vec<Due>) -> usize + Sync)| {
                let compare = |_, places: &[u32], due: &mut _| compare(places, due);
                parallel::extend_in_pieces(due, memories, selected, SELECTED_TASK_SIZE, compare)
            };
            compared += extend(first, &|places, due| self.compare_first(rows, places, a, b, due));
            compared += extend(second, &|places, due| self.compare_second(rows, places, a, b, due));
        }
        compared
    }

    /// Appends those of some listed pairs that are due, once the displacements of all primitives are known.
    fn compare<const A: usize, const B: usize>(
        &self,
        entries: &[Entry],
        a: PairSide<'_, A>,
        b: PairSide<'_, B>,
        due: &mut Vec<Due>,
    ) -> usize {
        let of = [a.primitives, b.primitives];
        for entry in entries {
            let [x, y] = entry.places.map_inline(|place| place as usize);
            let displaced = of[0].displaced[x] + of[1].displaced[y];
            let predicted = || of[0].predicted[x] + of[1].predicted[y];
            if let Some(pair) = self.if_due(entry, a, b, displaced, predicted) {
                due.push(pair);
            }
        }
        entries.len()
    }

    /// Appends the pairs of some first primitives that are due, those within their budgets aside; returns
    /// the number of those that were compared.
    fn compare_first<const A: usize, const B: usize>(
        &self,
        rows: &Rows,
        places: &[u32],
        a: PairSide<'_, A>,
        b: PairSide<'_, B>,
        due: &mut Vec<Due>,
    ) -> usize {
        let mut compared = 0;
        for &place in places {
            let own = max_over(a.set.vertices(place), &self.frames.displaced);
            for entry in rows.of_first(place) {
                compared += 1;
                if !self.is_within(own, entry) {
                    due.extend(self.if_selected_due(entry, a, b));
                }
            }
        }
        compared
    }

    /// As [`DueQuery::compare_first`], of second primitives, without the pairs that are found by the first.
    fn compare_second<const A: usize, const B: usize>(
        &self,
        rows: &Rows,
        places: &[u32],
        a: PairSide<'_, A>,
        b: PairSide<'_, B>,
        due: &mut Vec<Due>,
    ) -> usize {
        let displaced = &self.frames.displaced;
        let is_found_by_first = |entry: &Entry| match self.selection {
            Selection::OverBudget(_) => {
                !self.is_within(max_over(a.set.vertices(entry.places[0]), displaced), entry)
            }
            _ => a.primitives.is_selected(entry.places[0]),
        };
        let mut compared = 0;
        for &place in places {
            let own = max_over(b.set.vertices(place), displaced);
            for entry in rows.of_second(place) {
                compared += 1;
                if !self.is_within(own, entry) && !is_found_by_first(entry) {
                    due.extend(self.if_selected_due(entry, a, b));
                }
            }
        }
        compared
    }

    /// Whether a primitive that is displaced by this (m) keeps within the budget of a pair, where pairs are
    /// selected by their budgets. A pair that is due has a primitive that is displaced by more. It is
    /// visited from the first one if that is so of it; of changed primitives, if the first one is selected.
    #[inline(always)]
    fn is_within(&self, displaced: f32, entry: &Entry) -> bool {
        matches!(self.selection, Selection::OverBudget(_))
            && displaced < entry.budgets[self.threshold as usize]
    }

    /// A pair if it is due, whatever its primitives are displaced by.
    #[inline(always)]
    fn if_selected_due<const A: usize, const B: usize>(
        &self,
        entry: &Entry,
        a: PairSide<'_, A>,
        b: PairSide<'_, B>,
    ) -> Option<Due> {
        let Frames { displaced, predicted, .. } = self.frames;
        let (vertices, others) = (a.set.vertices(entry.places[0]), b.set.vertices(entry.places[1]));
        let all = max_over(vertices, displaced) + max_over(others, displaced);
        let predicted = || max_over(vertices, predicted) + max_over(others, predicted);
        self.if_due(entry, a, b, all, predicted)
    }

    /// A pair if it is due whose primitives are displaced by this in all (m), of which `predicted` is in the
    /// predicted motion.
    #[inline(always)]
    fn if_due<const A: usize, const B: usize>(
        &self,
        entry: &Entry,
        a: PairSide<'_, A>,
        b: PairSide<'_, B>,
        displaced: f32,
        predicted: impl FnOnce() -> f32,
    ) -> Option<Due> {
        let Frames { times, predicted_time, .. } = *self.frames;
        let [x, y] = entry.places.map_inline(|place| place as usize);
        let beyond = match self.threshold {
            Threshold::Contact => 0.0,
            Threshold::Clearance => a.primitives.beyond_clearance[x] + b.primitives.beyond_clearance[y],
        };
        let by_frames = entry.approach(times) + entry.speed * predicted_time;
        let moved = displaced + entry.speed * (times[1] + predicted_time);
        let (vertices, others) = (a.set.vertices(x as u32), b.set.vertices(y as u32));
        let is_due = may_be_within(entry.separation + beyond, displaced + by_frames, moved)
            && !self.dormant.excludes(vertices, others);
        is_due.then(|| {
            let mut approach = 0.0;
            if self.threshold == Threshold::Contact {
                // The narrow phase measures the pair at the start: its error is a share of what the
                // primitives extend and of all that they move.
                let error = a.primitives.error[x] + b.primitives.error[y];
                let own = predicted() + entry.speed * predicted_time;
                approach = own * APPROACH_ROUNDING + error + moved * (APPROACH_ROUNDING - 1.0);
            }
            let pair = [a.set.id(x as u32), b.set.id(y as u32)];
            let pair = if A == B { [pair[0].min(pair[1]), pair[0].max(pair[1])] } else { pair };
            Due { pair, approach }
        })
    }
}
