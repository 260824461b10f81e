//! A ball rolls over a sheet on the floor and then under one that is dropped on it, which it drags along.
//!
//! After Zhang et al. 2014, figure 9 (a). Over the first sheet, cloth lies between the ball and the floor,
//! one ten thousand times as heavy as a vertex and the other immovable. The second is pinned at its corners
//! and released when the ball is under it: it drapes over the ball, rubs on it and on the floor, and folds.
//! The control, without self-collision, lets the folds pass through each other.

use cloth_show::Direction;
use cloth_show::invariants::RigidTrack;
use cloth_solver::{Collider, Material, RigidBodyDesc, Settings, Shape};
use nalgebra::{Isometry3, Vector3};

use super::parts;
use crate::Size;
use crate::scenario::{Driver, Expectations, Scenario, Setup, SetupError};

/// Side of the sheets (m), and their thickness at every size: that of a blanket.
const SIDE: f64 = 0.8;
const THICKNESS: f64 = 0.006;
/// Mass (kg), radius (m) and speed (m/s) of the ball, which rolls without slip at the start.
const MASS: f32 = 1.0;
const RADIUS: f32 = 0.12;
const SPEED: f32 = 1.5;
/// Where the ball starts, and the middle of the sheet on the floor (m).
const START: f32 = -1.0;
const SHEET: f64 = -0.3;
/// Where the middle of the pinned sheet is, its height (m), and when its pins are released (s).
const PINNED: f64 = 0.6;
const HEIGHT: f64 = 0.4;
const RELEASED: f32 = 1.0;
/// Duration (s).
const SECONDS: f32 = 3.0;
/// Substeps a frame, up to 64 vertices a side.
const SUBSTEPS: u32 = 12;
/// Least distance (m) of the surface of the ball from any face after any substep.
const DISTANCE: f64 = -1.0e-3;
/// Of the jitter; the second sheet has the next.
const SEED: u64 = 1;

pub(super) const SCENARIO: Scenario =
    Scenario { name: "rolling-ball", about: "a ball rolls over a sheet, and another falls on it", build };

fn build(size: Size) -> Result<Setup, SetupError> {
    let count = match size {
        Size::Small => 33,
        Size::Medium => 48,
        Size::Large => 96,
    };
    let settings = Settings { detect_interval: 4, ..parts::settings(parts::substeps(SUBSTEPS, count)) };
    let mut setup = Setup::new(settings, SECONDS);
    let (sheet, measured) = parts::square(count, SIDE)?;
    for (place, start) in [[SHEET, 2.0 * THICKNESS], [PINNED, HEIGHT]].into_iter().enumerate() {
        let rest = sheet.mesh.clone().translated(Vector3::new(start[0], start[1], 0.0));
        let mut cloth = parts::cloth(&rest, Material::COTTON, SEED + place as u64)?;
        cloth.thickness = parts::split(THICKNESS);
        if place == 1 {
            let (last, row) = (count as u32 - 1, (count * (count - 1)) as u32);
            cloth.pins = vec![0, last, row, row + last];
            setup.driver = Some(release_pins(cloth.pins.clone(), count));
        }
        setup.add(cloth, &measured);
    }

    let pose = Isometry3::translation(START, RADIUS, 0.05);
    let shape = Shape::Sphere { radius: RADIUS };
    let ball = Collider::new(shape, pose, parts::BODY_FRICTION)?.guarded()?;
    setup.scene.add_colliders([parts::floor()?]);
    setup.scene.add_colliders([RigidBodyDesc {
        velocity: Vector3::x() * SPEED,
        angular_velocity: Vector3::z() * (-SPEED / RADIUS),
        ..RigidBodyDesc::new(ball, MASS)
    }]);
    setup.expectations = Expectations {
        body_distance: Some(DISTANCE),
        rigid_bodies: vec![Box::new(passes)],
        ..Expectations::default()
    };
    setup.view = Direction { azimuth_deg: -25.0, elevation_deg: 25.0 };
    Ok(setup)
}

/// Releases the corners of the second sheet.
fn release_pins(corners: Vec<u32>, count: usize) -> Driver {
    let edge = SIDE as f32 / (count - 1) as f32;
    // A corner has a third of one or two faces; either will do.
    let mass = Material::COTTON.density * edge * edge / 4.0;
    let mut is_pinned = true;
    Box::new(move |stage, _, time| {
        if !is_pinned || time < RELEASED {
            return Ok(());
        }
        is_pinned = false;
        corners.iter().try_for_each(|&v| stage.set_mass(1, v, mass))
    })
}

/// The ball has crossed the first sheet and stayed on the floor, rolling until it meets the second.
fn passes(tracks: &[RigidTrack]) -> Result<(), String> {
    let Some(track) = tracks.first() else { return Err("there is no ball".into()) };
    let farthest = track.states.iter().map(|state| state.pose.translation.x).fold(f32::MIN, f32::max);
    if farthest < PINNED as f32 {
        return Err(format!(
            "the ball came to x = {farthest:.2} m, expected under the second sheet, beyond {PINNED}"
        ));
    }
    let heights = track.states.iter().map(|state| state.pose.translation.y);
    let (low, high) = heights.fold((f32::MAX, f32::MIN), |(low, high), y| (low.min(y), high.max(y)));
    // It rolls onto folds of a few layers.
    if low < RADIUS - 1.0e-3 || high > RADIUS + 5.0 * THICKNESS as f32 {
        return Err(format!(
            "the centre of the ball was {low:.4} to {high:.4} m high, expected about {RADIUS}"
        ));
    }
    let before = track.states.iter().take_while(|state| state.pose.translation.x < 0.0);
    let slip = before.map(|s| (s.velocity.x + s.angular_velocity.z * RADIUS).abs()).fold(0.0, f32::max);
    if slip > 0.1 * SPEED {
        return Err(format!(
            "the ball slipped at {slip:.3} m/s on the first sheet, expected at most {}",
            0.1 * SPEED
        ));
    }
    Ok(())
}
