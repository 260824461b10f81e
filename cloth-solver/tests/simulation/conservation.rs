//! Momentum is conserved and energy does not grow, whatever the cloth does to itself.

use cloth_geom::fixtures::jitter;
use cloth_solver::{Material, RestShape, Settings, Simulation, SimulationBuilder};
use nalgebra::{Isometry3, Point3, Vector3};

use crate::ids::cloth_id;
use crate::scenes::{
    airless, alone, angular_momentum, cotton, height_energy, kinetic_energy, last_corners, masses, momentum,
    run, sheet, upright, weightless,
};

/// Part of the momenta in play that rounding may leave over: thousands of roundings of 1e-7, some of them
/// over `h`.
const ROUNDING: f64 = 1e-3;

/// A sheet released from a pose that is squeezed, sheared, bent and uneven.
fn let_go(material: Material, settings: Settings) -> (Simulation, Vec<f64>) {
    let flat = sheet(12, 0.4);
    let squeezed = |p: Point3<f64>| {
        Point3::new(0.9 * p.x + 0.2 * p.z, 0.3 * p.x * p.x + 0.2 * p.x * p.z, 1.05 * p.z + 0.1 * p.x * p.x)
    };
    let pose = jitter(&flat.clone().mapped(squeezed), 0.002, 7).unwrap();
    let mut cloth = cotton(pose);
    cloth.material = material;
    cloth.rest = RestShape::Positions(flat.positions.clone());
    (alone(settings, cloth), masses(&flat, f64::from(material.density)))
}

#[test]
fn elastic_forces_move_nothing_as_a_whole() {
    for material in [Material::COTTON, Material::SILK, Material::DENIM] {
        // Contacts have a test of their own.
        let (mut sim, masses) = let_go(material, Settings { self_collision: false, ..weightless() });
        let mut peak = 0.0f64;
        for _ in 0..30 {
            run(&mut sim, 1);
            let (sum, amount) = momentum(&sim, &masses);
            peak = peak.max(amount);
            assert!(sum.norm() <= ROUNDING * peak, "{sum} of {peak}");
        }
        assert!(peak > 5e-3, "it hardly moved: {peak}");
    }
}

#[test]
fn elastic_forces_turn_nothing_as_a_whole() {
    // Damping of bending works on the motion of each hinge as it is, its turning included; so none here.
    let material = Material { damping: 0.0, ..Material::COTTON };
    let (mut sim, masses) = let_go(material, Settings { self_collision: false, ..weightless() });
    let mut peak = 0.0f64;
    for _ in 0..10 {
        run(&mut sim, 1);
        let (sum, amount) = angular_momentum(&sim, &masses);
        peak = peak.max(amount);
        // Implicit steps keep it only as the substep goes to zero: a force found at the end of a substep acts
        // on the lever of its start. Here a vertex goes a tenth of an edge in a substep.
        assert!(sum.norm() <= 0.1 * peak, "{sum} of {peak}");
    }
}

/// Two sheets that fly at each other at 1.6 m/s each, one from above and one from below.
fn collision(friction: f32) -> (Simulation, Vec<f64>) {
    let mesh = sheet(10, 0.3);
    let builder = |settings| {
        let mut builder = SimulationBuilder::new(settings);
        let shifted = mesh.clone().translated(Vector3::new(0.013, 1.0, 0.021));
        builder.add_cloth(cotton(jitter(&mesh, 1e-4, 3).unwrap()));
        builder.add_cloth(cotton(jitter(&shifted, 1e-4, 4).unwrap()));
        builder
    };
    let mut falling = builder(airless()).build().unwrap();
    run(&mut falling, 10);
    // Upside down and 5 cm below the other: its velocity turns with it.
    let height = falling.positions()[100].y - 0.05;
    let turn = Isometry3::rotation(Vector3::z() * std::f32::consts::PI);
    let lift = Isometry3::translation(0.0, height + falling.positions()[0].y, 0.0);
    falling.teleport(cloth_id(0), &(lift * turn)).unwrap();
    let mut sim = builder(Settings { self_friction: friction, ..weightless() }).build().unwrap();
    sim.restore(&falling.snapshot()).unwrap();
    let density = f64::from(Material::COTTON.density);
    (sim, [masses(&mesh, density), masses(&mesh, density)].concat())
}

#[test]
fn sheets_that_collide_keep_their_momentum_and_gain_no_energy() {
    for friction in [0.0, 0.5] {
        let (mut sim, masses) = collision(friction);
        let (before, _) = momentum(&sim, &masses);
        let energy = kinetic_energy(&sim, &masses);
        let approach = masses.iter().sum::<f64>() * 1.6;
        let (mut contacts, mut truncated) = (0, 0);
        for _ in 0..12 {
            let report = *sim.step(1.0 / 60.0).unwrap();
            contacts += report.contacts;
            truncated += report.warnings.truncated;
            let (now, _) = momentum(&sim, &masses);
            assert!(
                (now - before).norm() <= ROUNDING * approach,
                "{now} was {before}, {truncated} truncated"
            );
            assert!(kinetic_energy(&sim, &masses) <= energy * (1.0 + ROUNDING));
        }
        assert!(contacts > 100);
        let speed =
            |range: std::ops::Range<usize>| sim.velocities()[range].iter().map(|v| v.y).sum::<f32>() / 100.0;
        assert!(speed(0..100) < 0.5 && speed(100..200) > -0.5, "they have stopped each other");
    }
}

#[test]
fn a_sheet_that_swings_down_gains_no_energy() {
    for material in [Material::COTTON, Material::SILK, Material::DENIM] {
        let mesh = sheet(12, 0.5);
        let mut cloth = cotton(mesh.clone());
        cloth.material = material;
        cloth.pins = last_corners(12);
        let masses = masses(&mesh, f64::from(material.density));
        let mut sim = alone(airless(), cloth);
        // It starts flat, at rest, at height 0: all energy is 0. That of stretch is positive, so the rest is
        // not.
        let fall = masses.iter().sum::<f64>() * 9.81 * 0.5;
        for step in 0..120 {
            run(&mut sim, 1);
            let total = kinetic_energy(&sim, &masses) + height_energy(&sim, &masses);
            assert!(total <= ROUNDING * fall, "{material:?} step {step}: {total} J of {fall} J");
        }
    }
}

#[test]
fn inner_friction_brings_a_hanging_sheet_to_rest_without_air() {
    let mut cloth = cotton(upright(10, 0.4));
    cloth.pins = last_corners(10);
    let masses = masses(&cloth.mesh, f64::from(Material::COTTON.density));
    let mut sim = alone(airless(), cloth);
    let mut peak = 0.0f64;
    for _ in 0..60 {
        run(&mut sim, 1);
        peak = peak.max(kinetic_energy(&sim, &masses));
    }
    run(&mut sim, 540);
    assert!(kinetic_energy(&sim, &masses) < 0.1 * peak);
}
