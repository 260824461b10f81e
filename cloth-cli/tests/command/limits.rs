//! Files that ask for too much, or for nothing, are refused by the name of what is wrong, before work that
//! takes minutes or hours.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::{assert_refused, cloth, cloth_watched, json, sheet, text, write};

#[test]
fn a_scene_without_a_garment_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("s.toml");
    write(dir.path(), "empty.obj", &cloth_geom::TriMesh::default());
    for (scene, words) in [
        ("", "garment"),
        ("garment = []", "has no [[garment]]"),
        ("[settings]\nduration = 1.0\n", "garment"),
        ("[[garment]]\nmesh = \"empty.obj\"\n", "empty.obj"),
    ] {
        fs::write(&file, scene).unwrap();
        assert_refused(&cloth(["simulate", &text(&file)]), &[words]);
    }
}

/// A round polygon of many corners, its radius a little different from corner to corner.
fn polygon(corners: usize, depth: f64) -> String {
    let mut obj = String::new();
    for i in 0..corners {
        let (angle, radius) =
            (i as f64 / corners as f64 * std::f64::consts::TAU, 1.0 + depth * (i % 2) as f64);
        writeln!(obj, "v {} 0 {}", radius * angle.cos(), radius * angle.sin()).unwrap();
    }
    let numbers: Vec<String> = (1..=corners).map(|i| i.to_string()).collect();
    obj + "f " + &numbers.join(" ") + "\n"
}

#[test]
fn a_polygon_of_two_hundred_thousand_corners_is_judged() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("polygon.obj");
    for depth in [0.0, 1e-6] {
        fs::write(&file, polygon(200_000, depth)).unwrap();
        let ran = cloth_watched(dir.path(), &["check", &text(&file)]);
        assert_eq!(ran.status, 0, "{ran:?}");
        assert!(ran.out.contains("199,998"), "{}", ran.out);
    }
}

#[test]
fn the_check_of_twenty_thousand_overlapping_faces_stops_early() {
    let dir = tempfile::tempdir().unwrap();
    let mut mesh = cloth_geom::TriMesh::default();
    for i in 0..20_000 {
        let tilt = 1e-6 * f64::from(i * 7_919 % 20_011);
        let corners = [[0.0, tilt, 0.0], [1.0, -tilt, 0.0], [0.0, 0.5 * tilt, 1.0]];
        mesh.faces.push([3 * i as u32, 3 * i as u32 + 1, 3 * i as u32 + 2]);
        mesh.positions.extend(corners.map(nalgebra::Point3::from));
    }
    let heap = write(dir.path(), "heap.obj", &mesh);
    let clean = write(dir.path(), "clean.obj", &sheet(4, 1.0));
    let report = text(&dir.path().join("r.json"));
    let run = |arguments: &[&str]| {
        let ran = cloth_watched(dir.path(), arguments);
        assert!(ran.out.contains("clean.obj: "), "the others are judged: {}", ran.out);
        ran
    };
    let ran = run(&["check", &heap, &clean, "--json", &report]);
    assert_eq!(ran.status, 1, "{ran:?}");
    assert!(ran.out.contains("heap.obj: at least 1"), "{}", ran.out);
    let found = &json(Path::new(&report))["meshes"];
    assert!(found[0]["intersections"].as_u64().unwrap() >= 10_000_000, "{}", found[0]);
    assert!(found[0]["stopped_after_pairs"].as_u64().unwrap() < 100_000_000);
    assert_eq!(found[1]["stopped_after_pairs"], Value::Null);
}

#[test]
fn a_check_that_stops_without_an_intersection_has_no_verdict() {
    let dir = tempfile::tempdir().unwrap();
    // Layers that do not meet, tilted so that all their boxes overlap.
    let mut layers = cloth_geom::TriMesh::default();
    for i in 0..600 {
        let lift = 1e-6 * f64::from(i);
        let corners = [[0.0, lift, 0.0], [1.0, lift + 1.0, 0.0], [0.0, lift, 1.0]];
        layers.faces.push([3 * i as u32, 3 * i as u32 + 1, 3 * i as u32 + 2]);
        layers.positions.extend(corners.map(nalgebra::Point3::from));
    }
    let layers = write(dir.path(), "layers.obj", &layers);
    assert_eq!(cloth(["check", &layers]).status, 0);
    let ran = cloth(["check", &layers, "--max-pairs", "100000"]);
    assert_refused(&ran, &["layers.obj", "none so far intersects", "raise --max-pairs"]);
}
