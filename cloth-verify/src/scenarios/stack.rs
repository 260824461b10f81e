//! A stack of sheets falls on a ball; at the end they lie on it in the order in which they began.
//!
//! After NvCloth's collision between cloths. Sheets that swap places may well end without an intersection, so
//! the order is checked for itself, over the cap of the ball, where they lie on each other.

use cloth_show::invariants::{OrderRegion, order_faults};
use cloth_solver::{Material, Settings};
use nalgebra::{Point3, Vector3};

use super::parts;
use crate::Size;
use crate::scenario::{Cloths, EndCheck, Expectations, Scenario, Setup, SetupError};

/// Side of a sheet (m).
const SIDE: f64 = 0.5;
/// From sheet to sheet, and from the ball to the lowest (m).
const GAP: f64 = 0.02;
/// Radius of the ball (m).
const RADIUS: f32 = 0.15;
/// Duration (s): all sheets hang still.
const SECONDS: f32 = 4.0;
/// Substeps a frame.
const SUBSTEPS: u32 = 16;
/// Radius of the cap in which the order is checked, as a part of the ball's: up to 37 degrees from its top.
const CAP: f64 = 0.6;

pub(super) const SCENARIO: Scenario = Scenario {
    name: "stack",
    about: "sheets fall on a ball on top of each other, and keep their order",
    build,
};

fn build(size: Size) -> Result<Setup, SetupError> {
    let (sheets, count) = match size {
        Size::Small => (3, 16),
        Size::Medium => (5, 32),
        Size::Large => (50, 32),
    };
    Ok(Setup { audit_every: parts::audit_every(size), ..with_sheets(sheets, count)? })
}

/// The scene with this many sheets of `count` vertices along each side.
pub(super) fn with_sheets(sheets: usize, count: usize) -> Result<Setup, SetupError> {
    let settings =
        Settings { detect_interval: 8, relaxation: parts::YIELDING_SHEAR, ..parts::settings(SUBSTEPS) };
    let mut setup = Setup::new(settings, SECONDS);
    let (sheet, measured) = parts::square(count, SIDE)?;
    let thickness = f64::from(parts::thickness(&sheet.mesh).total());
    for k in 0..sheets {
        let height = 2.0 * f64::from(RADIUS) + GAP * (k + 1) as f64;
        let rest = sheet.mesh.clone().translated(Vector3::y() * height);
        // Each its own jitter: equal sheets would have equal vertices right above each other.
        setup.add(parts::cloth(&rest, Material::COTTON, k as u64)?, &measured);
    }
    setup.scene.add_colliders([parts::floor()?, parts::ball(RADIUS)?]);
    let order: EndCheck = Box::new(check_order);
    setup.expectations =
        Expectations { penetration: Some(thickness), at_the_end: vec![order], ..Expectations::default() };
    Ok(setup)
}

fn check_order(cloths: &Cloths<'_>) -> Result<(), String> {
    let radius = f64::from(RADIUS);
    let cap = OrderRegion { bottom: Point3::new(0.0, radius, 0.0), radius: CAP * radius };
    let faults = order_faults(cloths.positions, cloths.faces, &cap);
    if faults.wrong > 0 {
        let (wrong, compared) = (faults.wrong, faults.compared);
        return Err(format!(
            "sheets are out of order at the end: {wrong} of {compared} comparisons over the ball"
        ));
    }
    match faults.apart {
        Some(sheet) => Err(format!(
            "sheet {} does not lie over sheet {} on the ball at the end, so their order is not kept",
            sheet + 2,
            sheet + 1
        )),
        None => Ok(()),
    }
}
