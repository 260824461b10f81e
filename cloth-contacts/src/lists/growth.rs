//! Growth: a few vertices that exceed their slacks get larger ones, and the pairs that those require are
//! added.

use cloth_geom::lanes::{self, LANES8, dispatch};

use crate::Surface;
use crate::leaves::{LeafSet, Leaves};
use crate::lists::PairLists;
use crate::lists::frames::Frames;
use crate::lists::list::Threshold;
use crate::lists::plan::{grown_slack, has_to_grow, is_search_cheaper};
use crate::lists::primitives::{Primitives, limit, max_over};
use crate::lists::search::{PairSide, SearchInput, find_near_grown};

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
        let Self { points, edges, faces, frames, slack, .. } = self;
        let searched = enlarge(points, &leaves.points, slack, frames, deeper)
            + enlarge(edges, &leaves.edges, slack, frames, deeper)
            + enlarge(faces, &leaves.faces, slack, frames, deeper);
        self.add_point_triangles(surface);
        self.add_edge_edges(surface);
        Some(searched)
    }

    /// Enlarges the slacks of the vertices that exceed theirs, or will soon; returns whether all keep within
    /// them then, and no search of all pairs is cheaper.
    fn enlarge_slacks(&mut self, leaves: &Leaves, least_slack: f32, threshold: Threshold) -> bool {
        let is_contact = threshold == Threshold::Contact;
        let enough = if is_contact { &self.slack } else { &self.clearance_slack };
        let displaced = &self.frames.displaced;
        let growing = displaced.iter().zip(enough).filter(|(d, s)| has_to_grow(**d, **s)).count();
        let added = self.point_triangles.added() + self.edge_edges.added();
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

    fn add_point_triangles(&mut self, surface: &Surface) {
        let leaves = &*surface.leaves;
        let Self { points, faces, frames, dormant, near, growth, plan, budgets, point_triangles, .. } = self;
        let input = SearchInput { surface, frames, dormant, level: lanes::level() };
        let of_points = PairSide { set: &leaves.points, primitives: points };
        let of_faces = PairSide { set: &leaves.faces, primitives: faces };
        find_near_grown(input, of_points, of_faces, near);
        dispatch!(input.level, simd => growth.search_grown(simd, input, of_points, of_faces, near));
        plan.count(std::slice::from_ref(growth), 0);
        for entry in point_triangles.add(&growth.entries) {
            let [a, b] = entry.places;
            points.limit_budgets(a, &entry.budgets);
            faces.limit_budgets(b, &entry.budgets);
            let vertices = leaves.points.vertices(a).iter().chain(leaves.faces.vertices(b));
            limit_budgets(budgets, vertices, &entry.budgets);
        }
    }

    fn add_edge_edges(&mut self, surface: &Surface) {
        let leaves = &*surface.leaves;
        let Self { edges, frames, dormant, near, growth, plan, budgets, edge_edges, .. } = self;
        let input = SearchInput { surface, frames, dormant, level: lanes::level() };
        let of_edges = PairSide { set: &leaves.edges, primitives: edges };
        find_near_grown(input, of_edges, of_edges, near);
        dispatch!(input.level, simd => growth.search_grown(simd, input, of_edges, of_edges, near));
        plan.count(std::slice::from_ref(growth), 0);
        for entry in edge_edges.add(&growth.entries) {
            entry.places.iter().for_each(|&place| edges.limit_budgets(place, &entry.budgets));
            let vertices = entry.places.iter().flat_map(|&place| leaves.edges.vertices(place));
            limit_budgets(budgets, vertices, &entry.budgets);
        }
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
