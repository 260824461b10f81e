//! The edges about which two faces bend.

use super::Topology;

/// An inner edge with its two faces and the two vertices opposite to it: what a bending model needs.
///
/// ```text
///         apexes[0]
///          /     \          faces[0] runs along the edge from edge[0] to edge[1],
///    edge[0] --> edge[1]    faces[1] runs back
///          \     /
///         apexes[1]
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hinge {
    /// The edge's vertices, (min, max).
    pub edge: [u32; 2],
    /// The vertex opposite to the edge in each face.
    pub apexes: [u32; 2],
    /// The faces: first the one that runs from `edge[0]` to `edge[1]`. Where the winding is inconsistent and
    /// both do or none does, ascending.
    pub faces: [u32; 2],
}

impl Topology {
    /// The hinges, in the order of the edges: one for each edge with exactly two faces.
    ///
    /// Two faces of the same three vertices lie on each other and cannot bend: they make no hinge.
    #[must_use]
    pub fn hinges(&self) -> Vec<Hinge> {
        (0..self.edges.len()).filter_map(|e| self.hinge(e)).collect()
    }

    fn hinge(&self, edge: usize) -> Option<Hinge> {
        let &[f, g] = self.edge_faces(edge) else { return None };
        let ends = self.edges[edge];
        let runs_forward = |face: u32| {
            let v = self.faces[face as usize];
            (0..3).any(|k| [v[k], v[(k + 1) % 3]] == ends)
        };
        let faces = if !runs_forward(f) && runs_forward(g) { [g, f] } else { [f, g] };
        let [a, b] = faces.map(|face| self.apex(face, ends));
        let (a, b) = (a?, b?);
        (a != b).then_some(Hinge { edge: ends, apexes: [a, b], faces })
    }

    fn apex(&self, face: u32, edge: [u32; 2]) -> Option<u32> {
        self.faces[face as usize].into_iter().find(|v| !edge.contains(v))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn puts_the_face_that_runs_along_the_edge_first() {
        let t = Topology::new(4, &[[2, 1, 3], [0, 1, 2]]).unwrap();
        assert_eq!(t.hinges(), [Hinge { edge: [1, 2], apexes: [0, 3], faces: [1, 0] }]);
    }

    #[test]
    fn makes_no_hinge_of_borders_triple_edges_and_doubled_faces() {
        assert!(Topology::new(3, &[[0, 1, 2]]).unwrap().hinges().is_empty());
        assert!(Topology::new(5, &[[0, 1, 2], [1, 0, 3], [0, 1, 4]]).unwrap().hinges().is_empty());
        assert!(Topology::new(3, &[[0, 1, 2], [0, 2, 1]]).unwrap().hinges().is_empty());
    }

    #[test]
    fn orders_faces_ascending_where_the_winding_is_inconsistent() {
        let t = Topology::new(4, &[[0, 1, 2], [0, 1, 3]]).unwrap();
        assert_eq!(t.hinges(), [Hinge { edge: [0, 1], apexes: [2, 3], faces: [0, 1] }]);
    }
}
