//! All contacts of all points with all colliders, without looking at every pair.
//!
//! Three sieves, each sound: the box of a block of points against that of a collider, then a bound of the distance for
//! all points of the block at once, then, for shapes that are costly to measure, what is remembered of the point. What
//! remains is asked one by one, as [`super::reference::contacts`] asks all.

use super::Collider;
use super::contact::{ColliderContact, Placed, Points};
use super::lanes::{Block, LANES, Sieve};
use super::samples::Samples;

/// Finds contacts with colliders.
///
/// It remembers nothing that could change a result, only distances that hold for good.
#[derive(Clone, Debug, Default)]
pub struct ColliderDetector {
    blocks: Vec<Block>,
    samples: Samples,
}

impl ColliderDetector {
    /// Finds the contacts of all points with all colliders into `out`, ordered by collider and then by vertex.
    ///
    /// The three conditions of the paper are one: the gap, less how far it closes during the step, is below
    /// `radius + scr`. A convex shape makes one contact with a vertex at most; in a hollow there may be more.
    pub fn detect(&mut self, colliders: &[Collider], points: &Points<'_>, out: &mut Vec<ColliderContact>) {
        out.clear();
        Block::cut(points, &mut self.blocks);
        self.samples.fit(colliders, points.inv_mass.len());
        for (index, collider) in colliders.iter().enumerate() {
            let placed = Placed::new(collider, index as u32);
            let sieve = Sieve::new(&placed);
            let swept = placed.swept();
            for (b, block) in self.blocks.iter().enumerate() {
                if swept.is_some_and(|swept| block.is_far_from(&swept, sieve.keeps())) {
                    continue;
                }
                let far = sieve.far(block);
                for lane in (0..LANES).filter(|&lane| !far[lane] && block.wants(lane)) {
                    let v = b * LANES + lane;
                    let local = placed.local_t0(&points.motion.positions[v]);
                    if !sieve.is_far(block, lane, self.samples.at_least(index, v, &local)) {
                        let distance = placed.contacts(points, v, out);
                        self.samples.note(index, v, local, distance);
                    }
                }
            }
        }
    }

    /// Forgets all distances and keeps their memory; results do not depend on it.
    pub fn reset(&mut self) {
        self.samples.clear();
    }
}
