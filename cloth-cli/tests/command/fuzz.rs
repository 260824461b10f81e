//! `cloth verify --fuzz` and `--replay`.

use cloth_verify::fuzz::FuzzScene;

use crate::support::{assert_refused, cloth, json, text};

#[test]
fn a_clean_campaign_reports_its_figures_and_exits_with_0() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("fuzz.json");
    let ran = cloth([
        "verify",
        "--fuzz",
        "5",
        "--seed",
        "1",
        "--json",
        &text(&file),
        "--report",
        &text(dir.path()),
    ]);
    assert_eq!(ran.status, 0, "{ran:?}");
    assert!(ran.out.starts_with("CLEAN; 5 scenes"), "{}", ran.out);
    let found = json(&file);
    assert_eq!((&found["fuzz"]["scenes"], &found["fuzz"]["failures"]), (&5.into(), &0.into()));
    for name in ["substeps", "certified_pairs", "worst_seed"] {
        assert!(found["fuzz"][name].as_u64().unwrap() > 0, "{name}");
    }
    assert!(found["fuzz"]["features"].as_object().unwrap().len() > 10);
    assert!(!found["scarce_pairs"].as_array().unwrap().is_empty(), "five scenes do not show everything");
    assert_eq!((&found["pass"], &found["schema_version"]), (&true.into(), &4.into()));
}

#[test]
fn replay_runs_a_scene_file_and_exits_with_1_on_failure() {
    let dir = tempfile::tempdir().unwrap();
    let replay = |name: &str, scene: &FuzzScene| {
        let file = dir.path().join(name);
        std::fs::write(&file, serde_json::to_string(scene).unwrap()).unwrap();
        cloth(["verify", "--replay", &text(&file)])
    };
    let mut scene = FuzzScene::from_seed(1);
    let ran = replay("clean.json", &scene);
    assert_eq!(ran.status, 0, "{ran:?}");
    assert!(ran.out.starts_with("CLEAN; "), "{}", ran.out);
    scene.cloths[0].thickness = -1.0;
    let ran = replay("fails.json", &scene);
    assert_eq!(ran.status, 1, "{ran:?}");
    assert!(ran.out.starts_with("FAILED: it cannot be built: "), "{}", ran.out);
}

#[test]
fn refuses_what_is_no_scene_and_a_seed_without_a_campaign() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("no.json");
    std::fs::write(&file, "{\"dt\": 1}").unwrap();
    assert_refused(
        &cloth(["verify", "--replay", &text(&file)]),
        &["no.json", "missing field", "--fuzz wrote"],
    );
    assert_refused(&cloth(["verify", "--replay", "none.json"]), &["none.json"]);
    assert_refused(&cloth(["verify", "--seed", "3"]), &["--fuzz"]);
    assert_refused(&cloth(["verify", "--fuzz", "0"]), &["--fuzz"]);
    assert_refused(&cloth(["verify", "--fuzz", "9", "--shard", "0/3"]), &["--shard", "I/N"]);
    assert_refused(&cloth(["verify", "--time", "3"]), &["--fuzz"]);
    std::fs::write(&file, "{\"dt\": 1, \"frames\": 2}").unwrap();
    assert_refused(&cloth(["verify", "--replay", &text(&file)]), &["no.json", "format 1"]);
}

#[test]
fn shards_are_parts_of_the_campaign_and_time_ends_it() {
    let dir = tempfile::tempdir().unwrap();
    let scenes = |more: &[&str]| {
        let file = text(&dir.path().join("part.json"));
        let args = ["verify", "--fuzz", "7", "--json", &file];
        let ran = cloth(args.iter().chain(more).copied());
        assert_eq!(ran.status, 0, "{ran:?}");
        json(dir.path().join("part.json").as_ref())["fuzz"]["scenes"].as_u64().unwrap()
    };
    let parts: Vec<u64> = ["1/3", "2/3", "3/3"].iter().map(|shard| scenes(&["--shard", shard])).collect();
    assert_eq!(parts, [3, 2, 2]);
    assert_eq!(scenes(&["--time", "0"]), 0);
}
