//! Lists of the pairs of primitives that may come near each other: found by a search, and complete until a
//! vertex is displaced by more than its slack.
//!
//! ```text
//! search:  every pair nearer than   reach + slack of one + slack of the other + what their frames approach
//! due:     the listed pairs whose   separation <= displacement of one + of the other + what their frames
//!                                                 have approached
//! ```
//!
//! The few vertices that exceed their slacks get a larger one, and only their pairs are searched again. Which
//! pairs are due does not affect results: a pair that is not due is beyond its reach, or its clearance,
//! throughout the motion. The lists are valid for any state, since displacements are measured from the
//! positions of the search; nothing expires: a state past the horizon has large displacements.
//!
//! # Words
//!
//! ```text
//!       search                            end                  certified_end
//!   ------0----------------------------------|------------------------|-------> time
//!    reference                               |<----- prediction ----->|
//!         a predicted motion starts here,    |  and goes on here at most
//!         a certified motion is anywhere up to certified_end
//! ```
//!
//! ```text
//! place            a vertex, edge or face by its leaf of eight and its lane; eight leaves are a node
//! reference        positions (m) at the search
//! frame            moving frame that the vertices of a leaf share: they go on as they moved at the search
//! motion           unit of time: the motion at the search, or the predicted one of which that is a share
//! time             how far the frames have gone on, in motions; common to all
//! displacement     how far (m) a vertex is from where its frame has it; small for cloth that falls or turns
//! predicted        of a motion for detection: its displacement (m) and its time, whichever way it goes
//! certified        of a motion for the gate: straight, between two states
//! horizon          for which times lists are made: predicted motions that start by `end`, certified ones
//!                  that end by `certified_end`
//! slack            displacement (m) of a vertex up to which all its pairs are listed
//! reach, clearance distances (m) at which a pair counts for contacts, and for the gate: the lower one
//! beyond           what (m) the reach exceeds the clearance by
//! threshold        which of both counts; on the gate's own surface the reach is its clearance
//! separation       distance (m) of a pair at the search less its reach, and less all errors
//! drift, speed     how fast (m per motion) its frames approach, and move relative to each other at all
//! budget           displacement (m) below which a pair, or all pairs of a primitive or a vertex, are not
//!                  due: half of what is left of the separation when the frames have approached
//! ```
//!
//! # Files
//!
//! | file | content |
//! |---|---|
//! | `frames` | displacements of vertices in moving frames |
//! | `primitives` | reaches, slacks, budgets and boxes |
//! | `plan` | for how long lists are made, and when pairs are added instead of searched |
//! | `rebuild` | the search of all pairs |
//! | `growth` | the search of the pairs of a few vertices |
//! | `search` | pairs of leaves and of primitives |
//! | `list` | the listed pairs by either primitive |
//! | `due` | which of them are due |
//! | `chord` | which are due on the straight motion of a frame |
//! | `dormant` | vertices that do not move |
//! | `validate` | what must hold between all of these |

#![allow(clippy::neg_cmp_op_on_partial_ord, reason = "what is not a number has to count as near")]

mod chord;
pub(crate) mod dormant;
pub(crate) mod due;
pub(crate) mod frames;
mod growth;
pub(crate) mod list;
mod plan;
pub(crate) mod primitives;
mod rebuild;
pub(crate) mod search;
#[cfg(test)]
pub(crate) mod tests;
#[cfg(test)]
mod validate;

use std::ops::Range;
use std::sync::Arc;

use cloth_broadphase::{AnyBroadPhase, BoxesError};
use nalgebra::Point3;

use crate::Surface;
use crate::leaves::Leaves;
use dormant::Dormant;
pub(crate) use due::{Due, DuePairs};
use frames::{Frames, Path};
use growth::Growth;
use list::List;
pub(crate) use list::Threshold;
use plan::Plan;
use primitives::Primitives;
use search::LeafSearch;

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
    /// The leaves for which `points`, `edges` and `faces` have their reaches.
    leaves: Option<Arc<Leaves>>,
    /// What those reaches are made of: radius, half of the static collision radius, and rounding (m) of each
    /// vertex.
    widths: [Vec<f32>; 3],
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
    growths: [Growth; 2],
    /// Vertices that exceed their budgets.
    over_budget: Vec<u32>,
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

    /// Makes the lists complete for a motion. `least_slack` (m) is the least displacement that is planned
    /// for.
    ///
    /// # Errors
    /// If a position or displacement is not finite.
    pub(crate) fn update(
        &mut self,
        surface: &Surface,
        start: &[Point3<f32>],
        path: &Path<'_>,
        least_slack: f32,
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
            if let Some(leaves) = self.grow(surface, least_slack, threshold) {
                return Ok(UpdateStats { searched: false, leaves });
            }
        }
        self.is_valid = false;
        self.rebuild(surface, start, path, least_slack)?;
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
            && equal(&self.widths[0], &surface.radius)
            && equal(&self.widths[1], &surface.half_scr)
            && equal(&self.widths[2], &surface.rounding)
    }

    /// Whether every vertex keeps within its slack; false for NaN.
    fn is_complete(&self, threshold: Threshold) -> bool {
        let within = |(displaced, slack): (&f32, &f32)| displaced <= slack;
        let slack = if threshold == Threshold::Contact { &self.slack } else { &self.clearance_slack };
        self.frames.displaced.iter().zip(slack).all(within)
    }

    fn find_clearance_slacks(&mut self) {
        self.clearance_slack.clear();
        self.clearance_slack
            .extend(self.slack.iter().zip(&self.beyond).map(|(slack, beyond)| slack + beyond));
    }
}
