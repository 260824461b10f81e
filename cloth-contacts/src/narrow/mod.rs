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

pub(crate) use edges::Edges;
pub(crate) use points::Points;

use crate::layers::Normals;
use crate::{Motion, Surface};

/// What contacts are found in.
#[derive(Clone, Copy)]
pub(crate) struct Scene<'a> {
    pub(crate) surface: &'a Surface,
    pub(crate) motion: &'a Motion<'a>,
    pub(crate) normals: &'a Normals,
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
/// `f64`, or rounds by less than the [distance's error](crate::drift::DISTANCE_ERROR) has room for.
#[inline]
fn beyond(distance_sq: f32, reach: f32) -> f64 {
    f64::from(distance_sq.sqrt()) - f64::from(reach)
}
