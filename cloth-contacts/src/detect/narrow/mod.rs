//! The narrow phase: from candidates whose marks are reached to contacts, four at a time.
//!
//! ```text
//! woken --> closest points in lanes --> marks: apart throughout the step? --> one by one: feature, prediction, layers --> contact
//! ```
//!
//! Lanes have the bits of the scalar functions (`cloth_geom::closest::lanes`), so a contact is the same however many candidates are
//! looked at together. What only may come into contact goes through scalar code: hardly more than there are contacts.

mod edges;
mod points;

use edges::{EdgeScratch, EdgeTests};
use points::{PointScratch, PointTests};

use crate::detect::lists::candidates::SectionCandidates;
use crate::detect::lists::list::{ActiveCandidate, CandidateKind, NarrowPhase};
use crate::layers::VertexNormals;
use crate::{Contacts, Motion, Surface};

/// What contacts are found in.
#[derive(Clone, Copy)]
pub(crate) struct NarrowPhaseInput<'a> {
    pub(crate) surface: &'a Surface,
    pub(crate) motion: &'a Motion<'a>,
    pub(crate) normals: &'a VertexNormals,
}

/// What is found in some lists, and memory for it.
#[derive(Clone, Debug, Default)]
pub(crate) struct SectionContacts {
    /// In no order.
    pub(crate) contacts: Contacts,
    /// How many candidates were looked at.
    pub(crate) tests: usize,
    points: PointScratch,
    edges: EdgeScratch,
}

/// Looks for contacts.
struct ContactTests<'a> {
    points: PointTests<'a>,
    edges: EdgeTests<'a>,
}

impl SectionContacts {
    /// Finds what is in contact in some lists; what was found before is replaced.
    pub(crate) fn find(&mut self, input: NarrowPhaseInput<'_>, lists: SectionCandidates<'_>) {
        let Contacts { point_triangles, edge_edges } = &mut self.contacts;
        point_triangles.clear();
        edge_edges.clear();
        let points = self.points.begin(input, point_triangles);
        let mut tests = ContactTests { points, edges: self.edges.begin(input, edge_edges) };
        lists.test(&mut tests);
        self.tests = tests.points.tests() + tests.edges.tests();
    }
}

impl NarrowPhase for ContactTests<'_> {
    fn measure(
        &mut self,
        kind: CandidateKind,
        active: &[ActiveCandidate],
        separations: &mut Vec<Option<f64>>,
    ) {
        match kind {
            CandidateKind::PointTriangle => self.points.measure(active, separations),
            CandidateKind::EdgeEdge => self.edges.measure(active, separations),
        }
    }

    fn accept(&mut self, kind: CandidateKind, k: usize, pair: [u32; 2]) {
        match kind {
            CandidateKind::PointTriangle => self.points.accept(k, pair),
            CandidateKind::EdgeEdge => self.edges.accept(k, pair),
        }
    }
}

/// Candidates in a group of lanes; the last fills those that are left over.
const LANES: usize = 4;

/// One thing of each candidate of a group, by lane.
#[inline(always)]
fn lanes<T, U>(group: &[T], of: impl Fn(&T) -> U) -> [U; LANES] {
    // Spelled out: `map` of arrays is not inlined.
    let last = group.len() - 1;
    [of(&group[0]), of(&group[last.min(1)]), of(&group[last.min(2)]), of(&group[last])]
}

/// How far (m) a pair with this squared distance (m²) is beyond its reach. The root rounds once in `f32`; the difference is exact in
/// `f64`, or rounds by less than the [distance's error](crate::narrow_phase_error::DISTANCE_ERROR) has room for.
#[inline]
fn separation_beyond_reach(distance_sq: f32, reach: f32) -> f64 {
    f64::from(distance_sq.sqrt()) - f64::from(reach)
}
