//! The topology of several meshes side by side, without sorting again.

use super::{Rows, Topology};

impl Topology {
    /// The topology of meshes whose vertices and faces follow one another: equal to that of all faces
    /// together, in linear time.
    ///
    /// Edges are sorted by their larger vertex, so those of a later mesh come later.
    #[must_use]
    pub fn concat<'a>(meshes: impl IntoIterator<Item = &'a Self>) -> Self {
        let mut all = Self {
            vertex_count: 0,
            faces: Vec::new(),
            edges: Vec::new(),
            face_edges: Vec::new(),
            edge_faces: Rows::empty(),
            vertex_faces: Rows::empty(),
        };
        for mesh in meshes {
            let (vertex, face, edge) =
                (all.vertex_count as u32, all.faces.len() as u32, all.edges.len() as u32);
            all.vertex_count += mesh.vertex_count;
            all.faces.extend(mesh.faces.iter().map(|f| f.map(|v| v + vertex)));
            all.edges.extend(mesh.edges.iter().map(|e| e.map(|v| v + vertex)));
            all.face_edges.extend(mesh.face_edges.iter().map(|f| f.map(|e| e + edge)));
            all.edge_faces.append(&mesh.edge_faces, face);
            all.vertex_faces.append(&mesh.vertex_faces, face);
        }
        all
    }
}

impl Rows {
    fn empty() -> Self {
        Self { starts: vec![0], items: Vec::new() }
    }

    /// Appends the rows of another array, with `shift` added to each item.
    fn append(&mut self, other: &Self, shift: u32) {
        let end = self.items.len() as u32;
        self.starts.extend(other.starts[1..].iter().map(|start| start + end));
        self.items.extend(other.items.iter().map(|item| item + shift));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{icosphere, sheet};

    #[test]
    fn equals_the_topology_of_all_faces_together() {
        let [a, b] = [sheet(5, 7, [1.0, 1.0]).unwrap().mesh, icosphere(1, 1.0).unwrap()];
        // The vertices of the third have no face; the last shares an edge between three faces.
        let meshes = [
            (a.positions.len(), a.faces),
            (b.positions.len(), b.faces),
            (3, vec![]),
            (5, vec![[0, 1, 2], [1, 0, 3], [0, 1, 4]]),
        ];
        let parts: Vec<Topology> =
            meshes.iter().map(|(count, faces)| Topology::new(*count, faces).unwrap()).collect();
        let (mut count, mut faces) = (0, Vec::new());
        for (vertices, own) in &meshes {
            faces.extend(own.iter().map(|f| f.map(|v| v + count as u32)));
            count += vertices;
        }
        assert_eq!(Topology::concat(&parts), Topology::new(count, &faces).unwrap());
        let wire = Topology::with_loose_edges(3, &[], &[[2, 0]]).unwrap();
        let all = Topology::concat(parts.iter().chain([&wire]));
        let edge = [count as u32, count as u32 + 2];
        assert_eq!(all, Topology::with_loose_edges(count + 3, &faces, &[edge]).unwrap());
        assert_eq!(Topology::concat([]), Topology::new(0, &[]).unwrap());
    }
}
