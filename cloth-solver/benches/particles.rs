//! What a particle costs in an iteration: a folded sheet of 64 x 64, without self collision and with balls.
//!
//! An iteration is a substep with all its stages, of 16 in a frame of 1/60 s. `lean` does once in it what
//! NvCloth does: each constraint, each contact and its friction; `default` are the solver's own settings.
//! Contacts of faces and edges stand beside them. The line printed before each measurement is of the fastest
//! of 120 frames, with its stages.

use cloth_broadphase::{BroadPhase, ParryBvh, SpatialHash, SweepGrid};
use cloth_geom::fixtures::{jitter, sheet};
use cloth_solver::{
    ClothDesc, Collider, Interaction, Material, ParticleFriction, ParticleSettings, RestShape, Search,
    Settings, Shape, Simulation, SimulationBuilder, StepReport, Thickness, Wind,
};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use nalgebra::{Isometry3, Point3};

const SIDE: usize = 64;
const DT: f32 = 1.0 / 60.0;

#[derive(Clone, Copy, PartialEq)]
enum Mode {
    Off,
    Balls,
    Full,
}

fn lean() -> Settings {
    Settings {
        stretch_cycles: 1,
        contact_iterations: 1,
        friction_iterations: 1,
        detect_interval: 4,
        gate: false,
        recovery: false,
        sleep: None,
        wind: Wind::STILL_AIR,
        ..Settings::default()
    }
}

/// The sheet in four layers on a floor, after a second.
fn folded<B: BroadPhase>(settings: Settings, mode: Mode) -> Simulation {
    let flat = sheet(SIDE, SIDE, [1.0, 1.0]).expect("a sheet").mesh;
    let spacing = 1.0 / (SIDE - 1) as f64;
    let fold = |p: Point3<f64>| {
        let phase = 4.0 * (p.x + 0.5);
        let zigzag = (phase - 2.0 * (phase / 2.0).round()).abs();
        Point3::new(0.25 * zigzag, 0.02 + 2.0 * spacing * phase, p.z)
    };
    let start = jitter(&flat.clone().mapped(fold), 1e-3 * spacing, 1).expect("a sheet");
    // NvCloth's distance, of three quarters of the spacing.
    let radius = 0.375 * spacing as f32;
    let full = Thickness::from_total(0.5 * spacing as f32, 0.2);
    let thickness = if mode == Mode::Full { full } else { Thickness { radius, scr: 0.1 * radius } };
    let mut cloth = ClothDesc::new(start, Material::COTTON, thickness);
    cloth.rest = RestShape::Positions(flat.positions);
    let mut builder = SimulationBuilder::new(Settings { self_collision: mode != Mode::Off, ..settings });
    builder.add_cloth(cloth);
    builder.add_collider(Collider::new(Shape::Plane, Isometry3::identity(), 0.5).expect("a floor"));
    if mode == Mode::Balls {
        builder.set_default_interaction(Interaction::Particles);
    }
    builder.set_broad_phase(B::default());
    let mut sim = builder.build().expect("a scene");
    (0..60).for_each(|_| step(&mut sim));
    sim
}

fn step(sim: &mut Simulation) {
    sim.step(DT).expect("a step");
}

fn bench<B: BroadPhase>(c: &mut Criterion, name: &str, settings: Settings, mode: Mode) {
    let mut sim = folded::<B>(settings, mode);
    let particles = (SIDE * SIDE) as u64;
    let iterations = u64::from(settings.substeps * settings.iterations);
    println!("{name}: {}", frames(&mut sim, 1e9 / (particles * iterations) as f64));
    let mut group = c.benchmark_group("particles");
    group.sample_size(10).throughput(Throughput::Elements(particles * iterations));
    group.bench_function(BenchmarkId::from_parameter(name), |b| b.iter(|| step(&mut sim)));
    group.finish();
}

/// What frames cost, in seconds times `unit`: the fastest of 120 with its stages, and the median.
fn frames(sim: &mut Simulation, unit: f64) -> String {
    let mut searches = 0;
    let mut reports: Vec<StepReport> = (0..120)
        .map(|_| {
            step(sim);
            searches += sim.report().particle_broad_phase_queries;
            *sim.report()
        })
        .collect();
    reports.sort_by_key(|report| report.times.total());
    let [fastest, median] = [reports[0].times, reports[60].times].map(|t| unit * t.total().as_secs_f64());
    let stages = reports[0].times.named();
    let stages: Vec<_> =
        stages.iter().map(|(name, t)| format!("{name} {:.1}", unit * t.as_secs_f64())).collect();
    let report = sim.report();
    let each = |count: usize| count as f64 / (SIDE * SIDE) as f64;
    format!(
        "{fastest:.1} ns a particle and iteration ({}), median {median:.1}; {:.1} pairs and {:.2} contacts a \
         particle, {searches} searches in 120 frames",
        stages.join(", "),
        each(report.particle_pairs),
        each(report.particle_contacts + report.contacts),
    )
}

fn benches(c: &mut Criterion) {
    let by = |search| ParticleSettings { search, ..ParticleSettings::default() };
    let boxes = Settings { particles: by(Search::BroadPhase), ..lean() };
    let averaged =
        ParticleSettings { friction: ParticleFriction::Averaged(0.2), ..ParticleSettings::default() };
    bench::<ParryBvh>(c, "lean, off", lean(), Mode::Off);
    bench::<ParryBvh>(c, "lean, balls", lean(), Mode::Balls);
    bench::<ParryBvh>(
        c,
        "lean, balls, averaged friction",
        Settings { particles: averaged, ..lean() },
        Mode::Balls,
    );
    bench::<SweepGrid>(c, "lean, balls by SweepGrid", boxes, Mode::Balls);
    bench::<SpatialHash>(c, "lean, balls by SpatialHash", boxes, Mode::Balls);
    bench::<ParryBvh>(c, "lean, balls by ParryBvh", boxes, Mode::Balls);
    bench::<ParryBvh>(c, "lean, full mesh", lean(), Mode::Full);
    let default =
        Settings { wind: Wind::STILL_AIR, gate: false, recovery: false, sleep: None, ..Settings::default() };
    bench::<ParryBvh>(c, "default, off", default, Mode::Off);
    bench::<ParryBvh>(c, "default, balls", default, Mode::Balls);
}

criterion_group!(particles, benches);
criterion_main!(particles);
