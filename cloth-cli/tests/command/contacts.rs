//! Scenes whose contacts are computed once: written at the first run, read at the second, refused for another
//! mesh.

use std::fs;
use std::path::Path;

use crate::support::{Ran, assert_refused, cloth, sheet, text, write};

/// Two sheets on top of each other, the lower one pinned, and contacts that are kept in a file.
const SCENE: &str = "[settings]\nduration = 0.1\nsubsteps = 4\nthickness = 0.02\n\
    [contacts]\nsource = \"cached\"\nreach = 0.1\nfile = \"sheets.contacts\"\n\
    [[garment]]\nname = \"lower\"\nmesh = \"sheet.obj\"\nlayer = 0\n\
    pins = [{ min = [-9, -9, -9], max = [9, 9, 9] }]\n\
    [[garment]]\nname = \"upper\"\nmesh = \"sheet.obj\"\nlayer = 1\ntranslate = [0.01, 0.03, 0.01]\n\
    [output]\ncache = \"CACHE.pc2\"\n";

/// Runs the scene with its cache named so.
fn run(folder: &Path, cache: &str, scene: &str) -> Ran {
    let path = folder.join("scene.toml");
    fs::write(&path, scene.replace("CACHE", cache)).unwrap();
    cloth(["simulate", &text(&path)])
}

#[test]
fn are_written_once_and_read_again() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), "sheet.obj", &sheet(8, 0.5));
    let first = run(dir.path(), "first", SCENE);
    assert_eq!(first.status, 0, "{first:?}");
    let kept = fs::read_to_string(dir.path().join("sheets.contacts")).unwrap();
    // Each vertex of either sheet lies over the other, but for those that the shift takes over the rim.
    assert!(kept.starts_with("cloth-contacts 1\nfingerprint ") && kept.lines().count() > 100, "{kept}");
    let second = run(dir.path(), "second", SCENE);
    assert_eq!(second.status, 0, "{second:?}");
    assert_eq!(fs::read_to_string(dir.path().join("sheets.contacts")).unwrap(), kept);
    let caches: Vec<_> = fs::read_dir(dir.path())
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| p.extension().is_some_and(|x| x == "pc2"))
        .collect();
    assert_eq!(caches.len(), 4, "{caches:?}");
    for garment in ["lower", "upper"] {
        let of = |run: &str| {
            let one = caches.iter().find(|p| text(p).contains(run) && text(p).contains(garment)).unwrap();
            fs::read(one).unwrap()
        };
        assert_eq!(of("first"), of("second"), "{garment}");
    }
}

#[test]
fn of_another_mesh_are_refused_in_one_line() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), "sheet.obj", &sheet(8, 0.5));
    assert_eq!(run(dir.path(), "c", SCENE).status, 0);
    write(dir.path(), "sheet.obj", &sheet(9, 0.5));
    assert_refused(&run(dir.path(), "c", SCENE), &["scene.toml", "fingerprint", "compute it again"]);
    fs::write(dir.path().join("sheets.contacts"), "cloth-contacts 9\n").unwrap();
    assert_refused(&run(dir.path(), "c", SCENE), &["sheets.contacts:1", "version"]);
}

#[test]
fn need_layers_and_a_file_needs_them() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), "sheet.obj", &sheet(8, 0.5));
    let unordered = SCENE.replace("layer = 0\n", "").replace("layer = 1\n", "");
    assert_refused(&run(dir.path(), "c", &unordered), &["scene.toml", "without layers"]);
    let detected = SCENE.replace("\"cached\"", "\"detected\"");
    assert_refused(&run(dir.path(), "c", &detected), &["contacts.file", "source"]);
    let misspelt = SCENE.replace("reach", "raech");
    assert_refused(&run(dir.path(), "c", &misspelt), &["raech", "reach"]);
}
