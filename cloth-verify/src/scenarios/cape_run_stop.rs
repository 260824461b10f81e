//! A cape on a character that runs, stops and stands in gusts, with its skin behind the gate.
//!
//! The character collides as its proxies for the solver and as its skin for the gate, as
//! `cloth simulate --body both` has it. It runs at 3 m/s and comes to a stand in 0.4 s, and the cape goes on:
//! it swings against the back and the legs. No frame may have an intersection of the cape with itself or with
//! the skin, and nothing may be released. The control has no self-collision, with which the skin is no
//! obstacle either.

use cloth_scene::CharacterBody;
use cloth_show::Direction;
use cloth_show::human::human;
use cloth_solver::{Gusts, Settings, Wind};
use nalgebra::Vector3;

use super::cape::{CapeJoints, CapeScene, Hold, grid};
use super::parts;
use crate::Size;
use crate::scenario::{Expectations, Scenario, Setup, SetupError};

/// Velocity of the mean wind (m/s), from behind, and the strength (m/s), length (m) and period (s) of its
/// gusts.
const WIND: [f32; 3] = [0.5, 0.0, 1.5];
const GUSTS: Gusts = Gusts { strength: 1.5, length: 0.8, period: 0.5, seed: 7 };
/// Substeps a frame.
const SUBSTEPS: u32 = 16;
/// Greatest 99th percentile of the stretch along the threads in any frame.
const STRETCH_LIMIT: f64 = 0.09;

pub(super) const SCENARIO: Scenario = Scenario {
    name: "cape-run-stop",
    about: "a cape on a character that runs, stops and stands in gusts, its skin behind the gate",
    build,
};

fn build(size: Size) -> Result<Setup, SetupError> {
    let [run, idle] = if size == Size::Small { [0.7, 0.6] } else { [1.6, 1.6] };
    let clips = vec![("idle", 0.2), ("run", run), ("idle", idle)];
    let wind = Wind { velocity: Vector3::from(WIND), gusts: Some(GUSTS), ..Wind::default() };
    let settings = Settings { wind, ..parts::settings(SUBSTEPS) };
    let scene = CapeScene {
        character: human()?,
        joints: CapeJoints::HUMAN,
        settings,
        kind: CharacterBody::Both,
        hold: Hold::Four,
        clips,
    };
    let mut setup = scene.build(grid(size))?;
    setup.expectations = Expectations {
        stretch_p99: Some(STRETCH_LIMIT).into(),
        skin_depth: Some(0.0),
        clean_from: Some(0),
        ..Expectations::default()
    };
    setup.audit_every = parts::audit_every(size);
    setup.view = Direction { azimuth_deg: 130.0, elevation_deg: 8.0 };
    Ok(setup)
}
