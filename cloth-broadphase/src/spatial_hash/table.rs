//! Entries sorted into the buckets of a hash: count, prefix sums, fill.
//!
//! Within a bucket the entries are sorted by their cell, so that those of a cell stand together.

use std::ops::Range;

use super::lattice::Cell;

/// Entries by bucket. Twice as many buckets as entries keep most of them to one cell.
#[derive(Clone, Debug, Default)]
pub(super) struct Table {
    /// Keys by id, as they came.
    incoming: Vec<u64>,
    /// Where each bucket starts; one more for the end.
    starts: Vec<u32>,
    entries: Vec<(u64, u32)>,
    keys: Vec<u64>,
    ids: Vec<u32>,
    shift: u32,
}

impl Table {
    /// Takes the cells of all boxes, by id.
    pub(super) fn fill(&mut self, cells: impl ExactSizeIterator<Item = Cell>) {
        let bits = (2 * cells.len()).next_power_of_two().trailing_zeros().max(1);
        self.shift = u64::BITS - bits;
        self.incoming.clear();
        self.incoming.extend(cells.map(Cell::key));
        self.starts.clear();
        self.starts.resize((1 << bits) + 1, 0);
        for &key in &self.incoming {
            self.starts[bucket(key, self.shift) + 1] += 1;
        }
        for i in 1..self.starts.len() {
            self.starts[i] += self.starts[i - 1];
        }
        self.entries.clear();
        self.entries.resize(self.incoming.len(), (0, 0));
        // Each start moves to its bucket's end while that fills, which is where the next one starts.
        for (&key, id) in self.incoming.iter().zip(0..) {
            let next = &mut self.starts[bucket(key, self.shift)];
            self.entries[*next as usize] = (key, id);
            *next += 1;
        }
        self.starts.rotate_right(1);
        self.starts[0] = 0;
        for i in 1..self.starts.len() {
            self.entries[self.starts[i - 1] as usize..self.starts[i] as usize].sort_unstable();
        }
        self.keys.clear();
        self.keys.extend(self.entries.iter().map(|entry| entry.0));
        self.ids.clear();
        self.ids.extend(self.entries.iter().map(|entry| entry.1));
    }

    /// The ids, in the order of the entries.
    pub(super) fn ids(&self) -> &[u32] {
        &self.ids
    }

    /// The places of a cell's entries.
    #[inline]
    pub(super) fn entries(&self, cell: Cell) -> Range<usize> {
        let key = cell.key();
        let at = bucket(key, self.shift);
        let (start, end) = (self.starts[at] as usize, self.starts[at + 1] as usize);
        let keys = &self.keys[start..end];
        let first = keys.partition_point(|&k| k < key);
        let count = keys[first..].partition_point(|&k| k == key);
        start + first..start + first + count
    }

    /// Each cell that has entries, with their places.
    pub(super) fn cells(&self) -> impl Iterator<Item = (Cell, Range<usize>)> {
        let mut end = 0;
        self.keys.chunk_by(|a, b| a == b).map(move |same| {
            let start = end;
            end += same.len();
            (Cell::from_key(same[0]), start..end)
        })
    }
}

/// Fibonacci hashing: the high bits of a product depend on all bits of the key.
#[inline]
fn bucket(key: u64, shift: u32) -> usize {
    (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> shift) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_entries_of_each_cell_and_of_no_other() {
        let cell = |i: u32| Cell { level: i % 3, place: [i % 5, i % 7, 0] };
        let mut table = Table::default();
        for count in [0, 1, 1000] {
            table.fill((0..count).map(cell).collect::<Vec<_>>().into_iter());
            let mut found = 0;
            for (of, entries) in table.cells() {
                assert_eq!(table.entries(of), entries);
                assert!(entries.clone().all(|place| cell(table.ids()[place]) == of));
                found += entries.len();
            }
            assert_eq!(found, count as usize);
            assert!(table.entries(Cell { level: 4, place: [1, 1, 1] }).is_empty());
        }
    }
}
