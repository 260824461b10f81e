//! The open borders of a mesh, as closed loops of vertices.
//!
//! Where several loops touch in one vertex, "the next boundary edge at this vertex" is ambiguous. So a loop
//! is not followed from edge to edge but through the faces: at the end of a boundary edge it turns about the
//! vertex, face by face, until it meets the next boundary edge of the same fan.
//!
//! ```text
//!        \  f2 /            arriving along a, turn about v through f1, f2, f3,
//!   f1    \   /   f3        leave along b; a second fan at v is never entered
//!  ----a-->( v )--b-->
//! ```
//!
//! An edge with more than two faces is cut: its faces are glued in pairs in ascending order, and an odd one
//! out has a boundary there. So every loop closes, on any mesh, and each edge of one face lies on exactly one
//! loop, once.

use super::Topology;

/// No face on the other side.
const NONE: u32 = u32::MAX;

impl Topology {
    /// The boundary loops, each as its vertices in order; the last vertex is joined to the first.
    ///
    /// A loop has the direction of the adjacent faces, so that the cloth is on its left viewed from outside,
    /// and starts at its smallest vertex; loops are sorted by it. If the winding of the faces is
    /// inconsistent, the loop has the direction of its first edge and starts there. A loop that touches
    /// itself contains that vertex more than once.
    #[must_use]
    pub fn boundary_loops(&self) -> Vec<Vec<u32>> {
        let twins = self.twins();
        let mut seeds: Vec<u32> = (0..twins.len() as u32).filter(|&h| twins[h as usize] == NONE).collect();
        seeds.sort_by_key(|&h| (self.faces[h as usize / 3][h as usize % 3], h));
        let mut visited = vec![false; twins.len()];
        let mut loops = Vec::new();
        for seed in seeds {
            if visited[seed as usize] {
                continue;
            }
            let mut vertices = Vec::new();
            let (mut side, mut from) = (seed, self.faces[seed as usize / 3][seed as usize % 3]);
            while !visited[side as usize] {
                visited[side as usize] = true;
                vertices.push(from);
                let to = self.other_end(side, from);
                side = self.turn(&twins, side, to);
                from = to;
            }
            debug_assert_eq!(
                side, seed,
                "turning about vertices is reversible, so a loop ends where it began"
            );
            loops.push(vertices);
        }
        loops
    }

    /// For each side `3 f + k` (edge `k` of face `f`) the side it is glued to.
    fn twins(&self) -> Vec<u32> {
        let mut twins = vec![NONE; self.faces.len() * 3];
        for edge in 0..self.edges.len() {
            for pair in self.edge_faces(edge).chunks_exact(2) {
                let [a, b] = [pair[0], pair[1]].map(|face| self.side_of(face, edge as u32));
                twins[a as usize] = b;
                twins[b as usize] = a;
            }
        }
        twins
    }

    /// The side by which `face` has `edge`.
    fn side_of(&self, face: u32, edge: u32) -> u32 {
        let k = (0..3).find(|&k| self.face_edges[face as usize][k] == edge);
        debug_assert!(k.is_some(), "face {face} is listed at edge {edge}");
        face * 3 + k.unwrap_or(0) as u32
    }

    /// The end of a side that is not `vertex`.
    fn other_end(&self, side: u32, vertex: u32) -> u32 {
        let [a, b] = self.edges[self.face_edges[side as usize / 3][side as usize % 3] as usize];
        if a == vertex { b } else { a }
    }

    /// From a boundary side, turns about `vertex` to the boundary side at the other end of the fan.
    fn turn(&self, twins: &[u32], mut side: u32, vertex: u32) -> u32 {
        loop {
            let face = self.faces[side as usize / 3];
            let k = side as usize % 3;
            // Side k joins corners k and k + 1: the other side at corner k is k - 1, at corner k + 1 it is
            // k + 1.
            let next = if face[k] == vertex { (k + 2) % 3 } else { (k + 1) % 3 };
            side = side / 3 * 3 + next as u32;
            match twins[side as usize] {
                NONE => return side,
                twin => side = twin,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loops(vertex_count: usize, faces: &[[u32; 3]]) -> Vec<Vec<u32>> {
        Topology::new(vertex_count, faces).unwrap().boundary_loops()
    }

    #[test]
    fn follows_the_winding_from_the_least_vertex() {
        assert_eq!(loops(4, &[[2, 3, 1], [0, 1, 3]]), [[0, 1, 2, 3]]);
    }

    #[test]
    fn a_closed_surface_has_no_boundary() {
        assert!(loops(4, &[[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]]).is_empty());
        assert!(loops(0, &[]).is_empty());
    }

    #[test]
    fn keeps_loops_apart_that_touch_in_a_vertex() {
        // Three separate triangles around vertex 0.
        let faces = [[0, 1, 2], [3, 4, 0], [6, 0, 5]];
        assert_eq!(loops(7, &faces), [[0, 1, 2], [0, 3, 4], [0, 5, 6]]);
    }

    #[test]
    fn lists_a_vertex_twice_where_a_loop_touches_itself() {
        // A closed ring of triangles whose inner boundary is pinched: 0 is both ends of a strip.
        let faces = [[0, 1, 2], [2, 1, 3], [2, 3, 4], [4, 3, 0]];
        let found = loops(5, &faces);
        assert_eq!(found.iter().map(Vec::len).sum::<usize>(), 6);
        assert_eq!(found.iter().flatten().filter(|&&v| v == 0).count(), 2);
    }

    #[test]
    fn closes_loops_on_an_edge_with_three_faces() {
        assert_eq!(loops(5, &[[0, 1, 2], [1, 0, 3], [0, 1, 4]]), [vec![0, 3, 1, 2], vec![0, 1, 4]]);
    }

    #[test]
    fn closes_loops_where_the_winding_is_inconsistent() {
        assert_eq!(loops(4, &[[0, 1, 2], [1, 2, 3]]), [[0, 1, 3, 2]]);
    }
}
