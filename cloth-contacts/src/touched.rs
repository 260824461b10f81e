//! The primitives around some vertices, as small sets of their own with boxes, members and parts.

use cloth_broadphase::{Boxes, BoxesError};
use cloth_geom::Aabb;

use crate::Surface;

/// A subset of the primitives: ids in the whole, and what a filter wants to know of each.
#[derive(Clone, Debug, Default)]
pub(crate) struct Subset<const N: usize> {
    pub(crate) ids: Vec<u32>,
    pub(crate) members: Vec<[u32; N]>,
    pub(crate) parts: Vec<u16>,
    pub(crate) boxes: Boxes,
}

impl<const N: usize> Subset<N> {
    fn fill(
        &mut self,
        members: impl Fn(u32) -> [u32; N],
        parts: &[u16],
        boxes: &[Aabb],
    ) -> Result<(), BoxesError> {
        self.ids.sort_unstable();
        self.ids.dedup();
        self.members.clear();
        self.members.extend(self.ids.iter().map(|&id| members(id)));
        self.parts.clear();
        self.parts.extend(self.ids.iter().map(|&id| parts[id as usize]));
        self.boxes.refill(self.ids.iter().map(|&id| boxes[id as usize]))
    }
}

/// Some vertices, with the faces and edges around them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Touched {
    pub(crate) vertices: Subset<2>,
    pub(crate) faces: Subset<3>,
    pub(crate) edges: Subset<2>,
}

/// Boxes of all primitives.
#[derive(Clone, Debug, Default)]
pub(crate) struct AllBoxes {
    pub(crate) vertices: Vec<Aabb>,
    pub(crate) faces: Vec<Aabb>,
    pub(crate) edges: Vec<Aabb>,
}

impl Touched {
    /// Collects the faces and edges around the given vertices.
    pub(crate) fn collect(&mut self, surface: &Surface, vertices: &[u32]) {
        let topology = &surface.topology;
        self.vertices.ids.clear();
        self.vertices.ids.extend_from_slice(vertices);
        self.faces.ids.clear();
        self.edges.ids.clear();
        for &v in vertices {
            for &face in topology.vertex_faces(v as usize) {
                self.faces.ids.push(face);
                let edges = topology.face_edges()[face as usize];
                self.edges.ids.extend(edges.iter().filter(|&&e| topology.edges()[e as usize].contains(&v)));
            }
        }
        self.faces.ids.sort_unstable();
        self.faces.ids.dedup();
        self.edges.ids.sort_unstable();
        self.edges.ids.dedup();
    }

    /// Takes the boxes of what was collected.
    pub(crate) fn fill(&mut self, surface: &Surface, boxes: &AllBoxes) -> Result<(), BoxesError> {
        let topology = &surface.topology;
        self.vertices.fill(|v| [v, v], &surface.part, &boxes.vertices)?;
        self.faces.fill(|f| topology.faces()[f as usize], &surface.face_part, &boxes.faces)?;
        self.edges.fill(|e| topology.edges()[e as usize], &surface.edge_part, &boxes.edges)
    }
}
