//! `cloth sample` as its user calls it: what it writes works as it says.

use std::fs;

use crate::support::{assert_refused, cloth, text};

#[test]
fn what_it_writes_is_clean_and_can_be_simulated() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("new/wardrobe");
    let at = |name: &str| text(&folder.join(name));
    let ran = cloth(["sample", &text(&folder)]);
    assert_eq!((ran.status, ran.err.as_str()), (0, ""), "{ran:?}");
    for name in ["shirt.obj", "dress.obj", "dancer.glb", "scene.toml"] {
        assert!(ran.out.contains(&at(name)) && folder.join(name).is_file(), "{name}: {ran:?}");
    }
    assert_eq!(cloth(["check", &at("shirt.obj"), &at("dress.obj")]).status, 0);
    let preview = format!("--preview={}", text(&dir.path().join("start.png")));
    let start = cloth(["simulate", &at("scene.toml"), &preview]);
    assert_eq!((start.status, start.out.lines().last()), (0, Some("CLEAN")), "{start:?}");
    let garment = ["simulate", "--garment", &at("shirt.obj"), "--body", "figure", "--arms", "40", &preview];
    assert_eq!(cloth(garment).status, 0);
    // A second time nothing is written over.
    let before = fs::read(folder.join("shirt.obj")).unwrap();
    assert_refused(&cloth(["sample", &text(&folder)]), &["wardrobe", "is not empty", "name a new"]);
    assert_eq!(fs::read(folder.join("shirt.obj")).unwrap(), before);
}
