//! A scene from a seed: small, crowded, violent, and with several things at once that seldom come together.
//!
//! Every part is chosen apart from the others, so that in a few thousand scenes any two of them meet.

mod cloths;
mod controls;
mod long;
mod script;
mod settings;
mod things;

use super::dice::Dice;
use super::scene::{Agreement, FORMAT, FuzzScene, Twin};
use super::script::Failing;

/// The most substeps of a short scene.
const MOST_SUBSTEPS: u32 = 60;

impl FuzzScene {
    /// The scene of a seed: always the same.
    #[must_use]
    pub fn from_seed(seed: u64) -> Self {
        let mut dice = Dice::new(seed);
        let dt = 1.0 / dice.pick(&[240.0_f32, 120.0, 60.0, 60.0, 30.0, 15.0]);
        let settings = settings::settings(&mut dice);
        let most = (MOST_SUBSTEPS / settings.substeps).clamp(3, 20) as usize;
        let steps = dice.count(3, most) as u32;
        // Mostly a few edges in a substep; now and then so far that everything could meet everything.
        let substep = dt / settings.substeps as f32;
        let speed = if dice.chance(0.1) { 20.0 } else { (dice.between(0.005, 0.12) / substep).min(20.0) };
        let mut cloths = cloths::cloths(&mut dice, &settings, speed);
        let rules = cloths::regions(&mut dice, &mut cloths, settings.contacts);
        for piece in &mut cloths {
            controls::add(&mut dice, piece, speed);
        }
        let world = settings::world(&mut dice, cloths[0].form.spacing());
        let mut scene = Self {
            format: FORMAT,
            dt,
            steps,
            settings,
            world,
            rules,
            cloths,
            bodies: Vec::new(),
            colliders: Vec::new(),
            script: Vec::new(),
            agreement: None,
            twin: None,
        };
        if dice.chance(0.45) {
            scene.colliders = things::obstacles(&mut dice);
        }
        if dice.chance(0.5) {
            scene.bodies = things::bodies(&mut dice, dt);
        }
        if dice.chance(0.85) {
            scene.script = script::script(&mut dice, &scene, speed);
        }
        if dice.chance(0.3) {
            scene.agreement = Some(agreement(&mut dice, steps));
        }
        if dice.chance(0.15) {
            scene.twin = Some(twin(&mut dice, scene.world.grid.is_some()));
        }
        if dice.chance(0.25) {
            scene.settings.candidate_slack = Some(dice.pick(&[0.0, 0.01, 1.0, 20.0]));
        }
        settings::vary(&mut dice, &mut scene.settings);
        scene
    }

    /// The long scene of a seed: small, and of 30,000 steps.
    #[must_use]
    pub fn long_from_seed(seed: u64) -> Self {
        let mut dice = Dice::new(seed);
        let mut scene = long::long(&mut dice);
        settings::vary(&mut dice, &mut scene.settings);
        scene
    }
}

fn agreement(dice: &mut Dice, steps: u32) -> Agreement {
    let at = dice.count(0, steps as usize - 1) as u32;
    match dice.count(0, 3) {
        0 => Agreement::Machine { broad_phase: dice.count(0, 6) as u8, threads: dice.count(1, 2) as u8 },
        1 => Agreement::Restored { at, detour: dice.count(1, 3) as u32 },
        2 => Agreement::Migrated { at },
        _ => Agreement::Failing { how: failing(dice), every: dice.count(1, 4) as u32 },
    }
}

fn failing(dice: &mut Dice) -> Failing {
    dice.pick(&[Failing::Refused, Failing::TooShort, Failing::Late, Failing::Late])
}

fn twin(dice: &mut Dice, on_grid: bool) -> Twin {
    match dice.count(0, 3) {
        0 => Twin::Mirrored,
        1 => Twin::Swapped,
        2 if on_grid => {
            let unit = |dice: &mut Dice| dice.count(0, 20_000) as i32 - 10_000;
            Twin::Translated { units: [unit(dice), unit(dice), unit(dice)] }
        }
        _ => Twin::Permuted { seed: dice.bits() },
    }
}
