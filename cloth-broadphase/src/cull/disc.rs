//! Patches that are topological discs, and their border curves.
//!
//! A patch is a set of faces glued along the edges that exactly two of its faces have, in opposite
//! directions. A connected surface with border, `V` vertices, `E` edges and `F` faces is a disc if and only
//! if `V - E + F` is 1. Vertices are counted as in the mesh; a surface that touches itself in a vertex has
//! one more, and since no surface with a border has a characteristic above 1, the count is then less than 1:
//! pinched patches are never taken for discs.

use super::bisection::NONE;

/// Working memory for the borders of the patches of one mesh.
pub(super) struct Discs<'a> {
    faces: &'a [[u32; 3]],
    /// For each side `3 f + k` the side that runs back along it, if the edge has exactly these two.
    twins: &'a [u32],
    /// The patch that saw a vertex or face last.
    seen_vertex: Vec<u32>,
    seen_face: Vec<u32>,
    /// For each vertex the next one along the border.
    next: Vec<u32>,
    patches: u32,
    reached: Vec<u32>,
}

impl<'a> Discs<'a> {
    pub(super) fn new(vertex_count: usize, faces: &'a [[u32; 3]], twins: &'a [u32]) -> Self {
        Self {
            faces,
            twins,
            seen_vertex: vec![0; vertex_count],
            seen_face: vec![0; faces.len()],
            next: vec![NONE; vertex_count],
            patches: 0,
            reached: Vec::new(),
        }
    }

    /// Appends the border of a patch, as its faces run, if the patch is a disc; otherwise appends nothing.
    pub(super) fn border_of(&mut self, patch: &[u32], border: &mut Vec<u32>) {
        self.patches += 1;
        let stamp = self.patches;
        for &f in patch {
            self.seen_face[f as usize] = stamp;
        }
        let (mut vertices, mut open, mut start) = (0usize, 0usize, NONE);
        for &f in patch {
            let corners = self.faces[f as usize];
            for k in 0..3 {
                let from = corners[k];
                if self.seen_vertex[from as usize] != stamp {
                    self.seen_vertex[from as usize] = stamp;
                    vertices += 1;
                }
                if !self.is_inside(f, k, stamp) {
                    open += 1;
                    self.next[from as usize] = corners[(k + 1) % 3];
                    start = from;
                }
            }
        }
        let edges = (3 * patch.len() - open) / 2 + open;
        if open > 0 && vertices + patch.len() == edges + 1 && self.is_connected(patch, stamp) {
            self.follow(start, open, border);
        }
    }

    fn is_inside(&self, face: u32, k: usize, stamp: u32) -> bool {
        let twin = self.twins[face as usize * 3 + k];
        twin != NONE && self.seen_face[twin as usize / 3] == stamp
    }

    /// Whether every face is reachable from the first; reached faces get a new stamp.
    fn is_connected(&mut self, patch: &[u32], stamp: u32) -> bool {
        let Some(&first) = patch.first() else { return false };
        self.patches += 1;
        self.seen_face[first as usize] = self.patches;
        self.reached.clear();
        self.reached.push(first);
        let mut next = 0;
        while let Some(&f) = self.reached.get(next) {
            next += 1;
            for k in 0..3 {
                if self.is_inside(f, k, stamp) {
                    let g = self.twins[f as usize * 3 + k] / 3;
                    self.seen_face[g as usize] = self.patches;
                    self.reached.push(g);
                }
            }
        }
        self.reached.len() == patch.len()
    }

    /// Follows the border once around; appends nothing if it does not come back after all its sides.
    fn follow(&self, start: u32, length: usize, border: &mut Vec<u32>) {
        let begin = border.len();
        let mut vertex = start;
        for _ in 0..length {
            border.push(vertex);
            vertex = self.next[vertex as usize];
            if vertex == start {
                break;
            }
        }
        if border.len() - begin != length || vertex != start {
            debug_assert!(false, "the border of a disc is one closed curve");
            border.truncate(begin);
        }
    }
}

/// For each side `3 f + k` the only other side along the same edge, if it runs back; otherwise [`NONE`].
pub(super) fn twins(topology: &cloth_geom::Topology) -> Vec<u32> {
    let faces = topology.faces();
    let mut twins = vec![NONE; faces.len() * 3];
    for edge in 0..topology.edges().len() {
        let &[f, g] = topology.edge_faces(edge) else { continue };
        let side = |face: u32| {
            let k = (0..3).find(|&k| topology.face_edges()[face as usize][k] == edge as u32).unwrap_or(0);
            (face * 3 + k as u32, faces[face as usize][k])
        };
        let ((a, from_a), (b, from_b)) = (side(f), side(g));
        if from_a != from_b {
            twins[a as usize] = b;
            twins[b as usize] = a;
        }
    }
    twins
}

#[cfg(test)]
mod tests {
    use super::*;
    use cloth_geom::Topology;

    fn border(vertex_count: usize, faces: &[[u32; 3]]) -> Vec<u32> {
        let topology = Topology::new(vertex_count, faces).unwrap();
        let twins = twins(&topology);
        let mut border = Vec::new();
        let all: Vec<u32> = (0..faces.len() as u32).collect();
        Discs::new(vertex_count, faces, &twins).border_of(&all, &mut border);
        if let Some(least) = (0..border.len()).min_by_key(|&i| border[i]) {
            border.rotate_left(least);
        }
        border
    }

    #[test]
    fn follows_the_border_as_the_faces_run() {
        assert_eq!(border(3, &[[2, 0, 1]]), [0, 1, 2]);
        assert_eq!(border(4, &[[2, 3, 1], [0, 1, 3]]), [0, 1, 2, 3]);
        // A fan all around an inner vertex.
        assert_eq!(border(4, &[[3, 0, 1], [3, 1, 2], [3, 2, 0]]), [0, 1, 2]);
    }

    #[test]
    fn takes_nothing_else_for_a_disc() {
        let tetrahedron = [[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]];
        let annulus = [[0, 1, 3], [1, 4, 3], [1, 2, 4], [2, 5, 4], [2, 0, 5], [0, 3, 5]];
        let moebius = [[0, 1, 2], [1, 3, 2], [2, 3, 4], [3, 0, 4], [4, 0, 1]];
        let two_pieces = [[0, 1, 2], [3, 4, 5]];
        let pinched = [[0, 1, 2], [0, 3, 4]];
        let pinched_ring = [[0, 1, 2], [2, 1, 3], [2, 3, 4], [4, 3, 0]];
        let against_each_other = [[0, 1, 2], [1, 2, 3]];
        let three_on_an_edge = [[0, 1, 2], [1, 0, 3], [0, 1, 4]];
        let twice = [[0, 1, 2], [0, 1, 2]];
        let back_to_back = [[0, 1, 2], [2, 1, 0]];
        // Two open fans around vertex 0 that are joined elsewhere: a disc but for the pinch.
        let two_fans = [[0, 1, 2], [2, 1, 3], [2, 3, 4], [4, 3, 5], [0, 4, 5]];
        let patches: [&[[u32; 3]]; 12] = [
            &[],
            &tetrahedron,
            &annulus,
            &moebius,
            &two_pieces,
            &pinched,
            &pinched_ring,
            &against_each_other,
            &three_on_an_edge,
            &twice,
            &back_to_back,
            &two_fans,
        ];
        for patch in patches {
            assert_eq!(border(6, patch), [], "{patch:?}");
        }
    }

    #[test]
    fn an_annulus_and_a_separate_triangle_are_no_disc() {
        // An annulus (0) and a triangle apart (1) have the characteristic of one disc.
        let faces = [[0, 1, 3], [1, 4, 3], [1, 2, 4], [2, 5, 4], [2, 0, 5], [0, 3, 5], [6, 7, 8]];
        assert_eq!(border(9, &faces), []);
    }
}
