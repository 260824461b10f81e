//! The campaign finds what is wrong, and its scenes are what they are meant to be.

use cloth_show::Interrupt;
use cloth_solver::{Settings, Simulation};

use super::script::ScriptEntry;
use super::*;

fn run(scenes: u64, seed: u64, threads: usize) -> (FuzzFigures, Vec<FuzzFailure>) {
    campaign(
        &CampaignOptions { scenes, seed, threads, ..CampaignOptions::default() },
        &Unchanged,
        &mut |_| {},
    )
}

#[test]
fn sixty_scenes_are_clean_and_few_of_them_are_easy() {
    let (figures, failures) = run(60, 1, 2);
    assert_eq!(failures, []);
    println!("{figures:?}");
    assert!(figures.changed_steps * 4 > figures.steps, "the gate has work to do");
    assert!(figures.tangled_starts >= 3 && figures.completeness_substeps * 2 > figures.substeps);
    assert_eq!((figures.scenes, figures.failures), (60, 0));
}

#[test]
fn a_scene_is_determined_by_its_seed_and_survives_serialisation() {
    for seed in 0..50 {
        for make in [FuzzScene::from_seed, FuzzScene::long_from_seed] {
            let scene = make(seed);
            assert_eq!(scene, make(seed));
            let text = serde_json::to_string(&scene).expect("plain data");
            assert_eq!(serde_json::from_str::<FuzzScene>(&text).expect("ours"), scene);
            assert_ne!(scene, make(seed + 1));
        }
    }
}

#[test]
fn scenes_cover_all_relaxations_of_bending_and_wind_intervals() {
    for make in [FuzzScene::from_seed, FuzzScene::long_from_seed] {
        let settings: Vec<Settings> = (0..200).map(|seed| make(seed).settings).collect();
        let own = Settings::default();
        let relaxed = |is: fn(f32) -> bool| settings.iter().any(|s| is(s.relaxation));
        assert!(relaxed(|r| r == 1.0) && relaxed(|r| r < 0.01) && relaxed(|r| 0.2 < r && r < 0.9));
        assert!(settings.iter().all(|s| s.relaxation > 0.0 && s.relaxation <= 1.0));
        assert!((1..=8).all(|n| settings.iter().any(|s| s.wind_interval == n)));
        let is_own = |s: &Settings| s.relaxation == own.relaxation && s.wind_interval == own.wind_interval;
        assert!(settings.iter().any(is_own));
    }
}

/// When what jumps.
type Jumps = [(u32, Jumping)];

#[test]
fn jumps_of_every_kind_meet_cuts_in_many_scenes() {
    let jumps = |scene: &FuzzScene| -> Vec<(u32, Jumping)> {
        let of = |entry: &ScriptEntry| match entry.call {
            ScriptCall::Jump { of, .. } => Some((entry.at, of)),
            _ => None,
        };
        scene.script.iter().filter_map(of).collect()
    };
    let scenes: Vec<FuzzScene> = (0..1000).map(FuzzScene::from_seed).collect();
    let kinds: [fn(&Jumps) -> bool; 6] = [
        |all| all.iter().any(|(_, of)| matches!(of, Jumping::Pins(_))),
        |all| all.iter().any(|(_, of)| matches!(of, Jumping::Body(_))),
        |all| all.iter().any(|(_, of)| matches!(of, Jumping::Collider(_))),
        |all| all.iter().any(|(_, of)| *of == Jumping::All),
        |all| all.iter().any(|(_, of)| *of == Jumping::Waypoints),
        |all| all.iter().any(|(at, _)| all.iter().any(|(next, _)| *next == at + 1)),
    ];
    for (number, is) in kinds.into_iter().enumerate() {
        let of_kind = scenes.iter().filter(|scene| is(&jumps(scene)));
        let cutting = of_kind.clone().filter(|scene| scene.settings.teleport.is_some());
        let counts = [of_kind.count(), cutting.count()];
        assert!(counts[0] >= 20 && counts[1] >= 10, "kind {number}: {counts:?}");
    }
}

#[test]
fn every_scene_can_be_built() {
    for seed in 0..300 {
        for scene in [FuzzScene::from_seed(seed), FuzzScene::long_from_seed(seed)] {
            assert_eq!(scene.check_build(), Ok(()), "seed {seed}");
        }
    }
}

#[test]
fn figures_depend_neither_on_the_threads_nor_on_the_shards() {
    let (whole, _) = run(20, 5, 1);
    assert_eq!(run(20, 5, 2).0, whole);
    let mut merged = FuzzFigures::default();
    for shard in 0..3 {
        let options =
            CampaignOptions { scenes: 20, seed: 5, shard: [shard, 3], ..CampaignOptions::default() };
        merged.merge(&campaign(&options, &Unchanged, &mut |_| {}).0);
    }
    assert_eq!(merged, whole);
}

#[test]
fn a_panic_is_reported_as_failure_and_its_scene_is_shrunk() {
    struct Panics;
    impl Prepare for Panics {
        fn prepare(&self, _: &mut Simulation) {
            panic!("on purpose")
        }
    }
    let scene = FuzzScene::from_seed(4);
    let outcome = check_scene(&scene, &Panics);
    assert!(outcome.failure.expect("it fails").contains("on purpose"));
    let small = shrink(&scene, &Panics, Interrupt::NEVER);
    let parts = (small.cloths.len(), small.steps, small.colliders.len(), small.bodies.len());
    assert_eq!((parts, small.script.len()), ((1, 1, 0, 0), 0));
    assert_eq!(shrink(&small, &Panics, Interrupt::NEVER), small, "nothing is left to shrink");
}

#[test]
fn only_the_wanted_panic_counts_as_a_late_failure() {
    let scene = FuzzScene::from_seed(4);
    let plan = build::ScenePlan::new(&scene).expect("a plan");
    let fail = |on_motion: player::OnMotion<'_>| {
        let simulation = plan.build(scene.broad_phase, true).map_err(|e| e.to_string())?;
        player::ScenePlayer::new(&plan, simulation, &Unchanged).fail(StepFailure::Late, on_motion)
    };
    let mut motions = 0;
    assert_eq!(fail(&mut |_| motions += 1), Ok(()));
    assert!(motions > 0, "no substep was taken");
    let other = check::guarded(1, || fail(&mut |_| panic!("on purpose")));
    assert_eq!(other, Err("it panicked: on purpose".to_owned()));
}
