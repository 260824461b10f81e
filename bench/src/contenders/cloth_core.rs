//! rapier-cloth-core in double precision: XPBD, and its implicit shell solver.
//!
//! The library steps one cloth, so the cloths of a scene form one mesh, whose parts collide as the library's
//! self-collision. XPBD has rigid edges (stretch compliance 0, the default): how much cloth stretches depends
//! on substeps and iterations. The implicit solver takes moduli, which are those of the scene's fabric.

use cloth_solver::Material;
use nalgebra::{Point3, Vector3};
use rapier_cloth_core::{
    Cloth, ClothContactSettings, ClothError, ClothMaterial, ClothMesh, CollisionLimits, ImplicitSettings,
    Real, ShellMaterial, Solver, SolverSettings, Vec3,
};

use super::obstacles::Obstacles;
use super::{Contender, PinTarget, described};
use crate::scene::{AIR_DAMPING, Scene};
use crate::schema::{self, Status};

/// Poisson's ratio of the fabric: the library's default.
const POISSON: Real = 0.243;

/// No bound on the work of collision, which by default ends the implicit solver at 32 vertices a side: runs
/// are stopped by the clock instead.
const UNLIMITED: CollisionLimits =
    CollisionLimits { candidate_pairs: usize::MAX, retained_contacts: usize::MAX, ccd_checks: usize::MAX };

/// Which of the library's solvers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Constraint projection; self-collision once the surfaces are near.
    Xpbd,
    /// Backward Euler with a contact barrier and continuous self-collision.
    Implicit,
}

/// What is set besides the limits of collision work, which are lifted; everything else is the library's
/// default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClothCoreSettings {
    /// Id of the contender.
    pub id: &'static str,
    /// Its name.
    pub name: &'static str,
    /// The solver.
    pub method: Method,
    /// Substeps of a frame.
    pub substeps: u32,
    /// Iterations of a substep; the implicit solver has its own.
    pub iterations: usize,
}

impl ClothCoreSettings {
    /// XPBD with the substeps of the library's example (240 a second) and its default iterations.
    #[must_use]
    pub fn xpbd() -> Self {
        Self {
            id: "rapier-cloth-xpbd",
            name: "rapier-cloth-core, XPBD",
            method: Method::Xpbd,
            substeps: 4,
            iterations: SolverSettings::default().iterations,
        }
    }

    /// The implicit solver, one step a frame.
    #[must_use]
    pub fn implicit() -> Self {
        Self {
            id: "rapier-cloth-implicit",
            name: "rapier-cloth-core, implicit",
            method: Method::Implicit,
            substeps: 1,
            ..Self::xpbd()
        }
    }
}

/// The cloths of a scene as one cloth of the library.
pub struct ClothCore {
    settings: ClothCoreSettings,
    solver: Solver,
    cloth: Option<Cloth>,
    obstacles: Obstacles,
    gravity: Vec3,
    /// The first vertex of each cloth.
    first: Vec<u32>,
}

impl ClothCore {
    /// With some settings.
    #[must_use]
    pub fn new(settings: ClothCoreSettings) -> Self {
        let obstacles = Obstacles::default();
        Self {
            settings,
            solver: Solver::new(),
            cloth: None,
            obstacles,
            gravity: Vec3::ZERO,
            first: Vec::new(),
        }
    }

    fn build(&self, scene: &Scene) -> Result<Cloth, ClothError> {
        let cloths = &scene.setup.scene.cloths;
        let thickness = cloths[0].thickness;
        let rest = (0..cloths.len()).flat_map(|k| scene.rest(k)).map(vec3).collect();
        let mut mesh = ClothMesh::new(rest, scene.topology.faces().to_vec())?;
        let fabric = cloths[0].material;
        if self.settings.method == Method::Implicit {
            mesh.set_material_axes(Some(warp_axes(scene)))?;
        }
        let material = ClothMaterial {
            surface_density: f64::from(fabric.density),
            damping: f64::from(AIR_DAMPING),
            contact_radius: f64::from(thickness.radius),
            ..ClothMaterial::default()
        };
        let mut cloth = Cloth::new(mesh, material)?;
        let start: Vec<Vec3> = scene.start().iter().map(vec3).collect();
        cloth.set_positions(&start)?;
        let friction = f64::from(scene.setup.scene.settings.self_friction);
        cloth.set_contact_settings(Some(ClothContactSettings {
            thickness: f64::from(2.0 * thickness.radius),
            activation_margin: f64::from(thickness.scr),
            continuous_self_collision: self.settings.method == Method::Implicit,
            limits: UNLIMITED,
            static_friction: friction,
            kinetic_friction: friction,
            ..ClothContactSettings::default()
        }))?;
        if self.settings.method == Method::Implicit {
            let material = shell(&fabric);
            cloth.set_implicit_solver(Some(ImplicitSettings { material, ..ImplicitSettings::default() }))?;
        }
        for (desc, &first) in cloths.iter().zip(&self.first) {
            desc.pins.iter().try_for_each(|&v| cloth.pin(first + v, start[(first + v) as usize]))?;
        }
        Ok(cloth)
    }

    fn substep(&mut self, h: Real, pins: &[(u32, Vec3)]) -> Result<(), ClothError> {
        let Some(cloth) = &mut self.cloth else {
            return Err(ClothError::InvalidParameter("no scene was loaded"));
        };
        pins.iter().try_for_each(|&(v, target)| cloth.pin(v, target))?;
        let settings = SolverSettings {
            iterations: self.settings.iterations,
            max_contacts: usize::MAX,
            ..SolverSettings::default()
        };
        self.solver.step_with_contacts(cloth, h, self.gravity, &settings, &[], &mut self.obstacles).map(drop)
    }

    /// Where pins are after a share of the frame, on straight lines from where they are now.
    fn pins_at(&self, pins: &[PinTarget], share: Real, from: &[Vec3]) -> Vec<(u32, Vec3)> {
        let towards = |(pin, &from): (&PinTarget, &Vec3)| {
            let target = vec3(&pin.target.map(f64::from));
            (self.first[pin.cloth] + pin.vertex, from.lerp(target, share))
        };
        pins.iter().zip(from).map(towards).collect()
    }
}

/// The shell that has the fabric's stiffness along the threads, in shear and in bending: the isotropic part
/// carries shear (`G = E t / 2(1 + nu)`) and bending (`D = E t^3 / 12(1 - nu^2)`), the rest lies along the
/// threads.
fn shell(fabric: &Material) -> ShellMaterial {
    let isotropic = 2.0 * (1.0 + POISSON) * f64::from(fabric.shear);
    let thickness = (12.0 * (1.0 - POISSON * POISSON) * f64::from(fabric.bend) / isotropic).sqrt();
    let along = |stiffness: f32| (f64::from(stiffness) - isotropic).max(0.0) / thickness;
    ShellMaterial {
        youngs_modulus: isotropic / thickness,
        poisson_ratio: POISSON,
        thickness,
        warp_stiffness: along(fabric.stretch_warp),
        weft_stiffness: along(fabric.stretch_weft),
        ..ShellMaterial::default()
    }
}

/// The direction of the warp in each face: along the second axis of its grid.
fn warp_axes(scene: &Scene) -> Vec<Vec3> {
    let axes = scene.setup.scene.cloths.iter().enumerate().flat_map(|(k, cloth)| {
        let rest = scene.rest(k);
        let warp: Vector3<f64> = (rest[scene.grid[0]] - rest[0]).normalize();
        cloth.mesh.faces.iter().map(move |_| Vec3::new(warp.x, warp.y, warp.z))
    });
    axes.collect()
}

fn vec3(p: &Point3<f64>) -> Vec3 {
    Vec3::new(p.x, p.y, p.z)
}

impl Contender for ClothCore {
    fn describe(&self) -> schema::Contender {
        let ClothCoreSettings { id, name, method, substeps, iterations } = self.settings;
        let settings = match method {
            Method::Xpbd => {
                format!("{substeps} substeps of {iterations} iterations; f64, discrete self-collision")
            }
            Method::Implicit => format!(
                "{substeps} substep, moduli of Material::COTTON; f64, continuous self-collision, cap_policy \
                 Strict, one thread"
            ),
        };
        described(id, name, "rapier-cloth-core", settings)
    }

    fn load(&mut self, scene: &Scene) -> Result<(), Status> {
        let Some(cloth) = scene.setup.scene.cloths.first() else {
            return Err(Status::unsupported("the scene has no cloth"));
        };
        let (separation, margin) = (f64::from(cloth.thickness.radius), f64::from(cloth.thickness.scr));
        let as_surface = self.settings.method == Method::Implicit;
        let obstacles = Obstacles::new(&scene.colliders(), separation, margin, as_surface);
        self.obstacles = obstacles.map_err(Status::unsupported)?;
        let gravity = scene.setup.scene.settings.gravity.map(f64::from);
        self.gravity = Vec3::new(gravity.x, gravity.y, gravity.z);
        let mut next = 0;
        self.first.clear();
        for cloth in &scene.setup.scene.cloths {
            self.first.push(next);
            next += cloth.mesh.positions.len() as u32;
        }
        self.cloth = Some(self.build(scene).map_err(Status::failed)?);
        Ok(())
    }

    fn step(&mut self, dt: f64, pins: &[PinTarget]) -> Result<(), String> {
        let positions = self.cloth.as_ref().map_or(&[][..], |cloth| cloth.positions());
        let place = |pin: &PinTarget| positions[(self.first[pin.cloth] + pin.vertex) as usize];
        let from: Vec<Vec3> = pins.iter().map(place).collect();
        let count = self.settings.substeps;
        for substep in 1..=count {
            let pins = self.pins_at(pins, f64::from(substep) / f64::from(count), &from);
            self.substep(dt / f64::from(count), &pins).map_err(|e| e.to_string())?;
        }
        Ok(())
    }

    fn positions(&self, out: &mut Vec<Point3<f64>>) {
        out.clear();
        out.extend(self.cloth.iter().flat_map(|c| c.positions().iter().map(|p| Point3::new(p.x, p.y, p.z))));
    }
}
