//! The narrow phase: from active candidates to contacts, four at a time.
//!
//! ```text
//! active --> closest points in lanes --> limit: separated throughout the step? --> one by one: feature, prediction, layers --> contact
//! ```
//!
//! Lanes compute the same bits as the scalar functions (`cloth_geom::closest::lanes`), so a contact does not
//! depend on the grouping of candidates. Only pairs that may be in contact go through scalar code: hardly
//! more than there are contacts.

mod edges;
mod points;

use edges::{EdgeScratch, EdgeTests};
use points::{PointScratch, PointTests};

use cloth_geom::lanes::LANES;

use crate::detect::lists::candidates::SectionCandidates;
use crate::detect::lists::list::{ActiveCandidate, CandidateKind, NarrowPhase};
use crate::layers::VertexNormals;
use crate::{Contacts, Motion, Surface};

/// Input of the narrow phase.
#[derive(Clone, Copy)]
pub(crate) struct NarrowPhaseInput<'a> {
    pub(crate) surface: &'a Surface,
    pub(crate) motion: &'a Motion<'a>,
    pub(crate) normals: &'a VertexNormals,
}

/// Contacts of one section, with scratch memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct SectionContacts {
    /// Unordered.
    pub(crate) contacts: Contacts,
    /// Number of narrow-phase tests.
    pub(crate) tests: usize,
    points: PointScratch,
    edges: EdgeScratch,
}

/// Tests of both candidate types.
struct ContactTests<'a> {
    points: PointTests<'a>,
    edges: EdgeTests<'a>,
}

impl SectionContacts {
    /// Finds the contacts of a section; replaces the previous ones.
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

/// Gathers one value per candidate of a group; the last one is repeated in unused lanes.
#[inline(always)]
pub(in crate::detect) fn lanes<T, U>(group: &[T], of: impl Fn(&T) -> U) -> [U; LANES] {
    // Spelled out: `map` of arrays is not inlined.
    let last = group.len() - 1;
    [of(&group[0]), of(&group[last.min(1)]), of(&group[last.min(2)]), of(&group[last])]
}

/// Separation beyond reach (m) of a pair with this squared distance (m²). The root rounds once in `f32`; the
/// difference is exact in `f64` or rounds by less than the [distance
/// error](crate::narrow_phase_error::DISTANCE_ERROR) allows.
#[inline]
fn separation_beyond_reach(distance_sq: f32, reach: f32) -> f64 {
    f64::from(distance_sq.sqrt()) - f64::from(reach)
}
