//! Cells, keys and ranges of keys: the arithmetic of the structure, the same for points and boxes.

use std::ops::Range;

use cloth_geom::Aabb;
use nalgebra::Point3;

use crate::sort::Keyed;

/// Cells of a hash axis. With a sentinel at each end they leave one of 256 bytes unused.
const HASH_CELLS: f64 = 253.0;

/// Cells of the sweep axis.
const SWEEP_CELLS: f64 = 65_533.0;

/// The bits of a key that hold the sweep cell; the text's `bucketMask`.
pub(super) const SWEEP_MASK: u32 = 0xffff;

/// The cell itself, the next on the first hash axis, and the three of the next row.
const OFFSETS: [u32; 5] = [0, 0x0001_0000, 0x00ff_0000, 0x0100_0000, 0x0101_0000];

/// Hash cells are this much larger than the reach, so that rounding (below 2^-40 here) spans no third cell.
const ROOM: f64 = 1.0 + 1.0 / (1u32 << 20) as f64;

/// A grid laid over the bounds of a set.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Grid {
    /// The sweep axis, then the two hash axes.
    axes: [usize; 3],
    /// A quarter of the least corner, by axis of the grid: quarters have finite differences.
    low: [f64; 3],
    /// Cells in a quarter of a metre, by axis of the grid.
    scale: [f64; 3],
}

impl Grid {
    /// The grid over some bounds, its hash cells no smaller than `reach` (m).
    pub(super) fn over(bounds: &Aabb, reach: f64) -> Self {
        let edge = [0, 1, 2].map(|k| 0.25 * bounds.max[k] - 0.25 * bounds.min[k]);
        let sweep = (1..3).fold(0, |best, k| if edge[k] > edge[best] { k } else { best });
        let axes = [sweep, (sweep + 1) % 3, (sweep + 2) % 3];
        // An edge of no length keeps a finite scale.
        let cells = |count: f64, axis: usize| count / edge[axis].max(1e-290);
        let coarse = 1.0 / (ROOM * 0.25 * reach);
        let scale = [
            cells(SWEEP_CELLS, axes[0]),
            cells(HASH_CELLS, axes[1]).min(coarse),
            cells(HASH_CELLS, axes[2]).min(coarse),
        ];
        Self { axes, low: axes.map(|k| 0.25 * bounds.min[k]), scale }
    }

    /// The cells of a point: sweep, hash a, hash b. What lies outside is put on the border.
    #[inline]
    pub(super) fn cells(&self, p: &Point3<f64>) -> [u32; 3] {
        let last = [SWEEP_CELLS - 1.0, HASH_CELLS - 1.0, HASH_CELLS - 1.0];
        [0, 1, 2].map(|i| {
            let place = (0.25 * p[self.axes[i]] - self.low[i]) * self.scale[i];
            place.clamp(0.0, last[i]) as u32 + 1
        })
    }

    /// The sweep cells that cover a distance (m): the text's `numSweepCells`.
    pub(super) fn sweep_cells(&self, distance: f64) -> u32 {
        2 + (self.scale[0] * 0.25 * distance).min(SWEEP_CELLS) as u32
    }
}

/// The key of a cell.
#[inline]
pub(super) fn key(cells: [u32; 3]) -> u32 {
    cells[2] << 24 | cells[1] << 16 | cells[0]
}

/// The ranges of one item after the other, in the order of the keys.
///
/// Each is found by going on from the previous item's, as the text has it. Starts never move back; ends do
/// not either where all items reach equally far.
#[derive(Clone, Debug)]
pub(super) struct Ranges<'a> {
    keys: &'a [Keyed],
    back: u32,
    first: [usize; 5],
    last: [usize; 5],
}

impl<'a> Ranges<'a> {
    /// Ranges that begin `back` sweep cells before each item.
    pub(super) fn new(keys: &'a [Keyed], back: u32) -> Self {
        Self { keys, back, first: [0; 5], last: [0; 5] }
    }

    /// Where in the order the partners of the item at `place` are: later ones of its own cell, and
    /// neighbours, up to `ahead` sweep cells behind it.
    #[inline]
    pub(super) fn neighbours(&mut self, place: usize, ahead: u32) -> [Range<usize>; 5] {
        let key = self.keys[place].0;
        let low = key - self.back.min(key & SWEEP_MASK);
        let high = (key + ahead).min(key | SWEEP_MASK);
        let at = |place: usize| self.keys.get(place).map(|&(key, _)| key);
        for (i, offset) in OFFSETS.into_iter().enumerate() {
            let (first, last) = (&mut self.first[i], &mut self.last[i]);
            while at(*first).is_some_and(|key| key < low + offset) {
                *first += 1;
            }
            *last = (*last).max(*first);
            while at(*last).is_some_and(|key| key <= high + offset) {
                *last += 1;
            }
            while last > first && self.keys[*last - 1].0 > high + offset {
                *last -= 1;
            }
        }
        // Of its own cell only what comes after it.
        self.first[0] = place + 1;
        [0, 1, 2, 3, 4].map(|i| self.first[i]..self.last[i])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bounds(side: [f64; 3]) -> Aabb {
        Aabb { min: Point3::origin(), max: Point3::from(side) }
    }

    #[test]
    fn sweeps_the_longest_side_and_leaves_sentinels() {
        let grid = Grid::over(&bounds([1.0, 4.0, 2.0]), 0.01);
        assert_eq!(grid.axes, [1, 2, 0]);
        assert_eq!(grid.cells(&Point3::origin()), [1, 1, 1]);
        let last = grid.cells(&Point3::new(1.0, 4.0, 2.0));
        assert_eq!(last[0], 65_533);
        assert!(last[1] == 200 && last[2] == 100, "cells as large as the reach: {last:?}");
        let fine = Grid::over(&bounds([1.0, 4.0, 2.0]), 0.0);
        assert_eq!(fine.cells(&Point3::new(9.0, 9.0, 9.0)), [65_533, 253, 253]);
    }

    #[test]
    fn visits_each_pair_of_near_cells_from_one_side() {
        // Three items in each of 4 x 4 hash cells, ten sweep cells apart.
        let cells = (0..48).map(|i| [10 * (i % 3) + 20, i / 3 % 4 + 1, i / 12 + 1]);
        let cells: Vec<[u32; 3]> = cells.collect();
        let keys: Vec<Keyed> = cells.iter().map(|&c| key(c)).zip(0..).collect();
        assert!(keys.is_sorted());
        for reach in [5, 10, 25] {
            let mut ranges = Ranges::new(&keys, reach);
            let mut found = Vec::new();
            for place in 0..keys.len() {
                for range in ranges.neighbours(place, reach) {
                    found.extend(range.map(|other| [place.min(other), place.max(other)]));
                }
            }
            found.sort_unstable();
            let near = |a: usize, b: usize, k: usize, by: u32| cells[a][k].abs_diff(cells[b][k]) <= by;
            let all = (0..48).flat_map(|a| (a + 1..48).map(move |b| [a, b]));
            let expected = all.filter(|&[a, b]| near(a, b, 0, reach) && near(a, b, 1, 1) && near(a, b, 2, 1));
            assert_eq!(found, expected.collect::<Vec<_>>(), "{reach}");
        }
    }
}
