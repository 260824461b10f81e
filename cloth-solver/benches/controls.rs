//! What tethers, drives and damping cost: nanoseconds for each particle and pass.
//!
//! A pass is not public, so the time is that of a step with many passes less that of the same step without the
//! control, divided by the passes. `cargo bench -p cloth-solver --bench controls`; times are those of one
//! particle and one pass, a tether being one for each anchor.

use std::time::Duration;

use cloth_geom::fixtures::sheet;
use cloth_solver::{
    Backstop, ClothDesc, Damping, Drive, Material, Settings, Simulation, SimulationBuilder, Tethers,
    Thickness,
};
use criterion::{Criterion, criterion_group, criterion_main};
use nalgebra::Vector3;

/// Vertices a side.
const SIDE: usize = 64;

/// Passes a step: so many that what a step costs besides does not matter.
const PASSES: u32 = 64;

/// A hung sheet of cotton without shear and bending, under a control.
fn hung(control: impl Fn(&mut ClothDesc)) -> Simulation {
    let mesh = sheet(SIDE, SIDE, [1.0, 1.0]).unwrap().mesh;
    let material = Material { shear: 0.0, bending: 0.0, ..Material::COTTON };
    let mut cloth = ClothDesc::new(mesh, material, Thickness::split(0.007, 0.4));
    cloth.pins = vec![0, SIDE as u32 - 1];
    control(&mut cloth);
    let settings = Settings {
        substeps: 1,
        iterations: PASSES,
        stretch_cycles: 1,
        self_collision: false,
        gravity: Vector3::new(0.0, 0.0, 9.81),
        ..Settings::default()
    };
    let mut builder = SimulationBuilder::new(settings);
    builder.add_cloth(cloth);
    let mut sim = builder.build().unwrap();
    for _ in 0..10 {
        sim.step(1.0 / 60.0).unwrap();
    }
    sim
}

/// The time of steps in `stage`, by their own report.
fn time(sim: &mut Simulation, steps: u64, stage: &str) -> Duration {
    let of = |sim: &mut Simulation| {
        let times = sim.step(1.0 / 60.0).unwrap().times;
        times.named().into_iter().find(|(name, _)| *name == stage).map_or(Duration::ZERO, |(_, time)| time)
    };
    (0..steps).map(|_| of(sim)).sum()
}

fn bench_one(c: &mut Criterion, name: &str, stage: &'static str, control: impl Fn(&mut ClothDesc)) {
    let (mut with, mut without) = (hung(&control), hung(|_| ()));
    let passes = if stage == "solve" { PASSES } else { 1 };
    let particles = (SIDE * SIDE) as u32 * passes;
    c.bench_function(name, |b| {
        b.iter_custom(|steps| {
            // In turns, so that both see the same machine.
            let with_and_without =
                (0..steps).map(|_| (time(&mut with, 1, stage), time(&mut without, 1, stage)));
            let (slow, fast) =
                with_and_without.fold((Duration::ZERO, Duration::ZERO), |sum, t| (sum.0 + t.0, sum.1 + t.1));
            slow.saturating_sub(fast) / particles
        });
    });
}

fn controls(c: &mut Criterion) {
    let count = SIDE * SIDE;
    for anchors in [1, 2] {
        let tethers = Tethers { anchors, ..Tethers::default() };
        bench_one(c, &format!("tethers/{anchors}"), "solve", |cloth| cloth.tethers = Some(tethers));
    }
    let driven = |drive: &Drive| {
        let drive = drive.clone();
        move |cloth: &mut ClothDesc| cloth.drive = Some(drive.clone())
    };
    let spring = Drive { stiffness: 1.0, ..Drive::default() };
    let leash = Drive { max_distance: Some(vec![0.1; count]), ..Drive::default() };
    let back = Backstop { distance: 0.01, radius: 1.0 };
    let backstop = Drive { backstop: Some(vec![Some(back); count]), ..Drive::default() };
    let all = Drive { stiffness: 1.0, max_distance: leash.max_distance.clone(), ..backstop.clone() };
    let drives = [("spring", spring), ("max_distance", leash), ("backstop", backstop), ("all", all)];
    for (name, drive) in &drives {
        bench_one(c, &format!("drive/{name}"), "solve", driven(drive));
    }
    let kinds = [
        ("stretch", Damping { stretch: 5.0, ..Damping::default() }),
        ("bending", Damping { bending: 5.0, ..Damping::default() }),
        ("global", Damping { global: 5.0, ..Damping::default() }),
    ];
    for (name, damping) in kinds {
        bench_one(c, &format!("damping/{name}"), "update", |cloth| cloth.damping = damping);
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1));
    targets = controls
}
criterion_main!(benches);
