//! `cloth simulate` with rigid bodies: a body with a `mass` is moved by gravity and cloth, and its motion is
//! in the report.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::{Ran, assert_refused, cloth, json, sheet, text, write};

/// The example of a ball and a sheet that catches it.
const CAUGHT_BALL: &str = include_str!("../../examples/caught_ball.toml");

/// A sheet of 36 vertices far from everything.
const SHEET: &str =
    "[settings]\nduration = 0.5\n[[garment]]\nmesh = \"sheet.obj\"\ntranslate = [9, 9, 9]\npins = [0]\n";

/// Runs a scene of a small sheet, and gives the run and its report.
fn run(folder: &Path, scene: &str) -> (Ran, Value) {
    write(folder, "sheet.obj", &sheet(6, 0.5));
    let (path, report) = (folder.join("scene.toml"), folder.join("r.json"));
    fs::write(&path, scene).unwrap();
    let ran = cloth(["simulate", &text(&path), "--json", &text(&report)]);
    let report = if ran.status == 2 { Value::Null } else { json(&report) };
    (ran, report)
}

/// The vectors of a body, frame by frame.
fn vectors(body: &Value, key: &str) -> Vec<Vec<f64>> {
    serde_json::from_value(body[key].clone()).unwrap()
}

fn norm(vector: &[f64]) -> f64 {
    vector.iter().map(|c| c * c).sum::<f64>().sqrt()
}

#[test]
fn a_ball_from_a_scene_file_rests_in_a_pinned_sheet() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&dir.path().join(name));
    write(dir.path(), "sheet.obj", &sheet(33, 1.0));
    write(dir.path(), "sheet_rest.obj", &sheet(33, 1.2));
    fs::write(dir.path().join("caught_ball.toml"), CAUGHT_BALL).unwrap();
    let (file, shots) = (at("r.json"), at("shots"));
    let more = ["--pictures", &shots, "--picture-count", "2", "--picture-size", "64x48"];
    let ran = cloth([&["simulate", &at("caught_ball.toml"), "--json", &file], &more[..]].concat());
    assert_eq!(ran.status, 0, "{ran:?}");
    assert!(ran.out.lines().any(|line| line.starts_with("ball: ends at (")), "{}", ran.out);
    assert_eq!(ran.verdict(), "caught_ball: clean in 240 frames", "{}", ran.out);
    let report = json(Path::new(&file));
    assert_eq!((&report["intersections"]["max"], &report["path"]["pairs"]), (&0.into(), &0.into()));
    let ball = &report["rigid_bodies"][0];
    assert_eq!((&ball["name"], &ball["mass_kg"]), (&"ball".into(), &0.5.into()));
    let (centre, velocity) = (vectors(ball, "centre_m"), vectors(ball, "velocity_m_s"));
    assert_eq!((centre.len(), velocity.len()), (241, 241));
    // It falls freely to the sheet, 0.28 m below it; lies in it, below the corners; and is at rest for the
    // last half second.
    let fastest = velocity.iter().map(|v| -v[1]).fold(0.0, f64::max);
    assert!(fastest > (2.0 * 9.81 * 0.28f64).sqrt(), "{fastest}");
    let last = &centre[240];
    assert!((-0.7..-0.3).contains(&last[1]) && last[0].hypot(last[2]) < 0.1, "{last:?}");
    let speed = velocity[210..].iter().map(|v| norm(v)).fold(0.0, f64::max);
    assert!(speed < 0.1, "{speed}");
    // The cloth alone carries it: its impulses are the weight times the time, but for what momentum changed.
    let impulse: f64 = vectors(ball, "impulse_n_s").iter().map(|j| j[1]).sum();
    let momentum = 0.5 * (velocity[240][1] - velocity[0][1]);
    assert!((impulse - momentum - 0.5 * 9.81 * 4.0).abs() < 0.02, "{impulse} {momentum}");
    // Faces of 53 mm are flat, so that they cut into the ball by more than the thickness of cloth keeps.
    assert!(ball["least_distance_m"].as_f64() > Some(-0.006), "{}", ball["least_distance_m"]);
    for picture in ["frame_0000.png", "frame_0240.png"] {
        assert!(Path::new(&shots).join(picture).is_file());
    }
}

#[test]
fn a_rigid_body_has_the_motion_that_its_keys_say() {
    let dir = tempfile::tempdir().unwrap();
    let scene = format!(
        "{SHEET}[[body]]\nkind = \"plane\"\npoint = [0, -9, 0]\n\
         [[body]]\nname = \"stone\"\nkind = \"sphere\"\ncenter = [1, 0, 5]\nradius = 0.1\nmass = 2\n\
         velocity = [3, 4, 0]\n\
         [[body]]\nkind = \"box\"\ncenter = [-2, 0, 0]\nhalf_extents = [0.1, 0.2, 0.3]\nmass = 1\n\
         gravity_scale = 0\n\
         angular_velocity = [0, 0, 3]\n\
         motion = [{{ time = 0, translate = [0, 1, 0], rotate = {{ axis = [0, 1, 0], degrees = 180 }} }}]\n"
    );
    let (ran, report) = run(dir.path(), &scene);
    assert_eq!(ran.status, 0, "{ran:?}");
    let [stone, slab] = [&report["rigid_bodies"][0], &report["rigid_bodies"][1]];
    assert_eq!((&stone["name"], &slab["name"]), (&"stone".into(), &Value::Null));
    let last = |body: &Value, key: &str| vectors(body, key).pop().unwrap();
    let near = |a: &[f64], b: &[f64], limit: f64| a.iter().zip(b).all(|(a, b)| (a - b).abs() < limit);
    // Symplectic Euler: the velocity is exact, the height short by g h t / 2 with the substep h.
    assert!(near(&last(stone, "velocity_m_s"), &[3.0, 4.0 - 9.81 * 0.5, 0.0], 1e-4), "{stone}");
    assert!(near(&last(stone, "centre_m"), &[2.5, 2.0 - 9.81 * 0.125, 5.0], 0.004), "{stone}");
    // Half a turn about y takes the box from x = -2 to 2; about its principal axis it goes on turning, by 1.5
    // rad.
    assert!(near(&last(slab, "centre_m"), &[2.0, 1.0, 0.0], 1e-5), "{slab}");
    assert!(near(&last(slab, "angular_velocity_rad_s"), &[0.0, 0.0, 3.0], 1e-3), "{slab}");
    let (half_sin, half_cos) = 0.75f64.sin_cos();
    // The quaternion of the turn about z times that of half a turn about y, (0, 1, 0, 0).
    assert!(near(&last(slab, "rotation_xyzw"), &[-half_sin, half_cos, 0.0, 0.0], 1e-3), "{slab}");
    assert!(
        ran.out.contains("\nrigid body 1: ends at (2.000, 1.000, 0.000) m with 0.000 m/s\n"),
        "{}",
        ran.out
    );
    assert!(ran.out.contains("\nstone: ends at (2.500, 0."), "{}", ran.out);
}

#[test]
fn errors_about_rigid_bodies_name_file_line_and_fix() {
    let dir = tempfile::tempdir().unwrap();
    let ball = "[[body]]\nname = \"ball\"\nkind = \"sphere\"\ncenter = [0, 0, 0]\nradius = 0.1\nmass = 1\n";
    let refused = |scene: &str, words: &[&str]| assert_refused(&run(dir.path(), scene).0, words);
    let keyframes = format!("{SHEET}{ball}motion = [{{ time = 0 }}, {{ time = 1 }}]\n");
    refused(&keyframes, &["scene.toml:7:1: ", "at most one keyframe", "remove `mass`"]);
    refused(
        &format!("{SHEET}[[body]]\nkind = \"plane\"\nmass = 1\n"),
        &["scene.toml:7:1: ", "no key `mass`"],
    );
    let follower = SHEET.replace("pins = [0]", "pins = [{ vertex = 0, follow = \"ball\" }]");
    refused(&format!("{follower}{ball}"), &["`garment.pins`", "the body \"ball\"", "give it as a mesh"]);
    let pair = "[[body]]\nname = \"floor\"\nkind = \"plane\"\npoint = [0, -1, 0]\n\
                [[friction]]\nbetween = [\"ball\", \"floor\"]\ncoefficient = 0.2\n";
    refused(&format!("{SHEET}{ball}{pair}"), &["`friction.between`", "geometric mean", "name a garment"]);
    let light = ball.replace("mass = 1", "mass = 1e-60");
    refused(&format!("{SHEET}{light}"), &["scene.toml:12:8: `body.mass`", "at least 1e-45"]);
}
