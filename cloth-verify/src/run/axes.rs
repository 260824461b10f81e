//! Crossings of cloth by the axes of guarded colliders, by exact detection of all pairs along the path of every substep.
//!
//! Shares nothing with the gate: the axes follow from the poses of the colliders, whether these are guarded in the run or not.

use cloth_contacts::ccd::{Ccd, Filtered, Query};
use cloth_geom::Topology;
use cloth_solver::{AcceptedMotion, Collider};
use nalgebra::Point3;

use crate::scenario::Setup;

/// Counts the pairs of an axis and cloth that meet.
pub(super) struct AxisObserver {
    /// The colliders whose axes are observed.
    colliders: Vec<usize>,
    /// Of the cloths.
    topology: Option<Topology>,
    /// The colliders over the coming frame.
    poses: Vec<Collider>,
    crossings: u64,
}

impl AxisObserver {
    /// Observes the colliders that are guarded in the scene.
    pub(super) fn new(setup: &Setup) -> Self {
        let guarded = setup.colliders.iter().enumerate().filter(|(_, c)| c.guarded_axis().is_some());
        Self {
            colliders: guarded.map(|(index, _)| index).collect(),
            // A scene that is no surface is not simulated.
            topology: Topology::new(setup.vertex_count(), &setup.faces_by_cloth().concat()).ok(),
            poses: Vec::new(),
            crossings: 0,
        }
    }

    /// Whether any axis is observed.
    pub(super) fn is_on(&self) -> bool {
        !self.colliders.is_empty()
    }

    /// A frame begins, in which the colliders move as they say.
    pub(super) fn begin_frame(&mut self, colliders: &[Collider]) {
        self.poses.clear();
        self.poses.extend(self.colliders.iter().filter_map(|&index| colliders.get(index)).cloned());
    }

    /// Counts the crossings of a motion.
    pub(super) fn motion(&mut self, motion: &AcceptedMotion<'_>) {
        let Some(topology) = &self.topology else { return };
        let share = |substep: u32| substep as f32 / motion.substeps as f32;
        for collider in &self.poses {
            let part = collider.part_of_step(share(motion.substep), share(motion.substep + 1));
            let Some(axis) = part.shape.axis() else { continue };
            let at = |pose: &nalgebra::Isometry3<f32>| -> Vec<Point3<f64>> {
                axis.ends().iter().map(|end| (pose * end.at).cast()).collect()
            };
            let path = [at(&part.pose_t0), at(&part.pose_t1)];
            self.crossings += crossings(topology, [motion.x_t0, motion.x_t1], &path);
        }
    }

    /// All crossings so far.
    pub(super) fn crossings(&self) -> u64 {
        self.crossings
    }
}

/// Pairs of an axis and cloth that meet: of its ends and faces, and of it and edges.
fn crossings(topology: &Topology, x: [&[Point3<f32>]; 2], path: &[Vec<Point3<f64>>; 2]) -> u64 {
    let at = |v: u32| x.map(|x| x[v as usize].cast::<f64>());
    // Only motions that are not finite have no answer; they would count.
    let meets = |query: &Query| !Filtered::default().is_free(query, 0.0).unwrap_or(false);
    let mut met = 0;
    for face in topology.faces() {
        let [a, b, c] = face.map(at);
        for end in 0..path[0].len() {
            let [t0, t1] = [0, 1].map(|t| [path[t][end], a[t], b[t], c[t]]);
            met += u64::from(meets(&Query::point_triangle(t0, t1)));
        }
    }
    if let [&[p0, q0], &[p1, q1]] = [&path[0][..], &path[1][..]] {
        for edge in topology.edges() {
            let [a, b] = edge.map(at);
            met += u64::from(meets(&Query::edge_edge([p0, q0, a[0], b[0]], [p1, q1, a[1], b[1]])));
        }
    }
    met
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_that_goes_through_a_face_meets_an_edge_or_has_an_end_that_meets_the_face() {
        let topology = Topology::new(3, &[[0, 1, 2]]).expect("a face");
        let face: Vec<Point3<f32>> =
            [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]].map(Point3::from).to_vec();
        let count = |path: [&[[f64; 3]]; 2]| {
            crossings(&topology, [&face, &face], &path.map(|ends| ends.iter().map(|&p| p.into()).collect()))
        };
        assert_eq!(count([&[[0.3, 0.3, 1.0]], &[[0.3, 0.3, -1.0]]]), 1, "a centre through the face");
        assert_eq!(count([&[[0.3, 0.3, 1.0]], &[[0.9, 0.9, -1.0]]]), 0, "past it");
        let across = |z: f64| [[0.2, -1.0, z], [0.2, 2.0, z]];
        assert_eq!(count([&across(1.0), &across(-1.0)]), 2, "an axis over two edges");
        assert_eq!(count([&across(1.0), &across(0.1)]), 0, "not as far");
    }
}
