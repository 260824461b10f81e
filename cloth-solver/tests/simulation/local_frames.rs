//! Local frames: a cloth that feels only a share of its wearer's motion.

use cloth_solver::{ClothDesc, LocalFrame, Settings, Simulation, StepError, Wind};
use nalgebra::{Isometry3, Point3, Vector3};

use crate::ids::cloth_id;
use crate::scenes::{airless, alone, bare, cotton, furthest, last_corners, run, sheet, upright, weightless};

/// An upright sheet of 8 x 8, half a metre from the middle of what carries it.
fn flag(inertia_scale: Option<f32>) -> ClothDesc {
    let mut cloth = cotton(upright(8, 0.4).translated(Vector3::x() * 0.5));
    cloth.pins = last_corners(8);
    cloth.local_frame =
        inertia_scale.map(|inertia_scale| LocalFrame { pose: Isometry3::identity(), inertia_scale });
    cloth
}

/// Twice a second around, and a start at 8 m/s without warning.
fn wild(step: usize) -> Isometry3<f32> {
    let t = step as f32 / 60.0;
    Isometry3::new(Vector3::new(8.0 * t, t * t, 0.0), Vector3::y() * (2.0 * std::f32::consts::TAU * t))
}

/// Moves the local frame, if there is one, and the pins; the positions relative to the frame.
fn ride(
    sim: &mut Simulation,
    steps: std::ops::Range<usize>,
    motion: fn(usize) -> Isometry3<f32>,
) -> Vec<Point3<f32>> {
    let rest = flag(None).mesh.positions_f32();
    let mut pose = Isometry3::identity();
    for step in steps {
        pose = motion(step + 1);
        // Not every cloth here is carried.
        let _ = sim.move_local_frame(cloth_id(0), pose);
        for v in last_corners(8) {
            sim.move_pin(cloth_id(0), v, pose * rest[v as usize]).unwrap();
        }
        run(sim, 1);
    }
    sim.positions().iter().map(|p| pose.inverse() * p).collect()
}

fn flying(inertia_scale: f32, settings: Settings) -> Simulation {
    let mut cloth = flag(Some(inertia_scale));
    cloth.pins.clear();
    alone(settings, cloth)
}

#[test]
fn a_cloth_that_feels_nothing_hangs_as_if_its_wearer_stood_still() {
    let settings = Settings { air_damping: 0.5, wind: Wind::STILL_AIR, ..bare() };
    let still = ride(&mut alone(settings, flag(Some(0.0))), 0..60, |_| Isometry3::identity());
    let ridden = ride(&mut alone(settings, flag(Some(0.0))), 0..60, wild);
    let thrown = ride(&mut alone(settings, flag(None)), 0..60, wild);
    // Pins go straight through a step where the frame turns by 12 degrees; that is what remains. In the
    // vertex that is farthest off it comes to between 5 and 13 %, by the number of cycles and the relaxation.
    let (ridden, thrown) = (furthest(&still, &ridden), furthest(&still, &thrown));
    assert!(thrown > 0.4 && ridden < 0.15 * thrown, "{ridden} of {thrown}");
}

#[test]
fn full_inertia_has_the_bits_of_no_local_frame() {
    let mut with = alone(bare(), flag(Some(1.0)));
    let mut without = alone(bare(), flag(None));
    ride(&mut with, 0..30, wild);
    ride(&mut without, 0..30, wild);
    assert_eq!(with.state_hash(), without.state_hash());
}

#[test]
fn the_share_of_the_frames_speed_does_not_depend_on_the_substeps() {
    for substeps in [1, 4, 16] {
        for inertia_scale in [0.0, 0.25, 0.5, 1.0] {
            let mut sim = flying(inertia_scale, Settings { substeps, ..weightless() });
            for step in 1..=10 {
                let pose = Isometry3::translation(0.05 * step as f32, 0.0, 0.0);
                sim.move_local_frame(cloth_id(0), pose).unwrap();
                run(&mut sim, 1);
            }
            // 3 m/s, less roundings of what it came from: differences of positions of a metre.
            let speed = 3.0 * (1.0 - inertia_scale);
            let off = sim.velocities().iter().map(|v| (v - Vector3::x() * speed).norm()).fold(0.0, f32::max);
            assert!(off < 0.01, "{substeps}, {inertia_scale}: {off} m/s off");
        }
    }
}

#[test]
fn what_flies_free_stops_with_a_frame_that_it_does_not_feel() {
    let mut sim = flying(0.0, airless());
    let there = Isometry3::translation(0.4, 0.0, 0.0);
    for step in 1..=4 {
        sim.move_local_frame(cloth_id(0), Isometry3::translation(0.1 * step as f32, 0.0, 0.0)).unwrap();
        run(&mut sim, 1);
    }
    sim.move_local_frame(cloth_id(0), there).unwrap();
    run(&mut sim, 1);
    assert!(sim.velocities().iter().all(|v| v.x.abs() < 0.01), "{}", sim.velocities()[0]);
    assert!(sim.velocities().iter().all(|v| v.y < -0.5), "gravity is felt");
}

#[test]
fn snapshots_and_steps_that_fail_keep_what_was_given() {
    let mut sim = alone(bare(), flag(Some(0.25)));
    ride(&mut sim, 0..10, wild);
    let snapshot = sim.snapshot();
    ride(&mut sim, 10..20, wild);
    let hash = sim.state_hash();
    sim.restore(&snapshot).unwrap();
    ride(&mut sim, 10..20, wild);
    assert_eq!(sim.state_hash(), hash);
    sim.restore(&snapshot).unwrap();
    sim.move_local_frame(cloth_id(0), wild(11)).unwrap();
    assert!(sim.step(1e-40).is_err(), "too short for f32");
    ride(&mut sim, 10..20, wild);
    assert_eq!(sim.state_hash(), hash);
}

#[test]
fn a_cloth_that_is_reset_is_at_rest_in_its_local_frame() {
    let mut sim = flying(0.25, weightless());
    let fresh = sim.state_hash();
    for step in 1..4_u8 {
        sim.move_local_frame(cloth_id(0), Isometry3::translation(0.1 * f32::from(step), 0.0, 0.0)).unwrap();
        run(&mut sim, 1);
    }
    sim.reset();
    assert_eq!(sim.state_hash(), fresh);
    run(&mut sim, 1);
    assert!(sim.velocities().iter().all(|v| v.norm() < 1e-3), "{}", sim.velocities()[0]);
}

#[test]
fn a_teleport_takes_the_local_frame_along() {
    let jump = Isometry3::new(Vector3::new(4.0, 0.0, 1.0), Vector3::y() * 0.5);
    let mut sim = flying(0.0, weightless());
    let start = sim.positions().to_vec();
    sim.teleport(cloth_id(0), &jump).unwrap();
    sim.move_local_frame(cloth_id(0), jump).unwrap();
    run(&mut sim, 1);
    let expected: Vec<_> = start.iter().map(|p| jump * p).collect();
    assert!(furthest(sim.positions(), &expected) < 1e-5);
}

#[test]
fn refuses_local_frames_that_are_none() {
    let mut sim = flying(0.5, airless());
    let nan = Isometry3::translation(f32::NAN, 0.0, 0.0);
    let refused = sim.move_local_frame(cloth_id(0), nan).unwrap_err().to_string();
    assert!(refused.contains("local frame of cloth 0 is at NaN m"), "{refused}");
    let nobody = sim.move_local_frame(cloth_id(1), Isometry3::identity());
    assert!(matches!(nobody, Err(StepError::NotFound { what: "cloth", .. })));
    let mut free = alone(airless(), cotton(sheet(4, 0.3)));
    let nothing = free.move_local_frame(cloth_id(0), Isometry3::identity());
    assert!(matches!(nothing, Err(StepError::NotFound { what: "local frame of cloth", .. })));
}
