//! What a frame of a game costs, in time for each particle: 30 frames a second, 1, 2 or 4 substeps, one
//! thread.
//!
//! Three scenes of about 1,600 particles: a sheet that hangs by two corners; the same with fourteen capsules
//! that swing through its plane; three layers of a skirt over a figure of fourteen capsules whose legs kick,
//! the contacts between the layers computed once. `cargo bench -p cloth-solver --bench frame`; the reciprocal
//! of the throughput is the time for a particle and frame.

use cloth_geom::fixtures::{SkirtShape, sheet, skirt};
use cloth_solver::{
    ClothDesc, Collider, ContactSource, Material, Settings, Shape, Simulation, SimulationBuilder, Tethers,
    Thickness, Wind,
};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};

/// A frame (s).
pub const DT: f32 = 1.0 / 30.0;

/// Vertices along a side of the sheet.
const SIDE: usize = 40;

/// Radii (m) of waist and hem of the innermost layer, and what each layer adds.
const WAIST: [f64; 2] = [0.145, 0.016];
const HEM: [f64; 2] = [0.34, 0.03];

/// The ends (m) and the radius (m) of each capsule of the figure: the middle, then a side with its thigh
/// third.
const MIDDLE: [([f32; 3], [f32; 3], f32); 4] = [
    ([0.0, 0.85, 0.0], [0.0, 1.27, 0.0], 0.13),
    ([-0.18, 1.4, 0.0], [0.18, 1.4, 0.0], 0.06),
    ([0.0, 1.4, 0.0], [0.0, 1.6, 0.0], 0.06),
    ([0.0, 1.65, 0.0], [0.0, 1.66, 0.0], 0.11),
];
const LIMBS: [([f32; 3], [f32; 3], f32); 5] = [
    ([0.18, 1.4, 0.0], [0.37, 1.17, 0.0], 0.05),
    ([0.37, 1.17, 0.0], [0.54, 0.97, 0.0], 0.04),
    ([0.075, 0.83, 0.0], [0.085, 0.45, 0.0], 0.07),
    ([0.085, 0.45, 0.0], [0.09, 0.06, -0.01], 0.05),
    ([0.09, 0.04, -0.01], [0.1, 0.04, 0.14], 0.04),
];

/// A scene that goes on from frame to frame.
#[derive(Clone)]
pub struct Scene {
    /// The simulation.
    pub sim: Simulation,
    /// Where each collider is at a time (s).
    poses: fn(f32) -> Vec<Isometry3<f32>>,
    frame: u32,
}

impl Scene {
    fn new(settings: Settings, cloths: Vec<ClothDesc>, colliders: Vec<Collider>) -> Self {
        let mut builder = SimulationBuilder::new(settings);
        for cloth in cloths {
            builder.add_cloth(cloth);
        }
        for collider in colliders {
            builder.add_collider(collider);
        }
        Self { sim: builder.build().expect("a scene"), poses: |_| Vec::new(), frame: 0 }
    }

    /// Moves the colliders on and takes a step.
    pub fn advance(&mut self) {
        self.frame += 1;
        let poses = (self.poses)(self.frame as f32 * DT);
        for (i, pose) in poses.into_iter().enumerate() {
            let id = self.sim.collider_id(i).expect("a collider");
            self.sim.move_collider(id, pose).expect("a pose");
        }
        self.sim.step(DT).expect("a step");
    }
}

/// Few passes, as a game has them.
fn settings(substeps: u32) -> Settings {
    Settings {
        substeps,
        relaxation: 1.0,
        wind_interval: 1,
        friction_iterations: 1,
        self_collision: false,
        gate: false,
        recovery: false,
        sleep: None,
        wind: Wind::STILL_AIR,
        air_damping: 0.5,
        recovery_speed: 2.0,
        ..Settings::default()
    }
}

fn sheets() -> Vec<ClothDesc> {
    let flat = sheet(SIDE, SIDE, [1.0, 1.0]).expect("a sheet").mesh;
    let upright = flat.rotated(Vector3::x_axis(), -std::f64::consts::FRAC_PI_2);
    let mut cloth = ClothDesc::new(upright, Material::COTTON, Thickness::from_total(0.012, 0.2));
    cloth.pins = vec![((SIDE - 1) * SIDE) as u32, (SIDE * SIDE - 1) as u32];
    cloth.tethers = Some(Tethers::default());
    vec![cloth]
}

fn capsule(from: [f32; 3], to: [f32; 3], radius: f32) -> Collider {
    let [from, to] = [from, to].map(Point3::from);
    let axis: Vector3<f32> = to - from;
    let turn = UnitQuaternion::rotation_between(&Vector3::y(), &axis).unwrap_or_default();
    let pose = Isometry3::from_parts(Translation3::from(nalgebra::center(&from, &to).coords), turn);
    Collider::new(Shape::Capsule { half_length: 0.5 * axis.norm(), radius }, pose, 0.3).expect("a capsule")
}

/// Where fourteen capsules are that swing through the plane of the sheet, each at its own time.
fn swings(time: f32) -> Vec<Isometry3<f32>> {
    let pose = |i: usize| {
        let (x, y) = (0.3 * ((i % 4) as f32 - 1.5), 0.25 * ((i / 4) as f32 - 1.5));
        let phase = 0.7 * i as f32;
        let z = 0.25 * libm::sinf(2.0 * time + phase);
        let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), 0.4 * time + phase);
        Isometry3::from_parts(Translation3::new(x, y, z), turn)
    };
    (0..14).map(pose).collect()
}

fn skirts() -> Vec<ClothDesc> {
    let layer = |layer: u16| {
        let k = f64::from(layer);
        let (waist_radius, hem_radius) = (WAIST[0] + WAIST[1] * k, HEM[0] + HEM[1] * k);
        let shape = SkirtShape { waist_radius, hem_radius, length: 0.46, around: 32, along: 17 };
        let mesh = skirt(shape).expect("a skirt").translated(Vector3::y() * 0.76);
        let mut cloth = ClothDesc::new(mesh, Material::COTTON, Thickness::from_total(0.012, 0.2));
        cloth.layer = Some(layer);
        cloth.pins = (16 * 32..17 * 32).collect();
        cloth.tethers = Some(Tethers::default());
        cloth
    };
    (0..3).map(layer).collect()
}

fn figure() -> Vec<Collider> {
    let sides = [1.0, -1.0].into_iter().flat_map(|side| {
        let mirrored = move |p: [f32; 3]| [side * p[0], p[1], p[2]];
        LIMBS.iter().map(move |&(from, to, radius)| capsule(mirrored(from), mirrored(to), radius))
    });
    MIDDLE.iter().map(|&(from, to, radius)| capsule(from, to, radius)).chain(sides).collect()
}

/// The figure at a time (s): one leg kicks forward while the other goes back.
fn kicks(time: f32) -> Vec<Isometry3<f32>> {
    let about = |pivot: Vector3<f32>, angle: f32| {
        let turn = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), angle);
        Translation3::from(pivot) * turn * Translation3::from(-pivot)
    };
    let moved = |(i, rest): (usize, Collider)| {
        let (side, part) = (i.saturating_sub(MIDDLE.len()) / 5, i.saturating_sub(MIDDLE.len()) % 5);
        let swing = libm::sinf(7.5 * time + std::f32::consts::PI * side as f32);
        let x = 0.08 * (1.0 - 2.0 * side as f32);
        let hip = about(Vector3::new(x, 0.83, 0.0), -swing * if swing > 0.0 { 0.8 } else { 0.3 });
        let knee = hip * about(Vector3::new(x, 0.45, 0.0), 0.35 * (1.0 - swing));
        match part {
            2 => hip * rest.pose_t0,
            3.. => knee * rest.pose_t0,
            _ => rest.pose_t0,
        }
    };
    figure().into_iter().enumerate().map(moved).collect()
}

/// The scenes by name.
pub fn scenes(substeps: u32) -> [(&'static str, Scene); 3] {
    let hung = Scene::new(settings(substeps), sheets(), Vec::new());
    let bars = swings(0.0).into_iter().map(|pose| Collider { pose_t0: pose, pose_t1: pose, ..bar() });
    let capsules = Scene::new(settings(substeps), sheets(), bars.collect());
    let contacts = ContactSource::Cached { reach: 0.06, follow: true };
    let layers = Settings { self_collision: true, contacts, ..settings(substeps) };
    [
        ("hung", hung),
        ("capsules", Scene { poses: swings, ..capsules }),
        ("layers", Scene { poses: kicks, ..Scene::new(layers, skirts(), figure()) }),
    ]
}

fn bar() -> Collider {
    capsule([0.0, -0.12, 0.0], [0.0, 0.12, 0.0], 0.05)
}

fn frames(c: &mut Criterion) {
    for substeps in [1, 2, 4] {
        for (name, mut scene) in scenes(substeps) {
            // So that what falls into place has fallen.
            (0..30).for_each(|_| scene.advance());
            let mut group = c.benchmark_group("frame");
            group.throughput(Throughput::Elements(scene.sim.positions().len() as u64));
            group.bench_function(BenchmarkId::new(name, substeps), |b| b.iter(|| scene.advance()));
        }
    }
}

criterion_group!(benches, frames);
criterion_main!(benches);
