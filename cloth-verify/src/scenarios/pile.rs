//! An upright sheet is dropped edge-on on a floor and comes to lie in a pile of folds.
//!
//! Hard for particles: cloth meets cloth everywhere, many layers deep, and nothing but contacts keeps the
//! layers apart. Methods that only keep particles apart leave thousands of intersecting faces here.

use cloth_solver::{Material, Settings};
use nalgebra::Vector3;

use super::parts;
use crate::Size;
use crate::scenario::{Expectations, Scenario, Setup, SetupError};

/// Side of the sheet (m).
const SIDE: f64 = 1.0;
/// From the floor to its lower edge (m).
const DROP: f64 = 0.05;
/// Duration (s): the folds have settled.
const SECONDS: f32 = 5.0;
/// Substeps a frame, up to 64 vertices a side.
const SUBSTEPS: u32 = 16;
/// Of the jitter, which decides to which side it falls.
const SEED: u64 = 1;

pub(super) const SCENARIO: Scenario = Scenario {
    name: "pile",
    about: "an upright sheet dropped edge-on on a floor until it lies in folds",
    build,
};

fn build(size: Size) -> Result<Setup, SetupError> {
    let count = match size {
        Size::Small => 24,
        Size::Medium => 64,
        Size::Large => 250,
    };
    Ok(Setup { audit_every: parts::audit_every(size), ..with_side(count)? })
}

/// The scene with `count` vertices along each side.
pub(super) fn with_side(count: usize) -> Result<Setup, SetupError> {
    let settings = Settings {
        detect_interval: 8,
        stretch_cycles: 4,
        ..parts::settings(parts::substeps(SUBSTEPS, count))
    };
    let mut setup = Setup::new(settings, SECONDS);
    let (sheet, measured) = parts::square(count, SIDE)?;
    let thickness = f64::from(parts::thickness(&sheet.mesh).total());
    let rest = parts::upright(sheet.mesh).translated(Vector3::y() * (DROP + 0.5 * SIDE));
    setup.add(parts::cloth(&rest, Material::COTTON, SEED)?, &measured);
    setup.scene.add_colliders([parts::floor()?]);
    setup.expectations = Expectations { penetration: Some(thickness), ..Expectations::default() };
    Ok(setup)
}
