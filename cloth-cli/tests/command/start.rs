//! The verdict of the start: by kind, before the first frame, and what the flags make of it.

use std::fs;
use std::path::Path;

use nalgebra::Point3;

use crate::support::{Ran, cloth, json, sheet, text, write};

/// A scene of a sheet that a second sheet crosses, which a mesh body that crosses itself crosses too, without
/// anything that could untangle them.
fn crossed(folder: &Path) -> String {
    let flat = sheet(6, 0.5);
    let upright = flat.clone().mapped(|p| Point3::new(p.x + 0.013, p.z, p.y + 0.017));
    let mut body = upright.clone().translated(nalgebra::Vector3::new(0.1, 0.0, 0.0));
    body.append(&flat.clone().mapped(|p| Point3::new(p.x + 0.107, p.y + 0.005, p.z)));
    write(folder, "flat.obj", &flat);
    write(folder, "upright.obj", &upright);
    write(folder, "body.obj", &body);
    let path = folder.join("scene.toml");
    let scene = "[settings]\nduration = 0.05\ngate = false\nrecovery = false\ngravity = [0, 0, 0]\n\
        [[garment]]\nmesh = \"flat.obj\"\n[[garment]]\nmesh = \"upright.obj\"\n\
        [[body]]\nkind = \"mesh\"\npath = \"body.obj\"\n";
    fs::write(&path, scene).unwrap();
    text(&path)
}

fn run(scene: &str, more: &[&str]) -> Ran {
    cloth([&["simulate", scene], more].concat())
}

#[test]
fn the_start_is_judged_by_kind_before_the_first_frame() {
    let dir = tempfile::tempdir().unwrap();
    let scene = crossed(dir.path());
    let (file, shots) = (text(&dir.path().join("r.json")), text(&dir.path().join("shots")));
    let allowed = ["--allow-start", "100000"];
    let more = ["--json", &file, "--pictures", &shots, "--picture-count", "1"];
    let ran = run(&scene, &[&allowed[..], &more].concat());
    assert_eq!(ran.status, 1, "{ran:?}");
    let start = ran.out.lines().position(|line| line.starts_with("start: ")).unwrap();
    let lines: Vec<&str> = ran.out.lines().skip(start).collect();
    for (line, kind) in
        lines[1..].iter().zip(["of cloth with cloth: ", "of cloth with a body: ", "of bodies"])
    {
        assert!(line.contains(kind), "{lines:?}");
    }
    assert!(lines[4].contains("start.png: the start"), "{lines:?}");
    assert_eq!(fs::read(Path::new(&shots).join("start.png")).unwrap()[1..4], *b"PNG");
    let found = json(Path::new(&file));
    for state in ["start", "final"] {
        let count = |kind: &str| found[state][kind].as_u64().unwrap();
        assert_eq!(count("cloth_with_itself"), 0);
        let kinds = ["cloth_with_cloth", "cloth_with_body", "body_with_itself"].map(count);
        assert!(kinds.iter().all(|&n| n > 0), "{kinds:?}");
        let all = if state == "start" { "initial" } else { "final" };
        assert_eq!(found["intersections"][all], kinds[0] + kinds[1], "bodies alone count nowhere else");
    }
}

#[test]
fn a_start_with_more_than_allowed_has_no_first_frame() {
    let dir = tempfile::tempdir().unwrap();
    let scene = crossed(dir.path());
    let file = text(&dir.path().join("r.json"));
    let ran = run(&scene, &["--allow-start", "3", "--json", &file]);
    assert_eq!(ran.status, 1, "{ran:?}");
    assert!(ran.verdict().contains(": failed: the start has "), "{}", ran.out);
    assert!(ran.out.contains("more than the 3 of --allow-start\n"), "{}", ran.out);
    assert_eq!(json(Path::new(&file))["frames"], 0);
}

#[test]
fn a_hopeless_start_stops_with_its_picture_unless_allowed() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&dir.path().join(name));
    // A body of twenty walls in a sheet.
    let wall = sheet(6, 0.4).mapped(|p| Point3::new(p.x, p.z, p.y));
    let mut walls = cloth_geom::TriMesh::default();
    for k in 0..20 {
        walls.append(&wall.clone().translated(nalgebra::Vector3::new(
            0.003,
            0.0,
            0.02 * f64::from(k) - 0.19,
        )));
    }
    write(dir.path(), "walls.obj", &walls);
    write(dir.path(), "flat.obj", &sheet(30, 0.5));
    let scene = "[settings]\nduration = 0.02\ngate = false\nrecovery = false\ngravity = [0, 0, 0]\n\
        [[garment]]\nmesh = \"flat.obj\"\n[[body]]\nkind = \"mesh\"\npath = \"walls.obj\"\n\
        [output]\ncache = \"run.pc2\"\n";
    fs::write(dir.path().join("scene.toml"), scene).unwrap();
    let ran = run(&at("scene.toml"), &[]);
    assert!(ran.status == 1 && ran.verdict().starts_with("scene: failed: the start has "), "{ran:?}");
    assert!(ran.verdict().ends_with(" intersections with a body"), "{ran:?}");
    assert!(ran.out.contains("a run rarely untangles: --allow-start "), "{ran:?}");
    assert_eq!(fs::read(dir.path().join("scene-start.png")).unwrap()[1..4], *b"PNG", "next to the cache");
    let ran = run(&at("scene.toml"), &["--allow-start", "100000", "--allow", "100000"]);
    assert!(ran.status == 0 && ran.verdict().starts_with("scene: accepted with "), "{ran:?}");
}

#[test]
fn the_last_frame_may_have_as_many_as_allowed() {
    let dir = tempfile::tempdir().unwrap();
    let scene = crossed(dir.path());
    let run = |allowed| run(&scene, &["--allow-start", "100000", "--allow", allowed]);
    assert_eq!(run("1").status, 1);
    let ran = run("100000");
    assert_eq!(ran.status, 0, "{ran:?}");
    assert!(ran.verdict().contains(": accepted with "), "{}", ran.out);
}

#[test]
fn a_preview_draws_and_judges_the_start_alone() {
    let dir = tempfile::tempdir().unwrap();
    let scene = crossed(dir.path());
    let picture = dir.path().join("p/start.png");
    let preview = format!("--preview={}", text(&picture));
    let ran = run(&scene, &[&preview]);
    assert_eq!(ran.status, 1, "{ran:?}");
    assert!(ran.verdict().contains(": failed: the start has "), "{}", ran.out);
    assert_eq!(fs::read(&picture).unwrap()[1..4], *b"PNG");
    let garment = write(dir.path(), "sheet.obj", &sheet(8, 0.5));
    let ran = cloth(["simulate", "--garment", &garment, &preview]);
    assert_eq!((ran.status, ran.out.lines().last()), (0, Some("sheet: clean")), "{ran:?}");
    let both = run(&scene, &[&preview, "--out", "a.pc2"]);
    assert!(both.status == 2 && both.err.contains("--out"), "{both:?}");
}

#[test]
fn folds_and_doubled_faces_of_the_start_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let (preview, file) =
        (format!("--preview={}", text(&dir.path().join("start.png"))), text(&dir.path().join("r.json")));
    let mut doubled = sheet(5, 0.5);
    doubled.append(&doubled.clone());
    let doubled = write(dir.path(), "doubled.obj", &doubled);
    let ran = cloth(["simulate", "--garment", &doubled, "--body", "none", &preview, "--json", &file]);
    let said = "32 of 64 faces lie on others: a doubled mesh; `cloth check --remove-doubled` writes one side";
    assert!(ran.status == 1 && ran.out.contains(&format!("  {said}\n")), "{ran:?}");
    assert!(!ran.out.contains("not joined") && !ran.out.contains("--weld"), "{ran:?}");
    let notes = json(Path::new(&file))["notes"].to_string();
    assert!(notes.contains(said), "{notes}");
    // The layers of a fold meet nowhere else, and folds are no reason to fail.
    let fold = [[0.0; 3], [0.3, 0.0, 0.0], [0.0, 0.3, 0.0], [0.07, 0.15, 0.0]].map(Point3::from);
    let fold = cloth_geom::TriMesh::new(fold.to_vec(), vec![[0, 1, 2], [1, 0, 3]]);
    let fold = write(dir.path(), "fold.obj", &fold);
    let ran = cloth(["simulate", "--garment", &fold, "--body", "none", &preview]);
    assert!(ran.status == 0 && ran.out.contains("start: no intersections\n  1 flat fold\n"), "{ran:?}");
}

#[test]
fn an_order_of_layers_is_advised_once_it_was_tried() {
    let dir = tempfile::tempdir().unwrap();
    let flat = sheet(20, 0.4);
    let waves = |p: Point3<f64>| Point3::new(p.x, 0.012 * (20.0 * p.x).sin() - 0.006, p.z);
    write(dir.path(), "outside.obj", &flat);
    write(dir.path(), "inside.obj", &flat.clone().mapped(waves));
    let path = dir.path().join("scene.toml");
    let scene = |recovery: bool| {
        format!(
            "[settings]\nduration = 0.02\nrecovery = {recovery}\n[[garment]]\nmesh = \"outside.obj\"\n\
             [[garment]]\nmesh = \"inside.obj\"\n"
        )
    };
    fs::write(&path, scene(true)).unwrap();
    let advice = |ran: &Ran| {
        let line = ran.out.lines().find(|line| line.contains("of cloth with cloth: "));
        line.unwrap_or_else(|| panic!("{ran:?}")).to_owned()
    };
    let tried = advice(&run(&text(&path), &[]));
    assert!(tried.contains("number inside by a lower `layer` than outside: tried alone"), "{tried}");
    // Nothing would bring them to their sides.
    fs::write(&path, scene(false)).unwrap();
    let untried = advice(&run(&text(&path), &["--allow-start", "100000"]));
    assert!(untried.ends_with("move a garment apart"), "{untried}");
}
