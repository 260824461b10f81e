//! A sheet on a bed of blunt needles is dragged over them, and over itself, by one side.
//!
//! From C-IPC (Li, Kaufman and Jiang 2021) and ppf. The cloth sinks in between the needles and hangs on their
//! tips; then the side at +x is carried over the sheet to -x and beyond the bed, so that the upper half is
//! drawn over the lower one, whose every hump is a needle, and what is left is torn off the tips sideways.
//! The control, without self-collision, lets the halves pass through each other.
//!
//! Colliders meet vertices alone. So a tip is blunt enough not to slip between the vertices of a cell: its
//! radius and that of the cloth are together more than the 0.71 edges from the middle of a cell to its
//! corners.

use cloth_show::Direction;
use cloth_solver::{Collider, Material, Settings, Shape};
use nalgebra::{Isometry3, Point3, Vector3};

use super::parts::{self, ease};
use crate::Size;
use crate::scenario::{Driver, Expectations, Scenario, Setup, SetupError};

/// Side of the sheet (m).
const SIDE: f64 = 0.4;
/// Half the length of a needle's axis, and its radius (m).
const HALF_LENGTH: f32 = 0.06;
const RADIUS: f32 = 0.012;
/// From needle to needle (m), and how many there are along x and along z; odd rows are shifted by half of
/// that.
const SPACING: f32 = 0.06;
const NEEDLES: [usize; 2] = [7, 7];
/// Height of the tips (m).
const TIPS: f32 = 2.0 * HALF_LENGTH + RADIUS;
/// From the tips to the sheet at the start (m), a thickness aside.
const FALL: f32 = 0.01;
/// The path of the side that is held: time (s), and place (m) along x and above the tips.
const PATH: [(f32, [f32; 2]); 6] = [
    (0.0, [0.2, FALL]),
    (0.4, [0.16, 0.08]),
    (0.9, [0.0, 0.10]),
    (1.5, [-0.24, 0.04]),
    (1.8, [-0.34, 0.02]),
    (2.6, [-0.56, 0.0]),
];
/// Duration (s).
const SECONDS: f32 = 3.0;
/// Coefficient of friction of the needles.
const FRICTION: f32 = 0.3;
/// Substeps a frame, up to 64 vertices a side.
const SUBSTEPS: u32 = 16;
/// Greatest depth (m) of a vertex in a needle.
const PENETRATION_LIMIT: f64 = 1e-3;
/// Of the jitter.
const SEED: u64 = 1;

pub(super) const SCENARIO: Scenario = Scenario {
    name: "needles",
    about: "a sheet on a bed of blunt needles, dragged over them and over itself",
    build,
};

fn build(size: Size) -> Result<Setup, SetupError> {
    let count = match size {
        Size::Small => 36,
        Size::Medium => 64,
        Size::Large => 200,
    };
    let settings = Settings { detect_interval: 5, ..parts::settings(parts::substeps(SUBSTEPS, count)) };
    let mut setup = Setup::new(settings, SECONDS);
    let (sheet, measured) = parts::square(count, SIDE)?;
    let rest = sheet.mesh.clone().translated(Vector3::y() * f64::from(TIPS + FALL));
    let mut cloth = parts::cloth(&rest, Material::COTTON, SEED)?;
    cloth.pins = (0..count).filter_map(|j| sheet.vertex(count - 1, j)).collect();
    setup.driver = Some(drags(cloth.pins.clone()));
    setup.add(cloth, &measured);
    setup.scene.add_colliders(bed()?);
    setup.expectations = Expectations { penetration: Some(PENETRATION_LIMIT), ..Expectations::default() };
    setup.view = Direction { azimuth_deg: 20.0, elevation_deg: 30.0 };
    setup.focus = Some([Point3::new(-0.56, 0.0, -0.22), Point3::new(0.25, 0.25, 0.22)]);
    Ok(setup)
}

/// A floor, and the needles on it.
fn bed() -> Result<Vec<Collider>, SetupError> {
    let mut bed = vec![parts::floor()?];
    let shape = Shape::Capsule { half_length: HALF_LENGTH, radius: RADIUS };
    let middle = |count: usize| 0.5 * (count - 1) as f32;
    for j in 0..NEEDLES[1] {
        for i in 0..NEEDLES[0] {
            let x = SPACING * (i as f32 - middle(NEEDLES[0]) + 0.5 * (j % 2) as f32 - 0.25);
            let z = SPACING * (j as f32 - middle(NEEDLES[1]));
            bed.push(Collider::new(shape.clone(), Isometry3::translation(x, HALF_LENGTH, z), FRICTION)?);
        }
    }
    Ok(bed)
}

fn drags(held: Vec<u32>) -> Driver {
    let last = held.len() - 1;
    Box::new(move |stage, _, time| {
        let [x, y] = place(time);
        held.iter().enumerate().try_for_each(|(k, &v)| {
            let z = (k as f32 / last as f32 - 0.5) * SIDE as f32;
            stage.move_pin(0, v, Point3::new(x, TIPS + y, z))
        })
    })
}

/// Where the held side is at a time (s): along x, and above the tips (m).
fn place(time: f32) -> [f32; 2] {
    let next = PATH.iter().position(|key| key.0 > time).unwrap_or(PATH.len() - 1).max(1);
    let (before, after) = (PATH[next - 1], PATH[next]);
    let part = ease(before.0, after.0, time);
    [0, 1].map(|k| before.1[k] + part * (after.1[k] - before.1[k]))
}
