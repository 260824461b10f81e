//! A ball rolls over a sheet on the floor and then under a curtain whose lower part lies on the floor in its way.
//!
//! After Zhang et al. 2014, figure 9 (a). Over the sheet, cloth is between the ball and the floor, which have masses a million times its own.
//! Under the curtain, the ball takes folds along, and the cloth rubs on it and slows it down. The control, without self
//! collision, lets the folds pass through each other.

use cloth_solver::{Collider, Material, RigidBodyDesc, Settings, Shape};
use nalgebra::{Isometry3, Point3, Vector3};

use super::parts;
use crate::scenario::{Expectations, RigidTrack, Scenario, Setup, SetupError};
use crate::{Direction, Size};

/// Side of the sheet and of the curtain (m).
const SIDE: f64 = 0.8;
/// Mass (kg), radius (m) and speed (m/s) of the ball, which rolls without slip at the start.
const MASS: f32 = 1.0;
const RADIUS: f32 = 0.12;
const SPEED: f32 = 1.5;
/// Where the ball starts, before the sheet, and where the middle of the sheet is (m).
const START: f32 = -1.0;
const SHEET: f64 = -0.2;
/// Where the curtain hangs, and the height of its upper hem (m): a fourth of it lies on the floor.
const CURTAIN: f64 = 0.6;
const HEIGHT: f64 = 0.6;
/// Duration (s).
const SECONDS: f32 = 3.0;
/// Substeps a frame, up to 64 vertices a side.
const SUBSTEPS: u32 = 12;
/// Least distance (m) of the surface of the ball from any face after any substep.
const DISTANCE: f64 = -1.0e-3;
/// Of the jitter; the curtain has the next.
const SEED: u64 = 1;

pub(super) const SCENARIO: Scenario =
    Scenario { name: "rolling-ball", about: "a ball rolls over a sheet and under a curtain", build };

fn build(size: Size) -> Result<Setup, SetupError> {
    let count = match size {
        // 512 triangles, as in the paper.
        Size::Small => 17,
        Size::Medium => 48,
        Size::Large => 96,
    };
    let settings = Settings { detect_interval: 4, ..parts::settings(parts::substeps(SUBSTEPS, count)) };
    let mut setup = Setup::new(settings, SECONDS);
    let (sheet, measured) = parts::square(count, SIDE)?;
    let thickness = f64::from(parts::thickness(&sheet.mesh).total());
    let lying = sheet.mesh.clone().translated(Vector3::new(SHEET, thickness, 0.0));
    setup.add(parts::cloth(&lying, Material::COTTON, SEED)?, &measured);

    // Upright in the plane x = 0, facing the ball, and too low: the solver unfolds nothing, so the lower rows start in front of it.
    let upright = parts::upright(sheet.mesh);
    let over = SIDE - HEIGHT + 4.0 * thickness;
    let start = upright.clone().mapped(|p| {
        let up = p.y + 0.5 * SIDE;
        let (height, front) = if up > over { (up - over, 0.0) } else { (0.0, over - up) };
        Point3::new(CURTAIN - front, height + 4.0 * thickness, p.x)
    });
    let mut curtain = parts::cloth(&start, Material::COTTON, SEED + 1)?;
    curtain.rest = cloth_solver::RestShape::Positions(upright.positions);
    curtain.pins = ((count * (count - 1)) as u32..(count * count) as u32).collect();
    setup.add(curtain, &measured);

    let pose = Isometry3::translation(START, RADIUS, 0.05);
    let shape = Shape::Sphere { radius: RADIUS };
    let ball = Collider::new(shape, pose, parts::BODY_FRICTION)?.guarded()?;
    setup.rigid_bodies = vec![RigidBodyDesc {
        velocity: Vector3::x() * SPEED,
        angular_velocity: Vector3::z() * (-SPEED / RADIUS),
        ..RigidBodyDesc::new(ball, MASS)
    }];
    setup.colliders = vec![parts::floor()?];
    setup.expectations = Expectations {
        body_distance: Some(DISTANCE),
        rigid_bodies: vec![Box::new(passes)],
        ..Expectations::default()
    };
    setup.view = Direction { azimuth_deg: -25.0, elevation_deg: 25.0 };
    Ok(setup)
}

/// The ball has crossed the sheet and reached the curtain, on the floor.
fn passes(tracks: &[RigidTrack]) -> Result<(), String> {
    let Some(track) = tracks.first() else { return Err("there is no ball".into()) };
    let farthest = track.states.iter().map(|state| state.pose.translation.x).fold(f32::MIN, f32::max);
    let heights = track.states.iter().map(|state| state.pose.translation.y);
    let (low, high) = heights.fold((f32::MAX, f32::MIN), |(low, high), y| (low.min(y), high.max(y)));
    if farthest < CURTAIN as f32 {
        return Err(format!(
            "the ball came to x = {farthest:.2} m, expected beyond the curtain at {CURTAIN}"
        ));
    }
    if low < RADIUS - 1.0e-3 || high > RADIUS + 0.05 {
        return Err(format!(
            "the centre of the ball was between {low:.4} and {high:.4} m high, expected {RADIUS}"
        ));
    }
    Ok(())
}
