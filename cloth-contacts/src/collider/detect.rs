//! Contacts of all points with all colliders.
//!
//! Three conservative tests cull points: box of a block of points against box of a collider; distance bound
//! for all points of a block; for expensive shapes the last measured distance of the point. The remaining
//! points are tested one by one as in [`super::reference::contacts`].

use super::Collider;
use super::block_culling::BlockCuller;
use super::contact::{ClothPoints, ColliderContact, PosedCollider};
use super::face_contacts::{ClothFaces, CoarseOn, FaceContact, FaceSearch};
use super::point_blocks::{self, BlockBounds, ClothPointBlock, LANES};
use super::samples::Samples;

/// Finds contacts with colliders.
///
/// Its state consists of cached distances, which do not affect results.
#[derive(Clone, Debug, Default)]
pub struct ColliderDetector {
    blocks: Vec<ClothPointBlock>,
    boxes: Vec<BlockBounds>,
    samples: Samples,
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
            for (four, boxes) in self.boxes.iter().enumerate() {
                for b in bits(culler.near_boxes(boxes)).map(|b| 4 * four + b) {
                    let block = &self.blocks[b];
                    for lane in bits(culler.near(block)) {
                        let point = PointLane { block, lane, vertex: b * LANES + lane };
                        test_point(&culler, &mut self.samples, &point, points, out);
                    }
                }
            }
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
                for b in bits(culler.near_boxes(boxes)).map(|b| 4 * four + b) {
                    for lane in bits(culler.near(&self.blocks[b])) {
                        self.faces.add_faces(&posed, &coarse, cloth, b * LANES + lane);
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
    samples: &mut Samples,
    point: &PointLane<'_>,
    points: &ClothPoints<'_>,
    out: &mut Vec<ColliderContact>,
) {
    let PointLane { block, lane, vertex: v } = *point;
    let posed = culler.posed();
    let index = posed.index as usize;
    if !samples.are_kept(index) {
        posed.contacts(points, v, out);
        return;
    }
    let local = posed.local_t0(&points.motion.positions[v]);
    if !culler.is_far(block, lane, samples.at_least(index, v, &local)) {
        let distance = posed.contacts(points, v, out);
        samples.note(index, v, local, distance);
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
