//! `cloth sample` as its user calls it: what it writes, and what its scene writes, is as it says.

use std::fs;
use std::path::Path;

use crate::support::{assert_refused, cloth, json, text};

#[test]
fn what_it_writes_is_checked_and_simulated_to_a_clean_file() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("new/wardrobe");
    let at = |name: &str| text(&folder.join(name));
    let ran = cloth(["sample", &text(&folder)]);
    assert_eq!((ran.status, ran.err.as_str()), (0, ""), "{ran:?}");
    let report = text(&dir.path().join("r.json"));
    let ran = cloth(["simulate", &at("scene.toml"), "--json", &report]);
    assert_eq!((ran.status, ran.verdict()), (0, "scene: clean in 180 frames"), "{ran:?}");
    assert!(!ran.out.contains("loops") && !ran.out.contains("released"), "{ran:?}");
    let found = json(Path::new(&report));
    let stretch = found["stretch"]["p99"].as_f64().unwrap();
    assert!(stretch < 0.1, "the guide calls more a problem: {stretch}");
    // All that is not tangled or doubled on purpose is clean.
    for arguments in [
        &[at("shirt.obj"), at("dress.obj")][..],
        &[at("mannequin.obj"), "--cache".to_owned(), at("dancer.pc2")],
        &[at("dance.glb")],
    ] {
        let judged = cloth(std::iter::once("check").chain(arguments.iter().map(String::as_str)));
        assert_eq!(judged.status, 0, "{judged:?}");
    }
    for (name, kind) in
        [("tangled.obj", " intersections\n"), ("flag.obj", " faces lie on others: a doubled mesh")]
    {
        let judged = cloth(["check", &at(name)]);
        assert!(judged.status == 1 && judged.out.contains(kind), "{judged:?}");
    }
    let ran = cloth(["sweep", &at("sweep.toml"), "--out", &text(&dir.path().join("runs"))]);
    assert!(ran.status == 0 && ran.out.contains("12 runs: 12 clean"), "{ran:?}");
    // A second time nothing is written over.
    let before = fs::read(folder.join("shirt.obj")).unwrap();
    assert_refused(&cloth(["sample", &text(&folder)]), &["wardrobe", "is not empty", "name a new"]);
    assert_eq!(fs::read(folder.join("shirt.obj")).unwrap(), before);
}
