//! Representative triangles: pairs of features from pairs of faces, without duplicates (Lewin 2018, section
//! 4.5).
//!
//! A broad phase over faces reports pairs of faces, each of which stands for 6 vertex-face pairs and 9
//! edge-edge pairs. Neighbouring faces share vertices and edges, so most of these occur several times. If
//! only the owner of a feature reports it, each pair occurs at most once, and no set of visited pairs is
//! needed:
//!
//! ```text
//!       o-----o      vertex v is owned by f alone; with g far away, (v, g) is reported by (f, g), not by
//!      / \ f / \     (h, g)
//!     / h \ /   \    completeness: the box of f contains v, so where the boxes of v and g overlap,
//!    o-----v-----o   those of f and g overlap
//! ```
//!
//! **Faces that share a vertex must be among the pairs.** A face next to `g` may own a vertex that `g` does
//! not have; a broad phase that skips neighbouring faces would lose it. Features that share a vertex are
//! skipped here.
//!
//! [`crate::Detector`] applies ownership to closest features instead, because its candidates are pairs of
//! features. Use this module with a broad phase over faces.

use cloth_geom::{RepresentativeBits, Topology};

/// Pairs of features: candidates for contacts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FeaturePairs {
    /// `[vertex, face]`, in the order in which they were found.
    pub point_triangles: Vec<[u32; 2]>,
    /// `[edge, edge]`, ascending in itself, in the order in which they were found.
    pub edge_edges: Vec<[u32; 2]>,
}

/// Distinguishes features from pairs of faces.
#[derive(Clone, Debug)]
pub struct RepTri<'a> {
    topology: &'a Topology,
    /// `None` if every face reports all of its features.
    bits: Option<Vec<RepresentativeBits>>,
}

impl<'a> RepTri<'a> {
    /// Only the owner of a feature reports it.
    #[must_use]
    pub fn with_bits(topology: &'a Topology) -> Self {
        Self { topology, bits: Some(topology.representatives()) }
    }

    /// Every face reports its features: the baseline for comparison.
    #[must_use]
    pub fn without_bits(topology: &'a Topology) -> Self {
        Self { topology, bits: None }
    }

    /// Adds the pairs of features of two faces that share no vertex.
    ///
    /// # Panics
    /// If a face is beyond the topology's.
    pub fn add(&self, faces: [u32; 2], out: &mut FeaturePairs) {
        let [f, g] = faces.map(|face| face as usize);
        self.add_points(f, g, &mut out.point_triangles);
        self.add_points(g, f, &mut out.point_triangles);
        let edges = self.topology.edges();
        for (k, &e) in self.topology.face_edges()[f].iter().enumerate() {
            if !self.owns_edge(f, k) {
                continue;
            }
            for (l, &other) in self.topology.face_edges()[g].iter().enumerate() {
                let apart = edges[e as usize].iter().all(|v| !edges[other as usize].contains(v));
                if apart && self.owns_edge(g, l) {
                    out.edge_edges.push([e.min(other), e.max(other)]);
                }
            }
        }
    }

    fn add_points(&self, of: usize, face: usize, out: &mut Vec<[u32; 2]>) {
        let corners = self.topology.faces()[face];
        for (k, v) in self.topology.faces()[of].into_iter().enumerate() {
            if self.owns_vertex(of, k) && !corners.contains(&v) {
                out.push([v, face as u32]);
            }
        }
    }

    fn owns_vertex(&self, face: usize, k: usize) -> bool {
        self.bits.as_ref().is_none_or(|bits| bits[face].owns_vertex(k))
    }

    fn owns_edge(&self, face: usize, k: usize) -> bool {
        self.bits.as_ref().is_none_or(|bits| bits[face].owns_edge(k))
    }
}
