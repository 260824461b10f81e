//! The boxes of one real motion: two frames of a mesh, read in their own precision.

use std::path::Path;

use cloth_broadphase::{Boxes, BoxesError, Members, PairFilter, Sweep};
use cloth_geom::Topology;
use cloth_io::read_mesh;

use crate::failure::Failure;

/// The boxes of the vertices, edges and faces of a mesh at the start, and while it moves to the end.
pub(super) struct Motion {
    topology: Topology,
    pub(super) edges_at_start: Boxes,
    pub(super) faces_at_start: Boxes,
    pub(super) swept_edges: Boxes,
    pub(super) swept_faces: Boxes,
    pub(super) swept_points: Boxes,
}

impl Motion {
    /// Reads both frames; boxes are grown by `margin`.
    pub(super) fn read(start: &Path, end: &Path, margin: f64) -> Result<Self, Failure> {
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
        let rest = Sweep::at_rest(&a.positions).inflated(margin);
        let swept =
            Sweep::new(&a.positions, &b.positions).map_err(|e| refused(&e.to_string()))?.inflated(margin);
        let large = |e: BoxesError| refused(&format!("{e} (--inflate may be too large)"));
        Ok(Self {
            edges_at_start: Boxes::try_from_iter(rest.edges(topology.edges())).map_err(large)?,
            faces_at_start: Boxes::try_from_iter(rest.faces(topology.faces())).map_err(large)?,
            swept_edges: Boxes::try_from_iter(swept.edges(topology.edges())).map_err(large)?,
            swept_faces: Boxes::try_from_iter(swept.faces(topology.faces())).map_err(large)?,
            swept_points: Boxes::try_from_iter(swept.points()).map_err(large)?,
            topology,
        })
    }

    pub(super) fn vertex_count(&self) -> usize {
        self.topology.vertex_count()
    }

    pub(super) fn edges(&self) -> &[[u32; 2]] {
        self.topology.edges()
    }

    pub(super) fn faces(&self) -> &[[u32; 3]] {
        self.topology.faces()
    }

    /// Two edges that share no vertex.
    pub(super) fn edge_edge(&self) -> PairFilter<'_> {
        PairFilter::no_shared_vertex(Members::Edges(self.edges()), Members::Edges(self.edges()))
    }

    /// A face and a vertex that is none of its own.
    pub(super) fn face_vertex(&self) -> PairFilter<'_> {
        PairFilter::no_shared_vertex(Members::Faces(self.faces()), Members::Points(self.vertex_count()))
    }
}
