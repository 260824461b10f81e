//! A cape on a character that walks in the wind, collides as its proxies and holds it at four points.
//!
//! From Tourniaire 2025: spheres at joints and cylinders along bones that slightly cover the skin, and four
//! points, "due to the fact that 2 attach points can lead to the cape being elongated significantly whilst
//! the character is moving". The cape must stay free of intersections and of the axes of all proxies, nothing
//! may be released, and its depth below the skin, which the simulation does not know, is measured. The
//! control has no proxies: the wind blows the cape into the body.

use cloth_scene::CharacterBody;
use cloth_show::Direction;
use cloth_show::human::human;
use cloth_solver::{Settings, Wind};
use nalgebra::Vector3;

use super::cape::{CapeJoints, CapeScene, Hold, grid};
use super::parts;
use crate::Size;
use crate::scenario::{ControlKind, Expectations, Scenario, Setup, SetupError};

/// Velocity of the wind (m/s): from behind and the left, so that the cape lies on the back and swings about
/// the legs. From ahead, at 3 m/s, it flies and touches nothing.
const WIND: [f32; 3] = [-1.0, 0.0, 1.6];
/// Substeps a frame.
const SUBSTEPS: u32 = 16;
/// Greatest 99th percentile of the stretch along the threads in any frame.
const STRETCH_LIMIT: f64 = 0.05;
/// Greatest depth (m) of a vertex in a proxy: a vertex that is held does not yield to the arm that swings
/// below it. And below the skin.
const PENETRATION: f64 = 8e-3;
const SKIN_DEPTH: f64 = 1e-3;

pub(super) const SCENARIO: Scenario = Scenario {
    name: "cape-walk",
    about: "a cape held at four points on the proxies of a character that walks in the wind",
    build: |size| with_hold(size, Hold::Four),
};

/// The scene with a cape that is held at two points or at four.
pub(super) fn with_hold(size: Size, hold: Hold) -> Result<Setup, SetupError> {
    let seconds = if size == Size::Small { 1.6 } else { 3.1 };
    let clips = vec![("idle", 0.4), ("walk", seconds)];
    let scene = CapeScene {
        character: human()?,
        joints: CapeJoints::HUMAN,
        settings: settings(),
        kind: CharacterBody::Proxies,
        hold,
        clips,
    };
    let mut setup = scene.build(grid(size))?;
    setup.control_kinds = Ok(ControlKind::NoColliders).into();
    setup.expectations = Expectations {
        stretch_p99: Some(STRETCH_LIMIT).into(),
        penetration: Some(PENETRATION),
        skin_depth: Some(SKIN_DEPTH),
        clean_from: Some(0),
        ..Expectations::default()
    };
    setup.audit_every = parts::audit_every(size);
    setup.view = Direction { azimuth_deg: 150.0, elevation_deg: 8.0 };
    Ok(setup)
}

fn settings() -> Settings {
    let wind = Wind { velocity: Vector3::from(WIND), ..Wind::default() };
    Settings { wind, ..parts::settings(SUBSTEPS) }
}
