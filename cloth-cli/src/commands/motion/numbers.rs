//! Pairs of primitives by the numbers of the public data sets: vertices first, then edges, then faces.

use std::fmt;
use std::path::Path;

use cloth_io::queries::read_pair_ids;

use crate::failure::Failure;

/// Two primitives, each by its own number among its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::commands) enum Pair {
    /// A face and a vertex.
    FaceVertex([u32; 2]),
    /// Two edges, in the order in which they were named.
    EdgeEdge([u32; 2]),
}

impl fmt::Display for Pair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FaceVertex([face, vertex]) => write!(f, "face {face} and vertex {vertex}"),
            Self::EdgeEdge([a, b]) => write!(f, "edges {a} and {b}"),
        }
    }
}

/// Reads a list of pairs of a mesh of so many vertices, edges and faces.
pub(in crate::commands) fn read_pairs(path: &Path, counts: [usize; 3]) -> Result<Vec<Pair>, Failure> {
    let pairs = read_pair_ids(path)?;
    pairs
        .iter()
        .enumerate()
        .map(|(i, &ids)| pair(ids, counts).ok_or_else(|| refusal(path, i, ids, counts)))
        .collect()
}

fn refusal(path: &Path, i: usize, [a, b]: [u64; 2], [v, e, f]: [usize; 3]) -> Failure {
    Failure::new(format!(
        "{}: pair {i}, [{a}, {b}], is neither a vertex and a face nor two edges; numbers are those of {v} vertices, then \
         {e} edges, then {f} faces",
        path.display()
    ))
}

/// The pair of two global numbers; a vertex and a face in either order.
fn pair([a, b]: [u64; 2], counts: [usize; 3]) -> Option<Pair> {
    match [primitive(a, counts)?, primitive(b, counts)?] {
        [(0, vertex), (2, face)] | [(2, face), (0, vertex)] => Some(Pair::FaceVertex([face, vertex])),
        [(1, a), (1, b)] => Some(Pair::EdgeEdge([a, b])),
        _ => None,
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

    const COUNTS: [usize; 3] = [4, 5, 2];

    #[test]
    fn global_numbers_count_vertices_then_edges_then_faces() {
        let of = |number| primitive(number, COUNTS);
        assert_eq!([of(0), of(3), of(4)], [Some((0, 0)), Some((0, 3)), Some((1, 0))]);
        assert_eq!([of(8), of(9), of(10), of(11)], [Some((1, 4)), Some((2, 0)), Some((2, 1)), None]);
        assert_eq!(of(u64::MAX), None);
    }

    #[test]
    fn vertex_and_face_come_in_either_order_and_edges_keep_theirs() {
        assert_eq!(
            (pair([9, 1], COUNTS), pair([1, 9], COUNTS)),
            (pair([1, 9], COUNTS), pair([9, 1], COUNTS))
        );
        assert_eq!(pair([10, 1], COUNTS), Some(Pair::FaceVertex([1, 1])));
        assert_eq!(pair([8, 4], COUNTS), Some(Pair::EdgeEdge([4, 0])));
        for odd in [[0, 1], [0, 4], [4, 9], [9, 10], [0, 11]] {
            assert_eq!(pair(odd, COUNTS), None, "{odd:?}");
        }
    }
}
