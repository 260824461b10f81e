//! The detection stage: from a predicted motion to the contacts that the solver has to respect.
//!
//! ```text
//! pairs of patches -> candidate lists -> those whose mark is reached -> closest points
//!                                                                             |
//!                                                                             v
//! predict -> one contact for each shared feature -> canonical order -> sides of the step before
//! ```
//!
//! Contacts come in canonical order (vertex, face) and (edge, edge), whatever the broad phase.

use cloth_broadphase::{BoxesError, BroadPhase};
use cloth_geom::closest::{point_triangle as closest_on_triangle, segment_segment};
use thiserror::Error;

use crate::candidates::Candidates;
use crate::history::carry_over;
use crate::layers::{Normals, settle_edge_edge, settle_point_triangle};
use crate::list::Watch;
use crate::order::Order;
use crate::{EdgeEdge, Motion, PointTriangle, Surface, edge_edge, point_triangle};

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

/// The contacts of one step, in canonical order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Contacts {
    /// Vertex against face, by (vertex, face).
    pub point_triangles: Vec<PointTriangle>,
    /// Edge against edge, by (edge, edge).
    pub edge_edges: Vec<EdgeEdge>,
}

impl Contacts {
    /// How many contacts there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.point_triangles.len() + self.edge_edges.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Removes all contacts, keeping the allocations.
    pub fn clear(&mut self) {
        self.point_triangles.clear();
        self.edge_edges.clear();
    }
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
    pub looks: usize,
    /// Contacts that were found on the wrong side of where they began.
    pub crossed: usize,
}

/// Finds contacts; keeps its candidate lists and the sides of the step before.
///
/// Of what it keeps, only [`Detector::history`] influences a contact; the lists influence times alone.
#[derive(Clone, Debug, Default)]
pub struct Detector<B> {
    candidates: Candidates<B>,
    /// Contacts as they are found.
    found: Contacts,
    order: Order,
    previous: Contacts,
    normals: Normals,
}

impl<B> Detector<B> {
    /// The contacts of the last detection, in canonical order: the next one keeps their sides.
    #[must_use]
    pub fn history(&self) -> &Contacts {
        &self.previous
    }

    /// Replaces [`Detector::history`] by `contacts`, in canonical order: for a caller who knows better on which side something
    /// belongs than the last step did, or who returns to an earlier state.
    pub fn remember(&mut self, contacts: &Contacts) {
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
            self.forget_lists();
        }
        let updated = updated.map_err(DetectError::Boxes)?;
        if !surface.layers.is_empty() {
            self.normals.measure(&surface.topology, motion.positions);
        }
        let looks = self.find_contacts(surface, motion);
        self.order.sort(&self.found.point_triangles, |c| [c.vertex, c.face], &mut out.point_triangles);
        self.order.sort(&self.found.edge_edges, |c| c.edges, &mut out.edge_edges);
        carry_over(&surface.layers, &self.previous, out);
        self.remember(out);
        let crossed = out.point_triangles.iter().filter(|c| c.gap < 0.0).count()
            + out.edge_edges.iter().filter(|c| c.gap < 0.0).count();
        let (searched, lists) = (updated.searched, updated.lists);
        Ok(DetectStats { searched, lists, candidates: self.candidates.count(), looks, crossed })
    }

    /// Returns how many candidates were looked at.
    fn find_contacts(&mut self, surface: &Surface, motion: &Motion<'_>) -> usize {
        let Contacts { point_triangles, edge_edges } = &mut self.found;
        point_triangles.clear();
        edge_edges.clear();
        let (mut points, mut edges) = (0, 0);
        let normals = &self.normals;
        self.candidates.look(
            Watch::Contact,
            |pair, _near| {
                let (open, contact) = point_triangle_contact(surface, motion, normals, pair);
                point_triangles.extend(contact);
                points += 1;
                Some(open)
            },
            |pair, near| {
                let [a, b] = pair.map(|e| surface.topology.edges()[e as usize]);
                let query = motion.edge_edge(a, b);
                if near && edge_edge::closest_at_an_end(&query) {
                    return None;
                }
                let (open, contact) = edge_edge_contact(surface, &query, normals, pair);
                edge_edges.extend(contact);
                edges += 1;
                Some(open)
            },
        );
        points + edges
    }

    /// The lists, for others who watch the same pairs.
    pub(crate) fn candidates_mut(&mut self) -> &mut Candidates<B> {
        &mut self.candidates
    }

    /// Makes the bounds of motion wrong, if that is the weakness.
    #[cfg(feature = "mutations")]
    #[doc(hidden)]
    pub fn weaken(&mut self, weakness: crate::gate::Weakness) {
        self.candidates.weaken(crate::gate::weakness::Weak { of: weakness });
    }

    /// Forgets the candidate lists, so that the next detection rebuilds them. It changes no contact.
    ///
    /// It is for positions that are not those that the last detection led to, as after a teleport or when a state is restored:
    /// the lists would expire one by one. An error does it by itself.
    pub fn forget_lists(&mut self) {
        self.candidates.forget();
    }

    /// Forgets lists and history: the next detection takes sides as it finds them.
    pub fn reset(&mut self) {
        self.forget_lists();
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

/// How far (m) a pair with this squared distance (m²) is beyond its reach. The root rounds once in `f32`; the difference is exact in
/// `f64`, or rounds by less than the [distance's error](crate::drift::DISTANCE_ERROR) has room for.
#[inline]
fn beyond(distance_sq: f32, reach: f32) -> f64 {
    f64::from(distance_sq.sqrt()) - f64::from(reach)
}

/// How far (m) a candidate is beyond its reach, and its contact, if it is predicted and no other face stands for
/// the same feature.
#[inline]
fn point_triangle_contact(
    surface: &Surface,
    motion: &Motion<'_>,
    normals: &Normals,
    [vertex, face]: [u32; 2],
) -> (f64, Option<PointTriangle>) {
    let corners = surface.topology.faces()[face as usize];
    let query = motion.point_triangle(vertex, corners);
    let near = surface.reach(vertex, corners[0]);
    let outer = surface.layers.point_triangle([vertex, face]);
    let reach = if outer.is_some() { near + surface.layers.depth } else { near };
    let closest = closest_on_triangle(query.p, query.corners);
    let open = beyond(closest.distance_sq, reach);
    if !surface.stands_for(vertex, face, closest.feature) {
        return (open, None);
    }
    let contact = point_triangle::predict_from(&query, &closest, reach).and_then(|found| {
        let contact_distance = surface.contact_distance(vertex, corners[0]);
        let mut contact = PointTriangle {
            vertex,
            face,
            corners,
            side: found.side,
            normal: found.normal,
            weights: found.weights,
            gap: found.gap,
            distance: surface.rest.point_triangle([vertex, face], contact_distance),
        };
        let kept = outer
            .is_none_or(|outer| settle_point_triangle(&mut contact, outer, normals, (found.approach, near)));
        kept.then_some(contact)
    });
    (open, contact)
}

#[inline]
fn edge_edge_contact(
    surface: &Surface,
    query: &edge_edge::Query<'_>,
    normals: &Normals,
    edges: [u32; 2],
) -> (f64, Option<EdgeEdge>) {
    let [a, b] = edges.map(|e| surface.topology.edges()[e as usize]);
    let near = surface.reach(a[0], b[0]);
    let outer = surface.layers.edge_edge(edges);
    let reach = if outer.is_some() { near + surface.layers.depth } else { near };
    let closest = segment_segment(query.a, query.b);
    let open = beyond(closest.distance_sq, reach);
    let contact = edge_edge::predict_from(query, &closest, reach).and_then(|found| {
        let mut contact = EdgeEdge {
            edges,
            a,
            b,
            s: found.s,
            t: found.t,
            normal: found.normal,
            gap: found.gap,
            distance: surface.rest.edge_edge(edges, surface.contact_distance(a[0], b[0])),
        };
        let kept =
            outer.is_none_or(|outer| settle_edge_edge(&mut contact, outer, normals, (found.approach, near)));
        kept.then_some(contact)
    });
    (open, contact)
}
