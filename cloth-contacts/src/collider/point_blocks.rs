//! The points of a cloth in blocks of sixteen, by coordinate, and the boxes around the blocks.

use cloth_geom::MapInline;
use cloth_geom::lanes::{Lanes, Lanes3, Simd, dot, gather, greater, greatest_lane, lanes, lesser, splat};
use nalgebra::Vector3;

use super::block_culling::{LEAST_GAP, ROUNDING};
use super::contact::{ClothPoints, Swept};
use crate::parallel;

/// Number of SIMD quads per block.
pub(super) const QUADS: usize = 4;

/// Points in a block.
pub(super) const LANES: usize = 4 * QUADS;

/// Number of points of the four blocks whose boxes are put together.
pub(super) const BOX_LANES: usize = 4 * LANES;

/// Number of fours of blocks that are one task.
pub(super) const TASK_SIZE: usize = 8;

/// Consecutive points, coordinate by coordinate.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClothPointBlock {
    p: [Lanes3; QUADS],
    d: [Lanes3; QUADS],
    /// `radius + scr` (m); negative infinity where no contact is wanted: pinned points and empty lanes.
    reach: [Lanes; QUADS],
    /// The lanes where contacts are wanted.
    active_lanes: u32,
    low: [f32; 3],
    high: [f32; 3],
    /// Upper bound of `radius + scr + |displacement|` (m).
    max_reach: f32,
}

/// Cuts the points into blocks, and puts the boxes of each four together.
pub(super) fn cut(
    points: &ClothPoints<'_>,
    blocks: &mut Vec<[ClothPointBlock; 4]>,
    boxes: &mut Vec<BlockBounds>,
) {
    let count = points.inv_mass.len();
    let fours = count.div_ceil(BOX_LANES);
    blocks.resize_with(fours, || [ClothPointBlock::empty(); 4]);
    boxes.resize_with(fours, || BlockBounds::around(&[ClothPointBlock::empty()]));
    parallel::for_each_piece((&mut boxes[..], &mut blocks[..]), TASK_SIZE, |number, (boxes, blocks)| {
        for (four, (bounds, blocks)) in (number..).zip(boxes.iter_mut().zip(blocks)) {
            let first = four * BOX_LANES;
            let starts = (first..count).step_by(LANES);
            let own = &mut blocks[..starts.len().min(4)];
            for (block, first) in own.iter_mut().zip(starts) {
                *block = ClothPointBlock::new(points, first, count.min(first + LANES));
            }
            *bounds = BlockBounds::around(own);
        }
    });
}

impl ClothPointBlock {
    fn empty() -> Self {
        Self {
            p: [[splat(0.0); 3]; QUADS],
            d: [[splat(0.0); 3]; QUADS],
            reach: [splat(f32::NEG_INFINITY); QUADS],
            active_lanes: 0,
            low: [0.0; 3],
            high: [0.0; 3],
            max_reach: 0.0,
        }
    }

    fn new(points: &ClothPoints<'_>, first: usize, end: usize) -> Self {
        let nowhere = [splat(f32::INFINITY); 3];
        let (mut low, mut high) = (nowhere, nowhere.map(|x| -x));
        let (mut farthest, mut fastest_sq) = (splat(0.0), splat(0.0));
        let mut block = Self::empty();
        for quad in 0..(end - first).div_ceil(4) {
            // Lanes beyond the last point repeat it and are inactive.
            let v = [0, 1, 2, 3].map_inline(|l| (first + 4 * quad + l).min(end - 1) as u32);
            let (p, d) = (gather(points.motion.positions, v), gather(points.motion.displacements, v));
            let is_active = splat(0.0).is_less(lanes(v.map_inline(|v| points.inv_mass[v as usize])));
            let reach = lanes(v.map_inline(|v| {
                let (radius, scr) = points.surface.radius_and_scr(v as usize);
                radius + scr
            }));
            let there = (1 << (end - first - 4 * quad).min(4)) - 1;
            block.active_lanes |= (Lanes::bits(is_active) & there) << (4 * quad);
            (block.p[quad], block.d[quad]) = (p, d);
            block.reach[quad] = Lanes::choose(is_active, reach, splat(f32::NEG_INFINITY));
            // The minimum with a NaN is the other operand or NaN; NaN culls nothing.
            for k in 0..3 {
                low[k] = lesser(Lanes::choose(is_active, p[k], nowhere[k]), low[k]);
                high[k] = greater(Lanes::choose(is_active, p[k], -nowhere[k]), high[k]);
            }
            farthest = greater(block.reach[quad], farthest);
            fastest_sq = greater(Lanes::choose(is_active, dot(&d, &d), splat(0.0)), fastest_sq);
        }
        block.low = low.map(|x| -greatest_lane(-x));
        block.high = high.map(greatest_lane);
        block.max_reach = greatest_lane(farthest) + greatest_lane(fastest_sq).sqrt();
        block
    }

    #[inline]
    pub(super) fn p(&self, quad: usize) -> &Lanes3 {
        &self.p[quad]
    }

    #[inline]
    pub(super) fn d(&self, quad: usize) -> &Lanes3 {
        &self.d[quad]
    }

    #[inline]
    pub(super) fn reach(&self, quad: usize) -> Lanes {
        self.reach[quad]
    }

    #[inline]
    pub(super) fn active_lanes(&self) -> u32 {
        self.active_lanes
    }

    /// Upper bound of `radius + scr + |displacement|` (m).
    #[inline]
    pub(super) fn max_reach(&self) -> f32 {
        self.max_reach
    }

    /// The greatest magnitude of a coordinate (m).
    #[inline]
    pub(super) fn size(&self) -> f32 {
        self.low.iter().chain(&self.high).fold(0.0, |most: f32, x| most.max(x.abs()))
    }

    /// The point and the displacement of a lane.
    pub(super) fn point(&self, lane: usize) -> (Vector3<f32>, Vector3<f32>) {
        let at = |rows: &Lanes3| rows.map(|row| row[lane % 4]).into();
        (at(&self.p[lane / 4]), at(&self.d[lane / 4]))
    }

    pub(super) fn reach_of(&self, lane: usize) -> f32 {
        self.reach[lane / 4][lane % 4]
    }
}

/// The boxes around the points of four blocks that want contacts.
#[derive(Clone, Copy, Debug)]
pub(super) struct BlockBounds {
    low: Lanes3,
    high: Lanes3,
    max_reach: Lanes,
    size: Lanes,
    count: usize,
}

impl BlockBounds {
    fn around(blocks: &[ClothPointBlock]) -> Self {
        let four = [0, 1, 2, 3].map(|l: usize| &blocks[l.min(blocks.len() - 1)]);
        Self {
            low: [0, 1, 2].map(|k| lanes(four.map(|b| b.low[k]))),
            high: [0, 1, 2].map(|k| lanes(four.map(|b| b.high[k]))),
            max_reach: lanes(four.map(ClothPointBlock::max_reach)),
            size: lanes(four.map(ClothPointBlock::size)),
            count: blocks.len(),
        }
    }

    /// All blocks.
    #[inline]
    pub(super) fn all(&self) -> u32 {
        (1 << self.count) - 1
    }

    /// Bit mask of the blocks with a point that may have a contact with a shape inside a box, or is up to
    /// `beyond` (m) out of its reach.
    ///
    /// A contact has `gap < reach + |d - s|`, or a path in the frame of the shape that is longer than the
    /// gap; `s` is the displacement of the nearest point, up to what the rotation contributes.
    #[inline]
    pub(super) fn near(&self, swept: &Swept, min_distance_factor: f32, beyond: f32) -> u32 {
        let size = swept.low.coords.amax().max(swept.high.coords.amax());
        let reach = self.max_reach + swept.max_displacement + beyond;
        let margin = (self.size + size + reach) * ROUNDING + LEAST_GAP;
        let apart = |k: usize| greater(splat(swept.low[k]) - self.high[k], self.low[k] - swept.high[k]);
        let apart = greater(greater(apart(0), apart(1)), apart(2));
        let max_reach = (reach + margin).is_less(apart * min_distance_factor);
        !Lanes::bits(max_reach) & self.all()
    }
}
