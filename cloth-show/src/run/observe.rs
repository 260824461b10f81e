//! What is measured of every frame: exact intersections of the cloth, strain, and depth in colliders.

use crate::check::StateCounts;
use crate::invariants::{Strain, deepest_vertex};
use cloth_contacts::intersect::{Checker, ClosedSeams, Intersections, Seams};
use cloth_scene::MeasuredEdge;
use cloth_solver::{ByParts, IntersectingParts, Simulation};
use nalgebra::Point3;

/// Measures one state after another.
pub struct Observer {
    checker: Checker,
    /// Vertices below this are those of cloths.
    cloth_vertices: u32,
    /// The vertices of cloths that some face uses.
    used: Vec<u32>,
    room: Vec<f64>,
    seams: Seams,
}

/// The figures of one state.
pub struct Observation {
    /// Without what a closed seam joins.
    pub counts: StateCounts,
    /// By what intersects, bodies with themselves too.
    pub parts: ByParts<usize>,
    /// Intersections with what closed seams join, and the seams that are closed.
    pub(crate) raw: usize,
    pub(crate) closed: ClosedSeams,
    /// All positions (m).
    pub(crate) positions: Vec<Point3<f64>>,
    /// Intersections of pairs that the gate guards or would guard, of certified pairs, and those in tangles.
    pub(crate) guarded: usize,
    pub(crate) certified: usize,
    pub(crate) tangled: usize,
    pub(crate) strain: Option<Strain>,
    /// Depth (m) of the deepest vertex in a collider.
    pub(crate) vertex_depth: f64,
    /// Faces that intersect, over all faces.
    pub red_faces: Vec<u32>,
    /// The intersections behind `counts`.
    pub(crate) found: Intersections,
}

impl Observer {
    /// An observer of a simulation whose cloths have this many vertices, and these seams.
    pub fn new(simulation: &Simulation, cloth_vertices: usize, seams: Seams) -> Self {
        let cloth_vertices = cloth_vertices as u32;
        let mut used: Vec<u32> = simulation.faces().iter().flatten().copied().collect();
        used.retain(|&v| v < cloth_vertices);
        used.sort_unstable();
        used.dedup();
        Self { checker: Checker::default(), cloth_vertices, used, room: Vec::new(), seams }
    }

    /// Measures the present state. The error is a sentence: it is not finite.
    pub fn observe(
        &mut self,
        simulation: &Simulation,
        edges: &[MeasuredEdge],
    ) -> Result<Observation, String> {
        let positions: Vec<Point3<f64>> = simulation.positions().iter().map(|p| p.map(f64::from)).collect();
        let topology = simulation.surface().topology();
        let found = self.checker.check(&positions, topology).map_err(|e| e.to_string())?;
        let (raw, closed) = (of_cloth(&found, simulation), self.seams.closed_in(&positions));
        let mut found = closed.leave_out(found, topology);
        let parts = simulation.count_by_parts(&found);
        found.retain(|hit| simulation.intersecting_parts(hit) != Some(IntersectingParts::BodyWithItself));
        found.flat_folds.retain(|&e| topology.edges()[e as usize][0] < self.cloth_vertices);
        let is_cloth = |&f: &u32| topology.faces()[f as usize][0] < self.cloth_vertices;
        found.doubled_faces.retain(|pair| pair.iter().any(is_cloth));
        let cloth: Vec<Point3<f32>> = self.used.iter().map(|&v| simulation.positions()[v as usize]).collect();
        Ok(Observation {
            counts: StateCounts::new(&found, topology),
            parts,
            raw,
            closed,
            guarded: found.edge_faces.iter().filter(|&&hit| simulation.surface().is_guarded_hit(hit)).count(),
            certified: found.edge_faces.iter().filter(|&&hit| simulation.is_certified(hit)).count(),
            tangled: found.edge_faces.iter().filter(|&&hit| simulation.is_tangled(hit)).count(),
            strain: Strain::measure(&positions, edges, &mut self.room),
            vertex_depth: deepest_vertex(&cloth, simulation.colliders()),
            red_faces: found.intersecting_faces(topology),
            positions,
            found,
        })
    }
}

/// Intersections that a cloth is part of: a body's own are not the simulation's.
fn of_cloth(found: &Intersections, simulation: &Simulation) -> usize {
    found.count() - simulation.count_by_parts(found).body_with_itself
}
