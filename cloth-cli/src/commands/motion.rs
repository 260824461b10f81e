//! One real motion of a mesh: its two frames, the boxes that it sweeps, and pairs of its primitives.
//!
//! Pairs are numbered as in the public data sets: vertices first, then edges, then faces.

use std::fmt;
use std::path::Path;

use cloth_broadphase::{Boxes, BoxesError, BroadPhase, Members, PairFilter, Sweep};
use cloth_geom::Topology;
use cloth_io::queries::read_pair_ids;
use cloth_io::read_mesh;
use cloth_show::program::Failure;
use nalgebra::Point3;

/// A mesh at both ends of a motion.
pub(super) struct Frames {
    /// Positions at the start (m).
    pub(super) t0: Vec<Point3<f64>>,
    /// Positions at the end (m), as many.
    pub(super) t1: Vec<Point3<f64>>,
    /// The faces of both.
    pub(super) topology: Topology,
}

/// The boxes of all primitives of a mesh.
pub(super) struct SweptBoxes {
    pub(super) points: Boxes,
    pub(super) edges: Boxes,
    pub(super) faces: Boxes,
}

impl Frames {
    /// Reads both frames; they must be of one mesh.
    pub(super) fn read(start: &Path, end: &Path) -> Result<Self, Failure> {
        let (a, b) = (read_mesh(start)?.mesh, read_mesh(end)?.mesh);
        let refused = |why: &str| Failure::new(format!("{}: {why}", end.display()));
        if a.positions.len() != b.positions.len() {
            let (b, a) = (b.positions.len(), a.positions.len());
            return Err(refused(&format!(
                "has {b} vertices, but the start has {a}; pass two frames of one mesh"
            )));
        }
        if a.faces != b.faces {
            return Err(refused("has other faces than the start; pass two frames of one mesh"));
        }
        let topology =
            Topology::of_mesh(&a).map_err(|e| Failure::new(format!("{}: {e}", start.display())))?;
        Ok(Self { t0: a.positions, t1: b.positions, topology })
    }

    /// The boxes of the motion, grown by `margin`.
    pub(super) fn swept(&self, margin: f64) -> Result<SweptBoxes, BoxesError> {
        let sweep = Sweep::new(&self.t0, &self.t1).expect("both frames have as many vertices");
        self.boxes(sweep.inflated(margin))
    }

    /// The boxes of the start, grown by `margin`.
    pub(super) fn at_start(&self, margin: f64) -> Result<SweptBoxes, BoxesError> {
        self.boxes(Sweep::at_rest(&self.t0).inflated(margin))
    }

    fn boxes(&self, sweep: Sweep<'_, f64>) -> Result<SweptBoxes, BoxesError> {
        Ok(SweptBoxes {
            points: Boxes::try_from_iter(sweep.points())?,
            edges: Boxes::try_from_iter(sweep.edges(self.edges()))?,
            faces: Boxes::try_from_iter(sweep.faces(self.faces()))?,
        })
    }

    pub(super) fn edges(&self) -> &[[u32; 2]] {
        self.topology.edges()
    }

    pub(super) fn faces(&self) -> &[[u32; 3]] {
        self.topology.faces()
    }

    /// How many vertices, edges and faces there are.
    pub(super) fn counts(&self) -> [usize; 3] {
        [self.t0.len(), self.edges().len(), self.faces().len()]
    }

    /// Two edges that share no vertex.
    pub(super) fn edge_edge(&self) -> PairFilter<'_> {
        PairFilter::no_shared_vertex(Members::Edges(self.edges()), Members::Edges(self.edges()))
    }

    /// A face and a vertex that is none of its own.
    pub(super) fn face_vertex(&self) -> PairFilter<'_> {
        PairFilter::no_shared_vertex(Members::Faces(self.faces()), Members::Points(self.t0.len()))
    }

    /// Visits the pairs that two broad phases over faces and edges find: a face and a vertex first, then two
    /// edges, the lesser first.
    pub(super) fn visit_pairs<B: BroadPhase>(
        &self,
        [faces, edges]: [&B; 2],
        points: &Boxes,
        visit: &mut dyn FnMut(Pair),
    ) {
        let mut face_vertex = |face, vertex| visit(Pair::FaceVertex([face, vertex]));
        faces.visit_pairs_with(points, &self.face_vertex(), &mut face_vertex);
        edges.visit_self_pairs(&self.edge_edge(), &mut |a, b| visit(Pair::EdgeEdge([a, b])));
    }
}

/// Two primitives, each by its own number among its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Pair {
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
pub(super) fn read_pairs(path: &Path, counts: [usize; 3]) -> Result<Vec<Pair>, Failure> {
    let pairs = read_pair_ids(path)?;
    pairs
        .iter()
        .enumerate()
        .map(|(i, &ids)| pair(ids, counts).ok_or_else(|| refusal(path, i, ids, counts)))
        .collect()
}

fn refusal(path: &Path, i: usize, [a, b]: [u64; 2], [v, e, f]: [usize; 3]) -> Failure {
    Failure::new(format!(
        "{}: pair {i}, [{a}, {b}], is neither a vertex and a face nor two edges; numbers are those of {v} \
         vertices, then {e} edges, then {f} faces",
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

/// Pairs with what is known about them, found by either order of two edges.
#[derive(Debug, Default)]
pub(super) struct KnownPairs {
    /// In ascending order, two edges the lesser first; each with whether it collides.
    pairs: Vec<(Pair, bool)>,
}

impl KnownPairs {
    /// Some pairs, which may be named more than once.
    ///
    /// # Errors
    /// If one is labelled both ways; a sentence.
    pub(super) fn new(pairs: impl IntoIterator<Item = (Pair, bool)>) -> Result<Self, String> {
        let ascending = |pair| match pair {
            Pair::EdgeEdge([a, b]) => Pair::EdgeEdge([a.min(b), a.max(b)]),
            other => other,
        };
        let mut pairs: Vec<_> = pairs.into_iter().map(|(pair, label)| (ascending(pair), label)).collect();
        pairs.sort_unstable();
        pairs.dedup();
        match pairs.windows(2).find(|two| two[0].0 == two[1].0) {
            Some(two) => {
                Err(format!("{} are labelled both ways; correct the lists or their labels", two[0].0))
            }
            None => Ok(Self { pairs }),
        }
    }

    /// The place of a pair, two edges the lesser first, and whether it collides.
    pub(super) fn find(&self, pair: Pair) -> Option<(usize, bool)> {
        let place = self.pairs.binary_search_by_key(&pair, |&(known, _)| known).ok()?;
        Some((place, self.pairs[place].1))
    }

    pub(super) fn len(&self) -> usize {
        self.pairs.len()
    }

    /// How many of them collide.
    pub(super) fn hits(&self) -> usize {
        self.pairs.iter().filter(|(_, collides)| *collides).count()
    }

    /// How many are not among those that `visit` passes on.
    pub(super) fn missing(&self, visit: impl FnOnce(&mut dyn FnMut(Pair))) -> usize {
        let mut seen = vec![false; self.len()];
        visit(&mut |pair| {
            if let Some((place, _)) = self.find(pair) {
                seen[place] = true;
            }
        });
        seen.iter().filter(|&&seen| !seen).count()
    }
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

    #[test]
    fn missing_pairs_are_those_that_nobody_found() {
        let pairs = [Pair::FaceVertex([0, 1]), Pair::EdgeEdge([4, 0]), Pair::FaceVertex([1, 2])];
        let twice = [&pairs[..], &pairs[..2]].concat();
        let expected = KnownPairs::new(twice.into_iter().map(|pair| (pair, true))).unwrap();
        let found = [Pair::EdgeEdge([0, 4]), Pair::FaceVertex([0, 1]), Pair::FaceVertex([1, 1])];
        let missing = expected.missing(|visit| found.into_iter().for_each(visit));
        assert_eq!((expected.len(), missing), (3, 1));
    }

    #[test]
    fn finds_pairs_whatever_their_order_in_the_list() {
        let list = [
            (Pair::EdgeEdge([7, 2]), true),
            (Pair::FaceVertex([3, 1]), false),
            (Pair::EdgeEdge([2, 7]), true),
        ];
        let known = KnownPairs::new(list).unwrap();
        assert_eq!((known.len(), known.hits()), (2, 1));
        assert_eq!(known.find(Pair::EdgeEdge([2, 7])).map(|(_, label)| label), Some(true));
        assert_eq!(known.find(Pair::FaceVertex([3, 1])).map(|(_, label)| label), Some(false));
        assert_eq!(known.find(Pair::FaceVertex([1, 3])), None);
    }

    #[test]
    fn refuses_a_pair_that_is_labelled_both_ways() {
        let list = [(Pair::EdgeEdge([1, 2]), true), (Pair::EdgeEdge([1, 2]), false)];
        let refusal = KnownPairs::new(list).unwrap_err();
        assert!(refusal.starts_with("edges 1 and 2 are labelled both ways"), "{refusal}");
    }
}
