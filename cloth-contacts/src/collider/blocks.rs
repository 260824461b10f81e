//! The points of a cloth in blocks of sixteen, by coordinate, and the boxes around the blocks.

use cloth_geom::lanes::{Lanes, Lanes3, ZEROS, dot, gather};
use nalgebra::Vector3;

use super::contact::{Points, Swept};
use super::lanes::ROUNDING;

/// Points that are taken at once, four times over, make a block.
pub(super) const QUADS: usize = 4;

/// Points in a block.
pub(super) const LANES: usize = 4 * QUADS;

/// Consecutive points, coordinate by coordinate.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    p: [Lanes3; QUADS],
    d: [Lanes3; QUADS],
    /// `radius + scr` (m); negative infinity where no contact is wanted: pinned points and empty lanes.
    reach: [Lanes; QUADS],
    /// The lanes where contacts are wanted.
    wanted: u32,
    low: [f32; 3],
    high: [f32; 3],
    /// At least the greatest `radius + scr + |displacement|` (m).
    far: f32,
}

/// Cuts the points into blocks, and puts the boxes of each four together.
pub(super) fn cut(points: &Points<'_>, blocks: &mut Vec<Block>, boxes: &mut Vec<Boxes>) {
    let count = points.inv_mass.len();
    blocks.clear();
    blocks.extend((0..count).step_by(LANES).map(|first| Block::of(points, first, count.min(first + LANES))));
    boxes.clear();
    boxes.extend(blocks.chunks(4).map(Boxes::of));
}

impl Block {
    fn of(points: &Points<'_>, first: usize, end: usize) -> Self {
        let nowhere = [Lanes::splat(f32::INFINITY); 3];
        let (mut low, mut high) = (nowhere, nowhere.map(|x| -x));
        let (mut farthest, mut fastest_sq) = (Lanes::ZERO, Lanes::ZERO);
        let mut block = Self {
            p: [ZEROS; QUADS],
            d: [ZEROS; QUADS],
            reach: [Lanes::splat(f32::NEG_INFINITY); QUADS],
            wanted: 0,
            low: [0.0; 3],
            high: [0.0; 3],
            far: 0.0,
        };
        for quad in 0..(end - first).div_ceil(4) {
            // Where there are no more points, the last one again; nobody wants it.
            let v = [0, 1, 2, 3].map(|l| (first + 4 * quad + l).min(end - 1) as u32);
            let (p, d) = (gather(points.motion.positions, v), gather(points.motion.displacements, v));
            let wants = Lanes::from(v.map(|v| points.inv_mass[v as usize])).simd_gt(Lanes::ZERO);
            let reach = Lanes::from(v.map(|v| {
                let (radius, scr) = points.surface.radius_and_scr(v as usize);
                radius + scr
            }));
            let there = (1 << (end - first - 4 * quad).min(4)) - 1;
            block.wanted |= (wants.to_bitmask() & there) << (4 * quad);
            (block.p[quad], block.d[quad]) = (p, d);
            block.reach[quad] = wants.bitselect(reach, Lanes::splat(f32::NEG_INFINITY));
            // The least with a number that is none is the other one, or none: then nothing is ruled out.
            for k in 0..3 {
                low[k] = wants.bitselect(p[k], nowhere[k]).fast_min(low[k]);
                high[k] = wants.bitselect(p[k], -nowhere[k]).fast_max(high[k]);
            }
            farthest = block.reach[quad].fast_max(farthest);
            fastest_sq = wants.bitselect(dot(&d, &d), Lanes::ZERO).fast_max(fastest_sq);
        }
        let most = |x: Lanes| x.to_array().into_iter().fold(f32::NEG_INFINITY, f32::max);
        block.low = low.map(|x| -most(-x));
        block.high = high.map(most);
        block.far = most(farthest) + most(fastest_sq).sqrt();
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
    pub(super) fn wanted(&self) -> u32 {
        self.wanted
    }

    /// At least the greatest `radius + scr + |displacement|` (m).
    #[inline]
    pub(super) fn far(&self) -> f32 {
        self.far
    }

    /// The greatest magnitude of a coordinate (m).
    #[inline]
    pub(super) fn size(&self) -> f32 {
        self.low.iter().chain(&self.high).fold(0.0, |most: f32, x| most.max(x.abs()))
    }

    /// The point and the displacement of a lane.
    pub(super) fn point(&self, lane: usize) -> (Vector3<f32>, Vector3<f32>) {
        let at = |rows: &Lanes3| rows.map(|row| row.to_array()[lane % 4]).into();
        (at(&self.p[lane / 4]), at(&self.d[lane / 4]))
    }

    pub(super) fn reach_of(&self, lane: usize) -> f32 {
        self.reach[lane / 4].to_array()[lane % 4]
    }
}

/// The boxes around the points of four blocks that want contacts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Boxes {
    low: Lanes3,
    high: Lanes3,
    far: Lanes,
    size: Lanes,
    count: usize,
}

impl Boxes {
    fn of(blocks: &[Block]) -> Self {
        let four = [0, 1, 2, 3].map(|l: usize| &blocks[l.min(blocks.len() - 1)]);
        Self {
            low: [0, 1, 2].map(|k| Lanes::from(four.map(|b| b.low[k]))),
            high: [0, 1, 2].map(|k| Lanes::from(four.map(|b| b.high[k]))),
            far: Lanes::from(four.map(Block::far)),
            size: Lanes::from(four.map(Block::size)),
            count: blocks.len(),
        }
    }

    /// All blocks that there are.
    #[inline]
    pub(super) fn all(&self) -> u32 {
        (1 << self.count) - 1
    }

    /// The blocks of which some point could have a contact with what is inside a box.
    ///
    /// A contact has `gap < reach + |d - s|`, or a way in the shape's frame that is longer than the gap; `s` is the
    /// displacement of the nearest point, or differs from it by no more than the turn makes of the gap.
    #[inline]
    pub(super) fn near(&self, swept: &Swept, keeps: f32) -> u32 {
        let size = swept.low.coords.amax().max(swept.high.coords.amax());
        let reach = self.far + swept.moves;
        let margin = (self.size + size + reach) * ROUNDING;
        let apart =
            |k: usize| (Lanes::splat(swept.low[k]) - self.high[k]).fast_max(self.low[k] - swept.high[k]);
        let apart = apart(0).fast_max(apart(1)).fast_max(apart(2));
        let far = (apart * keeps).simd_gt(reach + margin);
        !far.to_bitmask() & self.all()
    }
}
