//! Crossings of cloth by the axes of guarded colliders, by exact detection of all pairs along the path of
//! every substep.
//!
//! Shares nothing with the gate: the axes follow from the poses of the colliders, whether these are guarded
//! in the run or not. Pairs whose boxes over the motion are disjoint are left out in blocks; they cannot
//! meet.

use cloth_contacts::ccd::{Ccd, Filtered, Query};
use cloth_geom::Topology;
use cloth_solver::{AcceptedMotion, Collider, Waypoints};
use nalgebra::{Isometry3, Point3};

use crate::scenario::Setup;

/// Faces or edges that share a box.
const BLOCK: usize = 32;

/// Counts the pairs of an axis and cloth that meet.
pub(super) struct AxisObserver {
    /// The colliders whose axes are observed, and whether they are rigid bodies, whose motion nobody knows
    /// beforehand.
    colliders: Vec<(usize, bool)>,
    /// Adjacency of the cloths.
    topology: Option<Topology>,
    /// The colliders over the coming frame.
    poses: Vec<ColliderPath>,
    crossings: u64,
}

/// A collider over a frame, and its poses at the ends of the substeps but the last; none if it moves without
/// waypoints.
struct ColliderPath {
    collider: Collider,
    waypoints: Vec<Isometry3<f32>>,
    /// The index of the collider if it is a rigid body.
    rigid: Option<usize>,
}

impl AxisObserver {
    /// Observes the colliders that are guarded in the scene.
    pub(super) fn new(setup: &Setup) -> Self {
        let all = setup.scene.colliders.iter().enumerate();
        let guarded = all.filter(|(_, c)| c.collider().guarded_axis().is_some());
        Self {
            colliders: guarded.map(|(index, c)| (index, c.rigid_body().is_some())).collect(),
            // A scene that is no surface is not simulated.
            topology: Topology::new(setup.scene.vertex_count(), &setup.scene.faces_by_cloth().concat()).ok(),
            poses: Vec::new(),
            crossings: 0,
        }
    }

    /// Whether any axis is observed.
    pub(super) fn is_on(&self) -> bool {
        !self.colliders.is_empty()
    }

    /// A frame begins, in which the colliders move as they and the waypoints say.
    pub(super) fn begin_frame(&mut self, colliders: &[Collider], waypoints: &Waypoints) {
        self.poses.clear();
        let path = |&(index, is_rigid): &(usize, bool)| {
            let of_collider = waypoints.colliders().find(|(id, _)| id.index() == index);
            let waypoints = of_collider.map_or_else(Vec::new, |(_, path)| path.to_vec());
            let rigid = is_rigid.then_some(index);
            Some(ColliderPath { collider: colliders.get(index)?.clone(), waypoints, rigid })
        };
        self.poses.extend(self.colliders.iter().filter_map(path));
    }

    /// Counts the crossings of a motion.
    pub(super) fn motion(&mut self, motion: &AcceptedMotion<'_>) {
        let Some(topology) = self.topology.as_ref().filter(|_| !self.poses.is_empty()) else { return };
        if !motion.cuts.is_empty() {
            // From where a cut took a collider it moves straight.
            for (path, &(index, _)) in self.poses.iter_mut().zip(&self.colliders) {
                if let Some(collider) = motion.colliders.get(index) {
                    path.collider.pose_t0 = collider.pose_t0;
                }
                path.waypoints.clear();
            }
        }
        let surface = SurfaceMotion::new(topology, [motion.x_t0, motion.x_t1]);
        for path in &self.poses {
            let part = match path.rigid.and_then(|index| motion.colliders.get(index)) {
                Some(body) => body.clone(),
                None => path.part(motion.substep, motion.substeps),
            };
            let Some(axis) = part.shape.axis() else { continue };
            let at = |pose: &Isometry3<f32>| -> Vec<Point3<f64>> {
                axis.ends().iter().map(|end| (pose * end.at).cast()).collect()
            };
            self.crossings += surface.crossings(&[at(&part.pose_t0), at(&part.pose_t1)], axis.edges());
        }
    }

    /// All crossings so far.
    pub(super) fn crossings(&self) -> u64 {
        self.crossings
    }
}

impl ColliderPath {
    /// The collider over one substep.
    fn part(&self, substep: u32, substeps: u32) -> Collider {
        if self.waypoints.len() + 1 != substeps as usize {
            let share = |substep: u32| substep as f32 / substeps as f32;
            return self.collider.part_of_step(share(substep), share(substep + 1));
        }
        let knot = |k: usize| match k.checked_sub(1) {
            None => self.collider.pose_t0,
            Some(k) => self.waypoints.get(k).copied().unwrap_or(self.collider.pose_t1),
        };
        let [pose_t0, pose_t1] = [substep, substep + 1].map(|k| knot(k as usize));
        Collider { pose_t0, pose_t1, ..self.collider.clone() }
    }
}

/// The cloths over a substep, and the boxes (m) of blocks of their faces and edges.
struct SurfaceMotion<'a> {
    topology: &'a Topology,
    x: [&'a [Point3<f32>]; 2],
    faces: Vec<[Point3<f64>; 2]>,
    edges: Vec<[Point3<f64>; 2]>,
}

impl<'a> SurfaceMotion<'a> {
    fn new(topology: &'a Topology, x: [&'a [Point3<f32>]; 2]) -> Self {
        Self {
            topology,
            x,
            faces: blocks(topology.faces(), x).collect(),
            edges: blocks(topology.edges(), x).collect(),
        }
    }

    /// Pairs of an axis and cloth that meet: of its ends and faces, and of its edges and edges.
    fn crossings(&self, path: &[Vec<Point3<f64>>; 2], edges: &[[u32; 2]]) -> u64 {
        let at = |v: u32| self.x.map(|x| x[v as usize].cast::<f64>());
        // Only motions that are not finite have no answer; they would count.
        let meets = |query: &Query| !Filtered::default().is_free(query, 0.0).unwrap_or(false);
        let axis = bounds(path.iter().flatten().copied());
        let mut met = 0;
        for face in near(self.topology.faces(), &self.faces, &axis) {
            let [a, b, c] = face.map(at);
            for end in 0..path[0].len() {
                let [t0, t1] = [0, 1].map(|t| [path[t][end], a[t], b[t], c[t]]);
                met += u64::from(meets(&Query::point_triangle(t0, t1)));
            }
        }
        for own in edges {
            let [[p0, q0], [p1, q1]] = [0, 1].map(|t| own.map(|end| path[t][end as usize]));
            for edge in near(self.topology.edges(), &self.edges, &axis) {
                let [a, b] = edge.map(at);
                met += u64::from(meets(&Query::edge_edge([p0, q0, a[0], b[0]], [p1, q1, a[1], b[1]])));
            }
        }
        met
    }
}

/// The corners (m) of a box around points.
fn bounds(points: impl Iterator<Item = Point3<f64>>) -> [Point3<f64>; 2] {
    let empty = [Point3::from([f64::INFINITY; 3]), Point3::from([f64::NEG_INFINITY; 3])];
    points.fold(empty, |[low, high], p| [low.inf(&p), high.sup(&p)])
}

/// The box of each block of primitives over a motion.
fn blocks<'a, const N: usize>(
    primitives: &'a [[u32; N]],
    x: [&'a [Point3<f32>]; 2],
) -> impl Iterator<Item = [Point3<f64>; 2]> + 'a {
    let place = move |&v: &u32| x.map(|x| x[v as usize].cast::<f64>());
    primitives.chunks(BLOCK).map(move |block| bounds(block.iter().flatten().flat_map(place)))
}

/// The primitives of the blocks whose boxes meet another box.
fn near<'a, const N: usize>(
    primitives: &'a [[u32; N]],
    blocks: &'a [[Point3<f64>; 2]],
    other: &'a [Point3<f64>; 2],
) -> impl Iterator<Item = &'a [u32; N]> {
    // A coordinate that is not a number is in no order: its block counts as near.
    let apart =
        |[low, high]: &[Point3<f64>; 2]| (0..3).any(|k| low[k] > other[1][k] || high[k] < other[0][k]);
    primitives.chunks(BLOCK).zip(blocks).filter(move |(_, block)| !apart(block)).flat_map(|(block, _)| block)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cloth_geom::fixtures::sheet;

    #[test]
    fn counts_an_axis_that_crosses_edges_or_whose_end_crosses_a_face() {
        let topology = Topology::new(3, &[[0, 1, 2]]).expect("a face");
        let face: Vec<Point3<f32>> =
            [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]].map(Point3::from).to_vec();
        let count = |path: [&[[f64; 3]]; 2]| {
            let path = path.map(|ends| ends.iter().map(|&p| p.into()).collect::<Vec<_>>());
            let edges: &[[u32; 2]] = if path[0].len() == 2 { &[[0, 1]] } else { &[] };
            SurfaceMotion::new(&topology, [&face, &face]).crossings(&path, edges)
        };
        assert_eq!(count([&[[0.3, 0.3, 1.0]], &[[0.3, 0.3, -1.0]]]), 1, "a centre through the face");
        assert_eq!(count([&[[0.3, 0.3, 1.0]], &[[0.9, 0.9, -1.0]]]), 0, "past it");
        let across = |z: f64| [[0.2, -1.0, z], [0.2, 2.0, z]];
        assert_eq!(count([&across(1.0), &across(-1.0)]), 2, "an axis over two edges");
        assert_eq!(count([&across(1.0), &across(0.1)]), 0, "not as far");
    }

    #[test]
    fn blocks_leave_out_no_pair_that_meets() {
        let mesh = sheet(17, 17, [1.0, 1.0]).expect("a sheet").mesh;
        let (topology, x) = (Topology::of_mesh(&mesh).expect("a surface"), mesh.positions_f32());
        let surface = SurfaceMotion::new(&topology, [&x, &x]);
        assert!(surface.faces.len() > 8);
        let everywhere = [Point3::from([f64::NEG_INFINITY; 3]), Point3::from([f64::INFINITY; 3])];
        let all = SurfaceMotion {
            faces: vec![everywhere; surface.faces.len()],
            edges: vec![everywhere; surface.edges.len()],
            ..surface
        };
        let surface = SurfaceMotion::new(&topology, [&x, &x]);
        let mut total = 0;
        for k in 0..20 {
            let shift = 0.05 * f64::from(k) - 0.5;
            let at =
                |y: f64| vec![Point3::new(shift, y, -0.3), Point3::new(0.4, y + 0.1 * shift, 0.3 * shift)];
            let path = [at(0.05), at(-0.05)];
            let edges = [[0, 1]];
            assert_eq!(surface.crossings(&path, &edges), all.crossings(&path, &edges), "axis {k}");
            total += surface.crossings(&path, &edges);
        }
        assert!(total > 100, "{total}");
    }

    #[test]
    fn a_collider_with_waypoints_goes_through_them() {
        let at = |x: f32| Isometry3::translation(x, 0.0, 0.0);
        let shape = cloth_solver::Shape::Sphere { radius: 0.1 };
        let collider = Collider::new(shape, at(0.0), 0.0).expect("usable");
        let collider = Collider { pose_t1: at(1.0), ..collider };
        let path =
            ColliderPath { collider: collider.clone(), waypoints: vec![at(5.0), at(7.0)], rigid: None };
        let places = |path: &ColliderPath| {
            [0, 1, 2].map(|k| {
                let part = path.part(k, 3);
                [part.pose_t0, part.pose_t1].map(|pose| pose.translation.x)
            })
        };
        assert_eq!(places(&path), [[0.0, 5.0], [5.0, 7.0], [7.0, 1.0]]);
        let straight = places(&ColliderPath { collider, waypoints: Vec::new(), rigid: None });
        assert!(straight.iter().flatten().all(|x| (0.0..=1.0).contains(x)), "{straight:?}");
    }
}
