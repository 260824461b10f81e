//! Discrete collision with colliders, for comparison: what is inside at the end of a step is pushed out by
//! the shortest way.
//!
//! Lewin 2018, section 3, describes it as what games usually do, and its three failures (figure 2). It is
//! given what the solver has: the same cloth with the same threads as springs, as many iterations, and each
//! of them looks for points in colliders again, which the predictive method does once a step. Left out is
//! what has no part in the cases: shear, bending, the coarse levels of stretch, friction, self-collision and
//! fabrics of single faces.
//! Points test the collider of their own cell alone.

use cloth_geom::Topology;
use cloth_scene::ColliderDesc;
use cloth_solver::{
    AcceptedMotion, ClothDesc, Collider, IntersectingParts, RestShape, Simulation, StepError, StepReport,
    Waypoints,
};
use nalgebra::{Isometry3, Point3, Vector3};

use super::simulated::Simulated;
use crate::scenario::{Setup, SetupError, SimulationControl};

/// A scene with cells that is moved by the discrete method.
pub(super) struct DiscreteMethod {
    x: Vec<Point3<f32>>,
    v: Vec<Vector3<f32>>,
    inv_mass: Vec<f32>,
    /// Where pins are to be after the next step.
    goal: Vec<Point3<f32>>,
    /// Distance (m) to keep from colliders.
    radius: Vec<f32>,
    springs: Vec<Spring>,
    colliders: Vec<Collider>,
    /// Vertices and their collider.
    cells: Vec<(std::ops::Range<usize>, usize)>,
    /// The first vertex of each cloth.
    first: Vec<usize>,
    topology: Topology,
    gravity: Vector3<f32>,
    substeps: u32,
    iterations: u32,
}

struct Spring {
    ends: [usize; 2],
    rest: f32,
    /// m/N.
    compliance: f32,
}

impl DiscreteMethod {
    /// The scene at its own settings.
    pub(super) fn new(setup: &Setup) -> Result<Self, SetupError> {
        let count = setup.scene.vertex_count();
        let all = setup.scene.colliders.iter();
        let kinematic = all.filter(|c| c.rigid_body().is_none()).map(ColliderDesc::collider);
        let mut scene = Self {
            x: Vec::with_capacity(count),
            v: vec![Vector3::zeros(); count],
            inv_mass: Vec::with_capacity(count),
            goal: Vec::new(),
            radius: Vec::with_capacity(count),
            springs: Vec::new(),
            colliders: kinematic.cloned().collect(),
            cells: setup.cells.iter().map(|c| (c.vertices.clone(), c.collider)).collect(),
            first: Vec::new(),
            topology: Topology::new(count, &setup.scene.faces_by_cloth().concat())?,
            gravity: setup.scene.settings.gravity,
            substeps: setup.scene.settings.substeps,
            iterations: setup.scene.settings.iterations,
        };
        for cloth in &setup.scene.cloths {
            scene.add(cloth)?;
        }
        scene.goal = scene.x.clone();
        Ok(scene)
    }

    fn add(&mut self, cloth: &ClothDesc) -> Result<(), SetupError> {
        let first = self.x.len();
        let topology = Topology::of_mesh(&cloth.mesh)?;
        let rest = match &cloth.rest {
            RestShape::Positions(rest) => rest,
            RestShape::Start | RestShape::Pattern(_) => &cloth.mesh.positions,
        };
        let mut mass = vec![0.0_f32; rest.len()];
        for face in topology.faces() {
            let share = cloth.material.density * area(rest, face) / 3.0;
            face.iter().for_each(|&v| mass[v as usize] += share);
        }
        cloth.pins.iter().for_each(|&v| mass[v as usize] = f32::INFINITY);
        self.first.push(first);
        self.x.extend(cloth.mesh.positions_f32());
        self.inv_mass.extend(mass.iter().map(|m| 1.0 / m));
        self.radius.extend(std::iter::repeat_n(cloth.thickness.radius, rest.len()));
        let springs = (0..topology.edges().len()).filter_map(|edge| spring(cloth, &topology, rest, edge));
        self.springs.extend(springs.map(|s| Spring { ends: s.ends.map(|v| v + first), ..s }));
        Ok(())
    }

    fn substep(&mut self, h: f32, part: [f32; 2]) {
        let start = self.x.clone();
        let colliders: Vec<Collider> =
            self.colliders.iter().map(|c| c.part_of_step(part[0], part[1])).collect();
        for v in 0..self.x.len() {
            if self.inv_mass[v] > 0.0 {
                self.v[v] += self.gravity * h;
                self.x[v] += self.v[v] * h;
            } else {
                let way = self.goal[v] - self.x[v];
                self.x[v] += way * ((part[1] - part[0]) / (1.0 - part[0]));
            }
        }
        for _ in 0..self.iterations {
            self.stretch(h);
            self.push_out(&colliders);
        }
        for (v, (x, x_t0)) in self.v.iter_mut().zip(self.x.iter().zip(&start)) {
            *v = (x - x_t0) / h;
        }
    }

    fn stretch(&mut self, h: f32) {
        for spring in &self.springs {
            let [a, b] = spring.ends;
            let apart = self.x[b] - self.x[a];
            let (length, weight) = (apart.norm(), self.inv_mass[a] + self.inv_mass[b]);
            if length > 0.0 && weight > 0.0 {
                let push =
                    apart * ((spring.rest - length) / (length * (weight + spring.compliance / (h * h))));
                self.x[a] -= push * self.inv_mass[a];
                self.x[b] += push * self.inv_mass[b];
            }
        }
    }

    /// Whatever is inside, or nearer than its radius, goes out by the shortest way.
    fn push_out(&mut self, colliders: &[Collider]) {
        for (vertices, collider) in &self.cells {
            let collider = &colliders[*collider];
            for v in vertices.clone().filter(|&v| self.inv_mass[v] > 0.0) {
                let nearest = collider.shape.nearest(&collider.pose_t1.inverse_transform_point(&self.x[v]));
                let missing = self.radius[v] - nearest.distance;
                if missing > 0.0 {
                    self.x[v] += collider.pose_t1.rotation * nearest.normal * missing;
                }
            }
        }
    }

    fn vertex(&self, cloth: usize, vertex: u32) -> Result<usize, StepError> {
        let count = self.first.len();
        let first = self.first.get(cloth);
        let first = *first.ok_or(StepError::NotFound { what: "cloth", index: cloth, count })?;
        let end = self.first.get(cloth + 1).copied().unwrap_or(self.x.len());
        let missing = StepError::NotFound { what: "vertex", index: vertex as usize, count: end - first };
        if (vertex as usize) < end - first { Ok(first + vertex as usize) } else { Err(missing) }
    }
}

impl SimulationControl for DiscreteMethod {
    fn simulation(&self) -> Option<&Simulation> {
        None
    }

    fn move_pin(&mut self, cloth: usize, vertex: u32, target: Point3<f32>) -> Result<(), StepError> {
        let v = self.vertex(cloth, vertex)?;
        self.goal[v] = target;
        Ok(())
    }

    fn move_collider(&mut self, collider: usize, pose: Isometry3<f32>) -> Result<(), StepError> {
        let count = self.colliders.len();
        let slot = self.colliders.get_mut(collider);
        let slot = slot.ok_or(StepError::NotFound { what: "collider", index: collider, count })?;
        slot.pose_t1 = slot.moved_to(pose)?.pose_t1;
        Ok(())
    }

    fn move_mesh_body(&mut self, body: usize, _positions: &[Point3<f32>]) -> Result<(), StepError> {
        Err(StepError::NotFound { what: "mesh body", index: body, count: 0 })
    }

    fn pin(&mut self, cloth: usize, vertex: u32) -> Result<(), StepError> {
        self.set_mass(cloth, vertex, f32::INFINITY)
    }

    fn set_mass(&mut self, cloth: usize, vertex: u32, mass: f32) -> Result<(), StepError> {
        let v = self.vertex(cloth, vertex)?;
        self.inv_mass[v] = 1.0 / mass;
        self.goal[v] = self.x[v];
        Ok(())
    }

    fn move_attachment(&mut self, attachment: usize, _target: Point3<f32>) -> Result<(), StepError> {
        Err(StepError::NotFound { what: "attachment", index: attachment, count: 0 })
    }

    fn move_local_frame(&mut self, cloth: usize, _pose: Isometry3<f32>) -> Result<(), StepError> {
        Err(StepError::NotFound { what: "local frame of cloth", index: cloth, count: 0 })
    }

    fn set_velocity(&mut self, cloth: usize, vertex: u32, velocity: Vector3<f32>) -> Result<(), StepError> {
        let v = self.vertex(cloth, vertex)?;
        self.v[v] = velocity;
        Ok(())
    }
}

impl Simulated for DiscreteMethod {
    fn positions(&self) -> &[Point3<f32>] {
        &self.x
    }

    fn colliders(&self) -> &[Collider] {
        &self.colliders
    }

    fn topology(&self) -> &Topology {
        &self.topology
    }

    fn intersecting_parts(&self, [edge, face]: [u32; 2]) -> Option<IntersectingParts> {
        let (edges, faces) = (self.topology.edges(), self.topology.faces());
        let vertices = [edges.get(edge as usize)?[0], faces.get(face as usize)?[0]];
        let [a, b] = vertices.map(|v| self.first.partition_point(|&first| first <= v as usize));
        Some(if a == b { IntersectingParts::ClothWithItself } else { IntersectingParts::ClothWithCloth })
    }

    fn is_guarded(&self, _hit: [u32; 2]) -> bool {
        true
    }

    fn is_certified(&self, _hit: [u32; 2]) -> bool {
        true
    }

    fn is_tangled(&self, _hit: [u32; 2]) -> bool {
        false
    }

    fn state_hash(&self) -> u64 {
        // Hashes of control runs are not compared.
        0
    }

    fn record_examined(&mut self, _on: bool) {
        // There is no gate, so nothing is examined.
    }

    fn advance(
        &mut self,
        dt: f32,
        _waypoints: &Waypoints,
        _on_motion: &mut (dyn FnMut(AcceptedMotion<'_>) + Send),
    ) -> Result<StepReport, String> {
        let count = self.substeps as f32;
        for substep in 0..self.substeps {
            self.substep(dt / count, [substep as f32 / count, (substep + 1) as f32 / count]);
        }
        self.colliders.iter_mut().for_each(|c| c.pose_t0 = c.pose_t1);
        Ok(StepReport { substeps: self.substeps, ..StepReport::default() })
    }
}

fn area(rest: &[Point3<f64>], face: &[u32; 3]) -> f32 {
    let [a, b, c] = face.map(|v| rest[v as usize]);
    (0.5 * (b - a).cross(&(c - a)).norm()) as f32
}

/// An edge along warp or weft, stiff as the solver has it; none across the threads. One of them runs along z.
fn spring(cloth: &ClothDesc, topology: &Topology, rest: &[Point3<f64>], edge: usize) -> Option<Spring> {
    let ends = topology.edges()[edge].map(|v| v as usize);
    let along = rest[ends[1]] - rest[ends[0]];
    let length_sq = along.norm_squared();
    let weft = along.z * along.z / length_sq;
    let warp = 1.0 - weft;
    let cos_2phi = (warp - weft) as f32;
    let stiffness = (cloth.material.stretch_warp * warp as f32 + cloth.material.stretch_weft * weft as f32)
        * (cos_2phi * cos_2phi);
    let area: f32 =
        topology.edge_faces(edge).iter().map(|&f| area(rest, &topology.faces()[f as usize])).sum();
    let is_thread = stiffness > cloth.material.shear;
    is_thread.then(|| Spring {
        ends,
        rest: length_sq.sqrt() as f32,
        compliance: length_sq as f32 / (stiffness * area),
    })
}
