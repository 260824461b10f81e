//! Two frames of a mesh, read in their own precision, and the boxes that hold the linear motion between them.

use std::path::Path;

use cloth_broadphase::{Boxes, BoxesError, Members, PairFilter, Sweep};
use cloth_geom::Topology;
use cloth_io::read_mesh;
use nalgebra::Point3;

use crate::failure::Failure;

/// A mesh at both ends of a motion.
pub(in crate::commands) struct Frames {
    /// Positions at the start (m).
    pub(in crate::commands) t0: Vec<Point3<f64>>,
    /// Positions at the end (m), as many.
    pub(in crate::commands) t1: Vec<Point3<f64>>,
    /// The faces of both.
    pub(in crate::commands) topology: Topology,
}

/// The boxes of all primitives of a mesh.
pub(in crate::commands) struct SweptBoxes {
    pub(in crate::commands) points: Boxes,
    pub(in crate::commands) edges: Boxes,
    pub(in crate::commands) faces: Boxes,
}

impl Frames {
    /// Reads both frames; they must be of one mesh.
    pub(in crate::commands) fn read(start: &Path, end: &Path) -> Result<Self, Failure> {
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
        Ok(Self { t0: a.positions, t1: b.positions, topology })
    }

    /// The boxes of the motion, grown by `margin`.
    pub(in crate::commands) fn swept(&self, margin: f64) -> Result<SweptBoxes, BoxesError> {
        let sweep = Sweep::new(&self.t0, &self.t1).expect("both frames have as many vertices");
        self.boxes(sweep.inflated(margin))
    }

    /// The boxes of the start, grown by `margin`.
    pub(in crate::commands) fn at_start(&self, margin: f64) -> Result<SweptBoxes, BoxesError> {
        self.boxes(Sweep::at_rest(&self.t0).inflated(margin))
    }

    fn boxes(&self, sweep: Sweep<'_, f64>) -> Result<SweptBoxes, BoxesError> {
        Ok(SweptBoxes {
            points: Boxes::try_from_iter(sweep.points())?,
            edges: Boxes::try_from_iter(sweep.edges(self.edges()))?,
            faces: Boxes::try_from_iter(sweep.faces(self.faces()))?,
        })
    }

    pub(in crate::commands) fn edges(&self) -> &[[u32; 2]] {
        self.topology.edges()
    }

    pub(in crate::commands) fn faces(&self) -> &[[u32; 3]] {
        self.topology.faces()
    }

    /// How many vertices, edges and faces there are.
    pub(in crate::commands) fn counts(&self) -> [usize; 3] {
        [self.t0.len(), self.edges().len(), self.faces().len()]
    }

    /// Two edges that share no vertex.
    pub(in crate::commands) fn edge_edge(&self) -> PairFilter<'_> {
        PairFilter::no_shared_vertex(Members::Edges(self.edges()), Members::Edges(self.edges()))
    }

    /// A face and a vertex that is none of its own.
    pub(in crate::commands) fn face_vertex(&self) -> PairFilter<'_> {
        PairFilter::no_shared_vertex(Members::Faces(self.faces()), Members::Points(self.t0.len()))
    }
}
