//! The search of all pairs, which begins all lists anew.

use cloth_broadphase::BoxesError;
use cloth_geom::lanes::{self, LANES8};
use nalgebra::{Point3, Vector3};

use crate::leaves::{LeafSet, Leaves};
use crate::lists::PairLists;
use crate::lists::frames::Path;
use crate::lists::plan::Horizon;
use crate::lists::primitives::limit;
use crate::lists::search::{PairSide, SearchInput};
use crate::{Surface, parallel};

impl PairLists {
    /// Searches all pairs for some time from the start of a motion on, as the plan has it. `least_slack` (m)
    /// is the least displacement that is planned for.
    ///
    /// # Errors
    /// If a position or displacement is not finite.
    pub(super) fn rebuild(
        &mut self,
        surface: &Surface,
        start: &[Point3<f32>],
        path: &Path<'_>,
        least_slack: f32,
    ) -> Result<(), BoxesError> {
        let leaves = &*surface.leaves;
        let displacement: &dyn Fn(u32) -> Vector3<f32> = match path {
            Path::Predicted(by) => &|v| by[v as usize],
            Path::Linear(end) => &|v| end[v as usize] - start[v as usize],
        };
        let horizon = self.plan.next(path, self.frames.times);
        self.frames.begin(leaves, start, displacement, horizon);
        self.frames.measure(start, path);
        self.plan_slacks(leaves, &horizon, least_slack);
        if !self.fits(surface) {
            self.set_reaches(surface);
        }
        self.find_clearance_slacks();
        self.search(surface)?;
        self.plan.count(self.point_search.tasks(), leaves.points.places() + leaves.faces.places());
        self.plan.count(self.edge_search.tasks(), leaves.edges.places());
        let Self { points, edges, faces, budgets, .. } = self;
        parallel::for_each_numbered(budgets, 1, |threshold, budgets| {
            let of = [&points.budgets, &edges.budgets, &faces.budgets].map(|budgets| &budgets[threshold][..]);
            least_of_primitives(leaves, of, budgets);
        });
        Ok(())
    }

    fn plan_slacks(&mut self, leaves: &Leaves, horizon: &Horizon, least_slack: f32) {
        let Self { frames, slack, .. } = self;
        let is_fast = |velocity: &&[f32; 3]| !(Vector3::from(**velocity).norm() <= least_slack);
        let fast = frames.velocity.iter().filter(is_fast).count();
        let are_fast = Horizon::are_fast(fast, frames.velocity.len());
        let vertices = frames.displaced.iter().zip(&leaves.spacing);
        slack.clear();
        slack.extend(
            vertices.map(|(&displaced, &spacing)| horizon.slack(displaced, spacing, least_slack, are_fast)),
        );
    }

    /// Finds the reaches of all primitives on a surface.
    fn set_reaches(&mut self, surface: &Surface) {
        let leaves = &*surface.leaves;
        self.leaves = Some(surface.leaves.clone());
        self.widths[0].clone_from(&surface.radius);
        self.widths[1].clone_from(&surface.half_scr);
        self.widths[2].clone_from(&surface.rounding);
        let Self { points, edges, faces, beyond, .. } = self;
        points.set_reaches(&leaves.points, surface);
        edges.set_reaches(&leaves.edges, surface);
        faces.set_reaches(&leaves.faces, surface);
        let of = [&points.beyond_clearance, &edges.beyond_clearance, &faces.beyond_clearance];
        least_of_primitives(leaves, of.map(|of| &of[..]), beyond);
    }

    /// Finds and lists all pairs for the slacks of all vertices, with the budgets of their primitives.
    fn search(&mut self, surface: &Surface) -> Result<(), BoxesError> {
        let leaves = &*surface.leaves;
        let Self { frames, dormant, slack, points, edges, faces, .. } = self;
        let Self { point_triangles, edge_edges, point_search, edge_search, .. } = self;
        let input = SearchInput { surface, frames, dormant, level: lanes::level() };
        let [mut points_searched, mut edges_searched] = [Ok(()), Ok(())];
        parallel::join(
            || {
                points.begin(&leaves.points, surface, frames, slack);
                faces.begin(&leaves.faces, surface, frames, slack);
                let of_points = PairSide { set: &leaves.points, primitives: points };
                let of_faces = PairSide { set: &leaves.faces, primitives: faces };
                points_searched = point_search.point_triangles(input, of_points, of_faces);
                let places = [leaves.points.places(), leaves.faces.places()];
                point_triangles.replace(point_search.tasks(), places, |entries| {
                    for entry in entries {
                        points.limit_budgets(entry.places[0], &entry.budgets);
                        faces.limit_budgets(entry.places[1], &entry.budgets);
                    }
                });
            },
            || {
                edges.begin(&leaves.edges, surface, frames, slack);
                let of_edges = PairSide { set: &leaves.edges, primitives: edges };
                edges_searched = edge_search.edge_edges(input, of_edges);
                edge_edges.replace(edge_search.tasks(), [leaves.edges.places(); 2], |entries| {
                    for entry in entries {
                        entry.places.iter().for_each(|&place| edges.limit_budgets(place, &entry.budgets));
                    }
                });
            },
        );
        points_searched.and(edges_searched)
    }
}

/// For each vertex the least of the values of its primitives, which are by place; infinite without any.
pub(super) fn least_of_primitives(
    leaves: &Leaves,
    [points, edges, faces]: [&[f32]; 3],
    of_vertices: &mut Vec<f32>,
) {
    of_vertices.clear();
    of_vertices.resize(leaves.spacing.len(), f32::INFINITY);
    limit_to_primitives(&leaves.points, points, of_vertices);
    limit_to_primitives(&leaves.edges, edges, of_vertices);
    limit_to_primitives(&leaves.faces, faces, of_vertices);
}

/// Limits the values of vertices to those of their primitives.
fn limit_to_primitives<const N: usize>(set: &LeafSet<N>, of_primitives: &[f32], of_vertices: &mut [f32]) {
    for (vertices, numbers) in set.vertices.iter().zip(of_primitives.chunks_exact(LANES8)) {
        for (vertices, &number) in vertices.iter().zip(numbers) {
            vertices.iter().for_each(|&v| limit(&mut of_vertices[v as usize], number));
        }
    }
}
