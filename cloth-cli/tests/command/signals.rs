//! SIGINT and SIGTERM: the report so far is written, and nothing temporary stays.

use std::fs;
use std::path::Path;
use std::process::{Child, Command};

use crate::signalled::{signal, signal_with_each, started, status, until, until_worked};
use crate::support::{json, sheet, text, write};

/// Starts `cloth`, its standard output in the file `out` of a folder.
fn start(folder: &Path, arguments: &[&str]) -> Child {
    started(folder, Command::new(env!("CARGO_BIN_EXE_cloth")).args(arguments))
}

fn temporary_files(folder: &Path) -> usize {
    let names = fs::read_dir(folder).unwrap().map(|entry| text(&entry.unwrap().path()));
    names.filter(|name| name.ends_with(".part")).count()
}

/// As many faces, all nearly in one place, so that each meets most of the others.
fn heap(faces: usize) -> cloth_geom::TriMesh {
    let mut mesh = cloth_geom::TriMesh::default();
    for i in 0..faces {
        let tilt = 1e-6 * (i * i % 997) as f64;
        let first = mesh.positions.len() as u32;
        let corners = [[0.0, tilt, 0.0], [1.0, -tilt, 0.0], [0.0, 0.5 * tilt, 1.0]];
        mesh.positions.extend(corners.map(nalgebra::Point3::from));
        mesh.faces.push([first, first + 1, first + 2]);
    }
    mesh
}

#[test]
fn a_simulation_that_is_stopped_leaves_the_frames_that_it_had() {
    let dir = tempfile::tempdir().unwrap();
    let garment = write(dir.path(), "s.obj", &sheet(12, 0.5));
    for (name, expected) in [("INT", 130), ("TERM", 143)] {
        let [cache, report] = ["c.pc2", "r.json"].map(|name| text(&dir.path().join(name)));
        let arguments =
            ["simulate", "--garment", &garment, "--seconds", "10000", "--out", &cache, "--json", &report];
        let mut child = start(dir.path(), &arguments);
        until(&mut child, "its temporary file", || temporary_files(dir.path()) > 0);
        until_worked(&mut child, 0.3);
        signal(&child, name);
        assert_eq!(status(child), Some(expected));
        let found = json(Path::new(&report));
        assert_eq!((&found["interrupted"], &found["pass"]), (&true.into(), &false.into()));
        assert_eq!(found["complete"], false);
        let frames = found["frames"].as_u64().unwrap();
        assert_eq!(found["per_frame"]["intersections"].as_array().unwrap().len() as u64, frames);
        assert!(
            found["failures"][0]
                .as_str()
                .unwrap()
                .starts_with(&format!("interrupted after frame {frames} of"))
        );
        // The start is a frame of the cache, too.
        let samples = cloth_io::Pc2Reader::open(Path::new(&cache)).unwrap().header().samples as u64;
        assert_eq!((temporary_files(dir.path()), samples), (0, frames + 1));
        let said = fs::read_to_string(dir.path().join("out")).unwrap();
        assert!(said.contains("c.pc2: ") && said.contains("failed: interrupted after frame"), "{said}");
        fs::remove_file(&report).unwrap();
        fs::remove_file(&cache).unwrap();
    }
}

#[test]
fn a_check_of_many_that_is_stopped_leaves_its_table() {
    let dir = tempfile::tempdir().unwrap();
    // The first is judged at once, the second takes longer than any test.
    let [quick, slow] =
        [("a.obj", sheet(5, 1.0)), ("b.obj", heap(6000))].map(|(name, mesh)| write(dir.path(), name, &mesh));
    let [csv, lines] = ["t.csv", "t.jsonl"].map(|name| text(&dir.path().join(name)));
    let arguments = ["check", &quick, &slow, "--csv", &csv, "--jsonl", &lines, "--max-pairs", "1000000000"];
    let mut child = start(dir.path(), &arguments);
    let said = || fs::read_to_string(dir.path().join("out")).unwrap_or_default();
    until(&mut child, "its first line", || said().contains("a.obj: clean"));
    signal(&child, "INT");
    assert_eq!(status(child), Some(130));
    assert!(said().contains("1 clean, 0 not clean, 0 refused, 1 not judged"), "{}", said());
    let table = fs::read_to_string(&csv).unwrap();
    assert!(table.lines().count() == 2 && table.contains("a.obj,clean"), "{table}");
    assert_eq!(fs::read_to_string(&lines).unwrap().lines().count(), 1);
    assert_eq!(temporary_files(dir.path()), 0);
}

/// Starts a simulation whose first frame takes far longer than any test, waits until it has begun, and gives
/// it.
fn start_long_frame(folder: &Path, outputs: &[&str]) -> Child {
    let garment = write(folder, "s.obj", &sheet(40, 0.5));
    let arguments = ["simulate", "--garment", &garment, "--substeps", "10000"];
    let mut child = start(folder, &[&arguments, outputs].concat());
    until(&mut child, "its report of the start", || folder.join("r.json").exists());
    child
}

#[test]
fn a_signal_in_a_long_frame_writes_the_report_so_far() {
    let dir = tempfile::tempdir().unwrap();
    let [cache, report] = ["c.pc2", "r.json"].map(|name| text(&dir.path().join(name)));
    let child = start_long_frame(dir.path(), &["--out", &cache, "--json", &report]);
    // As GNU `timeout` does: to the process, and to its group.
    signal_with_each(&child, &["INT", "TERM", "INT"]);
    assert_eq!(status(child), Some(130));
    let found = json(Path::new(&report));
    // It did not wait for the frame.
    assert_eq!(
        (&found["interrupted"], &found["complete"], &found["frames"]),
        (&true.into(), &false.into(), &0.into())
    );
    assert_eq!(found["failures"][0], "interrupted after frame 0 of 180");
    let samples = cloth_io::Pc2Reader::open(Path::new(&cache)).unwrap().header().samples;
    assert_eq!((temporary_files(dir.path()), samples), (0, 1));
    let said = fs::read_to_string(dir.path().join("out")).unwrap();
    assert!(said.contains("failed: interrupted after frame 0 of 180"), "{said}");
}

#[test]
fn an_mdd_is_whole_after_a_signal_and_nothing_after_a_kill() {
    for is_killed in [true, false] {
        let dir = tempfile::tempdir().unwrap();
        let [cache, report] = ["c.mdd", "r.json"].map(|name| text(&dir.path().join(name)));
        let mut child = start_long_frame(dir.path(), &["--out", &cache, "--json", &report]);
        if is_killed {
            child.kill().and_then(|()| child.wait()).unwrap();
            let mut names = fs::read_dir(dir.path()).unwrap().map(|entry| text(&entry.unwrap().path()));
            assert!(names.all(|name| !name.contains("c.mdd")));
            continue;
        }
        signal(&child, "TERM");
        assert_eq!(status(child), Some(143));
        let frames = cloth_io::MddReader::open(Path::new(&cache)).unwrap().times().len();
        assert_eq!((frames, temporary_files(dir.path())), (1, 0));
    }
}

#[test]
fn a_signal_while_a_scene_is_built_ends_the_run() {
    let dir = tempfile::tempdir().unwrap();
    let garment = write(dir.path(), "s.obj", &sheet(700, 5.0));
    let report = text(&dir.path().join("r.json"));
    let mut child = start(dir.path(), &["simulate", "--garment", &garment, "--json", &report]);
    until_worked(&mut child, 0.1);
    signal(&child, "TERM");
    assert_eq!(status(child), Some(143));
    // It did not wait for the scene.
    let said = fs::read_to_string(dir.path().join("err")).unwrap();
    assert!(said.contains("interrupted before the first frame"), "{said}");
    assert!(!Path::new(&report).exists() && temporary_files(dir.path()) == 0);
}

#[test]
fn a_killed_run_leaves_what_it_had_a_second_ago() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&dir.path().join(name));
    let [cache, frames, pictures, report] = ["c.pc2", "frames", "pictures", "r.json"].map(at);
    let outputs = ["--out", &cache, "--out-obj", &frames, "--pictures", &pictures, "--json", &report];
    let mut child = start_long_frame(dir.path(), &outputs);
    child.kill().and_then(|()| child.wait()).unwrap();
    let found = json(Path::new(&report));
    assert_eq!(
        (&found["complete"], &found["interrupted"], &found["pass"]),
        (&false.into(), &false.into(), &false.into())
    );
    let part = fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().path());
    let part: Vec<_> = part.filter(|path| path.extension().is_some_and(|e| e == "part")).collect();
    assert_eq!(part.len(), 1, "{part:?}");
    assert_eq!(cloth_io::Pc2Reader::open(&part[0]).unwrap().header().samples, 1);
    assert_eq!(
        cloth_io::read_mesh(&dir.path().join("frames/s_0000.obj")).unwrap().mesh.positions.len(),
        1600
    );
    assert!(fs::read(dir.path().join("pictures/frame_0000.png")).unwrap().starts_with(b"\x89PNG"));
}

#[test]
fn a_killed_run_leaves_the_last_frame_as_an_obj() {
    let dir = tempfile::tempdir().unwrap();
    let [last, report] = ["last.obj", "r.json"].map(|name| text(&dir.path().join(name)));
    let mut child = start_long_frame(dir.path(), &["--out", &last, "--json", &report]);
    until(&mut child, "the last frame", || Path::new(&last).exists());
    child.kill().and_then(|()| child.wait()).unwrap();
    assert_eq!(cloth_io::read_mesh(Path::new(&last)).unwrap().mesh.positions.len(), 1600);
}

#[test]
fn a_run_without_a_terminal_says_how_far_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let report = text(&dir.path().join("r.json"));
    let mut child = start_long_frame(dir.path(), &["--json", &report]);
    let said = || fs::read_to_string(dir.path().join("err")).unwrap();
    until(&mut child, "a line about its progress", || said().contains("simulate s: frame "));
    child.kill().and_then(|()| child.wait()).unwrap();
}

#[test]
fn a_check_reports_the_meshes_that_it_has_judged() {
    let dir = tempfile::tempdir().unwrap();
    let clean = write(dir.path(), "clean.obj", &sheet(4, 1.0));
    let long = write(dir.path(), "heap.obj", &heap(9000));
    let report = text(&dir.path().join("r.json"));
    let mut child = start(dir.path(), &["check", &clean, &long, &clean, "--json", &report]);
    until(&mut child, "the first mesh", || {
        fs::read_to_string(dir.path().join("out")).unwrap().contains("clean.obj: clean")
    });
    signal(&child, "INT");
    assert_eq!(status(child), Some(130));
    let found = json(Path::new(&report));
    assert_eq!(found["interrupted"], true);
    // The third as well, where there is a thread for it.
    let meshes = found["meshes"].as_array().unwrap();
    assert!(matches!(meshes.len(), 1 | 2) && meshes.iter().all(|mesh| mesh["intersections"] == 0), "{found}");
    assert!(found["rejected"][0]["error"].as_str().unwrap().contains("interrupted"), "{found}");
}

#[test]
fn a_check_of_a_cache_reports_the_frames_that_it_has_judged() {
    let dir = tempfile::tempdir().unwrap();
    let mesh = sheet(60, 1.0);
    let path = dir.path().join("c.pc2");
    let mut cache = cloth_io::Pc2Writer::create(&path, mesh.positions.len(), 0.0, 1.0).unwrap();
    (0..3000).for_each(|_| cache.push(&mesh.positions_f32()).unwrap());
    cache.finish().unwrap();
    let garment = write(dir.path(), "s.obj", &mesh);
    let report = text(&dir.path().join("r.json"));
    let mut child = start(dir.path(), &["check", &garment, "--cache", &text(&path), "--json", &report]);
    until_worked(&mut child, 0.7);
    signal(&child, "TERM");
    assert_eq!(status(child), Some(143));
    let found = json(Path::new(&report));
    let [judged, left] = [
        found["meshes"][0]["frames"].as_array().unwrap().len() as u64,
        found["meshes"][0]["unchecked_states"].as_u64().unwrap(),
    ];
    assert_eq!((&found["interrupted"], judged + left), (&true.into(), 3000));
    assert!(judged > 0 && left > 0, "{judged} and {left}");
}

/// Many faces through each other, whose first step takes longer than any test, and a tip that is through a
/// face by less than the rounding to `f32`, after which it is not.
#[test]
fn a_signal_in_a_long_untangling_step_writes_the_best_state() {
    let dir = tempfile::tempdir().unwrap();
    let mut mesh = cloth_geom::TriMesh::default();
    for i in 0..200 {
        let (off, tilt) = (1e-3 * f64::from(i), 0.1 * ((0.618_034 * f64::from(i)).fract() - 0.5));
        let face = [[off, tilt, 0.0], [1.0 + off, -tilt, 0.0], [0.0, 0.5 * tilt, 1.0 + off]];
        mesh.append(&cloth_geom::TriMesh::new(face.map(nalgebra::Point3::from).to_vec(), vec![[0, 1, 2]]));
    }
    let unit = f64::from(f32::EPSILON);
    let (low, high, tip) = (0.5 + 0.5 * unit, 1.5 + unit, 1.0 + 0.6 * unit);
    let corners = [[low, high, 10.0], [high, low, 10.0], [low, high, 11.0], [tip, tip, 10.3]];
    let first = mesh.positions.len() as u32;
    let far = [[1.5, 1.5, 10.3], [1.5, 1.6, 10.4]];
    mesh.positions.extend(corners.into_iter().chain(far).map(nalgebra::Point3::from));
    mesh.faces.extend([[0, 1, 2], [3, 4, 5]].map(|face| face.map(|v| v + first)));
    let input = write(dir.path(), "in.obj", &mesh);
    let [out, report] = ["out.obj", "r.json"].map(|name| dir.path().join(name));
    let mut child = start(dir.path(), &["untangle", &input, &text(&out), "--json", &text(&report)]);
    until_worked(&mut child, 3.0);
    signal(&child, "INT");
    assert_eq!(status(child), Some(130));
    let found = json(&report);
    assert_eq!((&found["interrupted"], &found["clean"]), (&true.into(), &false.into()), "{found}");
    assert_eq!(
        (&found["best_step"], &found["steps"], &found["written"]),
        (&0.into(), &0.into(), &true.into())
    );
    assert!(found["after"].as_u64() < found["before"].as_u64());
    let moved = cloth_io::read_mesh(&out).unwrap().mesh.positions;
    assert_eq!(moved[first as usize + 3].x, f64::from((1.0 + 0.6 * unit) as f32));
    assert_eq!(temporary_files(dir.path()), 0);
}
