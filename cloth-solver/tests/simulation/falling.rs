//! Free motion: falling, braking, and the limit of speed.

use cloth_solver::{Settings, Simulation};
use nalgebra::Vector3;

use crate::ids::cloth_id;
use crate::scenes::{G, U, airless, alone, bare, cotton, furthest, run, sheet, weightless};

/// A sheet in free motion with the settings given, that begins at -1.635 m/s: it has fallen for ten steps.
fn thrown(settings: Settings) -> Simulation {
    let mut before = alone(airless(), cotton(sheet(8, 0.5)));
    run(&mut before, 10);
    let mut sim = alone(settings, cotton(sheet(8, 0.5)));
    sim.restore(&before.snapshot()).unwrap();
    sim
}

/// How far off (m/s) rounding alone can take velocities in `n` substeps of `h`: half a unit in the last place
/// of a coordinate below 2 m, over `h`, each time.
fn rounding(n: f32, h: f32) -> f32 {
    n * 2.0 * U / h
}

#[test]
fn free_fall_is_that_of_newton_in_steps() {
    let mut sim = alone(airless(), cotton(sheet(8, 0.5)));
    let start = sim.positions().to_vec();
    run(&mut sim, 30);
    // Semi-implicit Euler: v = g t and y = g t (t + h) / 2, half a substep ahead of the parabola.
    let (n, h) = (300.0, 1.0 / 600.0);
    let t = n * h;
    for (i, (x, v)) in sim.positions().iter().zip(sim.velocities()).enumerate() {
        assert!((v - Vector3::new(0.0, -G * t, 0.0)).norm() <= rounding(n, h), "{v}");
        let fallen = x - start[i];
        let expected = Vector3::new(0.0, -0.5 * G * t * (t + h), 0.0);
        assert!((fallen - expected).norm() <= rounding(n, h) * t, "{fallen}");
    }
}

#[test]
fn a_falling_sheet_keeps_its_shape_and_meets_nothing() {
    let mut sim = alone(airless(), cotton(sheet(8, 0.5)));
    let start = sim.positions().to_vec();
    for _ in 0..30 {
        let report = *sim.step(1.0 / 60.0).unwrap();
        assert_eq!((report.contacts, report.collider_contacts, report.substeps), (0, 0, 10));
    }
    let fallen = sim.positions()[0] - start[0];
    let shape: Vec<_> = sim.positions().iter().map(|p| p - fallen).collect();
    assert!(furthest(&shape, &start) < 1e-4 * 0.5);
}

#[test]
fn air_brakes_by_the_same_share_in_steps_of_any_length() {
    let rate = 2.0f32;
    for (dt, steps, substeps) in
        [(1.0 / 60.0, 30, 10), (1.0 / 120.0, 60, 10), (1.0 / 60.0, 30, 3), (0.05, 10, 1)]
    {
        let mut sim = thrown(Settings { air_damping: rate, substeps, ..weightless() });
        let before = sim.velocities()[0].y;
        for _ in 0..steps {
            sim.step(dt).unwrap();
        }
        let expected = before * (-rate * dt * steps as f32).exp();
        let n = (steps * substeps) as f32;
        let bound = rounding(n, dt / substeps as f32);
        assert!(sim.velocities().iter().all(|v| (v.y - expected).abs() <= bound), "{dt} {substeps}");
    }
}

#[test]
fn without_forces_motion_goes_on() {
    let mut sim = thrown(weightless());
    let before = sim.velocities()[9];
    run(&mut sim, 30);
    assert!((sim.velocities()[9] - before).norm() <= rounding(300.0, 1.0 / 600.0));
}

#[test]
fn falling_in_air_ends_at_the_speed_where_both_balance() {
    let mut sim = alone(Settings { air_damping: 20.0, ..bare() }, cotton(sheet(4, 0.3)));
    run(&mut sim, 60);
    // g / k, less k h / 2 of it for the step.
    let (terminal, h) = (G / 20.0, 1.0 / 600.0);
    let speed = -sim.velocities()[5].y;
    assert!((speed / terminal - 1.0).abs() <= 20.0 * h, "{speed}");
}

#[test]
fn nothing_falls_faster_than_the_limit() {
    let settings = Settings { velocity_limit: 1.0, ..airless() };
    let mut sim = alone(settings, cotton(sheet(6, 0.5)));
    let mut limited = 0;
    for _ in 0..30 {
        limited += sim.step(1.0 / 60.0).unwrap().warnings.velocity_limited;
        let bound = 1.0 + rounding(2.0, 1.0 / 600.0);
        assert!(sim.velocities().iter().all(|v| v.norm() <= bound));
    }
    assert!((sim.velocities()[0].y + 1.0).abs() < 0.01);
    // The limit is reached after 0.102 s, in substep 62 of 300.
    assert!((237 * 36..240 * 36).contains(&limited), "{limited}");
}

#[test]
fn steps_of_different_lengths_add_up() {
    let mut sim = alone(airless(), cotton(sheet(4, 0.3)));
    let mut t = 0.0;
    for i in 0..40 {
        let dt = [1.0 / 240.0, 1.0 / 30.0, 0.001, 1.0 / 60.0][i % 4];
        sim.step(dt).unwrap();
        t += dt;
    }
    let bound = rounding(400.0, 0.0001);
    assert!((sim.velocities()[3].y + G * t).abs() <= bound);
    // Half a substep ahead of the parabola at most, and the longest is 1/300 s.
    let fallen = -sim.positions()[3].y;
    assert!(fallen >= 0.5 * G * t * t - bound * t && fallen <= 0.5 * G * t * (t + 1.0 / 300.0) + bound * t);
}

#[test]
fn a_thrown_cloth_keeps_its_velocity_and_a_pin_has_none() {
    let mut cloth = cotton(sheet(4, 0.3));
    cloth.pins = vec![0];
    let mut sim = alone(weightless(), cloth);
    let thrown = Vector3::new(3.0, 1.0, -2.0);
    let start = sim.positions().to_vec();
    for v in 0..16 {
        sim.set_velocity(cloth_id(0), v, thrown).unwrap();
    }
    sim.set_mass(cloth_id(0), 0, 1.0).unwrap();
    // Set free, it keeps the velocity that it had as a pin, which is none.
    sim.set_velocity(cloth_id(0), 0, thrown).unwrap();
    sim.step(0.01).unwrap();
    for (p, q) in sim.positions().iter().zip(&start) {
        // Ten substeps of roundings of metres.
        assert!((p - q - thrown * 0.01).norm() < 20.0 * U, "{p} from {q}");
    }
    sim.pin(cloth_id(0), 5).unwrap();
    let held = sim.positions()[5];
    sim.set_velocity(cloth_id(0), 5, thrown).unwrap();
    sim.step(0.01).unwrap();
    assert_eq!(sim.positions()[5], held);
    assert!(sim.set_velocity(cloth_id(0), 16, thrown).is_err());
    assert!(sim.set_velocity(cloth_id(0), 1, thrown * f32::NAN).is_err());
}
