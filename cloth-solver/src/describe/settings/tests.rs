//! Whether the docs of settings state their defaults, and what is recommended.

use cloth_geom::fixtures;

use super::*;
use crate::fem::{FemSettings, Stiffening, StrainLimit};
use crate::{Gusts, MassSpringSettings};

/// What the docs of the fields of a struct say after `Default: `, without backticks.
fn documented(source: &str, name: &str) -> Vec<(String, String)> {
    let (_, body) = source.split_once(&format!("pub struct {name} {{")).expect("the struct");
    let (body, _) = body.split_once("\n}").expect("its end");
    let mut found = Vec::new();
    let mut docs = String::new();
    for line in body.lines().map(str::trim) {
        if let Some(text) = line.strip_prefix("///") {
            docs.push_str(text);
        } else if let Some((field, _)) = line.strip_prefix("pub ").and_then(|line| line.split_once(':')) {
            let value = docs.split_once("Default: ").map_or("", |(_, value)| value);
            let value = value.trim_start_matches(['`', '[']).split(['`', ']']).next().unwrap_or_default();
            found.push((field.to_owned(), value.to_owned()));
            docs.clear();
        }
    }
    found
}

fn vector(v: &Vector3<f32>) -> String {
    format!("({}, {}, {})", v.x, v.y, v.z)
}

/// All fields of a struct with their values as text: those named first as `Debug` writes them, the others as
/// given.
macro_rules! defaults {
    ($type:ident { $($field:ident),* $(,)? } $($other:ident: $text:expr),* $(,)?) => {{
        // Without `..`, so that a new field does not compile until it is here.
        let $type { $($field,)* $($other),* } = $type::default();
        vec![
            $((stringify!($field).to_owned(), format!("{:?}", $field)),)*
            $((stringify!($other).to_owned(), $text(&$other)),)*
        ]
    }};
}

fn check(source: &str, name: &str, mut expected: Vec<(String, String)>) {
    let mut found = documented(source, name);
    found.sort();
    expected.sort();
    assert_eq!(found, expected, "the docs of {name}");
}

#[test]
fn every_default_is_stated_in_the_docs_of_its_field() {
    let settings = defaults!(Settings {
        model, substeps, iterations, stretch_cycles, relaxation, wind_interval, detect_interval,
        contact_iterations, friction_iterations, air_damping, velocity_limit, self_friction, self_collision,
        face_contacts, gate, recovery, contacts, layer_order, layer_depth, contact_recovery_time,
        recovery_speed, threads, candidate_slack, max_radii_per_substep,
    }
    gravity: vector,
    wind: |_: &Wind| "Wind::default".to_owned(),
    sleep: |sleep: &Option<Sleep>| {
        assert_eq!(*sleep, Some(Sleep::default()));
        "Some(Sleep::default)".to_owned()
    },
    teleport: |teleport: &Option<Teleport>| { assert_eq!(*teleport, None); "None".to_owned() },
    particles: |_: &ParticleSettings| "ParticleSettings::default".to_owned());
    check(include_str!("../settings.rs"), "Settings", settings);
    check(include_str!("../wind.rs"), "Wind", defaults!(Wind { drag, lift, gusts } velocity: vector));
    check(include_str!("../gusts.rs"), "Gusts", defaults!(Gusts { strength, length, period, seed }));
    check(include_str!("../sleep.rs"), "Sleep", defaults!(Sleep { after, speed }));
    let springs = defaults!(MassSpringSettings { explicit_steps, stretch_damping });
    check(include_str!("../mass_spring.rs"), "MassSpringSettings", springs);
    let constant = |stiffening: &Stiffening| {
        assert_eq!(*stiffening, Stiffening::CONSTANT);
        "CONSTANT".to_owned()
    };
    let fem = defaults!(FemSettings {
        strain, assembly, integrator, newton_iterations, tolerance, solver_iterations, explicit_steps,
        poisson, stretch_damping, strain_limit,
    }
    stiffening: constant);
    check(include_str!("../../fem/settings.rs"), "FemSettings", fem);
    let limit = defaults!(StrainLimit { stretch, passes });
    check(include_str!("../../fem/strain_limit.rs"), "StrainLimit", limit);
    let particles = defaults!(ParticleSettings { response, stiffness, rest, friction, search });
    check(include_str!("../particles.rs"), "ParticleSettings", particles);
}

#[test]
fn presets_are_certified_and_in_range() {
    for preset in [Settings::game(), Settings::default(), Settings::film()] {
        assert!(preset.gate && preset.recovery && preset.check().is_ok());
    }
}

#[test]
fn thickness_for_a_mesh_is_half_its_shortest_edge_without_slivers() {
    let sheet = fixtures::sheet(11, 11, [0.2, 0.3]).expect("a sheet").mesh;
    let thickness = Thickness::for_mesh(&sheet);
    assert!((thickness.total() - 0.01).abs() < 1e-6 && (thickness.scr - 0.004).abs() < 1e-6, "{thickness:?}");
    let mut sliver = sheet;
    sliver.positions.push(sliver.positions[0] + Vector3::new(1e-6, 0.0, 0.0));
    sliver.faces.push([0, 121, 1]);
    assert!((Thickness::for_mesh(&sliver).total() - 0.01).abs() < 1e-6);
    let empty = TriMesh { positions: Vec::new(), faces: Vec::new() };
    assert_eq!(Thickness::for_mesh(&empty).total(), 0.0);
    sliver.positions[0].x = f64::NAN;
    assert!(Thickness::for_mesh(&sliver).total().is_finite());
}
