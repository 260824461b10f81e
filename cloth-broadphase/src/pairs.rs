//! Pairs of ids in canonical order.
//!
//! Trees, grids and threads find pairs in different orders. Results must not depend on it, so pairs are
//! sorted lexicographically. First ids are dense in practice, so a counting sort by first id, then a
//! comparison sort of each short row: 0.16 ms instead of 0.42 for the 27,000 edge pairs of a 64 x 64 sheet.

/// Pairs of ids without duplicates, in lexicographic order.
///
/// Pairs within one set are `[a, b]` with `a < b`; pairs with another set are `[own, other]`. Buffers are
/// reused.
#[derive(Clone, Debug, Default)]
pub struct Pairs {
    items: Vec<[u32; 2]>,
    unsorted: Vec<[u32; 2]>,
    starts: Vec<u32>,
}

impl PartialEq for Pairs {
    fn eq(&self, other: &Self) -> bool {
        self.items == other.items
    }
}

impl Eq for Pairs {}

impl Pairs {
    /// No pairs.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The pairs in lexicographic order.
    #[must_use]
    pub fn as_slice(&self) -> &[[u32; 2]] {
        &self.items
    }

    /// How many pairs there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there is no pair.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Replaces the content by what `find` reports, in canonical order.
    ///
    /// `find` must report no pair twice; the order is free.
    pub(crate) fn refill(&mut self, find: impl FnOnce(&mut Vec<[u32; 2]>)) {
        self.items.clear();
        self.unsorted.clear();
        find(&mut self.unsorted);
        let row_count = self.unsorted.iter().map(|p| p[0] as usize + 1).max().unwrap_or(0);
        // Counting visits every row, found or not; past a few empty rows for a pair it no longer pays.
        if row_count <= 4 * self.unsorted.len() {
            self.sort_by_counting(row_count);
        } else {
            self.items.extend_from_slice(&self.unsorted);
            self.items.sort_unstable_by_key(key);
        }
        debug_assert!(self.items.is_sorted_by(|a, b| a < b), "a pair was reported twice");
    }

    fn sort_by_counting(&mut self, row_count: usize) {
        self.starts.clear();
        self.starts.resize(row_count + 1, 0);
        for p in &self.unsorted {
            self.starts[p[0] as usize + 1] += 1;
        }
        for row in 0..row_count {
            self.starts[row + 1] += self.starts[row];
        }
        self.items.resize(self.unsorted.len(), [0; 2]);
        // Each row's start moves to its end as the row fills: afterwards, starts[row] is where the next
        // begins.
        for &p in &self.unsorted {
            let next = &mut self.starts[p[0] as usize];
            self.items[*next as usize] = p;
            *next += 1;
        }
        let mut begin = 0;
        for row in 0..row_count {
            let end = self.starts[row] as usize;
            self.items[begin..end].sort_unstable_by_key(|p| p[1]);
            begin = end;
        }
    }
}

fn key(pair: &[u32; 2]) -> u64 {
    u64::from(pair[0]) << 32 | u64::from(pair[1])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(found: &[[u32; 2]]) -> Vec<[u32; 2]> {
        let mut pairs = Pairs::new();
        pairs.refill(|out| out.extend_from_slice(found));
        pairs.as_slice().to_vec()
    }

    #[test]
    fn orders_dense_and_sparse_pairs_alike() {
        let mut dense: Vec<[u32; 2]> =
            (0..40u32).flat_map(|i| (0..7).map(move |j| [i * 17 % 40, j * 5 % 7])).collect();
        let mut sparse: Vec<[u32; 2]> = dense.iter().map(|p| [p[0] * 100_000_000, u32::MAX - p[1]]).collect();
        for found in [&mut dense, &mut sparse] {
            let ordered = sorted(found);
            found.sort_unstable();
            assert_eq!(&ordered, found);
        }
    }

    #[test]
    fn orders_by_the_first_id_before_the_greatest_second() {
        assert_eq!(sorted(&[[1_000_001, 0], [1_000_000, u32::MAX]]), [[1_000_000, u32::MAX], [1_000_001, 0]]);
        assert_eq!(sorted(&[[1, 0], [0, u32::MAX]]), [[0, u32::MAX], [1, 0]]);
    }

    #[test]
    fn forgets_the_last_content() {
        let mut pairs = Pairs::new();
        pairs.refill(|out| out.extend([[3, 4], [1, 2]]));
        assert_eq!(pairs.as_slice(), [[1, 2], [3, 4]]);
        pairs.refill(|out| out.push([0, 9]));
        assert_eq!(pairs.as_slice(), [[0, 9]]);
        pairs.refill(|_| ());
        assert!(pairs.is_empty());
    }
}
