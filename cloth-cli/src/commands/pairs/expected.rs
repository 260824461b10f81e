//! Pairs that somebody else found, and that must be among ours.

use std::path::{Path, PathBuf};

use super::motion::Motion;
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
    /// Reads lists of pairs, all into one.
    pub(super) fn read(paths: &[PathBuf], motion: &Motion) -> Result<Self, Failure> {
        let counts = [motion.vertex_count(), motion.edges().len(), motion.faces().len()];
        let mut all = Self::default();
        for path in paths {
            let failed = |what: String| Failure::new(format!("{}: {what}", path.display()));
            let text = std::fs::read_to_string(path).map_err(|e| failed(format!("cannot read: {e}")))?;
            let pairs: Vec<[u64; 2]> = serde_json::from_str(&text)
                .map_err(|e| failed(format!("is no JSON array of pairs such as [[3, 70], [5, 81]]: {e}")))?;
            all.add(&pairs, counts, path)?;
        }
        for pairs in [&mut all.face_vertex, &mut all.edge_edge] {
            pairs.sort_unstable();
            pairs.dedup();
        }
        Ok(all)
    }

    fn add(&mut self, pairs: &[[u64; 2]], counts: [usize; 3], path: &Path) -> Result<(), Failure> {
        for (i, &[a, b]) in pairs.iter().enumerate() {
            match [primitive(a.min(b), counts), primitive(a.max(b), counts)] {
                [Some((0, vertex)), Some((2, face))] => self.face_vertex.push([face, vertex]),
                [Some((1, a)), Some((1, b))] => self.edge_edge.push([a, b]),
                _ => {
                    let [v, e, f] = counts;
                    return Err(Failure::new(format!(
                        "{}: pair {i}, [{a}, {b}], is neither a vertex and a face nor two edges; numbers are those of \
                         {v} vertices, then {e} edges, then {f} faces",
                        path.display()
                    )));
                }
            }
        }
        Ok(())
    }

    /// How many pairs there are.
    pub(super) fn len(&self) -> usize {
        self.face_vertex.len() + self.edge_edge.len()
    }

    /// A fresh account of what is still missing.
    pub(super) fn account(&self) -> Account<'_> {
        Account { expected: self, seen: vec![false; self.len()] }
    }
}

/// Which of the expected pairs have been seen.
pub(super) struct Account<'a> {
    expected: &'a Expected,
    seen: Vec<bool>,
}

impl Account<'_> {
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

/// What a global number stands for: 0 vertex, 1 edge or 2 face, and its own number.
fn primitive(number: u64, counts: [usize; 3]) -> Option<(usize, u32)> {
    let mut rest = number;
    for (kind, count) in counts.into_iter().enumerate() {
        match rest.checked_sub(count as u64) {
            None => return u32::try_from(rest).ok().map(|own| (kind, own)),
            Some(beyond) => rest = beyond,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn global_numbers_count_vertices_then_edges_then_faces() {
        let counts = [4, 5, 2];
        let of = |number| primitive(number, counts);
        assert_eq!([of(0), of(3), of(4)], [Some((0, 0)), Some((0, 3)), Some((1, 0))]);
        assert_eq!([of(8), of(9), of(10), of(11)], [Some((1, 4)), Some((2, 0)), Some((2, 1)), None]);
    }

    #[test]
    fn missing_pairs_are_those_that_nobody_found() {
        let mut expected = Expected::default();
        expected.add(&[[9, 1], [4, 8], [2, 10]], [4, 5, 2], Path::new("x.json")).unwrap();
        expected.face_vertex.sort_unstable();
        let mut account = expected.account();
        account.edge_edge(0, 4);
        account.face_vertex(0, 1);
        account.face_vertex(1, 1);
        assert_eq!((expected.len(), account.missing()), (3, 1));
        let error = expected.add(&[[0, 4]], [4, 5, 2], Path::new("x.json")).unwrap_err().to_string();
        assert!(error.contains("x.json: pair 0, [0, 4], is neither"), "{error}");
    }
}
