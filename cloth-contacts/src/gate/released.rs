//! Pairs that are let go for one motion, because what meets in them cannot be held back.

use super::pair::{Pair, PairCorners};

/// A sorted set of pairs, with their vertices.
#[derive(Clone, Debug, Default)]
pub(super) struct Released {
    pairs: Vec<Pair>,
    vertices: Vec<[u32; 4]>,
}

impl Released {
    pub(super) fn clear(&mut self) {
        self.pairs.clear();
        self.vertices.clear();
    }

    #[inline]
    pub(super) fn contains(&self, pair: Pair) -> bool {
        !self.pairs.is_empty() && self.pairs.binary_search(&pair).is_ok()
    }

    pub(super) fn insert(&mut self, pair: Pair, corners: &PairCorners) {
        if let Err(place) = self.pairs.binary_search(&pair) {
            self.pairs.insert(place, pair);
            self.vertices.insert(place, corners.vertices);
        }
    }

    pub(super) fn as_slice(&self) -> &[[u32; 4]] {
        &self.vertices
    }
}
