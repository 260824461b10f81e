//! Connected components of a mesh.

use super::Topology;
use super::disjoint_sets::DisjointSets;

/// A labelling of connected pieces; two faces that share a vertex belong to one piece.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Components {
    /// Number of pieces that have a face.
    pub count: usize,
    /// The piece of each face; pieces are numbered in the order of their first faces.
    pub of_face: Vec<u32>,
    /// The piece of each vertex; `None` for a vertex without faces.
    pub of_vertex: Vec<Option<u32>>,
}

impl Topology {
    /// The connected pieces, through shared vertices: a mesh that is pinched in a vertex is one piece.
    #[must_use]
    pub fn components(&self) -> Components {
        let mut sets = DisjointSets::new(self.vertex_count);
        for &[a, b, c] in &self.faces {
            sets.join(a, b);
            sets.join(b, c);
        }
        let mut of_root = vec![None; self.vertex_count];
        let mut count = 0;
        let mut of_face = Vec::with_capacity(self.faces.len());
        for f in &self.faces {
            let label: &mut Option<u32> = &mut of_root[sets.find(f[0]) as usize];
            of_face.push(*label.get_or_insert_with(|| {
                count += 1;
                count - 1
            }));
        }
        let of_vertex = (0..self.vertex_count as u32).map(|v| of_root[sets.find(v) as usize]).collect();
        Components { count: count as usize, of_face, of_vertex }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_pieces_in_the_order_of_their_first_faces() {
        let t = Topology::new(10, &[[7, 8, 9], [0, 1, 2], [2, 3, 4], [9, 8, 6]]).unwrap();
        let c = t.components();
        assert_eq!(c.count, 2);
        assert_eq!(c.of_face, [0, 1, 1, 0]);
        let label = |v: usize| c.of_vertex[v];
        assert_eq!((label(0), label(4), label(5), label(6)), (Some(1), Some(1), None, Some(0)));
    }

    #[test]
    fn nothing_has_no_pieces() {
        let c = Topology::new(2, &[]).unwrap().components();
        assert_eq!((c.count, c.of_face.len(), c.of_vertex), (0, 0, vec![None, None]));
    }
}
