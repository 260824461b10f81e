//! What tethers, drives and damping cost: the time of a thousand particles in one pass, so that a microsecond
//! is a nanosecond for each particle.
//!
//! A pass is not public, so the time is the least of a step with many passes less that of the same step
//! without the control, divided by the passes. Drives act on a cloth without faces, whose other passes cost
//! nothing; tethers are four to each particle, and the time is that of one.
//! `cargo bench -p cloth-solver --bench controls`.

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

/// Passes a step: so many that the other costs of a step do not matter.
const PASSES: u32 = 16;

/// Steps of which the fastest counts: whatever else the machine does makes none faster.
const STEPS: usize = 20;

/// A sheet of cotton that hangs flat by its corners, without shear and bending, under a control.
fn hung(control: impl Fn(&mut ClothDesc)) -> Simulation {
    let mesh = sheet(SIDE, SIDE, [1.0, 1.0]).unwrap().mesh;
    let material = Material { shear: 0.0, bend: 0.0, ..Material::COTTON };
    let mut cloth = ClothDesc::new(mesh, material, Thickness::from_total(0.007, 0.4));
    let corner = (SIDE * SIDE) as u32 - 1;
    cloth.pins = vec![0, SIDE as u32 - 1, corner + 1 - SIDE as u32, corner];
    control(&mut cloth);
    let settings = Settings {
        substeps: 1,
        iterations: PASSES,
        stretch_cycles: 1,
        self_collision: false,
        gate: false,
        recovery: false,
        sleep: None,
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

/// The least time of a step in `stage`, by its own report.
fn least(sim: &mut Simulation, stage: &str) -> Duration {
    let of = |sim: &mut Simulation| {
        let times = sim.step(1.0 / 60.0).unwrap().times;
        times.named().into_iter().find(|(name, _)| *name == stage).map_or(Duration::ZERO, |(_, time)| time)
    };
    (0..STEPS).map(|_| of(sim)).min().unwrap_or_default()
}

/// Times what one cloth has and the other has not; `each` is how often it acts on a particle in a step.
fn bench_one(c: &mut Criterion, name: &str, stage: &str, each: u32, sims: [Simulation; 2]) {
    let [mut with, mut without] = sims;
    // The difference of one pair of least times stands for every iteration that was asked for.
    c.bench_function(name, |b| {
        b.iter_custom(|asked| {
            let extra = least(&mut with, stage).saturating_sub(least(&mut without, stage));
            (extra * 1000 / (each * (SIDE * SIDE) as u32)).max(Duration::from_nanos(1)) * asked as u32
        });
    });
}

fn controls(c: &mut Criterion) {
    let count = SIDE * SIDE;
    let tied = |cloth: &mut ClothDesc| cloth.tethers = Some(Tethers::default());
    bench_one(c, "tether", "solve", 4 * PASSES, [hung(tied), hung(|_| ())]);
    let loose = |cloth: &mut ClothDesc| {
        cloth.mesh.faces.clear();
        cloth.masses = Some(vec![1e-4; count]);
    };
    let spring = Drive { stiffness: 1.0, ..Drive::default() };
    let leash = Drive { max_distance: Some(vec![0.1; count]), ..Drive::default() };
    let back = Backstop { distance: 0.01, radius: 1.0 };
    let backstop = Drive { backstop: Some(vec![Some(back); count]), ..Drive::default() };
    let all = Drive { stiffness: 1.0, max_distance: leash.max_distance.clone(), ..backstop.clone() };
    let drives = [("spring", spring), ("max_distance", leash), ("backstop", backstop), ("all", all)];
    for (name, drive) in drives {
        let driven = |cloth: &mut ClothDesc| {
            loose(cloth);
            cloth.drive = Some(drive.clone());
        };
        bench_one(c, &format!("drive/{name}"), "solve", PASSES, [hung(driven), hung(loose)]);
    }
    let kinds = [
        ("stretch", Damping { stretch: 5.0, ..Damping::default() }),
        ("bending", Damping { bending: 5.0, ..Damping::default() }),
        ("global", Damping { global: 5.0, ..Damping::default() }),
    ];
    for (name, damping) in kinds {
        let damped = |cloth: &mut ClothDesc| cloth.damping = damping;
        bench_one(c, &format!("damping/{name}"), "update", 1, [hung(damped), hung(|_| ())]);
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
