//! `cloth simulate` with an animated mesh body: OBJ sequences, PC2 caches, and pins that follow it.

use std::fs;
use std::path::Path;

use cloth_geom::TriMesh;
use cloth_io::{ObjSequenceWriter, Pc2Writer};
use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};

use crate::simulate::frame;
use crate::support::{assert_refused, cloth, json, sheet, text, write};
use cloth_testing::corpus;

/// A plate wider than the cloth, at a height (m).
fn plate(height: f64) -> TriMesh {
    sheet(5, 0.8).translated(Vector3::new(0.0, height, 0.0))
}

/// Writes frames `plate_0000.obj`, ... to a folder: the plate at these heights (m).
fn sequence(folder: &Path, heights: &[f64]) -> String {
    let first = plate(0.0);
    let mut writer = ObjSequenceWriter::create(folder, "plate", first.positions.len(), &first.faces).unwrap();
    for &height in heights {
        writer.push(&plate(height).positions).unwrap();
    }
    text(folder)
}

/// Writes a PC2 cache of these frames.
fn cache(path: &Path, frames: &[Vec<Point3<f64>>]) -> String {
    let mut writer = Pc2Writer::create(path, frames[0].len(), 0.0, 1.0).unwrap();
    for frame in frames {
        writer.push(&frame.iter().map(|p| p.map(|c| c as f32)).collect::<Vec<_>>()).unwrap();
    }
    writer.finish().unwrap();
    text(path)
}

/// Writes a sheet of cloth 2 cm above the plate and a scene of both; the keys are of the body.
fn scene(folder: &Path, duration: f64, pins: &str, keys: &str) -> String {
    write(folder, "cloth.obj", &sheet(9, 0.4).translated(Vector3::new(0.0, 0.02, 0.0)));
    write(folder, "plate.obj", &plate(0.0));
    let path = folder.join("scene.toml");
    let content = format!(
        "[settings]\ndt = 0.02\nduration = {duration}\nsubsteps = 8\nthickness = 0.004\n\
         [[garment]]\nmesh = \"cloth.obj\"\n{pins}\n\
         [[body]]\nname = \"plate\"\nkind = \"mesh\"\npath = \"plate.obj\"\n{keys}\n"
    );
    fs::write(&path, content).unwrap();
    text(&path)
}

fn heights(cache: &str, sample: usize) -> [f32; 2] {
    let y = frame(cache, sample).iter().map(|p| p.y).collect::<Vec<_>>();
    [y.iter().copied().fold(f32::INFINITY, f32::min), y.iter().copied().fold(f32::NEG_INFINITY, f32::max)]
}

#[test]
fn a_plate_of_an_obj_sequence_lifts_a_cloth() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&dir.path().join(name));
    // At rest for a fifth of a second, then 25 frames at 50 a second: 0.5 m/s.
    let lift: Vec<f64> = (0..=25).map(|k| 0.01 * f64::from(k)).collect();
    sequence(&dir.path().join("frames"), &lift);
    let keys = "motion = \"frames\"\nmotion_fps = 50\nmotion_start = 0.2";
    let scene = scene(dir.path(), 1.0, "", keys);
    let (out, report, shots) = (at("c.pc2"), at("r.json"), at("shots"));
    let line = ["simulate", &scene, "--out", &out, "--json", &report, "--pictures", &shots];
    let ran = cloth(line.iter().copied().chain(["--picture-count", "2", "--picture-size", "64x48"]));
    assert_eq!(ran.status, 0, "{ran:?}");
    assert!(
        ran.out.contains("animated by 26 frames of ")
            && ran.out.contains(", 50 a second, from 0.200 s to 0.7"),
        "{}",
        ran.out
    );
    assert_eq!(json(Path::new(&report))["pass"], true);
    // Until the plate moves the cloth settles on it; at the end it lies on the plate, which stands still.
    let ([low, _], [last_low, last_high]) = (heights(&out, 10), heights(&out, 50));
    assert!(low > 0.0 && low < 0.01, "{low}");
    assert!(last_low > 0.25 && last_high < 0.27, "{last_low} {last_high}");
    // The plate is drawn where it is: the two pictures differ.
    let picture = |name: &str| fs::read(Path::new(&shots).join(name)).unwrap();
    assert_ne!(picture("frame_0000.png"), picture("frame_0050.png"));
}

#[test]
fn the_first_file_names_the_sequence_and_flags_animate_the_body() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("frames");
    // In centimetres, z up.
    let up = |mesh: TriMesh| mesh.mapped(|p| Point3::new(p.x, -p.z, p.y) * 100.0);
    let flat = up(plate(0.0));
    let mut writer = ObjSequenceWriter::create(&folder, "plate", flat.positions.len(), &flat.faces).unwrap();
    for height in [9.0, 0.0, 0.05] {
        writer.push(&up(plate(height)).positions).unwrap();
    }
    let body = write(dir.path(), "plate.obj", &flat);
    let garment = write(dir.path(), "cloth.obj", &up(sheet(9, 0.4).translated(Vector3::new(0.0, 0.02, 0.0))));
    let (first, out) = (text(&folder.join("plate_0001.obj")), text(&dir.path().join("c.pc2")));
    let mut line = vec!["simulate", "--garment", &garment, "--unit", "0.01", "--up", "z", "--body", &body];
    line.extend(["--body-motion", &first, "--body-motion-fps", "5", "--thickness", "0.004"]);
    line.extend(["--seconds", "0.4", "--fps", "50", "--out", &out, "--out-units", "metres"]);
    let ran = cloth(&line);
    assert_eq!(ran.status, 0, "{ran:?}");
    assert!(ran.out.contains("animated by 2 frames of ") && !ran.out.contains("another pose"), "{}", ran.out);
    let [low, high] = heights(&out, 20);
    assert!(low > 0.05 && high < 0.08, "{low} {high}");
    // An output that would replace a frame is refused.
    let into = text(&folder);
    let garment = write(dir.path(), "plate2.obj", &flat);
    fs::rename(&garment, folder.join("plate.obj")).unwrap();
    let garment = text(&folder.join("plate.obj"));
    let mut line = vec!["simulate", "--garment", &garment, "--unit", "0.01", "--up", "z", "--body", &body];
    line.extend(["--body-motion", &first, "--seconds", "0.4", "--out-obj", &into]);
    assert_refused(&cloth(&line), &["plate_0001.obj", "the motion of a body"]);
}

#[test]
fn a_motion_of_another_mesh_is_refused_with_both_files_and_counts() {
    let dir = tempfile::tempdir().unwrap();
    cache(&dir.path().join("other.pc2"), &[vec![Point3::origin(); 24]]);
    let scene = scene(dir.path(), 0.1, "", "motion = \"other.pc2\"");
    assert_refused(&cloth(["simulate", &scene]), &["other.pc2", "24 vertices", "plate.obj", "has 25"]);
    let body = text(&dir.path().join("plate.obj"));
    let garment = text(&dir.path().join("cloth.obj"));
    let missing = text(&dir.path().join("gone_1.obj"));
    let line = ["simulate", "--garment", &garment, "--body", &body, "--body-motion"];
    assert_refused(&cloth(line.iter().copied().chain([&missing[..]])), &["gone_1.obj", "does not exist"]);
    // A damaged frame is found before the first step.
    let folder = dir.path().join("frames");
    sequence(&folder, &[0.0, 0.1, 0.2]);
    fs::write(folder.join("plate_0001.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
    let ran = cloth(line.iter().copied().chain([text(&folder).as_str()]));
    assert_refused(&ran, &["plate_0001.obj", "has 3 vertices, the first frame has 25"]);
    let ran = cloth(["simulate", "--garment", &garment, "--body", "sphere", "--body-motion", &missing]);
    assert_refused(&ran, &["--body-motion", "--body MESH"]);
}

/// The plate, raised and turned about an axis by so much (rad).
fn turned(angle: f64) -> Isometry3<f64> {
    let turn = UnitQuaternion::from_scaled_axis(Vector3::new(0.3, 1.0, 0.2).normalize() * angle);
    Isometry3::from_parts(Translation3::new(0.1 * angle, 0.2 * angle, 0.0), turn)
}

/// Keys of the body whose motion [`turning_plate`] writes.
const TURNING: &str = "motion = \"turn.pc2\"\nmotion_fps = 50";

/// Writes the cache of a plate that turns; returns its angle in each sample.
fn turning_plate(folder: &Path) -> Vec<f64> {
    let angles: Vec<f64> = (0..=10).map(|k| 0.06 * f64::from(k)).collect();
    let pose = |angle: f64| plate(0.0).positions.iter().map(|p| turned(angle) * p).collect::<Vec<_>>();
    cache(&folder.join("turn.pc2"), &angles.iter().map(|&a| pose(a)).collect::<Vec<_>>());
    angles
}

#[test]
fn a_pin_that_follows_moves_with_the_body() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&dir.path().join(name));
    let angles = turning_plate(dir.path());
    let start = sheet(9, 0.4).translated(Vector3::new(0.0, 0.02, 0.0));
    // By name, by the word for all, and by the flag; vertex 80 stays without it.
    let pins = "pins = [{ vertex = 0, follow = \"plate\" }, { vertex = 8, follow = \"body\" }, 80]";
    let scene = scene(dir.path(), 0.2, pins, TURNING);
    for (flag, vertices) in [(None, &[0, 8][..]), (Some("--pin-to-body"), &[0, 8, 80])] {
        let out = at("c.pc2");
        let ran = cloth(["simulate", &scene, "--out", &out].into_iter().chain(flag));
        assert!(ran.out.contains(&format!("{} pins follow the body", vertices.len())), "{}", ran.out);
        for (sample, &angle) in angles.iter().enumerate() {
            let found = frame(&out, sample);
            for &v in vertices {
                let expected = turned(angle) * start.positions[v];
                let off = (found[v].map(f64::from) - expected).norm();
                assert!(off < 1e-5, "vertex {v} at frame {sample} is off by {off}");
            }
            assert!(flag.is_some() || (found[80].map(f64::from) - start.positions[80]).norm() < 1e-6);
        }
    }
}

#[test]
fn an_attachment_follows_the_body_and_gives_by_its_compliance() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&dir.path().join(name));
    let angles = turning_plate(dir.path());
    let start = sheet(9, 0.4).translated(Vector3::new(0.0, 0.02, 0.0));
    let off = |compliance: f64| {
        let pins = format!("pins = [{{ vertex = 0, follow = \"plate\", compliance = {compliance} }}, 80]");
        let (scene, out) = (scene(dir.path(), 0.2, &pins, TURNING), at("c.pc2"));
        let ran = cloth(["simulate", &scene, "--out", &out]);
        assert!(ran.out.contains("1 pin follows the body"), "{}", ran.out);
        (frame(&out, 10)[0].map(f64::from) - turned(angles[10]) * start.positions[0]).norm()
    };
    let (stiff, soft) = (off(1e-6), off(0.1));
    assert!(stiff < 2e-3 && soft > 5.0 * stiff, "{stiff} {soft}");
}

#[test]
fn a_run_names_the_pins_that_began_ended_and_were_released() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run.json");
    let pins =
        "pins = [{ vertex = 0, until = 0.1 }, { vertex = 8, from = 0.05, release = { force = 1e-3 } }]";
    let scene = scene(dir.path(), 0.2, pins, "");
    let ran = cloth(["simulate", &scene, "--json", &text(&path)]);
    let report = json(&path);
    let events = report["pins"].as_array().unwrap();
    let words: Vec<_> = events.iter().map(|e| (e["pin"].as_u64(), e["event"].as_str())).collect();
    let expected = [(Some(1), Some("taken")), (Some(1), Some("released")), (Some(0), Some("ended"))];
    assert_eq!(words, expected, "{events:?}");
    assert_eq!(events[2]["vertices"], serde_json::json!([0]));
    assert!(events[1]["force_n"].as_f64().unwrap() > 1e-3 && events[1]["distance_m"].is_null());
    for words in
        ["pin 1 of 1 vertex taken at 0.0", "pin 1 of 1 vertex released at ", ": it bore 0.0", "ended at 0.1"]
    {
        assert!(ran.out.contains(words), "{words}: {}", ran.out);
    }
}

#[test]
fn pins_that_cannot_follow_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let garment = write(dir.path(), "cloth.obj", &sheet(5, 0.4));
    let quick = |more: &[&str]| cloth(["simulate", "--garment", &garment].iter().chain(more));
    assert_refused(&quick(&["--pin-to-body"]), &["there are no pins", "--pin"]);
    assert_refused(&quick(&["--pin-to-body", "--pin", "0"]), &["no body is a mesh"]);
    assert_refused(&quick(&["--pin", "99"]), &["vertex 99 does not exist"]);
    let scene = scene(dir.path(), 0.1, "pins = [{ vertex = 0, follow = \"arm\" }]", "");
    assert_refused(&cloth(["simulate", &scene]), &["`garment.pins`", "\"arm\"", "\"body\""]);
}

#[test]
fn a_dancer_carries_a_cape_that_is_pinned_to_her() {
    let Some(folder) = corpus("deforming/codim-rumba") else { return };
    let dir = tempfile::tempdir().unwrap();
    // On her shoulders, a hand's breadth behind her back.
    let cape = sheet(13, 0.4).mapped(|p| Point3::new(p.x, 1.1 + p.z, -0.25));
    let (garment, out) = (write(dir.path(), "cape.obj", &cape), text(&dir.path().join("c.pc2")));
    let (body, motion) = (text(&folder.join("shell0.obj")), text(&folder));
    let mut line = vec!["simulate", "--garment", &garment, "--body", &body, "--body-motion", &motion];
    line.extend(["--pin", "0", "--pin", "12", "--pin-to-body", "--seconds", "0.1", "--fps", "50"]);
    line.extend(["--body-motion-fps", "25", "--substeps", "8", "--thickness", "0.005", "--out", &out]);
    let ran = cloth(&line);
    // Frames 0 and 60 of the dance are in the folder.
    assert!(ran.out.contains("animated by 2 frames") && ran.out.contains("to 2.400 s"), "{}", ran.out);
    let moved = |v: usize| (frame(&out, 5)[v] - frame(&out, 0)[v]).norm();
    assert!(moved(0) > 1e-4 && moved(12) > 1e-4, "{} {}", moved(0), moved(12));
}
