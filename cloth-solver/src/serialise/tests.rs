//! Snapshots, settings and reports through a format and back, bit for bit; files that were edited are errors.

use std::fmt;

use cloth_geom::fixtures;
use nalgebra::{Isometry3, Point3, Vector3};
use serde_json::Value;

use super::*;
use crate::fem::{FemSettings, Stiffening, StiffeningCurve};
use crate::{
    Attachment, Backstop, ClothDesc, ClothId, Collider, Damping, Drive, ElasticModel, FaceMaterial,
    LocalFrame, MassSpringSettings, Material, MeshBodyDesc, ParticleChoice, RegionDesc, RigidBodyDesc,
    Settings, Shape, Simulation, SimulationBuilder, StepReport, Stitch, Tethers, Thickness,
};

pub(super) const DT: f32 = 1.0 / 60.0;

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

pub(super) fn stepped(frames: usize) -> Simulation {
    let mut sim = scene(Settings { substeps: 4, ..Settings::default() });
    for _ in 0..frames {
        sim.step(DT).expect("a step");
    }
    sim
}

fn json(snapshot: &Snapshot) -> Value {
    serde_json::to_value(snapshot).expect("a value")
}

pub(super) fn hashes(sim: &mut Simulation, frames: usize) -> Vec<u64> {
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
    let other = error(&|v| v["version"] = 99.into());
    assert!(other.contains("version 99") && other.contains("version 6"), "{other}");
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
        ("tangle", Box::new(|v| v["state"]["gate"]["exemptions"]["since"][0] = 1_000_000.into())),
        (
            "tangle",
            Box::new(|v| {
                let side = v["state"]["gate"]["exemptions"]["tangles"][0][0].as_array_mut();
                side.expect("vertices").swap(0, 1);
            }),
        ),
    ];
    for (name, edit) in &cases {
        let error = refused(&mut sim, &**edit);
        assert!(error.contains(name), "{name}: {error}");
        assert_eq!(sim.state_hash(), before, "{name}: nothing has changed");
    }
}

#[test]
fn the_largest_numbers_of_a_forged_snapshot_do_not_overflow() {
    let mut sim = stepped(3);
    let mut value = json(&sim.snapshot());
    let state = &mut value["state"];
    state["gate"]["exemptions"]["motions"] = u64::MAX.into();
    let contours = state["state"]["tracked_contours"]["all"].as_array_mut().expect("contours");
    assert!(!contours.is_empty());
    for contour in contours {
        (contour["progress"]["stale"], contour["progress"]["attempt"]) = (u32::MAX.into(), u32::MAX.into());
    }
    let checkpoint = serde_json::from_value(value["state"].take()).expect("a checkpoint");
    sim.restore(&Snapshot { checkpoint, is_foreign: true, ..sim.snapshot() }).expect("it fits");
    hashes(&mut sim, 3);
}

#[test]
fn settings_and_reports_return_in_bits_infinity_included() {
    for settings in
        [Settings::default(), Settings::game(), Settings { recovery_speed: 0.1, ..Settings::film() }]
    {
        let text = serde_json::to_string(&settings).expect("text");
        assert_eq!(serde_json::from_str::<Settings>(&text).expect("settings"), settings);
    }
    let partial: Settings =
        serde_json::from_str(r#"{"substeps": 3, "version": 2}"#).expect("the others are defaults");
    assert_eq!(partial, Settings { substeps: 3, ..Settings::default() });
    let report = *stepped(5).report();
    let text = serde_json::to_string(&report).expect("text");
    assert_eq!(serde_json::from_str::<StepReport>(&text).expect("a report"), report);
}

/// The error of JSON text.
fn refused<T: de::DeserializeOwned + fmt::Debug>(text: &str) -> String {
    serde_json::from_str::<T>(text).expect_err("refused").to_string()
}

#[test]
fn settings_of_another_version_are_refused_by_both_numbers() {
    // The first version had no number; one of its keys is not known any more.
    for (text, found) in [
        (r#"{"version": 99, "substeps": 3}"#, 99),
        (r#"{"elastic_model": "xpbd", "substeps": 3}"#, 1),
        (r#"{"version": 3, "substeps": 3, "new_key": 1}"#, 3),
    ] {
        let error = refused::<Settings>(text);
        assert!(
            error.starts_with(&format!("settings of version {found}; this program reads version 2")),
            "{error}"
        );
    }
}

#[test]
fn what_is_refused_before_the_version_is_named() {
    let error = refused::<Settings>(r#"{"substeps": 0, "version": 2}"#);
    assert!(error.contains("if a `version` follows: must be at least 1, found 0"), "{error}");
}

#[test]
fn a_misspelled_key_is_an_error_that_lists_the_known_keys() {
    let error = refused::<Settings>(r#"{"version": 2, "subteps": 3}"#);
    assert!(
        error.starts_with("unknown field `subteps`, expected one of `version`, `model`, `substeps`"),
        "{error}"
    );
    let error = refused::<ElasticModel>(r#"{"kind": "fem", "poison": 0.1}"#);
    assert!(error.starts_with("unknown field `poison`, expected one of `kind`, `strain`"), "{error}");
}

#[test]
fn settings_out_of_range_are_refused_when_they_are_read() {
    for (key, value) in [
        ("substeps", "0"),
        ("relaxation", "1.5"),
        ("gravity", "[0, 1e40, 0]"),
        ("air_damping", "-1"),
        ("velocity_limit", "1e-50"),
        ("recovery_speed", "0"),
        ("max_radii_per_substep", "-2"),
        ("sleep", r#"{"after": -1}"#),
        ("particles", r#"{"friction": {"averaged": 2}}"#),
        ("contacts", r#"{"source": "cached", "reach": -1, "follow": true}"#),
        ("wind", r#"{"gusts": {"strength": 1, "length": 0}}"#),
    ] {
        let error = refused::<Settings>(&format!(r#"{{"version": 2, "{key}": {value}}}"#));
        assert!(error.starts_with("must be"), "{key}: {error}");
    }
}

#[test]
fn a_model_is_a_name_or_a_table_of_its_kind() {
    for (name, model) in ElasticModel::named() {
        assert_eq!(serde_json::to_value(model).expect("a value"), name);
        for text in [format!("\"{name}\""), format!("{{\"kind\": \"{name}\"}}")] {
            assert_eq!(serde_json::from_str::<ElasticModel>(&text).expect("a model"), model);
        }
    }
    let stiffening = Stiffening { weft: StiffeningCurve::with_threshold(0.5, 2.0), ..Stiffening::CONSTANT };
    let fem = FemSettings { poisson: 0.25, stiffening, ..FemSettings::default() };
    let springs = MassSpringSettings { explicit_steps: 5, stretch_damping: 0.5 };
    for model in [ElasticModel::Fem(fem), ElasticModel::MassSpring(springs)] {
        let text = serde_json::to_string(&model).expect("text");
        assert_eq!(serde_json::from_str::<ElasticModel>(&text).expect("a model"), model, "{text}");
    }
    // In any order of the keys.
    let late: ElasticModel =
        serde_json::from_str(r#"{"explicit_steps": 5, "kind": "mass-spring", "stretch_damping": 0.5}"#)
            .expect("a model");
    assert_eq!(late, ElasticModel::MassSpring(springs));
    let error = refused::<ElasticModel>(r#"{"kind": "mass-spring", "poisson": 0.1}"#);
    assert!(error.starts_with("of this kind has no key `poisson`"), "{error}");
    assert!(refused::<ElasticModel>(r#"{"poisson": 0.1}"#).starts_with("missing field `kind`"));
}

#[test]
fn a_fabric_is_its_name_or_a_table_of_numbers() {
    for (name, preset) in Material::PRESETS {
        assert_eq!(serde_json::to_value(preset).expect("a value"), name);
        assert_eq!(serde_json::from_value::<Material>(name.into()).expect("a fabric"), preset);
    }
    let own =
        Material { density: 0.25, stretch_warp: 1.0, stretch_weft: 4.0, shear: 2.0, bend: 3.0, damping: 0.5 };
    for fabric in [own, Material { stretch_weft: 1.0, ..own }] {
        let text = serde_json::to_string(&fabric).expect("text");
        assert_eq!(text.contains("stretch_weft"), fabric.stretch_weft != 1.0);
        assert_eq!(serde_json::from_str::<Material>(&text).expect("a fabric"), fabric);
    }
    assert!(
        refused::<Material>("\"coton\"").starts_with("unknown variant `coton`, expected one of `cotton`")
    );
}

#[test]
fn a_cloth_with_every_control_returns_in_bits() {
    let mesh = fixtures::sheet(3, 3, [0.4, 0.4]).expect("a sheet").mesh;
    let cloth = ClothDesc {
        masses: Some(vec![0.1, f32::INFINITY, 0.2]),
        pins: vec![0],
        attachments: vec![Attachment { vertex: 1, target: Point3::new(0.1, 0.2, 0.3), compliance: 1e-3 }],
        stitches: vec![Stitch { vertex: 2, edge: [3, 4], ratio: 0.3 }],
        regions: vec![RegionDesc::from_faces("hem", vec![0, 1])],
        particles: ParticleChoice::Except(vec![2]),
        tethers: Some(Tethers::default()),
        drive: Some(Drive {
            stiffness: f32::INFINITY,
            max_distance: Some(vec![f32::INFINITY, 0.5]),
            backstop: Some(vec![None, Some(Backstop { distance: 0.0, radius: f32::INFINITY })]),
            ..Drive::default()
        }),
        local_frame: Some(LocalFrame { pose: Isometry3::translation(0.1, 0.0, 0.0), inertia_scale: 0.25 }),
        damping: Damping { stretch: 1.0, bending: 2.0, global: 3.0 },
        face_materials: vec![
            FaceMaterial { faces: vec![0, 3], material: Material::DENIM },
            FaceMaterial { faces: vec![1], material: Material { bend: 1.0 / 3.0, ..Material::SILK } },
        ],
        ..ClothDesc::new(mesh, Material::SILK, Thickness::from_total(0.02, 0.4))
    };
    let text = serde_json::to_string(&cloth).expect("text");
    assert_eq!(serde_json::from_str::<ClothDesc>(&text).expect("a cloth"), cloth);
    let ball = Collider::new(Shape::Sphere { radius: 0.1 }, Isometry3::identity(), 0.3).expect("a ball");
    let text = serde_json::to_string(&RigidBodyDesc::new(ball.clone(), 2.0)).expect("text");
    assert_eq!(serde_json::from_str::<RigidBodyDesc>(&text).expect("a body"), RigidBodyDesc::new(ball, 2.0));
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
