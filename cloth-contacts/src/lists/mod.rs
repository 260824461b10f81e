//! Lists of the pairs of primitives that may come near each other: found by a search, and complete until a
//! vertex is displaced by more than its slack.
//!
//! ```text
//! search:  every pair nearer than   reach + slack of one + slack of the other + what their frames approach
//! due:     the listed pairs whose   separation <= displacement of one + of the other + time x drift
//! ```
//!
//! Displacements are measured in moving frames (`frames`), which falling and turning cloth hardly leaves. The
//! few vertices that exceed their slacks get a larger one, and only their pairs are searched again. Half of
//! the least separation of a primitive's pairs, less what their frames approach until the end, is its budget:
//! while no vertex exceeds it, no pair is looked at.
//!
//! Which pairs are due does not affect results: a pair that is not due is beyond its reach, or its clearance,
//! throughout the motion. The lists are valid for any state, since displacements are measured from the
//! positions of the search.
//!
//! | file | content |
//! |---|---|
//! | `frames` | displacements of vertices in moving frames |
//! | `primitives` | reaches, slacks, budgets and boxes |
//! | `search` | pairs of leaves and of primitives |
//! | `list` | the listed pairs by either primitive |
//! | `due` | which of them are due |
//! | `chord` | which are due on the straight motion of a frame |
//! | `plan` | for how many motions they are made |
//! | `dormant` | vertices that do not move |

#![allow(clippy::neg_cmp_op_on_partial_ord, reason = "what is not a number has to count as near")]

mod chord;
pub(crate) mod dormant;
pub(crate) mod due;
pub(crate) mod frames;
pub(crate) mod list;
mod plan;
pub(crate) mod primitives;
pub(crate) mod search;
#[cfg(test)]
pub(crate) mod tests;

use std::ops::Range;
use std::sync::Arc;

use cloth_broadphase::{AnyBroadPhase, BoxesError};
use cloth_geom::lanes::{self, LANES8, dispatch};
use nalgebra::{Point3, Vector3};

use crate::leaves::{LeafSet, Leaves};
use crate::{Surface, parallel};
use dormant::Dormant;
pub(crate) use due::{Due, DuePairs};
use due::{DueQuery, Sought};
use frames::{Frames, Path};
use list::List;
pub(crate) use list::Threshold;
use plan::Plan;
use primitives::{Primitives, most};
use search::{Found, LeafSearch, NearLeaves, PairSide, SearchInput};

/// The longest time of a predicted motion, in units of the one in which pairs were searched.
const LEAP: f32 = 1.1;

/// Least slack, in mean edge lengths.
const LEAST_SLACK: f32 = 0.02;

/// Largest planned displacement beyond the present motion, in mean edge lengths.
const MOST_PLANNED: f32 = 0.2;

/// Share of the least slack that is planned where the next motion will exceed it.
const ONCE: f32 = 0.2;

/// All pairs are searched, instead of added, where at least one vertex in this many exceeds its slack.
const GROWN_SHARE: usize = 32;

/// The same where this many pairs have been added, and one of this many listed ones is an added one.
const ADDED: usize = 2048;
const ADDED_SHARE: usize = 4;

/// A slack is enlarged if this share of it is exceeded.
const NEARLY: f32 = 0.8;

/// By which factor on the displacement.
const GROWTH: f32 = 1.5;

/// By threshold: all listed pairs are looked at where at least one vertex in this many exceeds its budget.
const ALL_SHARE: [usize; 2] = [8, 3];

/// Statistics of an update.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct UpdateStats {
    /// Whether all pairs were searched.
    pub(crate) searched: bool,
    /// Number of leaves whose pairs were searched.
    pub(crate) leaves: usize,
}

/// Lists of all pairs of a surface that may come near each other.
#[derive(Clone, Debug, Default)]
pub(crate) struct PairLists {
    frames: Frames,
    /// The leaves, and radius, half of the static collision radius and rounding (m) of each vertex for which
    /// `points`, `edges` and `faces` have their reaches.
    leaves: Option<Arc<Leaves>>,
    radii: [Vec<f32>; 3],
    /// Displacement (m) up to which all pairs of each vertex are listed.
    slack: Vec<f32>,
    /// Displacement (m) up to which those are listed that may come within their clearance; and the
    /// difference.
    clearance_slack: Vec<f32>,
    beyond: Vec<f32>,
    /// By threshold: displacement (m) of each vertex below which none of its pairs is due.
    budgets: [Vec<f32>; 2],
    points: Primitives,
    edges: Primitives,
    faces: Primitives,
    point_triangles: List,
    edge_edges: List,
    point_search: LeafSearch,
    edge_search: LeafSearch,
    /// Scratch memory of growth: pairs of leaves, and what was found in them.
    near: Vec<NearLeaves>,
    grown: Found,
    /// Vertices beyond their budgets.
    over: Vec<u32>,
    dormant: Dormant,
    plan: Plan,
    is_valid: bool,
}

impl PairLists {
    pub(crate) fn with_broad_phase(broad_phase: &AnyBroadPhase) -> Self {
        let search = LeafSearch::with_broad_phase(broad_phase);
        Self { point_search: search.clone(), edge_search: search, ..Self::default() }
    }

    /// Declares the vertices in these ranges dormant, and all others awake.
    pub(crate) fn set_dormant<'a>(
        &mut self,
        vertex_count: usize,
        ranges: impl IntoIterator<Item = &'a Range<usize>>,
    ) {
        if self.dormant.set(vertex_count, ranges) {
            self.invalidate();
        }
    }

    /// Discards all lists, so that the next update searches.
    pub(crate) fn invalidate(&mut self) {
        self.is_valid = false;
    }

    /// Discards all that was learnt, so that what follows is as at first.
    pub(crate) fn reset(&mut self) {
        self.invalidate();
        self.plan = Plan::default();
    }

    /// Number of listed pairs.
    pub(crate) fn len(&self) -> usize {
        if self.is_valid { self.point_triangles.len() + self.edge_edges.len() } else { 0 }
    }

    /// Makes the lists complete for a motion. `slack` (m) is the least displacement that is planned for.
    ///
    /// # Errors
    /// If a position or displacement is not finite.
    pub(crate) fn update(
        &mut self,
        surface: &Surface,
        start: &[Point3<f32>],
        path: &Path<'_>,
        slack: f32,
        threshold: Threshold,
    ) -> Result<UpdateStats, BoxesError> {
        if !self.dormant.are_still(start, path) {
            self.dormant.clear();
            self.invalidate();
        }
        let is_predicted = matches!(path, Path::Predicted(_));
        if is_predicted && !self.plan.are_predicted() {
            self.plan = Plan::for_predicted();
        }
        if is_predicted == self.plan.are_predicted() {
            self.plan.serve();
        }
        let leaves = &*surface.leaves;
        if self.is_valid && self.fits(surface) {
            self.frames.measure(start, path);
            if self.is_complete(threshold) {
                return Ok(UpdateStats::default());
            }
            if let Some(leaves) = self.grow(surface, slack, threshold) {
                return Ok(UpdateStats { searched: false, leaves });
            }
        }
        self.is_valid = false;
        self.search(surface, start, path, slack)?;
        self.is_valid = true;
        let leaves = leaves.points.count() + leaves.edges.count() + leaves.faces.count();
        Ok(UpdateStats { searched: true, leaves })
    }

    /// Whether reaches and leaves are those of a surface.
    fn fits(&self, surface: &Surface) -> bool {
        let is_same = self.leaves.as_ref().is_some_and(|leaves| Arc::ptr_eq(leaves, &surface.leaves));
        // Bits are compared many at a time, numbers one by one.
        let equal =
            |a: &[f32], b: &[f32]| bytemuck::cast_slice::<f32, u32>(a) == bytemuck::cast_slice::<f32, u32>(b);
        is_same
            && equal(&self.radii[0], &surface.radius)
            && equal(&self.radii[1], &surface.half_scr)
            && equal(&self.radii[2], &surface.rounding)
    }

    /// Whether every vertex keeps within its slack; false for NaN.
    fn is_complete(&self, threshold: Threshold) -> bool {
        let within = |(displaced, slack): (&f32, &f32)| displaced <= slack;
        let slack = if threshold == Threshold::Contact { &self.slack } else { &self.clearance_slack };
        self.frames.displaced.iter().zip(slack).all(within)
    }

    /// Searches all pairs.
    fn search(
        &mut self,
        surface: &Surface,
        start: &[Point3<f32>],
        path: &Path<'_>,
        slack: f32,
    ) -> Result<(), BoxesError> {
        let leaves = &*surface.leaves;
        let displacement: &dyn Fn(u32) -> Vector3<f32> = match path {
            Path::Predicted(by) => &|v| by[v as usize],
            Path::Linear(end) => &|v| end[v as usize] - start[v as usize],
        };
        // A motion that is certified is a part of the predicted one in which it began.
        let part = match path {
            Path::Linear(_) if self.plan.are_predicted() => {
                (self.frames.times[1] - self.frames.times[0]).clamp(0.05, 1.0)
            }
            _ => 1.0,
        };
        self.plan.begin();
        let (planned, leap) = match path {
            // In a plan for one motion the next predicted one will want lists of its own, and the next one that
            // is certified exceeds the slacks of this one as this one did.
            Path::Linear(_) if !self.plan.are_predicted() || self.plan.is_for_one() => {
                (self.plan.motions() * part, 0.0)
            }
            _ => (self.plan.motions(), LEAP),
        };
        self.frames.begin(leaves, start, displacement, planned, 1.0 / part, leap);
        self.frames.measure(start, path);
        // Lists that serve one motion only need no slack for the next one.
        let outrun = |velocity: &&[f32; 3]| !(Vector3::from(**velocity).norm() <= slack);
        let outrun = self.frames.velocity.iter().filter(outrun).count() * GROWN_SHARE > start.len();
        let share = if self.plan.is_for_one() && outrun { ONCE } else { 1.0 };
        self.slack.clear();
        let planned_slacks =
            self.frames.displaced.iter().zip(&leaves.spacing).map(|(&displaced, &spacing)| {
                let further = ((planned / part - 1.0) * displaced).min(MOST_PLANNED * spacing);
                enlarged(displaced) + share * slack.max(LEAST_SLACK * spacing) + further.max(0.0)
            });
        self.slack.extend(planned_slacks);
        if !self.fits(surface) {
            self.leaves = Some(surface.leaves.clone());
            self.radii[0].clone_from(&surface.radius);
            self.radii[1].clone_from(&surface.half_scr);
            self.radii[2].clone_from(&surface.rounding);
            self.points.set_reaches(&leaves.points, surface);
            self.edges.set_reaches(&leaves.edges, surface);
            self.faces.set_reaches(&leaves.faces, surface);
            self.beyond.clear();
            self.beyond.resize(start.len(), f32::INFINITY);
            spread(&leaves.points, &self.points.beyond_clearance, &mut self.beyond);
            spread(&leaves.edges, &self.edges.beyond_clearance, &mut self.beyond);
            spread(&leaves.faces, &self.faces.beyond_clearance, &mut self.beyond);
        }
        self.find_clearance_slacks();
        let Self { frames, points, edges, faces, point_triangles, edge_edges, .. } = self;
        let Self { point_search, edge_search, slack, dormant, .. } = self;
        let input = SearchInput { surface, frames, dormant, level: lanes::level() };
        let [mut points_found, mut edges_found] = [Ok(()), Ok(())];
        parallel::join(
            || {
                points.begin(&leaves.points, surface, frames, slack);
                faces.begin(&leaves.faces, surface, frames, slack);
                let of_points = PairSide { set: &leaves.points, primitives: points };
                let of_faces = PairSide { set: &leaves.faces, primitives: faces };
                points_found = point_search.point_triangles(input, of_points, of_faces);
                let places = [leaves.points.places(), leaves.faces.places()];
                point_triangles.replace(point_search.found(), places);
                for entry in point_triangles.rows()[0].all() {
                    points.lower(entry.places[0], &entry.budgets);
                    faces.lower(entry.places[1], &entry.budgets);
                }
            },
            || {
                edges.begin(&leaves.edges, surface, frames, slack);
                let of_edges = PairSide { set: &leaves.edges, primitives: edges };
                edges_found = edge_search.edge_edges(input, of_edges);
                edge_edges.replace(edge_search.found(), [leaves.edges.places(); 2]);
                for entry in edge_edges.rows()[0].all() {
                    entry.places.iter().for_each(|&place| edges.lower(place, &entry.budgets));
                }
            },
        );
        points_found.and(edges_found)?;
        self.plan.count(point_search.found(), leaves.points.places() + leaves.faces.places());
        self.plan.count(edge_search.found(), leaves.edges.places());
        for (threshold, budgets) in self.budgets.iter_mut().enumerate() {
            budgets.clear();
            budgets.resize(start.len(), f32::INFINITY);
            spread(&leaves.points, &points.budgets[threshold], budgets);
            spread(&leaves.edges, &edges.budgets[threshold], budgets);
            spread(&leaves.faces, &faces.budgets[threshold], budgets);
        }
        Ok(())
    }

    fn find_clearance_slacks(&mut self) {
        self.clearance_slack.clear();
        self.clearance_slack
            .extend(self.slack.iter().zip(&self.beyond).map(|(slack, beyond)| slack + beyond));
    }

    /// Enlarges the slacks that are exceeded and adds the pairs that they require; the number of leaves that
    /// were searched, or `None` if all should be.
    fn grow(&mut self, surface: &Surface, slack: f32, threshold: Threshold) -> Option<usize> {
        let leaves = &*surface.leaves;
        // Those that will exceed theirs soon are enlarged with them.
        let is_contact = threshold == Threshold::Contact;
        let nearly = |displaced: f32, slack: f32| !(displaced <= NEARLY * slack);
        let enough = if is_contact { &self.slack } else { &self.clearance_slack };
        let displaced = &self.frames.displaced;
        let exceeded = displaced.iter().zip(enough).filter(|(d, s)| nearly(**d, **s)).count();
        let added = self.point_triangles.added() + self.edge_edges.added();
        if exceeded * GROWN_SHARE > self.slack.len() || added > ADDED + self.len() / ADDED_SHARE {
            return None;
        }
        for (v, &displaced) in displaced.iter().enumerate() {
            let beyond = if is_contact { 0.0 } else { self.beyond[v] };
            let own = &mut self.slack[v];
            if nearly(displaced, *own + beyond) {
                let grown = displaced * GROWTH - beyond + slack.max(LEAST_SLACK * leaves.spacing[v]);
                *own = if grown > *own { grown } else { *own };
                // Infinite ones are for the search to refuse.
                if !(displaced <= *own + beyond && displaced < f32::INFINITY) {
                    return None;
                }
            }
        }
        self.find_clearance_slacks();
        let deeper = if surface.layers.is_empty() { 0.0 } else { 0.5 * surface.layers.depth };
        let Self { points, edges, faces, frames, dormant, near, grown, plan, budgets, .. } = self;
        let searched = grow_slacks(points, &leaves.points, &self.slack, frames, deeper)
            + grow_slacks(edges, &leaves.edges, &self.slack, frames, deeper)
            + grow_slacks(faces, &leaves.faces, &self.slack, frames, deeper);
        let input = SearchInput { surface, frames, dormant, level: lanes::level() };
        let of_points = PairSide { set: &leaves.points, primitives: points };
        let of_faces = PairSide { set: &leaves.faces, primitives: faces };
        search::find_near_grown(input, of_points, of_faces, near);
        dispatch!(input.level, simd => grown.search_grown(simd, input, of_points, of_faces, near));
        plan.count(std::slice::from_ref(grown), 0);
        for entry in self.point_triangles.add(&grown.entries) {
            let [a, b] = entry.places;
            points.lower(a, &entry.budgets);
            faces.lower(b, &entry.budgets);
            let vertices = leaves.points.vertices(a).iter().chain(leaves.faces.vertices(b));
            vertices.for_each(|&v| lower_both(budgets, v, &entry.budgets));
        }
        let of_edges = PairSide { set: &leaves.edges, primitives: edges };
        search::find_near_grown(input, of_edges, of_edges, near);
        dispatch!(input.level, simd => grown.search_grown(simd, input, of_edges, of_edges, near));
        plan.count(std::slice::from_ref(grown), 0);
        for entry in self.edge_edges.add(&grown.entries) {
            entry.places.iter().for_each(|&place| edges.lower(place, &entry.budgets));
            let vertices = entry.places.iter().flat_map(|&place| leaves.edges.vertices(place));
            vertices.for_each(|&v| lower_both(budgets, v, &entry.budgets));
        }
        Some(searched)
    }

    /// Replaces `due` by the pairs that may come within the threshold in the motion of the last update. With
    /// `changed`, only those with one of these vertices.
    pub(crate) fn due(
        &mut self,
        surface: &Surface,
        threshold: Threshold,
        changed: Option<&[u32]>,
        due: &mut DuePairs,
    ) {
        let looked_at = self.find_due(surface, threshold, changed, due);
        self.plan.count_due(looked_at, due.point_triangles.len() + due.edge_edges.len());
    }

    /// As [`PairLists::due`], without a trace in the plan; the number of pairs looked at.
    fn find_due(
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
        let query = DueQuery { frames, dormant, threshold };
        let displaced = &*query.frames.displaced;
        let (sought, vertices, beyond) = match changed {
            Some(changed) => (Sought::Changed, changed, None),
            None => {
                let budgets = displaced.iter().zip(&self.budgets[threshold as usize]);
                let over = (0..).zip(budgets).filter(|(_, (displaced, budget))| !(displaced < budget));
                self.over.clear();
                self.over.extend(over.map(|(v, _)| v));
                (Sought::BeyondBudget, &*self.over, Some((displaced, threshold)))
            }
        };
        if vertices.is_empty() {
            return 0;
        }
        let all = changed.is_none() && vertices.len() * ALL_SHARE[threshold as usize] > displaced.len();
        let [mut points_looked_at, mut edges_looked_at] = [0, 0];
        parallel::join(
            || {
                if all {
                    points.find_displacements(&leaves.points, query.frames);
                    faces.find_displacements(&leaves.faces, query.frames);
                } else {
                    points.seek(&leaves.points, vertices, beyond);
                    faces.seek(&leaves.faces, vertices, beyond);
                }
                let points = PairSide { set: &leaves.points, primitives: points };
                let faces = PairSide { set: &leaves.faces, primitives: faces };
                let due = &mut due.point_triangles;
                points_looked_at = match all {
                    true => query.all(point_triangles, points, faces, due),
                    false => query.of_sought(sought, point_triangles, points, faces, due),
                };
            },
            || {
                if all {
                    edges.find_displacements(&leaves.edges, query.frames);
                } else {
                    edges.seek(&leaves.edges, vertices, beyond);
                }
                let edges = PairSide { set: &leaves.edges, primitives: edges };
                let due = &mut due.edge_edges;
                edges_looked_at = match all {
                    true => query.all(edge_edges, edges, edges, due),
                    false => query.of_sought(sought, edge_edges, edges, edges, due),
                };
            },
        );
        points_looked_at + edges_looked_at
    }
}

/// Room for rounding above a displacement (m).
fn enlarged(displaced: f32) -> f32 {
    displaced * 1.02
}

/// Lowers a budget; to NaN for NaN, with which no displacement is below it.
#[inline(always)]
pub(crate) fn lower(budget: &mut f32, to: f32) {
    if !(to >= *budget) {
        *budget = to;
    }
}

/// Lowers the budgets of a vertex, by threshold.
fn lower_both(of_vertices: &mut [Vec<f32>; 2], vertex: u32, budgets: &[f32; 2]) {
    for (of_vertices, &budget) in of_vertices.iter_mut().zip(budgets) {
        lower(&mut of_vertices[vertex as usize], budget);
    }
}

/// Lowers the budgets of vertices to those of their primitives.
fn spread<const N: usize>(set: &LeafSet<N>, budgets: &[f32], of_vertices: &mut [f32]) {
    for (vertices, budgets) in set.vertices.iter().zip(budgets.chunks_exact(LANES8)) {
        for (vertices, &budget) in vertices.iter().zip(budgets) {
            vertices.iter().for_each(|&v| lower(&mut of_vertices[v as usize], budget));
        }
    }
}

/// Enlarges the slacks of primitives to those of their vertices; the number of leaves with such a primitive.
fn grow_slacks<const N: usize>(
    primitives: &mut Primitives,
    set: &LeafSet<N>,
    slack: &[f32],
    frames: &Frames,
    deeper: f32,
) -> usize {
    let mut searched = 0;
    for leaf in 0..set.count() {
        let mut grown = 0;
        for (lane, vertices) in set.vertices[leaf].iter().enumerate() {
            let (own, grown_to) = (&mut primitives.slack[leaf * LANES8 + lane], most(vertices, slack));
            if grown_to > *own {
                *own = grown_to;
                grown |= 1 << lane;
            }
        }
        primitives.grown[leaf] = grown & set.occupied[leaf];
        if fault!(GrowthForgets, grown != 0, leaf) {
            primitives.refit(set, leaf, deeper, &frames.reference);
            searched += 1;
        }
    }
    primitives.refit_grown_nodes(set);
    searched
}
