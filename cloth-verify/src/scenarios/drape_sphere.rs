//! A sheet falls on a ball that stands on the floor, and drapes it in folds that meet each other and the
//! floor.
//!
//! From Zhang 2014, figure 8. The control, without self-collision, lets the folds below the ball pass through
//! each other.

use cloth_solver::{Material, Settings};
use nalgebra::Vector3;

use super::parts;
use crate::Size;
use crate::scenario::{Expectations, Scenario, Setup, SetupError};

/// Side of the sheet (m).
const SIDE: f64 = 1.0;
/// Radius of the ball (m).
const RADIUS: f32 = 0.2;
/// From the top of the ball to the sheet (m), a thickness aside: braked by the air, it arrives at 1.4 m/s.
const FALL: f64 = 0.3;
/// Duration (s); the small sheet has come to rest earlier.
const SECONDS: f32 = 4.0;
const SMALL_SECONDS: f32 = 2.5;
/// Substeps a frame, up to 64 vertices a side.
const SUBSTEPS: u32 = 10;
/// Greatest 99th percentile of the stretch along the threads in any frame.
const STRETCH_LIMIT: f64 = 0.05;
/// Of the jitter.
const SEED: u64 = 1;

pub(super) const SCENARIO: Scenario = Scenario {
    name: "drape-sphere",
    about: "a sheet falls on a ball over a floor: folds against folds, body and floor",
    build,
};

fn build(size: Size) -> Result<Setup, SetupError> {
    let (count, seconds) = match size {
        Size::Small => (24, SMALL_SECONDS),
        Size::Medium => (64, SECONDS),
        Size::Large => (250, SECONDS),
    };
    Ok(Setup { frames: Setup::new(Settings::default(), seconds).frames, ..with_side(count)? })
}

/// The scene with `count` vertices along each side.
pub(super) fn with_side(count: usize) -> Result<Setup, SetupError> {
    let settings = Settings {
        detect_interval: 5,
        stretch_cycles: 4,
        ..parts::settings(parts::substeps(SUBSTEPS, count))
    };
    let mut setup = Setup::new(settings, SECONDS);
    let (sheet, measured) = parts::square(count, SIDE)?;
    let thickness = f64::from(parts::thickness(&sheet.mesh).total());
    let rest = sheet.mesh.translated(Vector3::y() * (2.0 * f64::from(RADIUS) + FALL + thickness));
    setup.add(parts::cloth(&rest, Material::COTTON, SEED)?, &measured);
    setup.scene.add_colliders([parts::floor()?, parts::ball(RADIUS)?]);
    setup.expectations = Expectations {
        stretch_p99: Some(STRETCH_LIMIT).into(),
        penetration: Some(thickness),
        ..Expectations::default()
    };
    Ok(setup)
}
