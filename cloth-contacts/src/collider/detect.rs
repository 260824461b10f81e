//! Contacts of all points with all colliders.
//!
//! Three conservative tests cull points: box of a block of points against box of a collider; distance bound
//! for all points of a block; for expensive shapes the last measured distance of the point. The remaining
//! points are tested one by one as in [`super::reference::contacts`].

use super::Collider;
use super::block_culling::BlockCuller;
use super::contact::{ClothPoints, ColliderContact, PosedCollider};
use super::face_contacts::{ClothFaces, CoarseOn, FaceContact, FaceSearch};
use super::point_blocks::{self, BOX_LANES, BlockBounds, ClothPointBlock, LANES, TASK_SIZE};
use super::samples::{BoxSamples, Sample, Samples};
use crate::parallel;

/// Finds contacts with colliders.
///
/// Its state consists of cached distances, which do not affect results.
#[derive(Clone, Debug, Default)]
pub struct ColliderDetector {
    blocks: Vec<[ClothPointBlock; 4]>,
    boxes: Vec<BlockBounds>,
    samples: Samples,
    /// Scratch memory of the tasks.
    memories: Vec<Vec<ColliderContact>>,
    faces: FaceSearch,
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
        point_blocks::cut(points, &mut self.blocks, &mut self.boxes);
        self.samples.fit(colliders, points.inv_mass.len());
        for (index, collider) in colliders.iter().enumerate() {
            let posed = PosedCollider::new(collider, index as u32);
            let culler = BlockCuller::new(&posed);
            let blocks = (&self.boxes[..], &self.blocks[..]);
            let parts = (blocks, self.samples.of_collider(index));
            let find = |first, (blocks, samples), out: &mut _| {
                test_blocks(&culler, Blocks { first, blocks }, samples, points, out);
                0
            };
            parallel::extend_in_pieces(out, &mut self.memories, parts, TASK_SIZE, find);
        }
    }

    /// Finds the contacts of all points as [`Self::detect`] does, and those of coarse faces, or `of_all`,
    /// sorted by collider and face.
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
            for (four, boxes) in self.boxes.iter().enumerate() {
                for b in bits(culler.near_boxes(boxes)) {
                    for lane in bits(culler.near(&self.blocks[four][b])) {
                        self.faces.add_faces(&posed, &coarse, cloth, four * BOX_LANES + b * LANES + lane);
                    }
                }
            }
            self.faces.find(&posed, &coarse, cloth, faces);
        }
    }

    /// Forgets all distances and keeps their memory; results do not depend on it.
    pub fn reset(&mut self) {
        self.samples.clear();
    }
}

/// Some fours of blocks with their boxes.
struct Blocks<'a> {
    /// The number of the first four.
    first: usize,
    blocks: (&'a [BlockBounds], &'a [[ClothPointBlock; 4]]),
}

/// Tests the points of some blocks that are not culled.
fn test_blocks(
    culler: &BlockCuller<'_>,
    Blocks { first, blocks: (boxes, blocks) }: Blocks<'_>,
    mut samples: Option<&mut [BoxSamples]>,
    points: &ClothPoints<'_>,
    out: &mut Vec<ColliderContact>,
) {
    for (four, (bounds, blocks)) in boxes.iter().zip(blocks).enumerate() {
        for b in bits(culler.near_boxes(bounds)) {
            let block = &blocks[b];
            for lane in bits(culler.near(block)) {
                let sample = samples.as_mut().map(|samples| &mut samples[four][b * LANES + lane]);
                let vertex = (first + four) * BOX_LANES + b * LANES + lane;
                test_point(culler, sample, &PointLane { block, lane, vertex }, points, out);
            }
        }
    }
}

/// A vertex and its lane in a block of points.
struct PointLane<'a> {
    block: &'a ClothPointBlock,
    lane: usize,
    vertex: usize,
}

/// Tests one point, unless its last known distance rules out a contact.
#[inline]
fn test_point(
    culler: &BlockCuller<'_>,
    sample: Option<&mut Sample>,
    point: &PointLane<'_>,
    points: &ClothPoints<'_>,
    out: &mut Vec<ColliderContact>,
) {
    let PointLane { block, lane, vertex: v } = *point;
    let posed = culler.posed();
    let Some(sample) = sample else {
        posed.contacts(points, v, out);
        return;
    };
    let local = posed.local_t0(&points.motion.positions[v]);
    if !culler.is_far(block, lane, sample.at_least(&local)) {
        *sample = Sample::new(local, posed.contacts(points, v, out));
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
