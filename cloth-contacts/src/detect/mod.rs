//! Detection: from a predicted motion to the contacts that the solver has to respect. A stage uses only those before it:
//!
//! ```text
//! motion       how far patches move relative to each other
//!    v
//! neighbours   pairs of patches that could meet
//!    v
//! lists        primitives of two patches that could meet, each with the motion up to which it sleeps
//!    v
//! narrow       of those that wake the closest points, and which become contacts
//!    v
//! settle       canonical order, with the sides of the step before
//! ```
//!
//! Contacts come in canonical order (vertex, face) and (edge, edge), whatever the broad phase. The gate watches the same lists.

pub(crate) mod lists;
pub(crate) mod motion;
pub(crate) mod narrow;
pub(crate) mod output;
pub(crate) mod patch_pairs;

use cloth_broadphase::{BoxesError, BroadPhase};
use thiserror::Error;

use lists::candidates::Candidates;
use lists::list::Threshold;
use narrow::NarrowPhaseInput;
use output::history::{carry_directions, carry_sides};
use output::order::Order;

use crate::layers::VertexNormals;
use crate::{Contacts, EdgeEdge, Motion, PointTriangle, Surface, parallel};

/// Why contacts cannot be detected.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum DetectError {
    /// The motion has not one entry for each vertex of the surface.
    #[error("motion has {got} vertices, but the surface has {expected}")]
    Length {
        /// Entries given.
        got: usize,
        /// Vertices of the surface.
        expected: usize,
    },
    /// A position or displacement is not finite.
    #[error("position or displacement of vertex {0} is not finite; restore a snapshot or reset the cloth")]
    NotFinite(usize),
    /// A box is invalid for another reason.
    #[error(transparent)]
    Boxes(BoxesError),
}

/// What one detection did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DetectStats {
    /// Whether the broad phase was asked for pairs of patches.
    pub searched: bool,
    /// Candidate lists, of a pair of patches each, that were made anew.
    pub lists: usize,
    /// Candidate pairs in all lists.
    pub candidates: usize,
    /// Candidates whose closest points were computed.
    pub narrow_phase_tests: usize,
    /// Contacts that were found on the wrong side of where they began.
    pub crossed: usize,
}

/// Finds contacts; keeps its candidate lists and the sides of the step before.
///
/// Of what it keeps, only [`Detector::history`] influences a contact; the lists influence times alone.
#[derive(Clone, Debug, Default)]
pub struct Detector<B> {
    candidates: Candidates<B>,
    /// What was found in the lists of each section.
    found: Vec<narrow::SectionContacts>,
    /// Of contacts of vertices with faces, and of edges.
    orders: [Order; 2],
    previous: Contacts,
    normals: VertexNormals,
}

impl<B> Detector<B> {
    /// The contacts of the last detection, in canonical order: the next one keeps their sides.
    #[must_use]
    pub fn history(&self) -> &Contacts {
        &self.previous
    }

    /// Replaces [`Detector::history`] by `contacts`, in canonical order: for a caller who knows better on which side something
    /// belongs than the last step did, or who returns to an earlier state.
    pub fn set_history(&mut self, contacts: &Contacts) {
        // Field by field, so that the old allocations are used again.
        self.previous.point_triangles.clone_from(&contacts.point_triangles);
        self.previous.edge_edges.clone_from(&contacts.edge_edges);
    }
}

impl<B: BroadPhase> Detector<B> {
    /// Detects the contacts of a step into `out`, whose old content is replaced.
    ///
    /// `slack` (m) is the least motion of two patches relative to each other that their candidate list is made to
    /// outlast: more makes for longer lists that are made less often. It changes no contact.
    ///
    /// # Errors
    /// If the motion does not fit the surface, or is not finite. The history is then as it was.
    pub fn detect(
        &mut self,
        surface: &Surface,
        motion: &Motion<'_>,
        slack: f32,
        out: &mut Contacts,
    ) -> Result<DetectStats, DetectError> {
        check_lengths(surface, motion)?;
        check_finite(motion)?;
        let updated = self.candidates.update(surface, motion, slack);
        if updated.is_err() {
            // Lists that were rebuilt in part are complete for no motion.
            self.invalidate_candidates();
        }
        let updated = updated.map_err(DetectError::Boxes)?;
        if !surface.layers.is_empty() {
            self.normals.measure(&surface.topology, motion.positions);
        }
        let narrow_phase_tests = self.find_contacts(surface, motion);
        self.output(surface, out);
        let crossed = out.point_triangles.iter().filter(|c| c.gap < 0.0).count()
            + out.edge_edges.iter().filter(|c| c.gap < 0.0).count();
        let (searched, lists) = (updated.searched, updated.lists);
        Ok(DetectStats { searched, lists, candidates: self.candidates.count(), narrow_phase_tests, crossed })
    }

    /// Puts what was found in canonical order, with the sides of the step before, and remembers it.
    fn output(&mut self, surface: &Surface, out: &mut Contacts) {
        let (found, layers, topology) = (&self.found, &surface.layers, &surface.topology);
        let ([order_points, order_edges], previous) = (&mut self.orders, &mut self.previous);
        let (points, former_points) = (&mut out.point_triangles, &mut previous.point_triangles);
        let (edges, former_edges) = (&mut out.edge_edges, &mut previous.edge_edges);
        parallel::join(
            || {
                let key = (|c: &PointTriangle| [c.vertex, c.face], surface.vertex_count());
                order_points.sort(found, |found| &found.contacts.point_triangles, key, points);
                carry_sides(layers, former_points, points);
                former_points.clone_from(points);
            },
            || {
                let key = (|c: &EdgeEdge| c.edges, topology.edges().len());
                order_edges.sort(found, |found| &found.contacts.edge_edges, key, edges);
                carry_directions(layers, former_edges, edges);
                former_edges.clone_from(edges);
            },
        );
    }

    /// Returns how many candidates were looked at.
    fn find_contacts(&mut self, surface: &Surface, motion: &Motion<'_>) -> usize {
        let input = NarrowPhaseInput { surface, motion, normals: &self.normals };
        self.candidates
            .test(Threshold::Contact, false, &mut self.found, |found, lists| found.find(input, lists));
        self.found.iter().map(|found| found.tests).sum()
    }

    /// The lists, for others who watch the same pairs.
    pub(crate) fn candidates_mut(&mut self) -> &mut Candidates<B> {
        &mut self.candidates
    }

    /// Forgets the candidate lists, so that the next detection rebuilds them. It changes no contact.
    ///
    /// It is for positions that are not those that the last detection led to, as after a teleport or when a state is restored:
    /// the lists would expire one by one. An error does it by itself.
    pub fn invalidate_candidates(&mut self) {
        self.candidates.invalidate();
    }

    /// Forgets lists and history: the next detection takes sides as it finds them.
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

pub(crate) fn check_finite(motion: &Motion<'_>) -> Result<(), DetectError> {
    let mut ends = motion.positions.iter().zip(motion.displacements);
    let broken = ends.position(|(p, d)| !(p + d).iter().all(|c| c.is_finite()));
    broken.map_or(Ok(()), |vertex| Err(DetectError::NotFinite(vertex)))
}
