//! A sheet falls on a ball over the floor, and after a second the ball turns and drags it along.
//!
//! From Bridson, Fedkiw and Anderson 2002, and Lewin 2018, figure 4 right. The sheet that hangs from the ball
//! is twisted round it while its rim drags over the floor: many layers slide on each other, on a collider
//! that moves under them. The control, without self-collision, lets the folds pass through each other.

use cloth_contacts::collider::ColliderError;
use cloth_show::Direction;
use cloth_solver::{Collider, Material, Settings, Shape};
use nalgebra::{Isometry3, Translation3, Vector3};

use super::parts;
use crate::Size;
use crate::scenario::{Expectations, Scenario, Setup, SetupError};

/// Side of the sheet (m).
const SIDE: f64 = 1.0;
/// Radius of the ball (m).
const RADIUS: f32 = 0.15;
/// Height of its middle over the floor (m): the corners of the sheet lie on the floor, and do not hold it.
const HEIGHT: f32 = 0.35;
/// From the top of the ball to the sheet (m), a thickness aside.
const FALL: f64 = 0.1;
/// Coefficients of friction: of the ball and the floor, and between cloth.
const FRICTION: f32 = 0.4;
const CLOTH_FRICTION: f32 = 0.1;
/// The ball turns from this time on (s), at this rate (rad/s): 180 degrees a second.
const TURNS_FROM: f32 = 1.0;
const TURN_RATE: f32 = std::f32::consts::PI;
/// Duration (s).
const SECONDS: f32 = 4.0;
/// Substeps a frame, up to 64 vertices a side.
const SUBSTEPS: u32 = 12;
/// Greatest 99th percentile of the stretch along the threads in any frame.
const STRETCH_LIMIT: f64 = 0.05;
/// Greatest depth of a vertex in the ball or the floor (m).
const PENETRATION_LIMIT: f64 = 1e-3;
/// Of the jitter.
const SEED: u64 = 1;

pub(super) const SCENARIO: Scenario = Scenario {
    name: "rotating-sphere",
    about: "a sheet falls on a ball that then turns and winds it up",
    build,
};

fn build(size: Size) -> Result<Setup, SetupError> {
    let count = match size {
        Size::Small => 40,
        Size::Medium => 100,
        Size::Large => 250,
    };
    let settings = Settings {
        detect_interval: 6,
        self_friction: CLOTH_FRICTION,
        ..parts::settings(parts::substeps(SUBSTEPS, count))
    };
    let mut setup = Setup::new(settings, SECONDS);
    let (sheet, measured) = parts::square(count, SIDE)?;
    let thickness = f64::from(parts::thickness(&sheet.mesh).total());
    let rest = sheet.mesh.translated(Vector3::y() * (f64::from(HEIGHT + RADIUS) + FALL + thickness));
    setup.add(parts::cloth(&rest, Material::COTTON, SEED)?, &measured);
    setup.scene.add_colliders([
        rough(Shape::Plane, Isometry3::identity())?,
        rough(Shape::Sphere { radius: RADIUS }, pose(0.0))?,
    ]);
    setup.driver = Some(parts::moves(1, |time| pose(TURN_RATE * (time - TURNS_FROM).max(0.0))));
    setup.expectations = Expectations {
        stretch_p99: Some(STRETCH_LIMIT).into(),
        penetration: Some(PENETRATION_LIMIT),
        ..Expectations::default()
    };
    setup.view = Direction { azimuth_deg: 30.0, elevation_deg: 35.0 };
    Ok(setup)
}

fn rough(shape: Shape, pose: Isometry3<f32>) -> Result<Collider, ColliderError> {
    Collider::new(shape, pose, FRICTION)
}

/// The ball, turned about y by an angle (rad).
fn pose(angle: f32) -> Isometry3<f32> {
    let turn = parts::turn(&Vector3::y(), angle);
    Isometry3::from_parts(Translation3::new(0.0, HEIGHT, 0.0), turn)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ball_rests_one_second_then_makes_half_a_turn_per_second() {
        let at = |time: f32| pose(TURN_RATE * (time - TURNS_FROM).max(0.0)) * Vector3::x();
        assert_eq!(at(0.5), Vector3::x());
        assert!((at(1.5) + Vector3::z()).norm() < 1e-6 && (at(2.0) + Vector3::x()).norm() < 1e-6);
        assert!((at(4.0) + Vector3::x()).norm() < 1e-5);
    }
}
