//! Which vertices, edges and faces of a mesh touch: adjacency in flat arrays.
//!
//! ```text
//! face f = [a, b, c]      face_edges(f) = [ab, bc, ca]
//! edges: unique (min, max) vertex pairs, sorted by max, then by min
//! ```
//!
//! The order of the edges is that of the public CCD query sets, so that ids agree with theirs. Non-manifold
//! meshes are representable: an edge lists however many faces it has, and a *loose* edge has none.

mod boundary;
mod components;
mod concat;
pub(crate) mod disjoint_sets;
mod hinges;
mod representatives;

pub use components::Components;
pub use hinges::Hinge;
pub use representatives::RepresentativeBits;

use crate::TriMesh;
use thiserror::Error;

/// Why no topology can be built.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum TopologyError {
    /// A face names a vertex that does not exist.
    #[error("face {face} uses vertex {vertex}, but there are {vertex_count} vertices")]
    IndexOutOfRange {
        /// The face.
        face: usize,
        /// The vertex it names.
        vertex: u32,
        /// How many vertices there are.
        vertex_count: usize,
    },
    /// A face names the same vertex twice.
    #[error("face {face} uses vertex {vertex} twice; drop such faces first (repair policy)")]
    RepeatedVertex {
        /// The face.
        face: usize,
        /// The vertex it repeats.
        vertex: u32,
    },
    /// A loose edge names a vertex that does not exist.
    #[error("loose edge {edge} uses vertex {vertex}, but there are {vertex_count} vertices")]
    EdgeOutOfRange {
        /// The loose edge.
        edge: usize,
        /// The vertex it names.
        vertex: u32,
        /// How many vertices there are.
        vertex_count: usize,
    },
    /// Both ends of a loose edge are the same vertex.
    #[error("both ends of loose edge {edge} are vertex {vertex}; a lone vertex needs no edge")]
    EdgeWithoutLength {
        /// The loose edge.
        edge: usize,
        /// The vertex.
        vertex: u32,
    },
}

/// Rows of unequal length in one flat array.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Rows {
    starts: Vec<u32>,
    items: Vec<u32>,
}

impl Rows {
    /// Groups `(row, item)` pairs by row, keeping the order of the items.
    fn group(row_count: usize, pairs: impl Iterator<Item = (u32, u32)> + Clone) -> Self {
        let mut starts = vec![0u32; row_count + 1];
        for (row, _) in pairs.clone() {
            starts[row as usize + 1] += 1;
        }
        for row in 0..row_count {
            starts[row + 1] += starts[row];
        }
        let mut next = starts.clone();
        let mut items = vec![0; starts[row_count] as usize];
        for (row, item) in pairs {
            let slot = &mut next[row as usize];
            items[*slot as usize] = item;
            *slot += 1;
        }
        Self { starts, items }
    }

    fn row(&self, row: usize) -> &[u32] {
        &self.items[self.starts[row] as usize..self.starts[row + 1] as usize]
    }
}

/// Adjacency of a triangle mesh.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topology {
    vertex_count: usize,
    faces: Vec<[u32; 3]>,
    edges: Vec<[u32; 2]>,
    face_edges: Vec<[u32; 3]>,
    edge_faces: Rows,
    vertex_faces: Rows,
}

impl Topology {
    /// Builds the adjacency of `faces` over `vertex_count` vertices.
    ///
    /// # Errors
    /// If a face names a vertex out of range, or the same vertex twice.
    pub fn new(vertex_count: usize, faces: &[[u32; 3]]) -> Result<Self, TopologyError> {
        Self::with_loose_edges(vertex_count, faces, &[])
    }

    /// As [`Topology::new`], with edges that need no face: wires, and the axes of capsules. One that a face
    /// has as well is that edge.
    ///
    /// # Errors
    /// If a face or a loose edge names a vertex out of range, or the same vertex twice.
    pub fn with_loose_edges(
        vertex_count: usize,
        faces: &[[u32; 3]],
        loose: &[[u32; 2]],
    ) -> Result<Self, TopologyError> {
        for (edge, ends) in loose.iter().enumerate() {
            if let Some(&vertex) = ends.iter().find(|&&v| v as usize >= vertex_count) {
                return Err(TopologyError::EdgeOutOfRange { edge, vertex, vertex_count });
            }
            if ends[0] == ends[1] {
                return Err(TopologyError::EdgeWithoutLength { edge, vertex: ends[0] });
            }
        }
        for (face, f) in faces.iter().enumerate() {
            if let Some(&vertex) = f.iter().find(|&&v| v as usize >= vertex_count) {
                return Err(TopologyError::IndexOutOfRange { face, vertex, vertex_count });
            }
            if let Some(k) = (0..3).find(|&k| f[k] == f[(k + 1) % 3]) {
                return Err(TopologyError::RepeatedVertex { face, vertex: f[k] });
            }
        }
        Ok(Self::from_sound(vertex_count, faces.to_vec(), loose))
    }

    /// The adjacency of faces and loose edges that have been checked.
    pub(crate) fn from_sound(vertex_count: usize, faces: Vec<[u32; 3]>, loose: &[[u32; 2]]) -> Self {
        let (edges, face_edges, edge_faces) = join_half_edges(vertex_count, &faces, loose);
        let corners = (0u32..).zip(&faces).flat_map(|(face, f)| f.map(|v| (v, face)));
        let vertex_faces = Rows::group(vertex_count, corners);
        Self { vertex_count, faces, edges, face_edges, edge_faces, vertex_faces }
    }

    /// Builds the adjacency of a mesh.
    ///
    /// # Errors
    /// As [`Topology::new`].
    pub fn of_mesh(mesh: &TriMesh) -> Result<Self, TopologyError> {
        Self::new(mesh.positions.len(), &mesh.faces)
    }

    /// Number of vertices, referenced by a face or not.
    #[must_use]
    pub fn vertex_count(&self) -> usize {
        self.vertex_count
    }

    /// The faces, as given.
    #[must_use]
    pub fn faces(&self) -> &[[u32; 3]] {
        &self.faces
    }

    /// The unique edges as (min, max) vertex pairs, sorted by max, then by min.
    #[must_use]
    pub fn edges(&self) -> &[[u32; 2]] {
        &self.edges
    }

    /// The index of the edge between two vertices, in either order; `None` if there is none.
    #[must_use]
    pub fn edge_between(&self, a: u32, b: u32) -> Option<u32> {
        let key = edge_key(a, b);
        self.edges.binary_search_by_key(&key, |&[a, b]| edge_key(a, b)).ok().map(|e| e as u32)
    }

    /// For each face its three edges; edge `k` joins corners `k` and `k + 1`.
    #[must_use]
    pub fn face_edges(&self) -> &[[u32; 3]] {
        &self.face_edges
    }

    /// The edges without a face, ascending.
    pub fn loose_edges(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.edges.len()).filter(|&e| self.edge_faces(e).is_empty()).map(|e| e as u32)
    }

    /// The faces on an edge, ascending: none on a loose edge, one on a boundary, two inside, more where the
    /// mesh is not manifold.
    #[must_use]
    pub fn edge_faces(&self, edge: usize) -> &[u32] {
        self.edge_faces.row(edge)
    }

    /// The faces around a vertex, ascending; empty for an unreferenced vertex.
    #[must_use]
    pub fn vertex_faces(&self, vertex: usize) -> &[u32] {
        self.vertex_faces.row(vertex)
    }
}

/// The edges, those of each face, and the faces on each, from the sides of valid faces and from loose edges.
///
/// Sides are grouped by their greater vertex, then sorted by the lesser one: a few at each vertex, which is
/// far faster than to sort all of them.
fn join_half_edges(
    vertex_count: usize,
    faces: &[[u32; 3]],
    loose: &[[u32; 2]],
) -> (Vec<[u32; 2]>, Vec<[u32; 3]>, Rows) {
    let side_count = 3 * faces.len();
    let (mut edges, mut face_edges) = (Vec::with_capacity(side_count / 2), vec![[0; 3]; faces.len()]);
    let mut edge_faces = Rows { starts: Vec::new(), items: Vec::with_capacity(side_count) };
    let (mut sides, ends) = sides_by_max(vertex_count, faces, loose);
    let mut start = 0;
    for (max, end) in (0u32..).zip(ends) {
        let row = &mut sides[start as usize..end as usize];
        start = end;
        row.sort_unstable();
        let mut last = None;
        for key in row {
            let (min, side) = ((*key >> 32) as u32, *key as u32 as usize);
            if last.replace(min) != Some(min) {
                edges.push([min, max]);
                edge_faces.starts.push(edge_faces.items.len() as u32);
            }
            if side < side_count {
                face_edges[side / 3][side % 3] = edges.len() as u32 - 1;
                edge_faces.items.push(side as u32 / 3);
            }
        }
    }
    edge_faces.starts.push(edge_faces.items.len() as u32);
    (edges, face_edges, edge_faces)
}

/// The sides of the faces and then the loose edges, grouped by their greater vertex, and where each group
/// ends. A side is the lesser vertex, in the upper half of the word, and its number.
fn sides_by_max(vertex_count: usize, faces: &[[u32; 3]], loose: &[[u32; 2]]) -> (Vec<u64>, Vec<u32>) {
    let sides = faces.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]).chain(loose.iter().copied());
    let mut slots = vec![0u32; vertex_count];
    sides.clone().for_each(|[a, b]| slots[a.max(b) as usize] += 1);
    let mut count = 0;
    for slot in &mut slots {
        count += std::mem::replace(slot, count);
    }
    let mut by_max = vec![0u64; count as usize];
    for (side, [a, b]) in (0u64..).zip(sides) {
        let slot = &mut slots[a.max(b) as usize];
        by_max[*slot as usize] = u64::from(a.min(b)) << 32 | side;
        *slot += 1;
    }
    (by_max, slots)
}

/// The key (max, min) of an edge, whose natural order is the order of the edges.
fn edge_key(a: u32, b: u32) -> [u32; 2] {
    [a.max(b), a.min(b)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_edges_by_their_greater_vertex() {
        let t = Topology::new(4, &[[0, 1, 2], [2, 1, 3]]).unwrap();
        assert_eq!(t.edges(), [[0, 1], [0, 2], [1, 2], [1, 3], [2, 3]]);
        assert_eq!(t.face_edges(), [[0, 2, 1], [2, 3, 4]]);
        assert_eq!(t.edge_faces(2), [0, 1]);
        assert_eq!(t.edge_faces(0), [0]);
        assert_eq!(t.vertex_faces(1), [0, 1]);
    }

    #[test]
    fn a_loose_edge_has_its_place_among_the_edges_and_no_face() {
        let t = Topology::with_loose_edges(7, &[[0, 1, 2], [2, 1, 3]], &[[6, 4], [0, 3], [1, 2]]).unwrap();
        assert_eq!(t.edges(), [[0, 1], [0, 2], [1, 2], [0, 3], [1, 3], [2, 3], [4, 6]]);
        assert_eq!(t.loose_edges().collect::<Vec<_>>(), [3, 6]);
        assert_eq!((t.edge_faces(3), t.edge_faces(6), t.edge_faces(2)), (&[][..], &[][..], &[0, 1][..]));
        assert_eq!((t.edge_between(4, 6), t.vertex_faces(6)), (Some(6), &[][..]));
        let error = |edge| Topology::with_loose_edges(3, &[], &[edge]).unwrap_err().to_string();
        assert!(error([1, 3]).contains("loose edge 0 uses vertex 3"), "{}", error([1, 3]));
        assert!(error([1, 1]).contains("both ends of loose edge 0 are vertex 1"), "{}", error([1, 1]));
    }

    /// The edges of faces and those of each face, as their definition has them.
    fn sorted_edges(faces: &[[u32; 3]], loose: &[[u32; 2]]) -> (Vec<[u32; 2]>, Vec<[u32; 3]>) {
        let sides = |f: &[u32; 3]| [0, 1, 2].map(|k| edge_key(f[k], f[(k + 1) % 3]));
        let mut keys: Vec<[u32; 2]> = faces.iter().flat_map(sides).collect();
        keys.extend(loose.iter().map(|&[a, b]| edge_key(a, b)));
        keys.sort_unstable();
        keys.dedup();
        let id = |key: [u32; 2]| keys.binary_search(&key).unwrap() as u32;
        (
            keys.iter().map(|&[max, min]| [min, max]).collect(),
            faces.iter().map(|f| sides(f).map(id)).collect(),
        )
    }

    #[test]
    fn grouped_sides_make_the_edges_that_sorted_ones_do() {
        let mut dice = cloth_testing::Dice::new(1);
        for count in [3, 4, 9, 40] {
            for face_count in [0, 1, 5, 100] {
                let mut distinct = |n: usize| loop {
                    let ids: Vec<u32> = (0..n).map(|_| dice.below(count)).collect();
                    if (0..n).all(|i| !ids[..i].contains(&ids[i])) {
                        return ids;
                    }
                };
                let faces: Vec<[u32; 3]> = (0..face_count).map(|_| distinct(3).try_into().unwrap()).collect();
                let loose: Vec<[u32; 2]> =
                    (0..face_count / 5).map(|_| distinct(2).try_into().unwrap()).collect();
                let t = Topology::with_loose_edges(count as usize, &faces, &loose).unwrap();
                let (edges, face_edges) = sorted_edges(&faces, &loose);
                assert_eq!((t.edges(), t.face_edges()), (&edges[..], &face_edges[..]));
                for e in 0..edges.len() {
                    let on_it = (0u32..).zip(&face_edges).filter(|(_, f)| f.contains(&(e as u32)));
                    assert_eq!(t.edge_faces(e), on_it.map(|(f, _)| f).collect::<Vec<_>>());
                }
                for v in 0..count {
                    let around = (0u32..).zip(&faces).filter(|(_, f)| f.contains(&v));
                    assert_eq!(t.vertex_faces(v as usize), around.map(|(f, _)| f).collect::<Vec<_>>());
                }
            }
        }
    }

    #[test]
    fn finds_an_edge_by_its_vertices_in_either_order() {
        let t = Topology::new(4, &[[0, 1, 2], [2, 1, 3]]).unwrap();
        for (e, &[a, b]) in t.edges().iter().enumerate() {
            assert_eq!((t.edge_between(a, b), t.edge_between(b, a)), (Some(e as u32), Some(e as u32)));
        }
        assert_eq!((t.edge_between(0, 3), t.edge_between(0, 9)), (None, None));
    }

    #[test]
    fn refuses_a_face_that_names_a_missing_or_repeated_vertex() {
        assert_eq!(
            Topology::new(2, &[[0, 1, 2]]),
            Err(TopologyError::IndexOutOfRange { face: 0, vertex: 2, vertex_count: 2 })
        );
        assert_eq!(Topology::new(3, &[[0, 1, 1]]), Err(TopologyError::RepeatedVertex { face: 0, vertex: 1 }));
    }
}
