//! The narrow phase: from pairs that are due to contacts, eight at a time.
//!
//! ```text
//! due --> closest points in lanes --> separated throughout the step?
//!                                         no --> one by one: feature, prediction, layers --> contact
//! ```
//!
//! Lanes compute the same bits as the scalar functions (`cloth_geom::closest::lanes`), so a contact does not
//! depend on the grouping of pairs. Only pairs that may be in contact go through scalar code: hardly more
//! than there are contacts.

mod edges;
mod points;

use cloth_geom::lanes::{dispatch, level};

use crate::layers::{OuterPrimitive, VertexNormals};
use crate::lists::DuePairs;
use crate::narrow_phase_error::DISTANCE_ERROR;
use crate::{Contacts, Motion, Surface, parallel};

/// Number of pairs per task.
const TASK_SIZE: usize = 1024;

/// Input of the narrow phase.
#[derive(Clone, Copy)]
pub(crate) struct NarrowPhaseInput<'a> {
    pub(crate) surface: &'a Surface,
    pub(crate) motion: &'a Motion<'a>,
    pub(crate) normals: &'a VertexNormals,
}

/// Contacts of one task, with scratch memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct TaskContacts {
    /// Unordered.
    pub(crate) contacts: Contacts,
    /// Number of pairs whose closest points were computed.
    tests: usize,
    edges: edges::EdgeScratch,
}

/// Finds the contacts among the pairs, one entry of `found` per task; returns the number of narrow-phase
/// tests.
pub(crate) fn find_contacts(
    input: NarrowPhaseInput<'_>,
    due: &DuePairs,
    found: &mut Vec<TaskContacts>,
) -> usize {
    let of_points = due.point_triangles.len().div_ceil(TASK_SIZE);
    let tasks = of_points + due.edge_edges.len().div_ceil(TASK_SIZE);
    found.resize_with(found.len().max(tasks), TaskContacts::default);
    found[tasks..].iter_mut().for_each(TaskContacts::clear);
    let level = level();
    parallel::for_each_numbered(&mut found[..tasks], 1, |task, found| {
        found.clear();
        if task < of_points {
            let pairs = due.point_triangles.chunks(TASK_SIZE).nth(task).unwrap_or_default();
            let contacts = &mut found.contacts.point_triangles;
            found.tests = dispatch!(level, simd => points::find(simd, input, pairs, contacts));
        } else {
            let pairs = due.edge_edges.chunks(TASK_SIZE).nth(task - of_points).unwrap_or_default();
            let (contacts, scratch) = (&mut found.contacts.edge_edges, &mut found.edges);
            found.tests = dispatch!(level, simd => edges::find(simd, input, pairs, scratch, contacts));
        }
    });
    found[..tasks].iter().map(|found| found.tests).sum()
}

impl TaskContacts {
    fn clear(&mut self) {
        self.contacts.clear();
        self.tests = 0;
    }
}

/// The distances (m) at which a pair becomes a contact.
#[derive(Clone, Copy)]
struct PairReach {
    /// Which primitive is outside, of a pair of two layers.
    outer: Option<OuterPrimitive>,
    /// On the side where the pair belongs.
    correct_side: f32,
    /// On the other side: for a pair of two layers up to their depth.
    wrong_side: f32,
}

impl PairReach {
    #[inline(always)]
    fn new(outer: Option<OuterPrimitive>, reach: f32, depth: f32) -> Self {
        Self { outer, correct_side: reach, wrong_side: if outer.is_some() { reach + depth } else { reach } }
    }
}

/// Whether a pair at this distance (m) may come within reach (m) during the step. The distance is a root that
/// rounds once in `f32`; the difference is exact in `f64` or rounds by less than the [distance
/// error](DISTANCE_ERROR) allows.
#[allow(clippy::neg_cmp_op_on_partial_ord, reason = "what is not a number has to count as near")]
#[inline(always)]
fn may_be_in_contact(distance: f32, reach: f32, approach: f32) -> bool {
    let separation = f64::from(distance) - f64::from(reach);
    !(separation * (1.0 - 2.0 * DISTANCE_ERROR) > f64::from(approach))
}
