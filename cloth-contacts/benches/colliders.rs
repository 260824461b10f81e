//! Colliders and 1,500 particles: each shape in blocks against one by one, then 1, 10 and 100 colliders at
//! once.
//!
//! The throughput of criterion counts pairs of a particle and a collider. The particles are a sheet of 30 x
//! 50 over the collider, at 1 cm and in the room around it; they creep, as settled cloth does.

use std::hint::black_box;

use cloth_contacts::collider::{
    ClothPoints, Collider, ColliderDetector, CompoundShape, HullShape, MeshShape, MeshSides, Shape, reference,
};
use cloth_contacts::{Motion, Surface, SurfaceDesc};
use cloth_geom::fixtures;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};

const COUNT: usize = 1500;

fn shapes() -> Vec<(&'static str, Shape)> {
    let ball = fixtures::icosphere(3, 0.3).expect("a ball");
    let hull: Vec<Point3<f32>> = fixtures::icosphere(1, 0.3).expect("a ball").positions_f32();
    let arm = Shape::TaperedCapsule { half_length: 0.2, bottom_radius: 0.1, top_radius: 0.05 };
    let parts =
        vec![(Isometry3::identity(), arm.clone()), (Isometry3::translation(0.2, 0.0, 0.0), arm.clone())];
    vec![
        ("plane", Shape::Plane),
        ("sphere", Shape::Sphere { radius: 0.3 }),
        ("capsule", Shape::Capsule { half_length: 0.2, radius: 0.1 }),
        ("tapered capsule", arm),
        ("cylinder", Shape::Cylinder { half_length: 0.2, radius: 0.1 }),
        ("cone", Shape::Cone { half_length: 0.2, radius: 0.1 }),
        ("cuboid", Shape::Cuboid { half_extents: Vector3::new(0.3, 0.1, 0.2) }),
        ("hull of 42 points", Shape::Hull(HullShape::new(&hull).expect("a hull"))),
        (
            "mesh of 1280 faces",
            Shape::Mesh(
                MeshShape::new(&ball.positions_f32(), &ball.faces, MeshSides::Closed).expect("a closed mesh"),
            ),
        ),
        ("compound of 2", Shape::Compound(CompoundShape::new(parts).expect("usable"))),
    ]
}

/// A sheet of 1 m x 0.6 m at a height, in rows.
struct Cloth {
    positions: Vec<Point3<f32>>,
    displacements: Vec<Vector3<f32>>,
    surface: Surface,
}

impl Cloth {
    fn new(height: f32) -> Self {
        let at = |v: usize| Point3::new((v % 50) as f32 * 0.02 - 0.5, height, (v / 50) as f32 * 0.02 - 0.3);
        let positions: Vec<Point3<f32>> = (0..COUNT).map(at).collect();
        let desc = SurfaceDesc {
            faces: &[],
            radius: &[0.004; COUNT],
            half_scr: &[0.002; COUNT],
            part: &[0; COUNT],
            kinematic: &[false],
            rest: &positions,
            exclusions: &[],
            regions: Default::default(),
        };
        let surface = Surface::new(&desc).expect("a surface");
        Self { displacements: vec![Vector3::new(1.0e-4, -1.0e-4, 0.0); COUNT], surface, positions }
    }

    fn points(&self) -> ClothPoints<'_> {
        let motion = Motion { positions: &self.positions, displacements: &self.displacements };
        ClothPoints { motion, inv_mass: &[1.0; COUNT], surface: &self.surface }
    }
}

fn run(c: &mut Criterion, group: &str, name: &str, colliders: &[Collider], cloth: &Cloth) {
    let mut group = c.benchmark_group(group);
    group.throughput(Throughput::Elements((COUNT * colliders.len()) as u64)).sample_size(20);
    let (mut detector, mut out) = (ColliderDetector::default(), Vec::new());
    group.bench_function(BenchmarkId::new(name, "blocks"), |b| {
        b.iter(|| detector.detect(black_box(colliders), &cloth.points(), &mut out));
    });
    group.bench_function(BenchmarkId::new(name, "one by one"), |b| {
        b.iter(|| reference::contacts(black_box(colliders), &cloth.points(), &mut out));
    });
    group.finish();
}

fn each_shape(c: &mut Criterion) {
    let cloth = Cloth::new(0.11);
    for (name, shape) in shapes() {
        let rests = Collider::new(shape, Isometry3::identity(), 0.3).expect("usable");
        let turn = UnitQuaternion::from_scaled_axis(Vector3::new(0.0, 0.01, 0.0));
        let turned = Isometry3::from_parts(Vector3::new(0.001, 0.0, 0.0).into(), turn);
        let moves = rests.moved_to(turned).expect("usable");
        run(c, "at rest", name, &[rests], &cloth);
        run(c, "moving", name, &[moves], &cloth);
    }
}

/// Capsules in a row through the sheet and on, as the bones of characters of which one wears it.
fn many(c: &mut Criterion) {
    let cloth = Cloth::new(0.11);
    for count in [1, 10, 100] {
        let capsule = |k: usize| {
            let pose = Isometry3::translation(0.1 * k as f32 - 0.4, 0.0, 0.0);
            let rests = Collider::new(Shape::Capsule { half_length: 0.05, radius: 0.05 }, pose, 0.3);
            rests.and_then(|c| c.moved_to(Isometry3::translation(0.001, 0.0, 0.0) * pose)).expect("usable")
        };
        let colliders: Vec<Collider> = (0..count).map(capsule).collect();
        run(c, "capsules", &count.to_string(), &colliders, &cloth);
    }
}

criterion_group!(colliders, each_shape, many);
criterion_main!(colliders);
