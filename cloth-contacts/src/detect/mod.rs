//! Contact detection for one step. Stages, each of which uses only those above it:
//!
//! ```text
//! lists         pairs of primitives that may come within reach, kept over many steps
//!    v
//! narrow        closest points and predicted contacts of the pairs that are due
//!    v
//! output        canonical order; sides carried over from the previous step
//! ```
//!
//! Contacts are sorted by (vertex, face) and (edge, edge), independently of the broad phase. The
//! certification gate reuses the lists.

pub(crate) mod narrow;
pub(crate) mod output;

use std::ops::Range;

use cloth_broadphase::{BoxesError, BroadPhase};
use thiserror::Error;

use narrow::NarrowPhaseInput;
use output::history::{carry_directions, carry_sides};
use output::order::Order;

use crate::layers::VertexNormals;
use crate::lists::frames::Path;
use crate::lists::{DuePairs, PairLists, Threshold};
use crate::{Contacts, EdgeEdge, Motion, PointTriangle, Surface, parallel};

/// Errors of contact detection.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum DetectError {
    /// Positions or displacements do not have one entry per vertex of the surface.
    #[error("motion has {got} vertices, but the surface has {expected}")]
    Length {
        /// Number of entries given.
        got: usize,
        /// Number of vertices of the surface.
        expected: usize,
    },
    /// A position or displacement of this vertex is not finite.
    #[error("position or displacement of vertex {0} is not finite; restore a snapshot or reset the cloth")]
    NotFinite(usize),
    /// The least displacement that lists cover is not a finite number, or negative.
    #[error("slack is {0} m; it must be finite and not negative")]
    Slack(f32),
    /// The inverse mass of a vertex is not a finite number, or negative.
    #[error("inverse mass of vertex {vertex} is {value}; it must be finite and not negative: 0 is immovable")]
    InverseMass {
        /// The vertex.
        vertex: usize,
        /// Its inverse mass (1/kg).
        value: f64,
    },
    /// A bounding box is invalid for another reason.
    #[error(transparent)]
    Boxes(BoxesError),
}

/// Statistics of one detection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DetectStats {
    /// Whether all pairs were searched.
    pub searched: bool,
    /// Number of leaves (sets of eight primitives) whose pairs were searched.
    pub lists: usize,
    /// Number of listed pairs.
    pub candidates: usize,
    /// Number of pairs whose closest points were computed.
    pub narrow_phase_tests: usize,
    /// Number of contacts with a negative gap: the pair is on the opposite side of where it was in the
    /// previous step.
    pub crossed: usize,
}

/// Finds contacts; by default with a [`BlockTree`](cloth_broadphase::BlockTree). Keeps lists of pairs and
/// the contacts of the previous step between calls.
///
/// Of this state only [`Detector::history`] affects results; the lists affect running time alone.
#[derive(Clone, Debug, Default)]
pub struct Detector {
    pub(crate) lists: PairLists,
    due: DuePairs,
    /// Contacts and scratch memory of each task.
    found: Vec<narrow::TaskContacts>,
    /// Of point-triangle contacts and of edge-edge contacts.
    orders: [Order; 2],
    previous: Contacts,
    normals: VertexNormals,
}

impl Detector {
    /// A detector that finds near leaves with this broad phase. Contacts do not depend on it.
    #[must_use]
    pub fn with_broad_phase(broad_phase: impl BroadPhase) -> Self {
        Self { lists: PairLists::with_broad_phase(&broad_phase.into_any()), ..Self::default() }
    }

    /// The contacts of the last detection in canonical order. The next detection keeps their sides.
    #[must_use]
    pub fn history(&self) -> &Contacts {
        &self.previous
    }

    /// Replaces [`Detector::history`] by `contacts`, which must be in canonical order. Use it to restore an
    /// earlier state or to correct the side of a contact.
    pub fn set_history(&mut self, contacts: &Contacts) {
        // Field by field, so that allocations are reused.
        self.previous.point_triangles.clone_from(&contacts.point_triangles);
        self.previous.edge_edges.clone_from(&contacts.edge_edges);
    }

    /// Declares the vertices in these ranges dormant, and all others awake. Contacts between dormant vertices
    /// are not reported, and leave the history at the next detection; contacts of dormant vertices with
    /// others are reported. The gate does not examine pairs of dormant vertices either.
    ///
    /// For cloth at rest that is left out of a simulation. Dormant vertices must not move: at the first step
    /// in which one does, all are awake again.
    pub fn set_dormant<'a>(&mut self, surface: &Surface, ranges: impl IntoIterator<Item = &'a Range<usize>>) {
        self.lists.set_dormant(surface.vertex_count(), ranges);
    }

    /// Detects the contacts of a step and writes them to `out`, replacing its content.
    ///
    /// `slack` (m) is the least displacement of a vertex for which pairs are listed. A larger value makes
    /// longer lists that are searched less often; it does not affect the contacts.
    ///
    /// # Errors
    /// If the lengths do not match the surface, or a number is not finite. The history is unchanged.
    pub fn detect(
        &mut self,
        surface: &Surface,
        motion: &Motion<'_>,
        slack: f32,
        out: &mut Contacts,
    ) -> Result<DetectStats, DetectError> {
        check_lengths(surface, motion)?;
        check_finite(motion)?;
        check_slack(slack)?;
        let path = Path::Predicted(motion.displacements);
        let updated = self
            .lists
            .update(surface, motion.positions, &path, slack, Threshold::Contact)
            .map_err(DetectError::Boxes)?;
        if !surface.layers.is_empty() {
            self.normals.measure(&surface.topology, motion.positions);
        }
        let narrow_phase_tests = self.find_contacts(surface, motion);
        self.output(surface, out);
        let crossed = out.point_triangles.iter().filter(|c| c.gap < 0.0).count()
            + out.edge_edges.iter().filter(|c| c.gap < 0.0).count();
        let (searched, lists) = (updated.searched, updated.leaves);
        Ok(DetectStats { searched, lists, candidates: self.lists.len(), narrow_phase_tests, crossed })
    }

    /// Sorts the contacts, carries the sides of the previous step over, and stores the result as history.
    fn output(&mut self, surface: &Surface, out: &mut Contacts) {
        let (found, layers, topology) = (&self.found, &surface.layers, &surface.topology);
        let ([order_points, order_edges], previous) = (&mut self.orders, &mut self.previous);
        let (points, former_points) = (&mut out.point_triangles, &mut previous.point_triangles);
        let (edges, former_edges) = (&mut out.edge_edges, &mut previous.edge_edges);
        parallel::join(
            || {
                let (key, ids) = (|c: &PointTriangle| [c.vertex, c.face], surface.vertex_count());
                order_points.sort(found, |found| &found.contacts.point_triangles, key, ids, points);
                carry_sides(layers, former_points, points);
                former_points.clone_from(points);
            },
            || {
                let (key, ids) = (|c: &EdgeEdge| c.edges, topology.edges().len());
                order_edges.sort(found, |found| &found.contacts.edge_edges, key, ids, edges);
                carry_directions(layers, former_edges, edges);
                former_edges.clone_from(edges);
            },
        );
    }

    /// Returns the number of narrow-phase tests.
    fn find_contacts(&mut self, surface: &Surface, motion: &Motion<'_>) -> usize {
        self.lists.due(surface, Threshold::Contact, None, &mut self.due);
        let input = NarrowPhaseInput { surface, motion, normals: &self.normals };
        narrow::find_contacts(input, &self.due, &mut self.found)
    }

    /// Discards the lists, so that the next detection searches all pairs. Contacts are not affected.
    ///
    /// Lists are valid for any positions, however they came about; far from those of the last search, a
    /// search is cheaper than to add pairs.
    pub fn invalidate_candidates(&mut self) {
        self.lists.reset();
    }

    /// Discards lists and history; the next detection takes the side of each contact from the positions
    /// alone.
    pub fn reset(&mut self) {
        self.invalidate_candidates();
        self.previous.clear();
    }
}

pub(crate) fn check_lengths(surface: &Surface, motion: &Motion<'_>) -> Result<(), DetectError> {
    let expected = surface.vertex_count();
    let wrong = [motion.positions.len(), motion.displacements.len()].into_iter().find(|&n| n != expected);
    wrong.map_or(Ok(()), |got| Err(DetectError::Length { got, expected }))
}

pub(crate) fn check_slack(slack: f32) -> Result<(), DetectError> {
    if slack.is_finite() && slack >= 0.0 { Ok(()) } else { Err(DetectError::Slack(slack)) }
}

pub(crate) fn check_finite(motion: &Motion<'_>) -> Result<(), DetectError> {
    let mut ends = motion.positions.iter().zip(motion.displacements);
    let broken = ends.position(|(p, d)| !(p + d).iter().all(|c| c.is_finite()));
    broken.map_or(Ok(()), |vertex| Err(DetectError::NotFinite(vertex)))
}
