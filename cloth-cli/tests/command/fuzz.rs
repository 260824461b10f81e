//! `cloth verify --fuzz` and `--replay`.

use cloth_verify::fuzz::FuzzScene;

use crate::support::{assert_refused, cloth, json, text};

#[test]
fn a_campaign_tells_its_figures_and_exits_with_0_if_all_are_clean() {
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
    for name in ["frames", "certified_pairs", "worst_seed"] {
        assert!(found["fuzz"][name].as_u64().unwrap() > 0, "{name}");
    }
    assert_eq!((&found["pass"], &found["schema_version"]), (&true.into(), &1.into()));
}

#[test]
fn a_scene_in_a_file_is_run_again_and_exits_with_1_if_it_fails() {
    let dir = tempfile::tempdir().unwrap();
    let replay = |name: &str, scene: &FuzzScene| {
        let file = dir.path().join(name);
        std::fs::write(&file, serde_json::to_string(scene).unwrap()).unwrap();
        cloth(["verify", "--replay", &text(&file)])
    };
    let mut scene = FuzzScene::of_seed(1);
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
}
