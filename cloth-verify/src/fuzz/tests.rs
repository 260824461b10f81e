//! The campaign finds what is wrong, and its scenes are what they are meant to be.

use cloth_show::Interrupt;
use cloth_solver::Settings;

use super::script::ScriptEntry;
use super::*;

fn run(scenes: u64, seed: u64, threads: usize) -> (FuzzFigures, Vec<FuzzFailure>) {
    campaign(&CampaignOptions { scenes, seed, threads, ..CampaignOptions::default() }, &mut |_| {})
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
    let part = |shard| {
        let options = CampaignOptions { scenes: 20, seed: 5, shard, ..CampaignOptions::default() };
        campaign(&options, &mut |_| {}).0
    };
    let parts = ["1/3", "2/3", "3/3"].map(|shard| part(shard.parse().expect("a shard")));
    let sums: [fn(&FuzzFigures) -> u64; 5] =
        [|f| f.scenes, |f| f.steps, |f| f.substeps, |f| f.certified_pairs, |f| f.exempt_pair_substeps];
    for (k, of) in sums.into_iter().enumerate() {
        assert_eq!(parts.iter().map(of).sum::<u64>(), of(&whole), "sum {k}");
    }
    for (name, scenes) in &whole.features {
        assert_eq!(parts.iter().map(|part| part.features[name]).sum::<u64>(), *scenes, "{name}");
    }
    assert!(parts.iter().any(|part| part.worst_seed == whole.worst_seed));
}

#[test]
fn a_scene_that_fails_is_shrunk_until_nothing_is_left() {
    let fails =
        |_: &FuzzScene| SceneOutcome { failure: Some("on purpose".into()), ..SceneOutcome::default() };
    let small = shrink::shrink_by(&FuzzScene::from_seed(4), Interrupt::NEVER, fails);
    let parts = (small.cloths.len(), small.steps, small.colliders.len(), small.bodies.len());
    assert_eq!((parts, small.script.len()), ((1, 1, 0, 0), 0));
    assert_eq!(shrink::shrink_by(&small, Interrupt::NEVER, fails), small, "nothing is left to shrink");
}

#[test]
fn only_the_wanted_panic_counts_as_a_late_failure() {
    let scene = FuzzScene::from_seed(4);
    let plan = build::ScenePlan::new(&scene).expect("a plan");
    let fail = |on_motion: player::OnMotion<'_>| {
        let simulation = plan.build(scene.broad_phase, true).map_err(|e| e.to_string())?;
        player::ScenePlayer::new(&plan, simulation).fail(StepFailure::Late, on_motion)
    };
    let mut motions = 0;
    assert_eq!(fail(&mut |_| motions += 1), Ok(()));
    assert!(motions > 0, "no substep was taken");
    let other = check::guarded(1, || fail(&mut |_| panic!("on purpose")));
    assert_eq!(other, Err("it panicked: on purpose".to_owned()));
}

/// The error about a scene in which the value at a JSON pointer is another.
fn error(pointer: &str, value: serde_json::Value) -> String {
    let mut scene = serde_json::to_value(FuzzScene::from_seed(1)).expect("plain data");
    *scene.pointer_mut(pointer).expect("there is such a field") = value;
    read_scene(&scene.to_string()).expect_err("it is refused")
}

#[test]
fn a_file_of_another_format_is_refused_by_both_formats() {
    for text in ["{\"format\": 5, \"settings\": {}}", "{\"format\": 5, \"frames\": 3}"] {
        let error = read_scene(text).expect_err("an older format");
        assert!(
            error.starts_with(&format!("it has format 5, and this version reads format {FORMAT};")),
            "{error}"
        );
    }
    assert!(error("/format", 7.into()).starts_with("it has format 7,"));
}

#[test]
fn numbers_and_words_that_the_solver_refuses_are_refused() {
    for (pointer, value, words) in [
        ("/cloths/0/damping/global", (-1).into(), "must be zero or positive, and finite"),
        ("/settings/version", 1.into(), "settings of version 1; this program reads version 2"),
        ("/cloths/0/material", "paper".into(), "unknown variant `paper`"),
        ("/broad_phase", "guess".into(), "unknown variant `guess`"),
        ("/cloths/0/mesh", serde_json::json!({ "ring": {} }), "unknown variant `ring`"),
    ] {
        let error = error(pointer, value);
        assert!(error.contains(words), "{pointer}: {error}");
    }
}
