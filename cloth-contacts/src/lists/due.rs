//! Which of the listed pairs are due.

use cloth_geom::MapInline;

use crate::lists::dormant::Dormant;
use crate::lists::frames::Frames;
use crate::lists::list::{Entry, List, Rows, Threshold, may_be_within};
use crate::lists::primitives::{APPROACH_ROUNDING, most};
use crate::lists::search::PairSide;

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
        due: &mut Vec<Due>,
    ) -> usize {
        let of = [a.primitives, b.primitives];
        for entry in list.rows().iter().flat_map(Rows::all) {
            let [x, y] = entry.places.map_inline(|place| place as usize);
            let displaced = of[0].displaced[x] + of[1].displaced[y];
            self.add_if_due(entry, a, b, displaced, || of[0].coming[x] + of[1].coming[y], due);
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
        due: &mut Vec<Due>,
    ) -> usize {
        let Frames { displaced, coming, .. } = self.frames;
        let mut looked_at = 0;
        let mut visit = |entry: &Entry| {
            let (vertices, others) = (a.set.vertices(entry.places[0]), b.set.vertices(entry.places[1]));
            let all = most(vertices, displaced) + most(others, displaced);
            self.add_if_due(entry, a, b, all, || most(vertices, coming) + most(others, coming), due);
        };
        // A pair that is due has a primitive that exceeds its budget. It is found by the first one if that
        // is sought.
        let is_within = |displaced: f32, entry: &Entry| {
            sought == Sought::BeyondBudget && displaced < entry.budgets[self.threshold as usize]
        };
        let is_found_by_first = |entry: &Entry| match sought {
            Sought::BeyondBudget => !is_within(most(a.set.vertices(entry.places[0]), displaced), entry),
            Sought::Changed => a.primitives.is_sought(entry.places[0]),
        };
        for rows in list.rows() {
            for &place in &a.primitives.sought {
                let own = most(a.set.vertices(place), displaced);
                for entry in rows.of_first(place) {
                    looked_at += 1;
                    if !is_within(own, entry) {
                        visit(entry);
                    }
                }
            }
            for &place in &b.primitives.sought {
                let own = most(b.set.vertices(place), displaced);
                for entry in rows.of_second(place) {
                    looked_at += 1;
                    if !is_within(own, entry) && !is_found_by_first(entry) {
                        visit(entry);
                    }
                }
            }
        }
        looked_at
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
