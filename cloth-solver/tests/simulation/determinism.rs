//! Results are bitwise reproducible: in a second run, with any broad phase and with any number of threads.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use cloth_broadphase::{Boxes, BroadPhase, BruteForce, PairFilter, ParryBvh};
use cloth_geom::fixtures;
use cloth_solver::{MeshBodyDesc, Settings, Simulation, SimulationBuilder, Thickness};
use nalgebra::{Point3, Vector3};

use crate::scenes::{bare, drape, drape_builder, drape_with, run};

#[test]
fn two_runs_of_a_drape_are_equal_in_every_frame() {
    let (mut a, mut b) = (drape(16), drape(16));
    for frame in 0..60 {
        run(&mut a, 1);
        run(&mut b, 1);
        assert_eq!(a.state_hash(), b.state_hash(), "frame {frame}");
        assert_eq!(a.contacts(), b.contacts(), "frame {frame}");
    }
    assert!(a.contacts().len() > 10);
}

fn drape_by(broad_phase: impl BroadPhase) -> Simulation {
    let mut builder = drape_builder(12, Settings::default());
    builder.set_broad_phase(broad_phase);
    builder.build().unwrap()
}

#[test]
fn the_broad_phase_changes_no_bit() {
    let (mut bvh, mut brute) = (drape_by(ParryBvh::default()), drape_by(BruteForce::default()));
    for frame in 0..50 {
        run(&mut bvh, 1);
        run(&mut brute, 1);
        assert_eq!(bvh.state_hash(), brute.state_hash(), "frame {frame}");
        assert_eq!(bvh.contacts(), brute.contacts(), "frame {frame}");
    }
    assert!(bvh.contacts().len() > 10);
}

/// A sheet over a ball, beside a mesh body at `at` if there is one.
fn drape_beside(at: Option<Vector3<f64>>) -> Vec<Point3<f32>> {
    let mut builder = drape_builder(24, Settings::default());
    if let Some(at) = at {
        let mesh = fixtures::icosphere(1, 1.0).unwrap().translated(at);
        builder.add_mesh_body(MeshBodyDesc { mesh, thickness: Thickness::from_total(0.004, 0.4) });
    }
    let mut sim = builder.build().unwrap();
    run(&mut sim, 20);
    sim.positions()[..24 * 24].to_vec()
}

#[test]
fn a_body_far_away_changes_no_bit_of_a_cloth() {
    let alone = drape_beside(None);
    // In every direction: what is counted from a corner of everything moves with it.
    for at in [[-9.1, 0.0, 0.0], [0.3, -7.7, 0.2], [0.0, 0.1, -8.3], [9.3, 8.1, 7.7]] {
        assert!(drape_beside(Some(at.into())) == alone, "a body at {at:?}");
    }
}

/// A broad phase of the caller: brute force that counts its updates over all clones.
#[derive(Clone, Debug, Default)]
struct Counted {
    inside: BruteForce,
    updates: Arc<AtomicUsize>,
}

impl BroadPhase for Counted {
    fn update(&mut self, boxes: &Boxes) {
        self.updates.fetch_add(1, Ordering::Relaxed);
        self.inside.update(boxes);
    }

    fn visit_self_pairs(&self, filter: &PairFilter<'_>, visit: &mut impl FnMut(u32, u32)) {
        self.inside.visit_self_pairs(filter, visit);
    }

    fn visit_pairs_with(&self, other: &Boxes, filter: &PairFilter<'_>, visit: &mut impl FnMut(u32, u32)) {
        self.inside.visit_pairs_with(other, filter, visit);
    }
}

#[test]
fn the_callers_broad_phase_serves_a_simulation_its_clones_and_edits() {
    let updates = Arc::new(AtomicUsize::new(0));
    let used = || updates.swap(0, Ordering::Relaxed);
    let mut sim = drape_by(Counted { updates: updates.clone(), ..Counted::default() });
    run(&mut sim, 20);
    assert!(used() > 0);
    let mut clone = sim.clone();
    let mut default = drape(12);
    run(&mut default, 20);
    sim.edit(|scene| {
        scene.settings_mut().substeps += 1;
        Ok(())
    })
    .unwrap();
    run(&mut sim, 5);
    assert!(used() > 0, "after an edit");
    run(&mut clone, 5);
    run(&mut default, 5);
    assert!(used() > 0, "in a clone");
    assert_eq!(clone.state_hash(), default.state_hash());
}

#[test]
fn a_simulation_can_be_sent_and_shared_between_threads() {
    fn check<T: Send + Sync + Clone + 'static>() {}
    check::<Simulation>();
    check::<SimulationBuilder>();
}

#[test]
fn thread_count_and_the_callers_pool_change_no_bit() {
    // Some hundred leaves: several tasks of the search.
    let threaded = |threads| {
        let settings = Settings { gate: true, recovery: true, threads, ..bare() };
        drape_with(32, settings)
    };
    let (mut alone, mut own) = (threaded(1), [2, 3, 8].map(threaded));
    let (mut in_callers_pool, pool) =
        (threaded(1), rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap());
    for frame in 0..45 {
        run(&mut alone, 1);
        pool.install(|| run(&mut in_callers_pool, 1));
        assert_eq!(alone.state_hash(), in_callers_pool.state_hash(), "frame {frame}");
        for own in &mut own {
            run(own, 1);
            assert_eq!(alone.state_hash(), own.state_hash(), "frame {frame}, {}", own.settings().threads);
            assert_eq!(alone.contacts(), own.contacts(), "frame {frame}");
        }
    }
    assert!(alone.contacts().len() > 20, "{}", alone.contacts().len());
}

#[test]
fn a_scene_that_the_solver_divides_keeps_its_bits() {
    // 12,544 vertices: three threads have at least 4,096 each.
    let threaded = |threads| drape_with(112, Settings { gate: true, recovery: true, threads, ..bare() });
    let (mut alone, mut own) = (threaded(1), [2, 3].map(threaded));
    let mut edited = threaded(1);
    edited.set_settings(Settings { threads: 2, ..*edited.settings() }).unwrap();
    for frame in 0..6 {
        run(&mut alone, 1);
        for own in own.iter_mut().chain([&mut edited]) {
            run(own, 1);
            assert_eq!(alone.state_hash(), own.state_hash(), "frame {frame}, {}", own.settings().threads);
        }
    }
}

#[test]
fn a_clone_shares_the_threads_and_calls_its_listener_on_one() {
    let mut sim = drape_with(8, Settings { threads: 2, ..bare() }).clone();
    let mut told_by = Vec::new();
    sim.step_with(1.0 / 60.0, &mut |_| told_by.push(std::thread::current().name().map(str::to_owned)))
        .unwrap();
    assert_eq!(told_by.len(), sim.settings().substeps as usize);
    assert!(told_by.iter().flatten().all(|name| name.starts_with("cloth-")), "{told_by:?}");
    assert!(told_by.iter().all(Option::is_some));
}

#[test]
fn the_hash_tells_states_apart() {
    let mut sim = drape(8);
    let mut seen: Vec<u64> = (0..30)
        .map(|_| {
            run(&mut sim, 1);
            sim.state_hash()
        })
        .collect();
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen.len(), 30);
}
