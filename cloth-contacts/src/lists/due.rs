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
        let [mut of_points, mut of_edges] = [0, 0];
        parallel::join(
            || {
                query.prepare(&leaves.points, points);
                query.prepare(&leaves.faces, faces);
                let points = PairSide { set: &leaves.points, primitives: points };
                let faces = PairSide { set: &leaves.faces, primitives: faces };
                of_points = query.collect(point_triangles, points, faces, &mut due.point_triangles);
            },
            || {
                query.prepare(&leaves.edges, edges);
                let edges = PairSide { set: &leaves.edges, primitives: edges };
                of_edges = query.collect(edge_edges, edges, edges, &mut due.edge_edges);
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
        due: &mut Vec<Due>,
    ) -> usize {
        match self.selection {
            Selection::All => self.collect_all(list, a, b, due),
            Selection::OverBudget(_) | Selection::Changed(_) => self.collect_selected(list, a, b, due),
        }
    }

    fn collect_all<const A: usize, const B: usize>(
        &self,
        list: &List,
        a: PairSide<'_, A>,
        b: PairSide<'_, B>,
        due: &mut Vec<Due>,
    ) -> usize {
        let of = [a.primitives, b.primitives];
        for entry in list.rows().iter().flat_map(Rows::all) {
            let [x, y] = entry.places.map_inline(|place| place as usize);
            let displaced = of[0].displaced[x] + of[1].displaced[y];
            let predicted = || of[0].predicted[x] + of[1].predicted[y];
            if let Some(pair) = self.if_due(entry, a, b, displaced, predicted) {
                due.push(pair);
            }
        }
        list.len()
    }

    fn collect_selected<const A: usize, const B: usize>(
        &self,
        list: &List,
        a: PairSide<'_, A>,
        b: PairSide<'_, B>,
        due: &mut Vec<Due>,
    ) -> usize {
        let Frames { displaced, predicted, .. } = self.frames;
        let mut compared = 0;
        let mut visit = |entry: &Entry| {
            let (vertices, others) = (a.set.vertices(entry.places[0]), b.set.vertices(entry.places[1]));
            let all = max_over(vertices, displaced) + max_over(others, displaced);
            let predicted = || max_over(vertices, predicted) + max_over(others, predicted);
            if let Some(pair) = self.if_due(entry, a, b, all, predicted) {
                due.push(pair);
            }
        };
        // A pair that is due has a primitive that is displaced by more than the budget of the pair. It is
        // visited from the first one if that is so of it; of changed primitives, if the first one is
        // selected.
        let by_budget = matches!(self.selection, Selection::OverBudget(_));
        let is_within =
            |displaced: f32, entry: &Entry| by_budget && displaced < entry.budgets[self.threshold as usize];
        let is_found_by_first = |entry: &Entry| match by_budget {
            true => !is_within(max_over(a.set.vertices(entry.places[0]), displaced), entry),
            false => a.primitives.is_selected(entry.places[0]),
        };
        for rows in list.rows() {
            for &place in &a.primitives.selected {
                let own = max_over(a.set.vertices(place), displaced);
                for entry in rows.of_first(place) {
                    compared += 1;
                    if !is_within(own, entry) {
                        visit(entry);
                    }
                }
            }
            for &place in &b.primitives.selected {
                let own = max_over(b.set.vertices(place), displaced);
                for entry in rows.of_second(place) {
                    compared += 1;
                    if !is_within(own, entry) && !is_found_by_first(entry) {
                        visit(entry);
                    }
                }
            }
        }
        compared
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
