//! Wind: drag along it, lift across it, and never more than the wind itself.

use cloth_solver::{ClothDesc, Gusts, Material, Settings, Simulation, Wind};
use nalgebra::Vector3;

use crate::ids::cloth_id;
use crate::scenes::{airless, alone, cotton, run, sheet, weightless};

/// Density of air (kg/m3).
const AIR: f32 = 1.225;

/// The velocity that a plate with unit normal `n` takes on in `dt` seconds.
fn blown(n: Vector3<f32>, wind: Wind, dt: f32) -> Vector3<f32> {
    let turn = nalgebra::UnitQuaternion::rotation_between(&Vector3::y(), &n).unwrap();
    let mesh = sheet(5, 0.3).mapped(|p| (turn * p.cast::<f32>()).cast());
    let mut sim = alone(Settings { wind, substeps: 1, ..weightless() }, cotton(mesh));
    sim.step(dt).unwrap();
    sim.velocities().iter().sum::<Vector3<f32>>() / 25.0
}

#[test]
fn a_plate_across_the_wind_feels_the_dynamic_pressure() {
    let velocity = Vector3::new(3.0, 0.0, 0.0);
    let dt = 1e-3;
    let speed = blown(Vector3::x(), Wind { velocity, drag: 1.2, lift: 0.0, gusts: None }, dt);
    let expected = 0.5 * AIR * 1.2 * 9.0 / Material::COTTON.density * dt;
    // Every vertex has a third of the faces around it and takes a third of their force, as the plate is at
    // the start.
    assert!((speed.x / expected - 1.0).abs() < 1e-4, "{speed} {expected}");
    assert!(speed.yz().norm() < 1e-3 * expected, "{speed}");
}

#[test]
fn drag_is_along_the_wind_and_lift_across_it() {
    let velocity = Vector3::new(4.0, 0.0, 0.0);
    let slanted = Vector3::new(1.0, 1.0, 0.0).normalize();
    let drag = blown(slanted, Wind { velocity, drag: 1.0, lift: 0.0, gusts: None }, 1e-3);
    let expected = 0.5 * AIR * 16.0 * 0.5f32.sqrt() / Material::COTTON.density * 1e-3;
    assert!((drag - Vector3::new(expected, 0.0, 0.0)).norm() < 3e-2 * expected, "{drag} {expected}");
    let lift = blown(slanted, Wind { velocity, drag: 0.0, lift: 1.0, gusts: None }, 1e-3);
    // |u|^2 n - (u . n) u: for 45 degrees as long as the drag, and upward for a plate that leans back.
    assert!((lift - Vector3::new(0.0, expected, 0.0)).norm() < 3e-2 * expected, "{lift} {expected}");
    let other_side = blown(-slanted, Wind { velocity, drag: 0.0, lift: 1.0, gusts: None }, 1e-3);
    assert!((lift - other_side).norm() < 1e-2 * expected, "a plate has no front: {other_side}");
}

#[test]
fn a_plate_along_the_wind_feels_nothing() {
    let wind = Wind { velocity: Vector3::new(5.0, 0.0, 0.0), drag: 1.0, lift: 1.0, gusts: None };
    let still = blown(Vector3::y(), Wind { lift: 0.0, ..wind }, 1e-2);
    assert!(still.norm() < 1e-4, "{still}");
}

#[test]
fn falling_through_still_air_brakes() {
    let wind = Wind { velocity: Vector3::zeros(), drag: 1.2, lift: 0.0, gusts: None };
    let mut sim = alone(Settings { wind, ..airless() }, cotton(sheet(8, 0.4)));
    run(&mut sim, 120);
    // Terminal velocity of a flat plate: sqrt(2 density g / (air drag)) = 1.41 m/s.
    let terminal = (2.0 * Material::COTTON.density * 9.81 / (AIR * 1.2)).sqrt();
    let speed = -sim.velocities().iter().map(|v| v.y).sum::<f32>() / 64.0;
    assert!((speed / terminal - 1.0).abs() < 0.02, "{speed} {terminal}");
}

#[test]
fn no_wind_drives_anything_faster_than_it_blows() {
    for (speed, dt) in [(50.0f32, 1.0 / 30.0), (90.0, 1.0), (5.0, 0.5)] {
        let wind = Wind { velocity: Vector3::new(speed, 0.0, 0.0), drag: 2.0, lift: 0.0, gusts: None };
        let velocity = blown(Vector3::x(), wind, dt);
        assert!(velocity.x > 0.0 && velocity.x <= speed * (1.0 + 1e-5), "{velocity}");
    }
}

/// A flag of 21 x 21 vertices that hangs from one edge in gusts, without a mean wind.
fn flag(gusts: Option<Gusts>, settings: Settings) -> Simulation {
    let mesh = sheet(21, 1.0).mapped(|p| nalgebra::Point3::new(p.x, p.z, 0.0));
    let top = mesh.positions.iter().map(|p| p.y).fold(f64::MIN, f64::max);
    let pins = (0..441).filter(|&v| mesh.positions[v as usize].y == top).collect();
    let wind = Wind { gusts, ..Wind::STILL_AIR };
    alone(Settings { wind, ..settings }, ClothDesc { pins, ..cotton(mesh) })
}

const GUSTS: Gusts = Gusts { strength: 4.0, length: 0.5, period: 0.5, seed: 3 };

#[test]
fn a_flag_moves_in_gusts_and_hangs_still_without() {
    let swing = |gusts| {
        let mut sim = flag(gusts, Settings { gate: false, ..Settings::default() });
        let mut farthest = 0.0f32;
        for _ in 0..120 {
            run(&mut sim, 1);
            farthest = sim.positions().iter().map(|p| p.z.abs()).fold(farthest, f32::max);
        }
        farthest
    };
    assert!(swing(None) < 1e-3 && swing(Some(Gusts { strength: 0.0, ..GUSTS })) < 1e-3);
    assert!(swing(Some(GUSTS)) > 0.2, "{}", swing(Some(GUSTS)));
}

#[test]
fn gusts_depend_on_the_seed_and_not_on_the_threads() {
    let hash = |seed, threads| {
        let mut sim = flag(Some(Gusts { seed, ..GUSTS }), Settings { threads, ..Settings::default() });
        run(&mut sim, 30);
        sim.state_hash()
    };
    let one = hash(3, 1);
    assert_eq!(one, hash(3, 1));
    assert_eq!(one, hash(3, 4));
    assert_ne!(one, hash(4, 1));
}

#[test]
fn gusts_go_on_from_a_snapshot_and_begin_again_after_a_reset() {
    let mut sim = flag(Some(GUSTS), Settings::default());
    run(&mut sim, 20);
    let snapshot = sim.snapshot();
    assert!((sim.time() - 20.0 / 60.0).abs() < 1e-6, "{}", sim.time());
    run(&mut sim, 20);
    let (later, time) = (sim.state_hash(), sim.time());
    // In a new simulation, whose own time is zero.
    let mut other = flag(Some(GUSTS), Settings::default());
    other.restore(&snapshot).unwrap();
    run(&mut other, 20);
    assert_eq!((other.state_hash(), other.time()), (later, time));
    other.edit(|_| Ok(())).unwrap();
    assert_eq!(other.time(), time);
    other.reset();
    assert_eq!(other.time(), 0.0);
    run(&mut other, 40);
    assert_eq!(other.state_hash(), later);
}

#[test]
fn time_passes_while_everything_sleeps_and_nothing_falls_asleep_in_gusts() {
    let asleep = |gusts| {
        let wind = Wind { gusts, ..Wind::STILL_AIR };
        let mut sim =
            alone(Settings { wind, sleep: Some(Default::default()), ..weightless() }, cotton(sheet(5, 0.3)));
        run(&mut sim, 60);
        assert!((sim.time() - 1.0).abs() < 1e-5, "{}", sim.time());
        sim.is_asleep(cloth_id(0)).unwrap()
    };
    assert!(asleep(None));
    // Far too weak to move anything faster than the speed of rest.
    assert!(!asleep(Some(Gusts { strength: 1e-6, ..GUSTS })));
}
