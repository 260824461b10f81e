//! States of a run that are kept to be drawn.

use cloth_contacts::intersect::Intersections;
use cloth_solver::Collider;
use nalgebra::Point3;

use super::simulated::Simulated;
use crate::Wearer;

/// A state to draw.
#[derive(Clone, Debug, Default)]
#[cfg_attr(not(feature = "render"), expect(dead_code, reason = "only the renderer reads it"))]
pub(super) struct Still {
    /// Frames before it.
    pub(super) frame: usize,
    pub(super) intersections: u64,
    pub(super) positions: Vec<Point3<f32>>,
    pub(super) colliders: Vec<Collider>,
    /// Faces that meet something, ascending, over all vertices.
    pub(super) red_faces: Vec<u32>,
    /// Of the character, if there is one: its skin (m), and where its root is (m).
    pub(super) skin: Vec<Point3<f32>>,
    pub(super) root: Option<Point3<f32>>,
}

impl Still {
    /// The present state.
    pub(super) fn capture(
        sim: &impl Simulated,
        wearer: Option<&mut Wearer>,
        frame: usize,
        found: &Intersections,
    ) -> Self {
        let red_faces = found.intersecting_faces(sim.topology());
        let root = wearer.as_ref().map(|wearer| wearer.root());
        Self {
            frame,
            intersections: found.count() as u64,
            positions: sim.positions().to_vec(),
            colliders: sim.colliders().to_vec(),
            red_faces,
            skin: wearer.map_or_else(Vec::new, |wearer| wearer.skin_positions().to_vec()),
            root,
        }
    }
}
