//! What the methods get right and wrong, and which files are refused.

use std::fs;

use cloth_io::queries::{MovingPair, QueryFile, write_queries};
use nalgebra::Point3;

use super::*;

/// A vertex that falls from one height to another, over the inside of a triangle on the ground or beside it.
fn fall(from: f64, to: f64, beside: f64) -> MovingPair {
    let corners = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 0.0, 4.0]].map(Point3::from);
    let at = |height| [Point3::new(1.0 + beside, height, 1.0), corners[0], corners[1], corners[2]];
    MovingPair { t0: at(from), t1: at(to) }
}

const LABELS: [bool; 4] = [true, true, false, false];
const TIMES: &str =
    "query,collides,toi_lo,toi_hi,always_coplanar\n0,1,0.25,0.25,0\n1,1,1.0,1.0,0\n2,0,,,0\n3,0,,,0\n";

/// A folder of a scene with a file of a hit at a quarter of the step, a touch at its end, a miss that stays
/// above and one that falls past, and of their times.
struct Scene(tempfile::TempDir);

impl Scene {
    fn new(labels: Option<[bool; 4]>) -> Self {
        let scene = Self(tempfile::tempdir().unwrap());
        fs::create_dir_all(scene.at("scene/vertex-face")).unwrap();
        fs::create_dir_all(scene.at("toi")).unwrap();
        let queries =
            vec![fall(1.0, -3.0, 0.0), fall(1.0, 0.0, 0.0), fall(1.0, 0.5, 0.0), fall(1.0, -3.0, 9.0)];
        let file = QueryFile { queries, labels: labels.map(Vec::from) };
        write_queries(&scene.at("scene/vertex-face/falls.csv"), &file).unwrap();
        scene.write("toi/sq_scene_vf_exact_toi.csv", TIMES);
        scene
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, content: &str) {
        fs::create_dir_all(self.at(name).parent().unwrap()).unwrap();
        fs::write(self.at(name), content).unwrap();
    }

    /// Runs a command line, in which `@` stands for the folder.
    fn run(&self, line: &str) -> Result<(Value, bool), String> {
        let folder = format!("{}/", self.0.path().display());
        run(line.split(' ').map(|word| word.replace('@', &folder).into()), 2).map_err(|e| e.to_string())
    }

    fn refuses(&self, line: &str, words: &[&str]) {
        let error = self.run(line).expect_err(line);
        assert!(words.iter().all(|word| error.contains(word)) && !error.contains('\n'), "{line}: {error}");
    }
}

fn figures<'a>(report: &'a Value, name: &str) -> Vec<&'a Value> {
    report["files"].as_array().expect("a list").iter().map(|file| &file[name]).collect()
}

#[test]
fn every_method_is_right_about_falls_onto_a_triangle() {
    let (report, pass) = Scene::new(Some(LABELS)).run("@scene --method all --toi @toi").unwrap();
    assert!(pass, "{report:#}");
    assert_eq!(figures(&report, "method"), ["exact", "filtered", "inclusion", "additive"]);
    for (name, count) in
        [("queries", 4), ("positives", 2), ("false_negatives", 0), ("late_toi", 0), ("toi_checked", 2)]
    {
        assert!(figures(&report, name).iter().all(|n| **n == count), "{name}: {report:#}");
    }
    assert_eq!(figures(&report, "outside_enclosure")[..2], [0, 0]);
    let [first, second] = [0, 1].map(|i| &report["files"][i]);
    assert_eq!((&first["kind"], &first["labels"]), (&"vertex-face".into(), &"column 7".into()));
    assert!(first["ns"]["mean"].as_f64() > Some(0.0) && first["ns"]["p50"].as_u64() > Some(0));
    assert_eq!(first["slowest"][0]["ns"], first["ns"]["max"]);
    assert_eq!((first["slowest"].as_array().map(Vec::len), &first["stages"]), (Some(4), &json!({})));
    let stages = second["stages"].as_object().unwrap();
    let counted: u64 = stages.values().map(|n| n.as_u64().unwrap()).sum();
    assert_eq!((stages.len(), counted), (Stage::ALL.len(), 4));
    assert_eq!(report["methods"][1]["queries"], 4);
}

#[test]
fn a_wrong_label_fails_and_its_query_is_named() {
    for (labels, name, query) in [
        ([true, true, false, true], "false_negatives", 3),
        ([false, true, false, false], "false_positives", 0),
    ] {
        let (report, pass) = Scene::new(Some(labels)).run("@scene --method exact").unwrap();
        assert_eq!((pass, &report["files"][0][name]), (false, &1.into()));
        let fault = json!({"query": query, "fault": name.trim_end_matches('s')});
        assert_eq!(report["files"][0]["faults"][0], fault);
    }
}

#[test]
fn a_time_outside_its_bounds_fails_who_claims_exact_times() {
    let scene = Scene::new(Some(LABELS));
    for (first, late) in [("0.125,0.1875", 1), ("0.26,0.27", 0)] {
        scene.write("toi/sq_scene_vf_exact_toi.csv", &TIMES.replacen("0.25,0.25", first, 1));
        for method in ["exact", "filtered"] {
            let (report, pass) = scene.run(&format!("@scene --method {method} --toi @toi")).unwrap();
            let one = &report["files"][0];
            assert!(!pass);
            assert_eq!((&one["late_toi"], &one["outside_enclosure"]), (&late.into(), &1.into()), "{one}");
            assert_eq!(one["faults"][0]["query"], 0);
        }
    }
}

#[test]
fn times_are_judged_by_the_exact_method_where_no_file_gives_them() {
    let scene = Scene::new(Some(LABELS));
    let (report, _) = scene.run("@scene --method all").unwrap();
    let [first, second] = [0, 1].map(|i| &report["files"][i]);
    assert_eq!((&first["late_toi"], &first["times"]), (&Value::Null, &Value::Null));
    assert_eq!((&second["late_toi"], &second["toi_checked"]), (&0.into(), &2.into()));
    assert_eq!(second["outside_enclosure"], Value::Null, "the filter was not asked for exact times");
    let (report, _) = scene.run("@scene").unwrap();
    let first = &report["files"][0];
    assert_eq!((&first["method"], &first["late_toi"]), (&"filtered".into(), &Value::Null));
}

#[test]
fn a_gap_must_reach_the_exact_time_and_nan_is_late() {
    let judged = |time, gap| faults(Some(Toi { time, gap }), true, Some([0.25, 0.5]), false);
    assert_eq!((judged(0.125, 0.125), judged(0.125, 0.0625)), (vec![], vec!["short_gap"]));
    assert!(judged(f64::NAN, 0.0).contains(&"late_toi"));
    assert_eq!(
        faults(Some(Toi::exact(0.2)), true, Some([0.25, 0.5]), true).last(),
        Some(&"outside_enclosure")
    );
}

#[test]
fn percentiles_are_the_least_that_enough_queries_do_not_exceed() {
    let times: Vec<u64> = (1..=200).rev().collect();
    assert_eq!(nanoseconds(&times), json!({"mean": 100.5, "p50": 100, "p99": 198, "max": 200}));
    assert_eq!(nanoseconds(&[]), json!({"mean": 0.0, "p50": 0, "p99": 0, "max": 0}));
    assert_eq!(slowest(&[1, 9, 12])[0], json!({"query": 2, "ns": 12}));
}

#[test]
fn labels_come_from_a_column_or_a_file_beside() {
    let scene = Scene::new(None);
    scene.refuses("@scene", &["falls.csv", "has no labels", "falls_mma_bool.json"]);
    scene.write("scene/mma_bool/falls_mma_bool.json", "[true, true, false, false]");
    let (report, pass) = scene.run("@scene --toi @toi").unwrap();
    assert!(pass && report["files"][0]["labels"].as_str().unwrap().ends_with("falls_mma_bool.json"));
    scene.write("scene/mma_bool/falls_mma_bool.json", "[true, true, true, false]");
    scene.refuses("@scene --toi @toi", &["exact_toi.csv", "query 2", "falls.csv"]);
    scene.write("scene/mma_bool/falls_mma_bool.json", "[true]");
    scene.refuses("@scene", &["falls_mma_bool.json", "1 labels for 4"]);
}

#[test]
fn bad_files_and_arguments_are_refused_in_one_line() {
    let scene = Scene::new(Some(LABELS));
    let good = fs::read_to_string(scene.at("scene/vertex-face/falls.csv")).unwrap();
    for (from, to, words) in [
        ("1,1,1,1", "1,3,1,1", ["xvf.csv:1: columns 1 and 2", "no f64"]),
        (",1\n", ",0\n", ["xvf.csv:2: column 7", "rows 1 to 8"]),
    ] {
        scene.write("xvf.csv", &good.replacen(from, to, 1));
        scene.refuses("@xvf.csv", &words);
    }
    scene.write("x.csv", &good);
    scene.refuses("@x.csv", &["x.csv", "says its kind"]);
    scene.refuses("@toi", &["toi", "holds no query files"]);
    scene.refuses("@none/avf.csv", &["avf.csv", "cannot read"]);
    scene.refuses("@scene --method fast", &["`fast`", "exact|filtered"]);
    scene.refuses("@scene --fast", &["--fast", "usage"]);
    scene.refuses("@scene --toi", &["usage"]);
    scene.write("toi/sq_scene_vf_exact_toi.csv", &TIMES.replace("\n3,0,,,0", ""));
    scene.refuses("@scene --toi @toi", &["describes 3 queries", "have 4"]);
}
