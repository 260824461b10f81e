//! A list of candidate pairs in canonical order that grows by merging, each with the mark until which it is quiet.

/// A candidate pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Candidate {
    pub(crate) pair: [u32; 2],
    /// See `quiet`; minus infinity asks for a look.
    pub(crate) mark: f32,
    pub(crate) own_mark: f32,
}

impl Candidate {
    /// A pair that has not been looked at.
    fn new(pair: [u32; 2]) -> Self {
        Self { pair, mark: f32::NEG_INFINITY, own_mark: f32::NEG_INFINITY }
    }
}

/// Pairs in canonical order, each once.
#[derive(Clone, Debug, Default)]
pub(crate) struct PairList {
    items: Vec<Candidate>,
    found: Vec<[u32; 2]>,
}

impl PairList {
    pub(crate) fn as_slice(&self) -> &[Candidate] {
        &self.items
    }

    pub(crate) fn as_mut_slice(&mut self) -> &mut [Candidate] {
        &mut self.items
    }

    /// Asks for a look at every pair.
    pub(crate) fn forget_marks(&mut self) {
        self.items.iter_mut().for_each(|c| *c = Candidate::new(c.pair));
    }

    pub(crate) fn clear(&mut self) {
        self.items.clear();
        self.found.clear();
    }

    /// Where newly found pairs are put, in any order, until [`PairList::merge`].
    pub(crate) fn found(&mut self) -> &mut Vec<[u32; 2]> {
        &mut self.found
    }

    /// Takes the found pairs in. A pair that is here already stays as it is.
    pub(crate) fn merge(&mut self) {
        self.found.sort_unstable();
        self.found.dedup();
        let items = &self.items;
        self.found.retain(|pair| items.binary_search_by_key(pair, |c| c.pair).is_err());
        // From the back, so that it needs no second list.
        let mut old = self.items.len();
        self.items.resize(old + self.found.len(), Candidate::new([0; 2]));
        let mut to = self.items.len();
        while let Some(&pair) = self.found.last() {
            to -= 1;
            if old > 0 && self.items[old - 1].pair > pair {
                old -= 1;
                self.items[to] = self.items[old];
            } else {
                self.items[to] = Candidate::new(pair);
                self.found.pop();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merges_new_pairs_into_order_and_keeps_the_marks_of_old_ones() {
        let mut list = PairList::default();
        list.found().extend([[2, 5], [0, 1], [2, 5]]);
        list.merge();
        list.as_mut_slice()[1].mark = 3.0;
        list.found().extend([[9, 9], [0, 0], [2, 5], [1, 7]]);
        list.merge();
        let pairs: Vec<_> = list.as_slice().iter().map(|c| c.pair).collect();
        assert_eq!(pairs, [[0, 0], [0, 1], [1, 7], [2, 5], [9, 9]]);
        assert_eq!(list.as_slice()[3].mark, 3.0);
        assert_eq!(list.as_slice()[2].mark, f32::NEG_INFINITY);
    }
}
