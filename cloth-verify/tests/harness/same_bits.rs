//! One scene gives the same bits whatever ran before, however many threads there are, and by any broad phase.

use cloth_show::choice::BroadPhaseChoice;
use cloth_verify::scenario::{Scenario, Setup, SetupError};
use cloth_verify::{RunOptions, SelfCollision, Size, run, scenarios};

/// Enough for cloth to fall and to meet cloth, and little enough for brute force.
const FRAMES: usize = 30;

/// The first frames of a scenario.
fn begun<const INDEX: usize>(size: Size) -> Result<Setup, SetupError> {
    let mut setup = (scenarios::all()[INDEX].build)(size)?;
    setup.frames = FRAMES;
    Ok(setup)
}

fn all_begun() -> [Scenario; 27] {
    let builds = [
        begun::<0>,
        begun::<1>,
        begun::<2>,
        begun::<3>,
        begun::<4>,
        begun::<5>,
        begun::<6>,
        begun::<7>,
        begun::<8>,
        begun::<9>,
        begun::<10>,
        begun::<11>,
        begun::<12>,
        begun::<13>,
        begun::<14>,
        begun::<15>,
        begun::<16>,
        begun::<17>,
        begun::<18>,
        begun::<19>,
        begun::<20>,
        begun::<21>,
        begun::<22>,
        begun::<23>,
        begun::<24>,
        begun::<25>,
        begun::<26>,
    ];
    assert_eq!(builds.len(), scenarios::all().len(), "no scenario is left out");
    std::array::from_fn(|i| Scenario { build: builds[i], ..scenarios::all()[i] })
}

/// The hashes of all frames, and the intersections in them.
fn seen(scenario: &Scenario, broadphase: BroadPhaseChoice, threads: usize) -> (Vec<String>, Vec<u64>) {
    let options = RunOptions { broadphase, threads, ..RunOptions::default() };
    let report = run(scenario, Size::Small, &options, &mut |_, _, _| {}).expect("it runs").report;
    assert_eq!(report.run.frames, FRAMES, "{}: {:?}", scenario.name, report.run.failures);
    (report.run.frame_hashes, report.per_frame.control_intersections)
}

/// Runs of each scenario, by other broad phases for each, so that every one meets several; the second on two
/// threads. `cargo xtask verify --broadphase all` runs all by all.
const THREADS: [usize; 3] = [1, 2, 1];

/// Compares every second scenario from `start` on: each half is a test of its own, and both run side by side.
fn assert_equal_bits(start: usize) {
    let all = BroadPhaseChoice::ALL;
    for (i, scenario) in all_begun().iter().enumerate().skip(start).step_by(2) {
        let by = |k: usize| all[((THREADS.len() - 1) * i + k) % all.len()];
        let first = seen(scenario, by(0), THREADS[0]);
        assert!((1..FRAMES).all(|i| first.0[i] != first.0[i - 1]), "{}", scenario.name);
        for (k, &threads) in THREADS.iter().enumerate().skip(1) {
            let again = seen(scenario, by(k), threads);
            assert_eq!(first, again, "{}, {} and {} on {threads} threads", scenario.name, by(0), by(k));
        }
    }
}

#[test]
fn no_broad_phase_or_thread_changes_scenarios_with_even_numbers() {
    assert_equal_bits(0);
}

#[test]
fn no_broad_phase_or_thread_changes_scenarios_with_odd_numbers() {
    assert_equal_bits(1);
}

#[test]
fn particle_stack_reports_its_mode_and_is_equal_by_any_broad_phase() {
    let stack = all_begun().into_iter().find(|s| s.name == "stack").expect("a known scenario");
    let report = |broadphase, self_collision| {
        let options = RunOptions { broadphase, self_collision, ..RunOptions::default() };
        run(&stack, Size::Small, &options, &mut |_, _, _| {}).expect("it runs").report
    };
    let balls = report(BroadPhaseChoice::ParryBvh, Some(SelfCollision::Particles));
    let full = report(BroadPhaseChoice::ParryBvh, Some(SelfCollision::Full));
    let own = report(BroadPhaseChoice::ParryBvh, None);
    assert_eq!([&balls, &full, &own].map(|r| r.run.self_collision.as_str()), ["particles", "full", "full"]);
    assert_eq!(full.run.state_hash, own.run.state_hash);
    assert_ne!(full.run.state_hash, balls.run.state_hash);
    assert!(
        balls.run.contacts.max > 50 && balls.run.thickness_m != full.run.thickness_m,
        "{:?}",
        balls.run.contacts
    );
    for other in [BroadPhaseChoice::SweepGrid, BroadPhaseChoice::SpatialHash] {
        assert_eq!(
            report(other, Some(SelfCollision::Particles)).run.frame_hashes,
            balls.run.frame_hashes,
            "{other}"
        );
    }
}
