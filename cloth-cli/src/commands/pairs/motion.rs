//! The boxes of one real motion, and those at its start.

use std::path::Path;

use cloth_broadphase::{Boxes, BoxesError, PairFilter};

use crate::commands::motion::Frames;
use crate::failure::Failure;

/// The boxes of the vertices, edges and faces of a mesh at the start, and while it moves to the end.
pub(super) struct MotionBoxes {
    frames: Frames,
    pub(super) edges_at_start: Boxes,
    pub(super) faces_at_start: Boxes,
    pub(super) swept_edges: Boxes,
    pub(super) swept_faces: Boxes,
    pub(super) swept_points: Boxes,
}

impl MotionBoxes {
    /// Reads both frames; boxes are grown by `margin`.
    pub(super) fn read(start: &Path, end: &Path, margin: f64) -> Result<Self, Failure> {
        let frames = Frames::read(start, end)?;
        let large =
            |e: BoxesError| Failure::new(format!("{}: {e} (--inflate may be too large)", end.display()));
        let (rest, swept) = (frames.at_start(margin).map_err(large)?, frames.swept(margin).map_err(large)?);
        Ok(Self {
            edges_at_start: rest.edges,
            faces_at_start: rest.faces,
            swept_edges: swept.edges,
            swept_faces: swept.faces,
            swept_points: swept.points,
            frames,
        })
    }

    /// How many vertices, edges and faces there are.
    pub(super) fn counts(&self) -> [usize; 3] {
        self.frames.counts()
    }

    /// Two edges that share no vertex.
    pub(super) fn edge_edge(&self) -> PairFilter<'_> {
        self.frames.edge_edge()
    }

    /// A face and a vertex that is none of its own.
    pub(super) fn face_vertex(&self) -> PairFilter<'_> {
        self.frames.face_vertex()
    }
}
