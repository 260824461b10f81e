//! Nor does a step allocate that works on tangles, or one that runs on several threads.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use cloth_geom::TriMesh;
use cloth_geom::fixtures::{TubeShape, icosphere, jitter, sheet, tube};
use cloth_solver::{ClothDesc, Material, MeshBodyDesc, Settings, Simulation, SimulationBuilder, Thickness};
use nalgebra::{Point3, Vector3};
use rayon::{ThreadPool, ThreadPoolBuilder, Yield};

const DT: f32 = 1.0 / 60.0;
const STEPS: usize = 24;

/// Rayon hands a task to a pool from outside through a queue that allocates a block for so many of them.
const TASKS_IN_A_BLOCK: usize = 63;

/// Pairs of sheets that intersect in several configurations, and a sheet with a ball in it; all with gate and
/// recovery.
fn tangled(threads: u32) -> Simulation {
    let settings = Settings {
        gate: true,
        recovery: true,
        recovery_speed: 0.3,
        gravity: Vector3::zeros(),
        threads,
        ..Settings::default()
    };
    let mut builder = SimulationBuilder::new(settings);
    let thickness = Thickness::from_total(0.01, 0.4);
    for (number, meshes) in crossings().into_iter().enumerate() {
        for mesh in meshes {
            let mesh = jitter(&mesh, 1e-4, number as u64).unwrap();
            let mesh = mesh.translated(Vector3::new(number as f64, 0.0, 0.0));
            builder.add_cloth(ClothDesc::new(mesh, Material::COTTON, thickness));
        }
    }
    let pierced = flat(14).translated(Vector3::new(-1.0, 0.03, 0.0));
    builder.add_cloth(ClothDesc::new(pierced, Material::COTTON, thickness));
    let mesh = icosphere(3, 0.08).unwrap().translated(Vector3::new(-1.0, 0.0, 0.0));
    builder.add_mesh_body(MeshBodyDesc { mesh, thickness });
    builder.build().unwrap()
}

fn flat(n: usize) -> TriMesh {
    sheet(n, n, [0.3, 0.3]).unwrap().mesh
}

/// A bump through a sheet, a sheet that stands in another, and a tube that pokes through one: closed, open
/// and boundary contours.
fn crossings() -> [[TriMesh; 2]; 3] {
    let bump = flat(14).mapped(|p| {
        let r_sq = p.x * p.x + p.z * p.z;
        Point3::new(p.x + 0.003, 0.02 - 0.05 * (-r_sq / 0.005).exp(), p.z + 0.005)
    });
    let upright = flat(14).mapped(|p| Point3::new(0.4 * p.x + 0.003, p.z + 0.1, 0.1 * p.x + 0.004));
    let finger = tube(TubeShape { radius: 0.04, length: 0.2, around: 12, along: 9 }).unwrap();
    let finger = finger.translated(Vector3::new(0.004, 0.07, 0.006));
    [[flat(14), bump], [flat(14), upright], [flat(14), finger]]
}

/// Layers that fall on each other.
fn layers(threads: u32) -> Simulation {
    let mut builder = SimulationBuilder::new(Settings { gate: true, threads, ..Settings::default() });
    for layer in 0..4 {
        let mesh = flat(16).translated(Vector3::new(0.004 * layer as f64, 0.03 * layer as f64, 0.003));
        let mut cloth = ClothDesc::new(mesh, Material::COTTON, Thickness::from_total(0.01, 0.4));
        cloth.pins = if layer == 0 { (0..256).collect() } else { vec![] };
        builder.add_cloth(cloth);
    }
    builder.build().unwrap()
}

/// What was counted in all steps, and how many of them left something tangled.
#[derive(Debug, Default, PartialEq)]
struct Counted {
    allocations: u64,
    tangled_steps: usize,
}

/// Runs a simulation twice, so that every buffer has had its greatest size, then again with `measure` for
/// each step.
fn count(sim: Simulation, measure: impl Fn(&mut Simulation) -> u64) -> Counted {
    count_after(sim, |sim| _ = sim.step(DT).unwrap(), measure)
}

/// As [`count`], with `step` for the steps before.
fn count_after(
    mut sim: Simulation,
    step: impl Fn(&mut Simulation),
    measure: impl Fn(&mut Simulation) -> u64,
) -> Counted {
    for _ in 0..2 {
        (0..STEPS).for_each(|_| step(&mut sim));
        sim.reset();
    }
    let mut counted = Counted::default();
    for _ in 0..STEPS {
        counted.allocations += measure(&mut sim);
        let report = sim.report();
        counted.tangled_steps += usize::from(report.recovery.intersections > 0 && report.gate.tangles > 0);
    }
    counted
}

fn on_this_thread(sim: &mut Simulation) -> u64 {
    allocation_counter::measure(|| _ = sim.step(DT).unwrap()).count_total
}

/// What both threads of a pool allocate in a step that is called in it: while one steps, the other does its
/// tasks, counts them in `tasks`, and waits.
fn on_both_threads(pool: &ThreadPool, tasks: &AtomicUsize, sim: &mut Simulation) -> u64 {
    let (is_helped, is_done) = (AtomicBool::new(false), AtomicBool::new(false));
    let step = || {
        while !is_helped.load(Ordering::Acquire) {
            std::thread::yield_now();
        }
        let used = on_this_thread(sim);
        is_done.store(true, Ordering::Release);
        used
    };
    let help = || {
        is_helped.store(true, Ordering::Release);
        while !is_done.load(Ordering::Acquire) {
            match rayon::yield_now() {
                Some(Yield::Executed) => _ = tasks.fetch_add(1, Ordering::Relaxed),
                _ => std::thread::yield_now(),
            }
        }
    };
    let counted = || allocation_counter::measure(help).count_total;
    let (of_step, of_help) = pool.install(|| rayon::join(step, counted));
    of_step + of_help
}

#[test]
fn steps_that_resolve_tangles_allocate_nothing() {
    let mut sim = tangled(1);
    let counted = count(sim.clone(), on_this_thread);
    assert_eq!(counted.allocations, 0, "{counted:?}");
    assert!((5..STEPS).contains(&counted.tangled_steps), "{counted:?}");
    (0..STEPS).for_each(|_| _ = sim.step(DT).unwrap());
    assert_eq!(sim.tangles().len(), 0, "all of them end");
}

#[test]
fn neither_thread_of_the_callers_pool_allocates_in_a_step() {
    let pool = ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    for (name, sim) in [("layers", layers(1)), ("tangled", tangled(1))] {
        let tasks = AtomicUsize::new(0);
        // On a loaded machine the other thread may not run while there are tasks, in all steps of a run.
        let mut runs = 0..100;
        while tasks.load(Ordering::Relaxed) <= STEPS {
            assert!(runs.next().is_some(), "{name}: the other thread has hardly anything to do");
            // In the pool: pieces for several threads have buffers of their own.
            let step = |sim: &mut Simulation| pool.install(|| _ = sim.step(DT).unwrap());
            let counted = count_after(sim.clone(), step, |sim| on_both_threads(&pool, &tasks, sim));
            assert_eq!(counted.allocations, 0, "{name}");
        }
    }
}

#[test]
fn an_own_pool_allocates_only_blocks_of_its_queue() {
    for (name, sim) in [("layers", layers(2)), ("tangled", tangled(2))] {
        let used = count(sim, on_this_thread).allocations;
        assert!(used <= STEPS.div_ceil(TASKS_IN_A_BLOCK) as u64, "{name}: {used} in {STEPS} steps");
    }
}
