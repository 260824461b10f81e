//! Snapshots, settings and reports through a format and back, bit for bit; files that were edited are errors.

use cloth_geom::fixtures;
use nalgebra::{Isometry3, Point3, Vector3};
use serde_json::Value;

use super::*;
use crate::{
    ClothDesc, ClothId, Collider, Material, MeshBodyDesc, Settings, Shape, Simulation, SimulationBuilder,
    StepReport, Thickness,
};

const DT: f32 = 1.0 / 60.0;

/// A sheet that falls on a ball and starts with a body through it: contacts, a tangle and recovery are in its
/// state.
fn scene(settings: Settings) -> Simulation {
    let sheet =
        fixtures::sheet(9, 9, [0.4, 0.4]).expect("a sheet").mesh.translated(Vector3::new(0.0, 0.16, 0.0));
    let cloth = ClothDesc::new(sheet, Material::COTTON, Thickness::from_total(0.02, 0.4));
    let mut builder = SimulationBuilder::new(settings);
    builder.add_cloth(ClothDesc { pins: vec![0], ..cloth });
    let ball = Collider::new(Shape::Sphere { radius: 0.1 }, Isometry3::identity(), 0.3).expect("a ball");
    builder.add_collider(ball);
    let mesh = fixtures::icosphere(1, 0.03).expect("a body").translated(Vector3::new(0.11, 0.17, 0.08));
    builder.add_mesh_body(MeshBodyDesc { mesh, thickness: Thickness::from_total(0.02, 0.4) });
    builder.build().expect("a scene")
}

fn stepped(frames: usize) -> Simulation {
    let mut sim = scene(Settings { substeps: 4, ..Settings::default() });
    for _ in 0..frames {
        sim.step(DT).expect("a step");
    }
    sim
}

fn json(snapshot: &Snapshot) -> Value {
    serde_json::to_value(snapshot).expect("a value")
}

fn hashes(sim: &mut Simulation, frames: usize) -> Vec<u64> {
    (0..frames)
        .map(|_| {
            sim.step(DT).expect("a step");
            sim.state_hash()
        })
        .collect()
}

#[test]
fn a_tangled_run_in_contact_continues_bit_for_bit_from_a_file() {
    let mut contacts = 0;
    let mut tangles = 0;
    for frames in [0, 1, 3, 20] {
        let mut sim = stepped(frames);
        contacts += sim.contacts().len();
        tangles += sim.tangles().len();
        let text = serde_json::to_string(&sim.snapshot()).expect("text");
        let snapshot: Snapshot = serde_json::from_str(&text).expect("the snapshot");
        assert_eq!(serde_json::to_string(&snapshot).expect("text"), text);
        let mut other = stepped(2);
        other.restore(&snapshot).expect("it fits");
        assert_eq!(other.state_hash(), sim.state_hash());
        assert_eq!(hashes(&mut other, 15), hashes(&mut sim, 15), "after {frames} frames");
    }
    assert!(contacts > 0 && tangles > 0, "{contacts} contacts, {tangles} tangles");
}

#[test]
fn a_snapshot_that_was_edited_or_has_another_version_is_an_error() {
    let value = json(&stepped(3).snapshot());
    let error = |edit: &dyn Fn(&mut Value)| {
        let mut edited = value.clone();
        edit(&mut edited);
        serde_json::from_value::<Snapshot>(edited).expect_err("refused").to_string()
    };
    let moved = error(&|v| v["state"]["state"]["x"][0][0] = 0.25.into());
    assert!(moved.contains("float_roundtrip"), "{moved}");
    assert!(error(&|v| v["version"] = 99.into()).contains("version 99"));
    assert!(error(&|v| v["hash"] = 1.into()).contains("differs"));
    assert!(error(&|v| v["surprise"] = 1.into()).contains("surprise"));
}

#[test]
fn a_malformed_snapshot_with_a_hash_that_fits_is_refused_by_name() {
    let mut sim = stepped(3);
    let before = sim.state_hash();
    let refused = |sim: &mut Simulation, edit: &dyn Fn(&mut Value)| {
        let mut value = json(&sim.snapshot());
        edit(&mut value);
        // Past the hash, as if someone had computed it again.
        let checkpoint = serde_json::from_value(value["state"].take()).expect("a checkpoint");
        sim.restore(&Snapshot { checkpoint, ..sim.snapshot() }).expect_err("refused").to_string()
    };
    type Edit = Box<dyn Fn(&mut Value)>;
    let cases: Vec<(&str, Edit)> = vec![
        ("positions", Box::new(|v| drop(v["state"]["state"]["x"].as_array_mut().map(Vec::pop)))),
        ("velocity", Box::new(|v| v["state"]["state"]["v"][1][0] = 1e300.into())),
        ("inverse mass", Box::new(|v| v["state"]["state"]["inv_mass"][1] = (-1).into())),
        ("colliders", Box::new(|v| v["state"]["colliders"] = Vec::<Value>::new().into())),
        ("pose", Box::new(|v| v["state"]["colliders"][0][0]["rotation"][0] = 3.into())),
        ("gates", Box::new(|v| v["state"]["gate"] = Value::Null)),
        ("contact", Box::new(|v| v["state"]["history"]["point_triangles"][0]["vertex"] = 1_000_000.into())),
        ("tangle", Box::new(|v| v["state"]["gate"]["exemptions"]["tangles"] = Vec::<Value>::new().into())),
    ];
    for (name, edit) in &cases {
        let error = refused(&mut sim, &**edit);
        assert!(error.contains(name), "{name}: {error}");
        assert_eq!(sim.state_hash(), before, "{name}: nothing has changed");
    }
}

#[test]
fn settings_and_reports_return_in_bits_infinity_included() {
    for settings in
        [Settings::default(), Settings::game(), Settings { recovery_speed: 0.1, ..Settings::film() }]
    {
        let text = serde_json::to_string(&settings).expect("text");
        assert_eq!(serde_json::from_str::<Settings>(&text).expect("settings"), settings);
    }
    let partial: Settings = serde_json::from_str(r#"{"substeps": 3}"#).expect("the others are defaults");
    assert_eq!(partial, Settings { substeps: 3, ..Settings::default() });
    assert!(serde_json::from_str::<Settings>(r#"{"subteps": 3}"#).is_err(), "a slip is an error");
    let report = *stepped(5).report();
    let text = serde_json::to_string(&report).expect("text");
    assert_eq!(serde_json::from_str::<StepReport>(&text).expect("a report"), report);
}

#[test]
fn awkward_numbers_return_in_bits() {
    let mut sim = scene(Settings { substeps: 2, gravity: Vector3::zeros(), ..Settings::default() });
    let target = Point3::new(-0.0, f32::MIN_POSITIVE, 0.1 + 0.2);
    sim.move_pin(ClothId(0), 0, target).expect("a pin");
    let text = serde_json::to_string(&sim.snapshot()).expect("text");
    let snapshot: Snapshot = serde_json::from_str(&text).expect("the snapshot");
    assert_eq!(serde_json::to_string(&snapshot).expect("text"), text);
}
