//! What `cloth simulate` writes, in which format, unit and axes, and what its verdict says of the motion
//! between the frames written.

use std::fs;
use std::path::Path;

use cloth_io::read_mesh;
use nalgebra::Point3;

use crate::simulate::{five_frames, frame, scene};
use crate::support::{assert_refused, cloth, json, sheet, text, write};

/// A garment of quads in centimetres, z up, with texture coordinates, groups and materials.
fn rich_garment() -> String {
    let mut text = String::from("# a cloth of quads\nmtllib cloth.mtl\no cloth\n");
    for (j, i) in (0..6).flat_map(|j| (0..6).map(move |i| (j, i))) {
        text.push_str(&format!("v {}.0 {}.0 80.0\nvt 0.{i} 0.{j}\n", 10 * i, 10 * j));
    }
    text.push_str("g left\nusemtl red\ns 1\n");
    for (i, j) in (0..5).flat_map(|i| (0..5).map(move |j| (i, j))) {
        if (i, j) == (3, 0) {
            text.push_str("g right\nusemtl blue\n");
        }
        let v = 6 * j + i + 1;
        let corners = [v, v + 1, v + 7, v + 6].map(|v| format!("{v}/{v}"));
        text.push_str(&format!("f {}\n", corners.join(" ")));
    }
    text
}

#[test]
fn obj_output_differs_from_the_garments_file_only_in_positions() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&dir.path().join(name));
    let source = rich_garment();
    fs::write(at("quads.obj"), &source).unwrap();
    let run = |more: &[&str]| {
        let ran = five_frames(
            &at("quads.obj"),
            &[&["--unit", "0.01", "--up", "z", "--body", "none", "--thickness", "0.005"][..], more].concat(),
        );
        assert_eq!(ran.status, 0, "{ran:?}");
    };
    let without_positions = |text: &str| -> Vec<String> {
        text.lines().filter(|line| !line.starts_with("v ")).map(str::to_owned).collect()
    };
    run(&["--out-obj", &at("frames")]);
    let last = fs::read_to_string(at("frames/quads_0005.obj")).unwrap();
    assert_eq!(without_positions(&last), without_positions(&source));
    run(&["--out", &at("last.obj")]);
    assert_eq!(fs::read_to_string(at("last.obj")).unwrap(), last);
    assert_eq!(cloth(["check", &at("frames")]).status, 0);
    // Centimetres, z up: it fell along z, and is as wide as before.
    let fallen = read_mesh(Path::new(&at("last.obj"))).unwrap().mesh;
    let first = read_mesh(Path::new(&at("frames/quads_0000.obj"))).unwrap().mesh;
    let (start, end) = (first.bounds(), fallen.bounds());
    assert!(
        (start.max.x - start.min.x - 50.0).abs() < 1e-3 && end.max.z < start.min.z - 0.5,
        "{start:?} {end:?}"
    );
    run(&["--out", &at("file.pc2")]);
    // Both in one run are what either is alone.
    run(&["--out", &at("both.pc2"), "--out-obj", &at("both")]);
    assert_eq!(fs::read(at("both.pc2")).unwrap(), fs::read(at("file.pc2")).unwrap());
    assert_eq!(fs::read_to_string(at("both/quads_0005.obj")).unwrap(), last);
    assert_eq!(fs::read_dir(at("both")).unwrap().count(), 6);
    run(&["--out", &at("metres.pc2"), "--out-units", "metres"]);
    let (file, metres) = (frame(&at("file.pc2"), 5), frame(&at("metres.pc2"), 5));
    for ((f, m), p) in file.iter().zip(&metres).zip(&fallen.positions) {
        let from_metres = Point3::new(100.0 * m.x, -100.0 * m.z, 100.0 * m.y);
        assert!((from_metres - f).norm() < 1e-4 && (f.map(f64::from) - p).norm() < 1e-4, "{f} {m} {p}");
    }
}

#[test]
fn an_output_of_an_unknown_format_is_refused_before_the_run() {
    let dir = tempfile::tempdir().unwrap();
    let garment = write(dir.path(), "s.obj", &sheet(4, 0.3));
    for name in ["x.abc", "x.usd", "x.vtk", "x"] {
        let ran = five_frames(&garment, &["--out", &text(&dir.path().join(name))]);
        assert_refused(
            &ran,
            &[name, "is not a cache format", "pc2, mdd, npy, npz (every frame)", "off (the last frame)"],
        );
        assert!(!dir.path().join(name).exists());
    }
    let garment = "[[garment]]\nmesh = \"sheet.obj\"\n[output]\ncache = \"x.abc\"\n";
    let ran = cloth(["simulate", &scene(dir.path(), garment)]);
    assert_refused(&ran, &["scene.toml", "output.cache", "x.abc", "is not a cache format"]);
    let garment = "[[garment]]\nmesh = \"sheet.obj\"\n[output]\ncache = \"x.obj\"\nformat = \"pc2\"\n";
    assert_refused(&cloth(["simulate", &scene(dir.path(), garment)]), &["output.cache", "extension `.pc2`"]);
}

/// A scene in which a small sheet is shot through a large one within a frame: the two do not collide, unless
/// there is a gate.
fn shot(folder: &Path, gate: bool) -> String {
    let mut shot = sheet(3, 0.1).translated(nalgebra::Vector3::new(0.2, 0.3, 0.21));
    shot.append(&sheet(6, 0.5));
    write(folder, "shot.obj", &shot);
    let pins: Vec<u32> = (9..45).collect();
    let excluded: Vec<[u32; 2]> = (0..9).flat_map(|a| (9..45).map(move |b| [a, b])).collect();
    let excluded = if gate { Vec::new() } else { excluded };
    let content = format!(
        "[settings]\ndt = 0.1\nduration = 0.3\nsubsteps = 1\ngate = {gate}\nthickness = 0.002\n\
         gravity = [0, -80, 0]\n\
         [wind]\nvelocity = [0, 0, 0]\ndrag = 0\n\
         [[garment]]\nmesh = \"shot.obj\"\npins = {pins:?}\nexcluded_pairs = {excluded:?}\n[output]\n\
         cache = \"run.pc2\"\n"
    );
    scene(folder, &content)
}

#[test]
fn the_verdict_knows_what_passed_through_between_clean_frames() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("r.json");
    let run = |gate| {
        let ran = cloth(["simulate", &shot(dir.path(), gate), "--json", &text(&file)]);
        (ran, json(&file))
    };
    let (ran, found) = run(false);
    assert_eq!(found["intersections"]["frames_with"], 0, "{ran:?}");
    assert_eq!((ran.status, &found["path"]["checked_by"]), (1, &"search".into()), "{ran:?}");
    assert!(
        ran.verdict() == "scene: failed: cloth passed through cloth between clean frames"
            && ran.out.contains("between clean frames, first before frame"),
        "{ran:?}"
    );
    assert_eq!(
        found["path"]["pairs"], found["frame_chords"]["pairs"],
        "with one substep, the chord is the path"
    );
    let (mesh, cache) = (text(&dir.path().join("shot.obj")), text(&dir.path().join("run.pc2")));
    let judged = cloth(["check", &mesh, "--cache", &cache]);
    let pairs = format!("{} pairs", found["frame_chords"]["pairs"]);
    assert!(judged.status == 1 && judged.out.contains(&pairs), "the same as check finds: {judged:?}");
    let (ran, found) = run(true);
    assert_eq!(
        (ran.status, &found["path"]["checked_by"], &found["frame_chords"]["pairs"]),
        (0, &"gate".into(), &0.into())
    );
    assert!(
        ran.verdict().contains(": clean in ") && ran.out.contains(" every substep certified\n"),
        "{}",
        ran.out
    );
}

/// The object of the script next to a page that plays runs.
fn played(script: &str) -> serde_json::Value {
    let text = fs::read_to_string(script).unwrap();
    let object = text.strip_prefix("globalThis.clothRecording=").and_then(|text| text.strip_suffix(";\n"));
    serde_json::from_str(object.expect("an assignment")).expect("JSON")
}

#[test]
fn a_report_plays_the_run_and_the_one_without_the_gate() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&dir.path().join(name));
    let garment = write(dir.path(), "s.obj", &sheet(4, 0.3));
    let figures = at("r.json");
    let ran = five_frames(&garment, &["--report", &at("both"), "--player", "all", "--json", &figures]);
    assert_eq!(ran.status, 0, "{ran:?}");
    assert!(ran.out.contains("index.html: the run to play"), "{ran:?}");
    let both = played(&at("both/index.js"));
    let labels: Vec<_> = both["runs"].as_array().unwrap().iter().map(|run| &run["label"]).collect();
    assert_eq!(labels, ["with the gate", "without the gate"]);
    for run in both["runs"].as_array().unwrap() {
        assert_eq!(run["intersections"].as_array().unwrap().len(), 6);
        assert_eq!(
            (&run["frames"], &run["layout"]["vertices"]),
            (&serde_json::json!([0, 2, 4, 5]), &16.into())
        );
    }
    assert_eq!(json(Path::new(&figures))["gate"], true, "the figures are those of the run itself");
    let page = fs::read_to_string(at("both/index.html")).unwrap();
    assert!(page.contains("src=\"index.js\"") && page.contains("src=\"player.js\""), "{page}");
    assert_eq!(five_frames(&garment, &["--report", &at("one")]).status, 0);
    assert_eq!(played(&at("one/index.js"))["runs"].as_array().unwrap().len(), 1);
    assert_eq!(five_frames(&garment, &["--report", &at("none"), "--player", "off"]).status, 0);
    assert!(!dir.path().join("none").exists());
}
