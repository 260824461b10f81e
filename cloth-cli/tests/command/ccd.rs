//! `cloth ccd` from outside: what the methods get right and wrong, and which files are refused.

use std::fs;
use std::path::Path;

use cloth_geom::TriMesh;
use cloth_io::queries::{MovingPair, QueryFile, write_queries};
use nalgebra::{Point3, Vector3};
use serde_json::Value;

use crate::support::{Ran, assert_refused, cloth, json, text, write};
use cloth_testing::corpus;

/// A vertex that falls from one height to another, over the inside of a triangle on the ground or beside it.
fn fall(from: f64, to: f64, beside: f64) -> MovingPair {
    let corners = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 0.0, 4.0]].map(Point3::from);
    let at = |height| [Point3::new(1.0 + beside, height, 1.0), corners[0], corners[1], corners[2]];
    MovingPair { t0: at(from), t1: at(to) }
}

/// A hit at a quarter of the step, a touch at its end, a miss that stays above and one that falls past.
fn falls() -> Vec<MovingPair> {
    vec![fall(1.0, -3.0, 0.0), fall(1.0, 0.0, 0.0), fall(1.0, 0.5, 0.0), fall(1.0, -3.0, 9.0)]
}

const LABELS: [bool; 4] = [true, true, false, false];
const TIMES: &str =
    "query,collides,toi_lo,toi_hi,always_coplanar\n0,1,0.25,0.25,0\n1,1,1.0,1.0,0\n2,0,,,0\n3,0,,,0\n";

/// Writes the falls with these labels, and gives the path.
fn write_falls(folder: &Path, name: &str, labels: Option<[bool; 4]>) -> String {
    let path = folder.join(name);
    write_queries(&path, &QueryFile { queries: falls(), labels: labels.map(Vec::from) }).unwrap();
    text(&path)
}

fn write_text(folder: &Path, name: &str, content: impl AsRef<[u8]>) -> String {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, content).unwrap();
    text(&path)
}

/// Runs the command on these arguments; gives what it said, and the JSON.
fn run(folder: &Path, arguments: &[&str]) -> (Ran, Value) {
    let out = text(&folder.join("ccd.json"));
    let ran = cloth([&["ccd"], arguments, &["--json", &out]].concat());
    assert!(ran.err.lines().all(|line| line.starts_with("ccd: ")), "{ran:?}");
    (ran, json(Path::new(&out)))
}

fn figures<'a>(report: &'a Value, name: &str) -> Vec<&'a Value> {
    report["files"].as_array().expect("a list").iter().map(|file| &file[name]).collect()
}

#[test]
fn every_method_is_right_about_falls_onto_a_triangle() {
    let folder = tempfile::tempdir().unwrap();
    let file = write_falls(folder.path(), "fallsvf.csv", Some(LABELS));
    let times = write_text(folder.path(), "times.csv", TIMES);
    let (ran, report) = run(folder.path(), &[&file, "--method", "all", "--toi", &times, "--repeat", "2"]);
    assert_eq!(
        (ran.status, &report["schema_version"], &report["pass"]),
        (0, &3.into(), &true.into()),
        "{ran:?}"
    );
    let methods = figures(&report, "method");
    assert_eq!(methods[..2], ["exact", "filtered"]);
    for (name, count) in
        [("queries", 4), ("positives", 2), ("false_negatives", 0), ("late_toi", 0), ("toi_checked", 2)]
    {
        assert!(figures(&report, name).iter().all(|n| **n == count), "{name}: {report}");
    }
    assert_eq!(figures(&report, "outside_enclosure")[..2], [0, 0]);
    let first = &report["files"][0];
    assert_eq!((&first["kind"], &first["labels"]), (&"vertex-face".into(), &"column 7".into()));
    assert!(
        first["ns"]["mean"].as_f64().unwrap() > 0.0
            && first["ns"]["p50"].as_u64() <= first["ns"]["max"].as_u64()
    );
    assert_eq!(first["slowest"][0]["ns"], first["ns"]["max"]);
    assert_eq!(
        (first["stages"].as_object().unwrap().len(), first["slowest"].as_array().unwrap().len()),
        (0, 4)
    );
    let stages = report["files"][1]["stages"].as_object().unwrap();
    assert_eq!(stages.values().map(|n| n.as_u64().unwrap()).sum::<u64>(), 4);
    assert_eq!(report["methods"].as_array().unwrap().len(), methods.len());
    assert!(
        ran.out.lines().next().unwrap().starts_with("method") && ran.out.contains("fallsvf.csv"),
        "{}",
        ran.out
    );
}

#[test]
fn a_wrong_label_exits_with_1_and_the_query_is_named() {
    let folder = tempfile::tempdir().unwrap();
    for (labels, name, words) in [
        ([true, true, false, true], "false_negatives", "query 3: exact misses a collision"),
        ([false, true, false, false], "false_positives", "query 0: exact finds a collision that is none"),
    ] {
        let file = write_falls(folder.path(), "fallsvf.csv", Some(labels));
        let (ran, report) = run(folder.path(), &[&file, "--method", "exact"]);
        assert_eq!((ran.status, &report["pass"]), (1, &false.into()));
        assert_eq!(report["files"][0][name], 1);
        assert!(ran.out.contains(words), "{}", ran.out);
    }
}

#[test]
fn a_time_outside_its_bounds_exits_with_1() {
    let folder = tempfile::tempdir().unwrap();
    let file = write_falls(folder.path(), "fallsvf.csv", Some(LABELS));
    for (first, late) in [("0.125,0.1875", 1), ("0.26,0.27", 0)] {
        let times = write_text(folder.path(), "times.csv", TIMES.replacen("0.25,0.25", first, 1));
        for method in ["exact", "filtered"] {
            let (ran, report) = run(folder.path(), &[&file, "--method", method, "--toi", &times]);
            let one = &report["files"][0];
            assert_eq!(ran.status, 1, "{ran:?}");
            assert_eq!((&one["late_toi"], &one["outside_enclosure"]), (&late.into(), &1.into()), "{one}");
            assert_eq!(one["faults"][0]["query"], 0);
        }
    }
}

#[test]
fn times_are_judged_by_the_exact_method_where_no_file_gives_them() {
    let folder = tempfile::tempdir().unwrap();
    let file = write_falls(folder.path(), "fallsvf.csv", Some(LABELS));
    let (_, report) = run(folder.path(), &[&file, "--method", "all"]);
    assert_eq!((&report["files"][0]["late_toi"], &report["files"][0]["times"]), (&Value::Null, &Value::Null));
    assert_eq!((&report["files"][1]["late_toi"], &report["files"][1]["toi_checked"]), (&0.into(), &2.into()));
    assert_eq!(
        report["files"][1]["outside_enclosure"],
        Value::Null,
        "the filter was not asked for exact times"
    );
    let (_, report) = run(folder.path(), &[&file]);
    assert_eq!(
        (&report["files"][0]["method"], &report["files"][0]["late_toi"]),
        (&"filtered".into(), &Value::Null)
    );
}

#[test]
fn labels_come_from_column_named_file_sibling_file_or_times() {
    let folder = tempfile::tempdir().unwrap();
    let scene = folder.path().join("scene/queries");
    fs::create_dir_all(&scene).unwrap();
    let file = write_falls(&scene, "7vf.csv", None);
    assert_refused(&cloth(["ccd", &file]), &["7vf.csv", "has no labels", "--labels"]);
    let times = write_text(folder.path(), "times.csv", TIMES);
    let (ran, report) = run(folder.path(), &[&file, "--toi", &times]);
    assert_eq!((ran.status, &report["files"][0]["labels"]), (0, &times.clone().into()));
    let words = "[true, true, false, false]";
    let beside = write_text(folder.path(), "scene/mma_bool/7vf_mma_bool.json", words);
    let (ran, report) = run(folder.path(), &[&file]);
    assert_eq!((ran.status, &report["files"][0]["labels"]), (0, &beside.into()));
    let named = write_text(folder.path(), "labels.json", "[true, true, true, false]");
    let (ran, report) = run(folder.path(), &[&file, "--labels", &named]);
    assert_eq!((ran.status, &report["files"][0]["labels"]), (1, &named.clone().into()));
    assert_refused(
        &cloth(["ccd", &file, "--labels", &named, "--toi", &times]),
        &["times.csv", "query 2", "7vf.csv"],
    );
    assert_refused(
        &cloth(["ccd", &file, "--labels", &named, "--labels", &named]),
        &["--labels", "2 times for 1"],
    );
    for (words, count) in
        [("[true]", "1 labels for 4"), ("[true, true, false, false, true]", "5 labels for 4")]
    {
        let other = write_text(folder.path(), "other.json", words);
        assert_refused(&cloth(["ccd", &file, "--labels", &other]), &["other.json", count]);
    }
}

#[test]
fn times_count_over_all_files_in_the_order_given() {
    let folder = tempfile::tempdir().unwrap();
    let queries = falls();
    let halves = [(0..1, "avf.csv"), (1..4, "bvf.csv")].map(|(part, name)| {
        let labels = Some(LABELS[part.clone()].to_vec());
        let path = folder.path().join(name);
        write_queries(&path, &QueryFile { queries: queries[part].to_vec(), labels }).unwrap();
        text(&path)
    });
    let times = write_text(folder.path(), "times.csv", TIMES);
    let (ran, report) = run(folder.path(), &[&halves[0], &halves[1], "--toi", &times]);
    assert_eq!((ran.status, figures(&report, "toi_checked")), (0, vec![&1.into(), &1.into()]));
    let ran = cloth(["ccd", &halves[1], &halves[0], "--toi", &times]);
    assert_refused(&ran, &["times.csv", "bvf.csv", "query 1", "contradicts the verdict"]);
    assert_refused(&cloth(["ccd", &halves[0], "--toi", &times]), &["times.csv", "4 queries", "have 1"]);
}

#[test]
fn the_kind_comes_from_the_path_or_from_the_command_line() {
    let folder = tempfile::tempdir().unwrap();
    let file = write_falls(folder.path(), "falls.csv", Some(LABELS));
    assert_refused(&cloth(["ccd", &file]), &["falls.csv", "--kind"]);
    let (ran, report) = run(folder.path(), &[&file, "--kind", "vertex-face"]);
    assert_eq!((ran.status, &report["files"][0]["kind"]), (0, &"vertex-face".into()));
    // As edges, from the vertex to the first corner and along the third side, they meet elsewhere or not at
    // all.
    let (_, report) = run(folder.path(), &[&file, "--kind", "edge-edge", "--method", "exact"]);
    assert_eq!(report["files"][0]["kind"], "edge-edge");
    fs::create_dir(folder.path().join("vertex-face")).unwrap();
    let below = write_falls(&folder.path().join("vertex-face"), "falls.csv", Some(LABELS));
    assert_eq!(run(folder.path(), &[&below]).0.status, 0);
    // The folder is searched: it holds one file whose path says its kind, and the kind is said for no other.
    let (ran, report) = run(folder.path(), &[&text(folder.path())]);
    assert_eq!((ran.status, figures(&report, "path")), (0, vec![&below.into()]));
    assert_refused(&cloth(["ccd", &text(tempfile::tempdir().unwrap().path())]), &["holds no query files"]);
}

#[test]
fn refuses_hostile_files_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let good = fs::read_to_string(write_falls(folder.path(), "goodvf.csv", Some(LABELS))).unwrap();
    let changed = |from: &str, to: &str| good.replacen(from, to, 1);
    for (content, words) in [
        (String::new(), ["holds no row", "8 rows"]),
        (good.lines().take(9).collect::<Vec<_>>().join("\n"), ["9 rows", "truncated"]),
        (changed("1,1,1,1", "1,3,1,1"), ["xvf.csv:1: columns 1 and 2", "no f64"]),
        (changed("1,1,1,1", "1,0,1,1"), ["xvf.csv:1: columns 1 and 2", "denominator is 0"]),
        (changed("1,1,1,1", "nan,1,1,1"), ["xvf.csv:1: columns 1 and 2", "not an integer"]),
        (changed("1,1,1,1", "1,1\0,1,1"), ["xvf.csv:1: columns 1 and 2", "not an integer"]),
        (changed(",1\n", ",2\n"), ["xvf.csv:1: column 7", "neither 0 nor 1"]),
        (changed(",1\n", ",0\n"), ["xvf.csv:2: column 7", "rows 1 to 8"]),
        (changed(",1\n", "\n"), ["xvf.csv", "columns"]),
        (
            changed("1,1,1,1", &format!("{},1,1,1", "7".repeat(50_000))),
            ["xvf.csv:1: columns 1 and 2", "no f64"],
        ),
    ] {
        let file = write_text(folder.path(), "xvf.csv", &content);
        assert_refused(&cloth(["ccd", &file]), &words);
    }
    let file = write_text(folder.path(), "xvf.csv", good.replace('\n', "\r\n"));
    assert_eq!(run(folder.path(), &[&file]).0.status, 0, "line ends of the other kind");
    let file = text(&folder.path().join("goodvf.csv"));
    for (content, word) in [("", "header"), ("[true]", "header"), (&TIMES.replace("0.25", "nan"), "bounds")] {
        let times = write_text(folder.path(), "t.csv", content);
        assert_refused(&cloth(["ccd", &file, "--toi", &times]), &["t.csv", word]);
    }
    assert_refused(&cloth(["ccd", &file, "--method", "fast"]), &["`fast`", "exact, filtered", "all"]);
    assert_refused(&cloth(["ccd", "no/fallsvf.csv"]), &["no/fallsvf.csv", "cannot read"]);
}

/// A triangle on the ground and one that falls through it, its tip first.
fn frames() -> [TriMesh; 2] {
    let at = [[0., 0., 0.], [4., 0., 0.], [0., 0., 4.], [1., 1., 1.], [1., 3., 1.], [1.5, 3., 1.5]];
    let start = TriMesh::new(at.map(Point3::from).to_vec(), vec![[0, 1, 2], [3, 4, 5]]);
    let mut end = start.clone();
    end.positions[3..].iter_mut().for_each(|p| *p += Vector3::new(0.0, -2.0, 0.0));
    [start, end]
}

/// Writes the frames, and gives the arguments that name them.
fn write_frames(folder: &Path) -> [String; 3] {
    let [start, end] = frames();
    ["--frames".to_owned(), write(folder, "a.obj", &start), write(folder, "b.obj", &end)]
}

#[test]
fn queries_are_rebuilt_from_frames_and_pairs_in_either_order() {
    let folder = tempfile::tempdir().unwrap();
    let [flag, start, end] = write_frames(folder.path());
    let frames = [flag.as_str(), &start, &end];
    // 6 vertices, 6 edges, 2 faces: the tip and the lower face, the same in the other order, and an edge far
    // from another.
    let pairs = write_text(folder.path(), "scene/boxes/1.json", "[[3, 12], [12, 3], [6, 11]]");
    assert_refused(&cloth([&["ccd"], &frames[..]].concat()), &["--boxes", "--candidates"]);
    let boxes = [&frames[..], &["--boxes", &pairs]].concat();
    assert_refused(&cloth([&["ccd"], &boxes[..]].concat()), &["1.json", "no labels"]);
    let labels = write_text(folder.path(), "scene/mma_bool/1_mma_bool.json", "[true, true, false]");
    let (ran, report) = run(folder.path(), &[&boxes[..], &["--method", "all"]].concat());
    assert_eq!(ran.status, 0, "{ran:?}");
    let one = &report["files"][0];
    assert_eq!(
        (&one["kind"], &one["labels"], &one["positives"]),
        (&"mixed".into(), &labels.into(), &2.into())
    );
    let wrong = write_text(folder.path(), "l.json", "[true, false, false]");
    assert_eq!(run(folder.path(), &[&boxes[..], &["--labels", &wrong]].concat()).0.status, 1);
    for (content, word) in [("[[0, 1]]", "pair 0"), ("[[3, 14]]", "[3, 14]"), ("{}", "array")] {
        let bad = write_text(folder.path(), "bad.json", content);
        let arguments = [&["ccd"], &frames[..], &["--boxes", &bad]].concat();
        assert_refused(&cloth(arguments), &["bad.json", word]);
    }
}

#[test]
fn all_candidates_of_a_motion_go_into_the_methods() {
    let folder = tempfile::tempdir().unwrap();
    let [flag, start, end] = write_frames(folder.path());
    let frames = [flag.as_str(), &start, &end, "--candidates", "--method", "all"];
    let (ran, report) = run(folder.path(), &frames);
    assert_eq!((ran.status, &report["vertices"], &report["faces"]), (0, &6.into(), &2.into()), "{ran:?}");
    for method in report["methods"].as_array().unwrap() {
        // The tip alone reaches the lower face; of the edges of the upper face none reaches one of the lower.
        assert_eq!(method["hits"], serde_json::json!({ "vertex_face": 1, "edge_edge": 0 }), "{method}");
        let seconds = &method["seconds"];
        let sum = seconds["broad_phase"].as_f64().unwrap() + seconds["ccd"].as_f64().unwrap();
        assert!((sum - seconds["total"].as_f64().unwrap()).abs() < 1e-9 && sum > 0.0);
    }
    let stages = report["methods"][1]["stages"].as_object().unwrap();
    let counted: u64 = stages.values().map(|n| n.as_u64().unwrap()).sum();
    assert_eq!(counted, report["vertex_face"].as_u64().unwrap() + report["edge_edge"].as_u64().unwrap());
    let pairs = write_text(folder.path(), "b.json", "[[3, 12], [0, 13]]");
    for (labels, status) in [("[true, false]", 0), ("[true, true]", 1), ("[false, false]", 1)] {
        let labels = write_text(folder.path(), "l.json", labels);
        let known = ["--boxes", &pairs, "--labels", &labels, "--threads", "2"];
        let (ran, report) = run(folder.path(), &[&frames[..], &known].concat());
        assert_eq!((ran.status, &report["threads"]), (status, &2.into()), "{ran:?}");
        assert_eq!(report["methods"][0]["known"], 2);
    }
}

#[test]
fn judges_the_public_queries_with_their_exact_times() {
    let Some(root) = corpus("ccd") else { return };
    let folder = tempfile::tempdir().unwrap();
    let [root, times] = [text(&root), text(&root.join("exact-toi"))];
    let (ran, report) = run(folder.path(), &[&root, "--method", "all", "--toi", &times, "--repeat", "1"]);
    assert_eq!(ran.status, 0, "{}", ran.out);
    for (i, total) in report["methods"].as_array().unwrap().iter().enumerate() {
        assert_eq!(
            (&total["files"], &total["queries"], &total["positives"]),
            (&26.into(), &3179.into(), &448.into())
        );
        assert_eq!((&total["false_negatives"], &total["late_toi"]), (&0.into(), &0.into()), "{total}");
        assert_eq!(total["toi_checked"], 448);
        if i < 2 {
            assert_eq!(
                (&total["false_positives"], &total["outside_enclosure"]),
                (&0.into(), &0.into()),
                "{total}"
            );
        }
    }
}

#[test]
fn judges_a_published_motion_by_its_queries_and_by_its_frames() {
    let Some(root) = corpus("ccd/scalable/cloth-funnel") else { return };
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| text(&root.join(name));
    let frames = ["--frames", &place("frames/227.ply"), &place("frames/228.ply")].map(str::to_owned);
    let frames = frames.each_ref().map(String::as_str);
    for (letters, queries) in [("vf", 92), ("ee", 263)] {
        let [boxes, file] =
            [place(&format!("boxes/227{letters}.json")), place(&format!("queries/227{letters}.csv"))];
        let times = text(&root.join(format!("../../exact-toi/sc_cloth-funnel_{letters}_exact_toi.csv")));
        let ask = |subject: &[&str]| {
            let (ran, report) = run(
                folder.path(),
                &[subject, &["--toi", &times, "--method", "exact", "--repeat", "1"]].concat(),
            );
            assert_eq!((ran.status, &report["files"][0]["queries"]), (0, &queries.into()), "{ran:?}");
            assert_eq!(report["files"][0]["outside_enclosure"], 0);
        };
        ask(&[&file]);
        ask(&[&frames[..], &["--boxes", &boxes]].concat());
    }
}
