//! Growth: a few vertices that exceed their slacks get larger ones, and the pairs that those require are
//! added.

use cloth_geom::lanes::{self, LANES8, dispatch};

use crate::leaves::{LeafSet, Leaves};
use crate::lists::PairLists;
use crate::lists::frames::Frames;
use crate::lists::list::Threshold;
use crate::lists::plan::{grown_slack, has_to_grow, is_search_cheaper};
use crate::lists::primitives::{Primitives, limit, max_over};
use crate::lists::search::{NearLeaves, PairSide, SearchInput, SearchTask, find_near_grown};
use crate::{Surface, parallel};

/// Number of pairs of leaves per task.
const TASK_SIZE: usize = 256;

/// Scratch memory of growth by pairs of one kind: pairs of leaves, with that of the tasks that find them, and
/// what is listed of them by task. More tasks are kept than the last growth had, for their memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Growth {
    near: Vec<NearLeaves>,
    memories: Vec<Vec<NearLeaves>>,
    tasks: Vec<SearchTask>,
    task_count: usize,
}

impl PairLists {
    /// Enlarges the slacks that are exceeded and adds the pairs that they require; the number of leaves that
    /// were searched, or `None` if all pairs should be. `least_slack` as for [`PairLists::rebuild`].
    pub(super) fn grow(
        &mut self,
        surface: &Surface,
        least_slack: f32,
        threshold: Threshold,
    ) -> Option<usize> {
        if !self.enlarge_slacks(&surface.leaves, least_slack, threshold) {
            return None;
        }
        self.find_clearance_slacks();
        let leaves = &*surface.leaves;
        let deeper = if surface.layers.is_empty() { 0.0 } else { 0.5 * surface.layers.depth };
        let Self { points, edges, faces, frames, slack, dormant, growths, .. } = self;
        let Self { point_triangles, edge_edges, budgets, .. } = self;
        let [of_points, of_edges] = growths;
        let known = [point_triangles.added().len(), edge_edges.added().len()];
        let input = SearchInput { surface, frames, dormant, level: lanes::level() };
        let (grown, grown_edges) = parallel::join(
            || {
                let grown = enlarge(points, &leaves.points, slack, frames, deeper)
                    + enlarge(faces, &leaves.faces, slack, frames, deeper);
                let a = PairSide { set: &leaves.points, primitives: points };
                let b = PairSide { set: &leaves.faces, primitives: faces };
                for entry in point_triangles.add(of_points.search(input, a, b)) {
                    points.limit_budgets(entry.places[0], &entry.budgets);
                    faces.limit_budgets(entry.places[1], &entry.budgets);
                }
                grown
            },
            || {
                let grown = enlarge(edges, &leaves.edges, slack, frames, deeper);
                let both = PairSide { set: &leaves.edges, primitives: edges };
                for entry in edge_edges.add(of_edges.search(input, both, both)) {
                    entry.places.iter().for_each(|&place| edges.limit_budgets(place, &entry.budgets));
                }
                grown
            },
        );
        for entry in &point_triangles.added()[known[0]..] {
            let [a, b] = entry.places;
            let vertices = leaves.points.vertices(a).iter().chain(leaves.faces.vertices(b));
            limit_budgets(budgets, vertices, &entry.budgets);
        }
        for entry in &edge_edges.added()[known[1]..] {
            let vertices = entry.places.iter().flat_map(|&place| leaves.edges.vertices(place));
            limit_budgets(budgets, vertices, &entry.budgets);
        }
        growths.iter().for_each(|growth| self.plan.count(growth.tasks(), 0));
        Some(grown + grown_edges)
    }

    /// Enlarges the slacks of the vertices that exceed theirs, or will soon; returns whether all keep within
    /// them then, and no search of all pairs is cheaper.
    fn enlarge_slacks(&mut self, leaves: &Leaves, least_slack: f32, threshold: Threshold) -> bool {
        let is_contact = threshold == Threshold::Contact;
        let enough = if is_contact { &self.slack } else { &self.clearance_slack };
        let displaced = &self.frames.displaced;
        let growing = displaced.iter().zip(enough).filter(|(d, s)| has_to_grow(**d, **s)).count();
        let added = self.point_triangles.added().len() + self.edge_edges.added().len();
        if is_search_cheaper(growing, displaced.len(), added, self.len()) {
            return false;
        }
        for (v, &displaced) in displaced.iter().enumerate() {
            let beyond = if is_contact { 0.0 } else { self.beyond[v] };
            let own = &mut self.slack[v];
            if has_to_grow(displaced, *own + beyond) {
                let grown = grown_slack(displaced, beyond, leaves.spacing[v], least_slack);
                *own = if grown > *own { grown } else { *own };
                // Infinite ones are for the search to refuse.
                if !(displaced <= *own + beyond && displaced < f32::INFINITY) {
                    return false;
                }
            }
        }
        true
    }
}

impl Growth {
    /// The pairs of one kind that have to be listed now.
    fn search<const A: usize, const B: usize>(
        &mut self,
        input: SearchInput<'_>,
        a: PairSide<'_, A>,
        b: PairSide<'_, B>,
    ) -> &[SearchTask] {
        find_near_grown(input, a, b, &mut self.near, &mut self.memories);
        let near = &self.near;
        self.task_count = near.len().div_ceil(TASK_SIZE);
        self.tasks.resize_with(self.tasks.len().max(self.task_count), SearchTask::default);
        parallel::for_each_numbered(&mut self.tasks[..self.task_count], 1, |number, task| {
            let near = near.chunks(TASK_SIZE).nth(number).unwrap_or_default();
            dispatch!(input.level, simd => task.search_grown(simd, input, a, b, near));
        });
        self.tasks()
    }

    fn tasks(&self) -> &[SearchTask] {
        &self.tasks[..self.task_count]
    }
}

/// Limits the budgets of some vertices to those of a pair, by threshold.
fn limit_budgets<'a>(
    of_vertices: &mut [Vec<f32>; 2],
    vertices: impl Iterator<Item = &'a u32>,
    budgets: &[f32; 2],
) {
    for &v in vertices {
        for (of_vertices, &budget) in of_vertices.iter_mut().zip(budgets) {
            limit(&mut of_vertices[v as usize], budget);
        }
    }
}

/// Enlarges the slacks of primitives to those of their vertices; the number of leaves with such a primitive.
fn enlarge<const N: usize>(
    primitives: &mut Primitives,
    set: &LeafSet<N>,
    slack: &[f32],
    frames: &Frames,
    deeper: f32,
) -> usize {
    let mut searched = 0;
    dispatch!(lanes::level(), simd => for leaf in 0..set.count() {
        let mut grown = 0;
        for (lane, vertices) in set.vertices[leaf].iter().enumerate() {
            let (own, grown_to) = (&mut primitives.slack[leaf * LANES8 + lane], max_over(vertices, slack));
            if grown_to > *own {
                *own = grown_to;
                grown |= 1 << lane;
            }
        }
        primitives.grown[leaf] = grown & set.occupied[leaf];
        if fault!(GrowthForgets, grown != 0, leaf) {
            primitives.refit(simd, set, leaf, deeper, &frames.reference);
            searched += 1;
        }
    });
    primitives.refit_grown_nodes(set);
    searched
}
