//! `cloth pairs` from outside: all methods agree, and what must be found is found.

use std::path::Path;

use cloth_geom::TriMesh;
use nalgebra::Vector3;
use serde_json::Value;

use crate::support::{assert_refused, cloth, json, sheet, text, write};
use cloth_testing::corpus;

/// A sheet that falls through another, at both ends of the step.
fn falling() -> [TriMesh; 2] {
    [0.3, -0.3].map(|height| {
        let mut both = sheet(12, 1.0);
        both.append(&sheet(9, 0.7).translated(Vector3::new(0.0, height, 0.0)));
        both
    })
}

/// Runs methods over a motion; gives the status and the JSON.
fn all_methods(folder: &Path, start: &str, end: &str, expect: &[String]) -> (i32, Value) {
    run("all", folder, [start, end], expect)
}

fn run(method: &str, folder: &Path, [start, end]: [&str; 2], expect: &[String]) -> (i32, Value) {
    let out = folder.join("pairs.json");
    let mut arguments = vec!["pairs", "--start", start, "--end", end, "--method", method, "--repeat", "1"];
    arguments.extend(expect.iter().flat_map(|path| ["--expect", path]));
    let out_text = text(&out);
    arguments.extend(["--json", &out_text]);
    let ran = cloth(arguments);
    assert!(ran.err.is_empty() || ran.err.lines().all(|line| line.starts_with("pairs: ")), "{ran:?}");
    (ran.status, json(&out))
}

fn figures<'a>(report: &'a Value, name: &str) -> Vec<&'a Value> {
    report["methods"].as_array().expect("a list").iter().map(|method| &method[name]).collect()
}

#[test]
fn all_methods_find_the_same_pairs_of_a_falling_sheet() {
    let folder = tempfile::tempdir().unwrap();
    let [start, end] = falling();
    let paths = [write(folder.path(), "a.obj", &start), write(folder.path(), "b.obj", &end)];
    let (status, report) = all_methods(folder.path(), &paths[0], &paths[1], &[]);
    assert_eq!(status, 0);
    assert_eq!(report["schema_version"], 3);
    assert_eq!(figures(&report, "method").len(), 7, "brute force is one of them");
    for kind in ["vertex_face", "edge_edge"] {
        let counts = figures(&report, kind);
        assert!(counts[0].as_u64().is_some_and(|n| n > 100) && counts.iter().all(|n| *n == counts[0]));
    }
    assert!(figures(&report, "missing").iter().all(|n| n.is_null()));
}

#[test]
fn says_what_is_missing_and_exits_with_one() {
    let folder = tempfile::tempdir().unwrap();
    let [start, end] = falling();
    let paths = [write(folder.path(), "a.obj", &start), write(folder.path(), "b.obj", &end)];
    // The first and the last vertex belong to different sheets; the last face is far from the first vertex.
    let edges = start.positions.len();
    let far = format!("[[0, {}]]", edges + cloth_geom::Topology::of_mesh(&start).unwrap().edges().len() + 2);
    let list = folder.path().join("far.json");
    std::fs::write(&list, far).unwrap();
    let (status, report) = all_methods(folder.path(), &paths[0], &paths[1], &[text(&list)]);
    assert_eq!((status, &report["pass"]), (1, &Value::Bool(false)));
    assert!(figures(&report, "missing").iter().all(|n| **n == 1), "{report}");
}

#[test]
fn refuses_frames_of_two_meshes_and_lists_that_fit_none() {
    let folder = tempfile::tempdir().unwrap();
    let (a, b) =
        (write(folder.path(), "a.obj", &sheet(4, 1.0)), write(folder.path(), "b.obj", &sheet(5, 1.0)));
    assert_refused(&cloth(["pairs", "--start", &a, "--end", &b]), &["b.obj", "25 vertices", "16"]);
    assert_refused(&cloth(["pairs", "--start", &a, "--end", &a, "--method", "octree"]), &["octree", "all"]);
    let list = folder.path().join("x.json");
    for (content, word) in [("[[0, 1]]", "pair 0"), ("{}", "array"), ("[[0, 99999]]", "[0, 99999]")] {
        std::fs::write(&list, content).unwrap();
        let ran = cloth(["pairs", "--start", &a, "--end", &a, "--expect", &text(&list)]);
        assert_refused(&ran, &["x.json", word]);
    }
}

#[test]
fn finds_the_published_pairs_of_two_real_motions() {
    // The ball with the fastest alone: the slowest methods take seconds.
    for (method, scene, frames, lists, counts) in [
        ("all", "cloth-funnel", ["227.ply", "228.ply"], ["227vf.json", "227ee.json"], [7_319, 33_770]),
        (
            "block-tree",
            "cloth-ball",
            ["cloth_ball92.ply", "cloth_ball93.ply"],
            ["92vf.json", "92ee.json"],
            [1_655_541, 5_197_332],
        ),
    ] {
        let Some(root) = corpus(&format!("ccd/scalable/{scene}")) else { return };
        let [start, end] = frames.map(|name| text(&root.join("frames").join(name)));
        let lists = lists.map(|name| text(&root.join("boxes").join(name)));
        let folder = tempfile::tempdir().unwrap();
        let (status, report) = run(method, folder.path(), [&start, &end], &lists);
        assert_eq!(status, 0, "{report}");
        assert!(figures(&report, "vertex_face").iter().all(|n| **n == counts[0]), "{report}");
        assert!(figures(&report, "edge_edge").iter().all(|n| **n == counts[1]), "{report}");
        assert!(figures(&report, "missing").iter().all(|n| **n == 0), "{report}");
    }
}
