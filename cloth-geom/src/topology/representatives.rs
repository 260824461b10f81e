//! Ownership of vertices and edges by faces (representative triangles, Lewin 2018, section 4.5).
//!
//! A broad phase reports pairs of faces, and neighbouring faces share vertices and edges. If each vertex and
//! each edge is owned by one face, and only the owner passes it to the narrow phase, every vertex-face and
//! edge-edge pair is tested at most once without a set of visited pairs.

use super::Topology;

/// What a face owns: its vertices in bits 0 to 2, its edges in bits 3 to 5, in the order of corners and
/// [`Topology::face_edges`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RepresentativeBits(u8);

impl RepresentativeBits {
    /// The six bits.
    #[must_use]
    pub fn bits(self) -> u8 {
        self.0
    }

    /// Whether the face owns the vertex at corner `k`; false for `k > 2`.
    #[must_use]
    pub fn owns_vertex(self, k: usize) -> bool {
        k < 3 && self.0 >> k & 1 == 1
    }

    /// Whether the face owns its edge `k`; false for `k > 2`.
    #[must_use]
    pub fn owns_edge(self, k: usize) -> bool {
        k < 3 && self.0 >> (k + 3) & 1 == 1
    }
}

impl Topology {
    /// Ownership by face: every edge and every vertex that a face uses is owned by exactly one face.
    ///
    /// Greedy: a face owns the features that no earlier face owns.
    #[must_use]
    pub fn representatives(&self) -> Vec<RepresentativeBits> {
        let mut vertex_owned = vec![false; self.vertex_count];
        let mut edge_owned = vec![false; self.edges.len()];
        let take = |owned: &mut [bool], ids: [u32; 3]| {
            (0..3).fold(0, |bits, k| {
                bits | (u8::from(!std::mem::replace(&mut owned[ids[k] as usize], true)) << k)
            })
        };
        self.faces
            .iter()
            .zip(&self.face_edges)
            .map(|(&f, &e)| RepresentativeBits(take(&mut vertex_owned, f) | take(&mut edge_owned, e) << 3))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_face_takes_what_no_face_before_it_took() {
        let bits = Topology::new(4, &[[0, 1, 2], [2, 1, 3]]).unwrap().representatives();
        assert_eq!(bits[0].bits(), 0b111_111);
        assert_eq!(bits[1].bits(), 0b110_100);
        assert!(bits[1].owns_vertex(2) && !bits[1].owns_vertex(0) && !bits[1].owns_vertex(3));
        assert!(bits[1].owns_edge(1) && !bits[1].owns_edge(0) && !bits[1].owns_edge(64));
    }
}
