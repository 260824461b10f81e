//! rapier3d's soft bodies, built as its own `SoftBodyBuilder::cloth` builds cloth: springs along the threads
//! and along both diagonals, bending springs over two cells, contacts of the surface with itself and with
//! colliders.
//!
//! Stiffness is a natural frequency of each spring, not a property of the fabric. The default of 30 Hz
//! stretches cloth, so the same cloth is run a second time with the settings that the sweep
//! (`cloth-bench sweep`, tabulated in `bench/README.md`) found to come nearest to the stretch of the
//! baseline.

use cloth_solver::{Collider, Shape};
use nalgebra::Point3;
use rapier3d::dynamics::CoefficientCombineRule;
use rapier3d::prelude::{
    ColliderBuilder, PhysicsWorld, RigidBodyBuilder, SoftBodyBuilder, SoftBodyHandle, SpringCoefficients,
    Vector,
};

use super::{Contender, PinTarget, described};
use crate::scene::{AIR_DAMPING, Scene};
use crate::schema::{self, Status};

/// Half the size (m) of the box that stands for a floor.
const FLOOR: f32 = 50.0;

/// What is set of a soft body; everything else is the library's default.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RapierSettings {
    /// Id of the contender.
    pub id: &'static str,
    /// Its name.
    pub name: &'static str,
    /// Natural frequency (Hz) of the springs along threads and diagonals.
    pub edge_hz: f32,
    /// Solver iterations of a step; each is a substep.
    pub solver_iterations: usize,
    /// Passes over the constraints of soft bodies in each of them, in addition to one.
    pub additional_pgs_iterations: usize,
}

impl RapierSettings {
    /// The library's defaults.
    #[must_use]
    pub fn library_default() -> Self {
        Self {
            id: "rapier3d",
            name: "rapier3d soft body, defaults",
            edge_hz: 30.0,
            solver_iterations: 4,
            additional_pgs_iterations: 3,
        }
    }

    /// The settings that the sweep chose.
    #[must_use]
    pub fn best() -> Self {
        Self {
            id: "rapier3d-best",
            name: "rapier3d soft body, best of a sweep",
            edge_hz: 1920.0,
            solver_iterations: 32,
            additional_pgs_iterations: 3,
        }
    }
}

/// A world of soft bodies, one for each cloth.
pub struct Rapier {
    settings: RapierSettings,
    world: PhysicsWorld,
    cloths: Vec<SoftBodyHandle>,
}

impl Rapier {
    /// With some settings.
    #[must_use]
    pub fn new(settings: RapierSettings) -> Self {
        Self { settings, world: PhysicsWorld::new(), cloths: Vec::new() }
    }

    fn add_cloth(&mut self, scene: &Scene, cloth: usize) {
        let desc = &scene.setup.scene.cloths[cloth];
        let friction = scene.setup.scene.settings.self_friction;
        let mut body = connected(scene.rest(cloth), scene.grid)
            .surface(desc.mesh.faces.clone())
            .masses(scene.masses(cloth).iter().map(|&m| m as f32).collect())
            .pinned_particles(desc.pins.iter().copied())
            .self_contacts(true)
            .particle_radius(desc.thickness.radius)
            .linear_damping(AIR_DAMPING)
            .can_sleep(false)
            .additional_pgs_iterations(self.settings.additional_pgs_iterations)
            .surface_collider(ColliderBuilder::ball(desc.thickness.radius).density(0.0).friction(friction));
        body.material.edge_softness = SpringCoefficients::new(self.settings.edge_hz, 1.0);
        let handle = self.world.insert_soft_body(body);
        // Rest lengths are those of the rest shape; the cloth starts with its jitter.
        let body = &mut self.world.soft_bodies[handle];
        desc.mesh.positions.iter().enumerate().for_each(|(v, p)| body.set_particle_position(v, vector(p)));
        self.cloths.push(handle);
    }

    fn add_collider(&mut self, collider: &Collider) -> Result<(), Status> {
        let at = collider.pose_t1.translation.vector;
        let (shape, lowered) = match &collider.shape {
            Shape::Plane => (ColliderBuilder::cuboid(FLOOR, 0.5, FLOOR), 0.5),
            Shape::Sphere { radius } => (ColliderBuilder::ball(*radius), 0.0),
            other => {
                return Err(Status::unsupported(format!(
                    "the bench does not translate {other:?} for rapier3d"
                )));
            }
        };
        let shape = shape
            .translation(Vector::new(at.x, at.y - lowered, at.z))
            .friction(collider.friction)
            .friction_combine_rule(CoefficientCombineRule::Max);
        self.world.insert(RigidBodyBuilder::fixed(), shape);
        Ok(())
    }
}

/// The springs of `SoftBodyBuilder::cloth` between the vertices of a grid.
fn connected(rest: &[Point3<f64>], [nx, ny]: [usize; 2]) -> SoftBodyBuilder {
    let v = |i: usize, j: usize| (j * nx + i) as u32;
    let (mut edges, mut bend) = (Vec::new(), Vec::new());
    for (i, j) in (0..nx).flat_map(|i| (0..ny).map(move |j| (i, j))) {
        edges.extend((i + 1 < nx).then(|| [v(i, j), v(i + 1, j)]));
        edges.extend((j + 1 < ny).then(|| [v(i, j), v(i, j + 1)]));
        if i + 1 < nx && j + 1 < ny {
            edges.extend([[v(i, j), v(i + 1, j + 1)], [v(i + 1, j), v(i, j + 1)]]);
        }
        bend.extend((i + 2 < nx).then(|| [v(i, j), v(i + 2, j)]));
        bend.extend((j + 2 < ny).then(|| [v(i, j), v(i, j + 2)]));
    }
    SoftBodyBuilder::new(rest.iter().map(vector).collect()).edges(edges).bend_edges(bend)
}

fn vector(p: &Point3<f64>) -> Vector {
    Vector::new(p.x as f32, p.y as f32, p.z as f32)
}

impl Contender for Rapier {
    fn describe(&self) -> schema::Contender {
        let RapierSettings { id, name, edge_hz, solver_iterations, additional_pgs_iterations } =
            self.settings;
        let settings = format!(
            "edge_softness {edge_hz} Hz, num_solver_iterations {solver_iterations}, \
             additional_pgs_iterations {additional_pgs_iterations}; self_contacts, no sleeping, one thread \
             (no feature `parallel`)"
        );
        described(id, name, "rapier3d", settings)
    }

    fn load(&mut self, scene: &Scene) -> Result<(), Status> {
        let gravity = scene.setup.scene.settings.gravity;
        self.world = PhysicsWorld::new();
        self.world.gravity = Vector::new(gravity.x, gravity.y, gravity.z);
        self.world.integration_parameters.num_solver_iterations = self.settings.solver_iterations;
        self.cloths.clear();
        scene.colliders().iter().try_for_each(|c| self.add_collider(c))?;
        (0..scene.setup.scene.cloths.len()).for_each(|cloth| self.add_cloth(scene, cloth));
        Ok(())
    }

    fn step(&mut self, dt: f64, pins: &[PinTarget]) -> Result<(), String> {
        for pin in pins {
            let target = Vector::new(pin.target.x, pin.target.y, pin.target.z);
            let body = &mut self.world.soft_bodies[self.cloths[pin.cloth]];
            body.set_particle_kinematic_target(pin.vertex as usize, target);
        }
        self.world.integration_parameters.dt = dt as f32;
        self.world.step();
        Ok(())
    }

    fn positions(&self, out: &mut Vec<Point3<f64>>) {
        out.clear();
        for &handle in &self.cloths {
            let body = &self.world.soft_bodies[handle];
            out.extend(body.particle_positions().map(|p| Point3::new(p.x, p.y, p.z).map(f64::from)));
        }
    }
}
