//! Which cell a coordinate is in, and which cells are near: integer arithmetic behind one monotone rounding.

use cloth_geom::Aabb;

/// Bits of a cell's place on an axis: three of them and the level fit into 64.
const BITS: u32 = 19;

/// Levels, the finest first: on the last, an axis is a single cell.
pub(super) const LEVELS: u32 = BITS + 1;

/// The last place on the finest level.
const LAST: f64 = ((1u32 << BITS) - 1) as f64;

/// A cell of a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cell {
    pub(super) level: u32,
    pub(super) place: [u32; 3],
}

impl Cell {
    /// A number of its own for each cell.
    #[inline]
    pub(super) fn key(self) -> u64 {
        let [x, y, z] = self.place.map(u64::from);
        (((u64::from(self.level) << BITS | x) << BITS) | y) << BITS | z
    }

    /// The cell of a key.
    #[inline]
    pub(super) fn from_key(key: u64) -> Self {
        let place = |shift: u32| (key >> shift) as u32 & ((1 << BITS) - 1);
        Self { level: (key >> (3 * BITS)) as u32, place: [place(2 * BITS), place(BITS), place(0)] }
    }

    /// The 13 neighbours on its level that come after it; those beyond the lattice are left out.
    pub(super) fn half_of_the_neighbours(self) -> impl Iterator<Item = Self> {
        (14..27).filter_map(move |i: u32| {
            let step = |c: u32, by: u32| (c + by).checked_sub(1).filter(|&c| c <= LAST as u32 >> self.level);
            let [x, y, z] = self.place;
            let place = [step(x, i / 9)?, step(y, i / 3 % 3)?, step(z, i % 3)?];
            Some(Self { place, ..self })
        })
    }

    /// The places, on the finest level, that the boxes of this cell cover at most.
    pub(super) fn span(self) -> CellSpan {
        let last = LAST as u32;
        CellSpan {
            min: self.place.map(|c| c << self.level),
            max: self.place.map(|c| last.min(((c + 2) << self.level) - 1)),
        }
    }
}

/// The places, on the finest level, from the least corner of a box to its greatest.
#[derive(Clone, Copy, Debug)]
pub(super) struct CellSpan {
    min: [u32; 3],
    max: [u32; 3],
}

impl CellSpan {
    /// On a level, the first cell whose boxes may reach here, and how many there are on each axis.
    fn range_on(self, level: u32) -> ([u32; 3], [u32; 3]) {
        let first = self.min.map(|c| (c >> level).saturating_sub(1));
        (first, [0, 1, 2].map(|k| (self.max[k] >> level) - first[k] + 1))
    }

    /// How many cells [`CellSpan::cells_on`] has.
    pub(super) fn count_on(self, level: u32) -> u64 {
        self.range_on(level).1.into_iter().map(u64::from).product()
    }

    /// All cells of a level whose boxes may reach here: those it covers, and one more before them.
    pub(super) fn cells_on(self, level: u32) -> impl Iterator<Item = Cell> {
        let ([x, y, z], [nx, ny, nz]) = self.range_on(level);
        (0..nx).flat_map(move |i| {
            (0..ny).flat_map(move |j| (0..nz).map(move |k| Cell { level, place: [x + i, y + j, z + k] }))
        })
    }
}

/// The places of a set of boxes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Lattice {
    /// A quarter of the least corner: quarters have finite differences.
    low: [f64; 3],
    /// Places in a quarter of a metre.
    scale: f64,
}

impl Lattice {
    /// The finest lattice that contains all boxes.
    pub(super) fn over(boxes: &[Aabb]) -> Self {
        let Some(bounds) = boxes.iter().copied().reduce(Aabb::union) else { return Self::default() };
        let extent = (bounds.max * 0.25 - bounds.min * 0.25).max();
        // Sets of tiny or no extent keep a finite scale; they share places.
        Self { low: (bounds.min * 0.25).into(), scale: LAST / extent.max(1e-290) }
    }

    /// From the least to the greatest corner. What lies outside is put on the border, which is monotone too.
    #[inline]
    pub(super) fn span(&self, aabb: &Aabb) -> CellSpan {
        let place = |c: f64, k: usize| ((c * 0.25 - self.low[k]) * self.scale).clamp(0.0, LAST) as u32;
        CellSpan {
            min: [0, 1, 2].map(|k| place(aabb.min[k], k)),
            max: [0, 1, 2].map(|k| place(aabb.max[k], k)),
        }
    }

    /// The cell of a box: on the finest level whose cells are longer than it.
    #[inline]
    pub(super) fn home(&self, aabb: &Aabb) -> Cell {
        let CellSpan { min, max } = self.span(aabb);
        let longest = (0..3).map(|k| max[k] - min[k]).fold(0, u32::max);
        // Less than a cell long, it ends in the next cell at the latest.
        let level = u32::BITS - longest.leading_zeros();
        Cell { level, place: min.map(|c| c >> level) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Point3;

    fn aabb(min: [f64; 3], max: [f64; 3]) -> Aabb {
        Aabb { min: Point3::from(min), max: Point3::from(max) }
    }

    #[test]
    fn a_box_stands_on_the_finest_level_whose_cells_are_longer() {
        let lattice = Lattice { low: [0.0; 3], scale: 4.0 };
        for (from, to, level, place) in
            [(8, 8, 0, 8), (8, 9, 1, 4), (7, 9, 2, 1), (8, 10, 2, 2), (7, 11, 3, 0)]
        {
            let home = lattice.home(&aabb([f64::from(from), 0.0, 0.0], [f64::from(to), 0.0, 0.0]));
            assert_eq!((home.level, home.place), (level, [place, 0, 0]), "{from} {to}");
            assert!((to >> level) - (from >> level) <= 1, "it ends in the next cell at the latest");
        }
    }

    #[test]
    fn each_neighbour_is_visited_from_one_side() {
        for level in [0, 1, BITS - 1] {
            let last = LAST as u32 >> level;
            let inside = Cell { level, place: [last.min(5), last, 0] };
            for near in inside.half_of_the_neighbours() {
                assert!(near.place.iter().all(|&c| c <= last), "{near:?}");
                assert!(near.half_of_the_neighbours().all(|back| back != inside), "{near:?}");
            }
        }
        let middle = Cell { level: 0, place: [9, 9, 9] };
        assert_eq!(middle.half_of_the_neighbours().count(), 13);
        assert_eq!(Cell::from_key(middle.key()), middle);
    }

    #[test]
    fn a_box_searches_around_the_cells_it_covers() {
        let span = CellSpan { min: [8, 0, 5], max: [15, 0, 6] };
        assert_eq!(span.count_on(2), 6);
        assert_eq!(span.cells_on(2).count(), 6);
        let firsts: Vec<u32> = span.cells_on(2).map(|cell| cell.place[0]).collect();
        assert_eq!(firsts, [1, 1, 2, 2, 3, 3]);
    }
}
