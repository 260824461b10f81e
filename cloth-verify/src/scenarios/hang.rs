//! A sheet hangs by its two upper corners: stretch against resolution.
//!
//! From Zhang 2014, table 2. Position-based cloth stretches the more the finer it is meshed, because a
//! correction travels one edge an iteration; a finer sheet must hang as a coarser one does. Self collision is
//! not the subject: the control is the same sheet with a tenth of the substeps, which must stretch beyond the
//! limit set here.
//!
//! Fewer substeps stretch XPBD alone. The control of finite elements and mass-spring is a fabric with a
//! hundredth of the moduli; `docs/design/scenarios.md` has the figures.

use cloth_show::Direction;
use cloth_solver::{Material, Settings};
use nalgebra::Vector3;

use super::parts;
use crate::scenario::{ControlKind, Expectations, Scenario, Setup, SetupError};
use crate::{ByModel, Size};

/// Side of the sheet (m).
const SIDE: f64 = 1.0;
/// Height of its upper edge (m).
const TOP: f64 = 1.2;
/// Duration (s): it swings down and comes nearly to rest.
const SECONDS: f32 = 3.0;
/// Substeps a frame, up to 64 vertices a side.
const SUBSTEPS: u32 = 10;
/// Divisor of the substeps for the control of XPBD.
const CONTROL_SUBSTEP_DIVISOR: u32 = 10;
/// Divisor of the moduli for the control of the other models.
const CONTROL_SOFTNESS: u32 = 100;
/// Greatest 99th percentile of the stretch along the threads in any frame: cotton that is pulled by its own
/// weight gives a percent or two.
const STRETCH_LIMIT: f64 = 0.05;
/// Of the jitter.
const SEED: u64 = 1;

pub(super) const SCENARIO: Scenario =
    Scenario { name: "hang", about: "a sheet hung by two corners: stretch against the resolution", build };

fn build(size: Size) -> Result<Setup, SetupError> {
    with_side(match size {
        Size::Small => 24,
        Size::Medium => 64,
        Size::Large => 250,
    })
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
    let rest = parts::upright(sheet.mesh.clone()).translated(Vector3::y() * (TOP - 0.5 * SIDE));
    let mut cloth = parts::cloth(&rest, Material::COTTON, SEED)?;
    cloth.pins = [0, count - 1].iter().filter_map(|&i| sheet.vertex(i, count - 1)).collect();
    setup.add(cloth, &measured);
    let substeps = (setup.scene.settings.substeps / CONTROL_SUBSTEP_DIVISOR).max(1);
    setup.control_kinds = ByModel {
        xpbd: Ok(ControlKind::Substeps(substeps)),
        mass_spring: Ok(ControlKind::SoftFabric(CONTROL_SOFTNESS)),
        fem: Ok(ControlKind::SoftFabric(CONTROL_SOFTNESS)),
    };
    setup.expectations = Expectations { stretch_p99: Some(STRETCH_LIMIT).into(), ..Expectations::default() };
    setup.view = Direction { azimuth_deg: 25.0, elevation_deg: 8.0 };
    Ok(setup)
}
