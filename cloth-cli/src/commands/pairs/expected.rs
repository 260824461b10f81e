//! Pairs that somebody else found, and that must be among ours.

use std::path::PathBuf;

use crate::commands::motion::{Pair, read_pairs};
use crate::failure::Failure;

/// Pairs of each kind, sorted, without duplicates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Expected {
    /// `[face, vertex]`.
    face_vertex: Vec<[u32; 2]>,
    /// `[edge, edge]`, the smaller first.
    edge_edge: Vec<[u32; 2]>,
}

impl Expected {
    /// Reads lists of pairs, all into one, of a mesh of so many vertices, edges and faces.
    pub(super) fn read(paths: &[PathBuf], counts: [usize; 3]) -> Result<Self, Failure> {
        let mut pairs = Vec::new();
        for path in paths {
            pairs.extend(read_pairs(path, counts)?);
        }
        Ok(Self::from_pairs(&pairs))
    }

    fn from_pairs(pairs: &[Pair]) -> Self {
        let mut all = Self::default();
        for &pair in pairs {
            match pair {
                Pair::FaceVertex(pair) => all.face_vertex.push(pair),
                Pair::EdgeEdge([a, b]) => all.edge_edge.push([a.min(b), a.max(b)]),
            }
        }
        for pairs in [&mut all.face_vertex, &mut all.edge_edge] {
            pairs.sort_unstable();
            pairs.dedup();
        }
        all
    }

    /// How many pairs there are.
    pub(super) fn len(&self) -> usize {
        self.face_vertex.len() + self.edge_edge.len()
    }

    /// A fresh account of what is still missing.
    pub(super) fn account(&self) -> MissingPairs<'_> {
        MissingPairs { expected: self, seen: vec![false; self.len()] }
    }
}

/// Which of the expected pairs have been seen.
pub(super) struct MissingPairs<'a> {
    expected: &'a Expected,
    seen: Vec<bool>,
}

impl MissingPairs<'_> {
    /// A face and a vertex were found.
    pub(super) fn face_vertex(&mut self, face: u32, vertex: u32) {
        if let Ok(place) = self.expected.face_vertex.binary_search(&[face, vertex]) {
            self.seen[place] = true;
        }
    }

    /// Two edges were found, the smaller first.
    pub(super) fn edge_edge(&mut self, a: u32, b: u32) {
        if let Ok(place) = self.expected.edge_edge.binary_search(&[a, b]) {
            self.seen[self.expected.face_vertex.len() + place] = true;
        }
    }

    /// How many have not.
    pub(super) fn missing(&self) -> usize {
        self.seen.iter().filter(|&&seen| !seen).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_pairs_are_those_that_nobody_found() {
        let pairs = [Pair::FaceVertex([0, 1]), Pair::EdgeEdge([4, 0]), Pair::FaceVertex([1, 2])];
        let expected = Expected::from_pairs(&[&pairs[..], &pairs[..2]].concat());
        let mut account = expected.account();
        account.edge_edge(0, 4);
        account.face_vertex(0, 1);
        account.face_vertex(1, 1);
        assert_eq!((expected.len(), account.missing()), (3, 1));
    }
}
