//! What is measured of every frame: exact intersections of the cloth, strain, and depth in colliders.

use cloth_contacts::intersect::{Checker, ClosedSeams, Intersections, Seams};
use cloth_geom::Topology;
use cloth_scene::MeasuredEdge;
use cloth_solver::Simulation;
use cloth_verify::invariants::{Strain, deepest_penetration};
use nalgebra::Point3;

use crate::counts::Counts;

/// Measures one state after another.
pub(super) struct Observer {
    checker: Checker,
    /// Vertices below this are those of cloths.
    cloth_vertices: u32,
    /// The vertices of cloths that some face uses.
    used: Vec<u32>,
    room: Vec<f64>,
    seams: Seams,
}

/// The figures of one state.
pub(super) struct Observation {
    /// Without what a closed seam joins.
    pub(super) counts: Counts,
    /// Intersections with what closed seams join, and the seams that are closed.
    pub(super) raw: usize,
    pub(super) closed: ClosedSeams,
    /// All positions (m).
    pub(super) positions: Vec<Point3<f64>>,
    /// Intersections of certified pairs, and those in tangles.
    pub(super) certified: usize,
    pub(super) tangled: usize,
    pub(super) strain: Strain,
    /// Depth (m) of the deepest vertex in a collider.
    pub(super) depth: f64,
    /// Faces that intersect, over all faces.
    pub(super) red_faces: Vec<u32>,
    /// The intersections behind `counts`.
    pub(super) found: Intersections,
}

impl Observer {
    /// An observer of a simulation whose cloths have this many vertices, and these seams.
    pub(super) fn new(simulation: &Simulation, cloth_vertices: usize, seams: Seams) -> Self {
        let cloth_vertices = cloth_vertices as u32;
        let mut used: Vec<u32> = simulation.faces().iter().flatten().copied().collect();
        used.retain(|&v| v < cloth_vertices);
        used.sort_unstable();
        used.dedup();
        Self { checker: Checker::default(), cloth_vertices, used, room: Vec::new(), seams }
    }

    /// Measures the present state. The error is a sentence: it is not finite.
    pub(super) fn observe(
        &mut self,
        simulation: &Simulation,
        edges: &[MeasuredEdge],
    ) -> Result<Observation, String> {
        let positions: Vec<Point3<f64>> = simulation.positions().iter().map(|p| p.map(f64::from)).collect();
        let topology = simulation.surface().topology();
        let found = self.checker.check(&positions, topology).map_err(|e| e.to_string())?;
        let found = of_cloth(found, topology, self.cloth_vertices);
        let (raw, closed) = (found.count(), self.seams.closed_in(&positions));
        let found = closed.leave_out(found, topology);
        let mut red_faces: Vec<u32> = found.face_pairs(topology).into_iter().flatten().collect();
        red_faces.sort_unstable();
        red_faces.dedup();
        let cloth: Vec<Point3<f32>> = self.used.iter().map(|&v| simulation.positions()[v as usize]).collect();
        Ok(Observation {
            counts: Counts::new(&found, topology),
            raw,
            closed,
            certified: found.edge_faces.iter().filter(|&&hit| simulation.is_certified(hit)).count(),
            tangled: found.edge_faces.iter().filter(|&&hit| simulation.is_tangled(hit)).count(),
            strain: Strain::measure(&positions, edges, &mut self.room),
            depth: deepest_penetration(&cloth, simulation.colliders()),
            red_faces,
            positions,
            found,
        })
    }
}

/// What a cloth is part of: a body's own crossings are not the simulation's.
fn of_cloth(found: Intersections, topology: &Topology, cloth_vertices: u32) -> Intersections {
    let is_cloth = |vertices: &[u32]| vertices[0] < cloth_vertices;
    let edge = |e: u32| is_cloth(&topology.edges()[e as usize]);
    let (edge_faces, kinds) = found
        .edge_faces
        .into_iter()
        .zip(found.kinds)
        .filter(|([e, f], _)| edge(*e) || is_cloth(&topology.faces()[*f as usize]))
        .unzip();
    let flat_folds = found.flat_folds.into_iter().filter(|&e| edge(e)).collect();
    Intersections { edge_faces, kinds, flat_folds }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cloth_contacts::intersect::find;

    #[test]
    fn crossings_of_a_body_with_itself_are_not_counted() {
        // Three triangles, each crossing the next; the cloth is the first.
        let at = |x: f64, y: f64, z: f64| Point3::new(x, y, z);
        let positions = [
            [at(0.0, 0.0, 0.0), at(4.0, 0.0, 0.0), at(0.0, 0.0, 4.0)],
            [at(1.0, -1.0, 1.0), at(1.0, 1.0, 1.0), at(1.0, 1.0, 2.0)],
            [at(0.5, 0.5, 1.1), at(2.0, 0.6, 1.1), at(2.0, 0.9, 1.2)],
        ]
        .concat();
        let topology = Topology::new(9, &[[0, 1, 2], [3, 4, 5], [6, 7, 8]]).unwrap();
        let found = find(&positions, &topology).unwrap();
        assert_eq!(found.face_pairs(&topology), [[0, 1], [1, 2]]);
        let cloth = |n| of_cloth(found.clone(), &topology, n).face_pairs(&topology);
        assert_eq!(cloth(3), [[0, 1]]);
        assert_eq!(cloth(9), [[0, 1], [1, 2]]);
        assert!(cloth(0).is_empty());
    }
}
