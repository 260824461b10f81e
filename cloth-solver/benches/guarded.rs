//! Cost of guarded colliders: a cape of 1,025 vertices over 30 capsules, which move, guarded and not.
//!
//! `cargo bench -p cloth-solver --bench guarded`; one iteration is a frame of 1/60 s on one thread.

use std::hint::black_box;

use cloth_geom::fixtures;
use cloth_solver::{
    ClothDesc, Collider, Material, Settings, Shape, Simulation, SimulationBuilder, Thickness,
};
use criterion::{Criterion, criterion_group, criterion_main};
use nalgebra::{Isometry3, Point3};

/// Capsules beside and below each other, as limbs are: 5 thick ones behind the cape, and 25 fingers of 8 mm.
fn pose(k: usize, sway: f32) -> Isometry3<f32> {
    let (column, row) = ((k % 5) as f32 - 2.0, (k / 5) as f32);
    let z = if k < 5 { 0.075 } else { 0.02 };
    Isometry3::translation(0.1 * column, 0.35 - 0.15 * row, z + sway)
}

fn scene(guarded: bool, settings: Settings) -> Simulation {
    let mesh = fixtures::sheet(25, 41, [0.6, 1.0]).unwrap().mesh.mapped(|p| Point3::new(p.x, p.z, 0.0));
    let mut cloth = ClothDesc::new(mesh, Material::COTTON, Thickness::from_total(0.01, 0.2));
    cloth.pins = (0..1025).filter(|&v| cloth.mesh.positions[v as usize].y > 0.49).collect();
    let mut builder = SimulationBuilder::new(settings);
    builder.add_cloth(cloth);
    for k in 0..30 {
        let radius = if k < 5 { 0.06 } else { 0.004 };
        let shape = Shape::Capsule { half_length: 0.05, radius };
        let collider = Collider::new(shape, pose(k, 0.0), 0.3).unwrap();
        builder.add_collider(if guarded { collider.guarded().unwrap() } else { collider });
    }
    builder.build().unwrap()
}

fn frame(sim: &mut Simulation, number: u16) {
    let sway = 0.04 * libm::sinf(0.1 * f32::from(number));
    (0..30).for_each(|k| sim.move_collider(sim.collider_id(k).unwrap(), pose(k, sway)).unwrap());
    sim.step(1.0 / 60.0).unwrap();
}

fn bench(c: &mut Criterion) {
    let mut group = c.benchmark_group("guarded_30_capsules");
    for (name, settings) in [("default", Settings::default()), ("game", Settings::game())] {
        for guarded in [false, true] {
            let mut sim = scene(guarded, settings);
            (0..120).for_each(|number| frame(&mut sim, number));
            let mut number = 120;
            group.bench_function(format!("{name}/{guarded}"), |b| {
                b.iter(|| {
                    number += 1;
                    frame(black_box(&mut sim), number);
                });
            });
        }
    }
    group.finish();
}

criterion_group!(benches, bench);
criterion_main!(benches);
