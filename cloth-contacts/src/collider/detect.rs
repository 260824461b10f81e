//! Contacts of all points with all colliders.
//!
//! Three conservative tests cull points: box of a block of points against box of a collider; distance bound
//! for all points of a block; for expensive shapes the last measured distance of the point. The remaining
//! points are tested one by one as in [`super::reference::contacts`].

use std::ops::Range;

use super::Collider;
use super::block_culling::BlockCuller;
use super::contact::{ClothPoints, ColliderContact, PosedCollider};
use super::face_contacts::{ClothFaces, CoarseOn, FaceContact, FaceSearch};
use super::point_blocks::{self, BlockBounds, ClothPointBlock, LANES};
use super::samples::Samples;
use crate::parallel;

/// Finds contacts with colliders.
///
/// Its state consists of cached distances, which do not affect results.
#[derive(Clone, Debug, Default)]
pub struct ColliderDetector {
    ranges: Vec<PointRange>,
    faces: FaceSearch,
}

/// Number of points per task: whole blocks, in fours.
const TASK_SIZE: usize = 8 * 4 * LANES;

/// Consecutive points that one task tests.
#[derive(Clone, Debug, Default)]
struct PointRange {
    first: usize,
    blocks: Vec<ClothPointBlock>,
    boxes: Vec<BlockBounds>,
    /// Of its points, numbered from its first one.
    samples: Samples,
    /// Contacts, by collider, and how many there are up to each collider.
    found: Vec<ColliderContact>,
    ends: Vec<usize>,
}

impl ColliderDetector {
    /// Finds the contacts of all points with all colliders and writes them to `out`, sorted by collider and
    /// vertex.
    ///
    /// The three conditions of the paper are one: the gap, less the approach during the step, is below
    /// `radius + scr`. A convex shape makes at most one contact per vertex; concave shapes may make several.
    pub fn detect(
        &mut self,
        colliders: &[Collider],
        points: &ClothPoints<'_>,
        out: &mut Vec<ColliderContact>,
    ) {
        out.clear();
        if colliders.is_empty() {
            return;
        }
        let count = points.inv_mass.len();
        self.ranges.resize_with(count.div_ceil(TASK_SIZE), PointRange::default);
        parallel::for_each_numbered(&mut self.ranges, 1, |task, range| {
            let first = task * TASK_SIZE;
            range.detect(colliders, points, first..count.min(first + TASK_SIZE));
        });
        for collider in 0..colliders.len() {
            self.ranges.iter().for_each(|range| out.extend_from_slice(range.found_on(collider)));
        }
    }

    /// Finds the contacts of all points as [`Self::detect`] does, and those of coarse faces, or `of_all`, sorted
    /// by collider and face.
    pub fn detect_with_faces(
        &mut self,
        colliders: &[Collider],
        cloth: &ClothFaces<'_>,
        of_all: bool,
        out: &mut Vec<ColliderContact>,
        faces: &mut Vec<FaceContact>,
    ) {
        self.detect(colliders, &cloth.points, out);
        faces.clear();
        for (index, collider) in colliders.iter().enumerate() {
            let Some(coarse) = CoarseOn::new(collider, cloth, of_all) else { continue };
            let posed = PosedCollider::new(collider, index as u32);
            let culler = BlockCuller::reaching(&posed, coarse.beyond(coarse.longest));
            for range in &self.ranges {
                range.each_near(&culler, |point| {
                    self.faces.add_faces(&posed, &coarse, cloth, range.first + point.number);
                });
            }
            self.faces.find(&posed, &coarse, cloth, faces);
        }
    }

    /// Forgets all distances and keeps their memory; results do not depend on it.
    pub fn reset(&mut self) {
        self.ranges.iter_mut().for_each(|range| range.samples.clear());
    }
}

impl PointRange {
    /// Finds the contacts of these points with all colliders.
    fn detect(&mut self, colliders: &[Collider], points: &ClothPoints<'_>, range: Range<usize>) {
        self.first = range.start;
        let (mut samples, mut found) = (std::mem::take(&mut self.samples), std::mem::take(&mut self.found));
        samples.fit(colliders, range.len());
        point_blocks::cut(points, range, &mut self.blocks, &mut self.boxes);
        found.clear();
        self.ends.clear();
        for (index, collider) in colliders.iter().enumerate() {
            let posed = PosedCollider::new(collider, index as u32);
            let culler = BlockCuller::new(&posed);
            self.each_near(&culler, |point| {
                test_point(&culler, &mut samples, &point, self.first, points, &mut found);
            });
            self.ends.push(found.len());
        }
        (self.samples, self.found) = (samples, found);
    }

    /// Visits the points that could have a contact.
    #[inline]
    fn each_near(&self, culler: &BlockCuller<'_>, mut visit: impl FnMut(PointLane<'_>)) {
        for (four, boxes) in self.boxes.iter().enumerate() {
            for b in bits(culler.near_boxes(boxes)).map(|b| 4 * four + b) {
                let block = &self.blocks[b];
                bits(culler.near(block))
                    .for_each(|lane| visit(PointLane { block, lane, number: b * LANES + lane }));
            }
        }
    }

    /// The contacts with a collider.
    fn found_on(&self, collider: usize) -> &[ColliderContact] {
        let start = if collider == 0 { 0 } else { self.ends[collider - 1] };
        &self.found[start..self.ends[collider]]
    }
}

/// A point and its lane in a block, and its number in its range.
struct PointLane<'a> {
    block: &'a ClothPointBlock,
    lane: usize,
    number: usize,
}

/// Tests one point, unless its last known distance rules out a contact.
#[inline]
fn test_point(
    culler: &BlockCuller<'_>,
    samples: &mut Samples,
    point: &PointLane<'_>,
    first: usize,
    points: &ClothPoints<'_>,
    out: &mut Vec<ColliderContact>,
) {
    let PointLane { block, lane, number } = *point;
    let v = first + number;
    let posed = culler.posed();
    let index = posed.index as usize;
    if !samples.are_kept(index) {
        posed.contacts(points, v, out);
        return;
    }
    let local = posed.local_t0(&points.motion.positions[v]);
    if !culler.is_far(block, lane, samples.at_least(index, number, &local)) {
        let distance = posed.contacts(points, v, out);
        samples.note(index, number, local, distance);
    }
}

/// The places of the bits that are set, ascending.
#[inline]
fn bits(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let place = mask.trailing_zeros();
        mask &= mask.wrapping_sub(1);
        (place < 32).then_some(place as usize)
    })
}
