//! A scene from a seed: small, crowded, violent, and with several things at once that seldom come together.
//!
//! Every part is chosen apart from the others, so that in a few thousand scenes any two of them meet.

mod additions;
mod cloths;
mod colliders;
mod jumps;
mod long;
mod script;
mod settings;

use cloth_show::choice::BroadPhaseChoice;

use super::random::SplitMix64;
use super::scene::{FuzzScene, MetamorphicVariant, Repeat};
use super::script::StepFailure;

/// The most substeps of a short scene.
const MOST_SUBSTEPS: u32 = 60;

impl FuzzScene {
    /// The scene of a seed: always the same.
    #[must_use]
    pub fn from_seed(seed: u64) -> Self {
        let mut random = SplitMix64::new(seed);
        let dt = 1.0 / random.pick(&[240.0_f32, 120.0, 60.0, 60.0, 30.0, 15.0]);
        let (mut scene, mixed) = settings::scene(&mut random, dt);
        let most = (MOST_SUBSTEPS / scene.settings.substeps).clamp(3, 20) as usize;
        scene.steps = random.count(3, most) as u32;
        // Mostly a few edges in a substep; now and then so far that everything could meet everything.
        let substep = dt / scene.settings.substeps as f32;
        let speed = if random.chance(0.1) { 20.0 } else { (random.between(0.005, 0.12) / substep).min(20.0) };
        scene.cloths = cloths::cloths(&mut random, scene.settings.contacts, speed);
        cloths::add_regions(&mut random, &mut scene, mixed);
        for piece in &mut scene.cloths {
            cloths::add_controls(&mut random, piece, speed);
        }
        scene.world = settings::world(&mut random, scene.cloths[0].mesh.spacing());
        if random.chance(0.45) {
            scene.colliders = colliders::colliders(&mut random);
        }
        if random.chance(0.5) {
            scene.bodies = colliders::bodies(&mut random, dt);
        }
        if random.chance(0.85) {
            scene.script = script::script(&mut random, &scene, speed);
        }
        if random.chance(0.3) {
            scene.repeat = Some(repeat(&mut random, scene.steps));
        }
        if random.chance(0.15) {
            scene.variant = Some(variant(&mut random, scene.world.grid.is_some()));
        }
        if random.chance(0.25) {
            scene.settings.candidate_slack = random.pick(&[0.0, 0.01, 1.0, 20.0]);
        }
        settings::vary(&mut random, &mut scene.settings);
        additions::add(seed, &mut scene);
        jumps::add(seed, &mut scene);
        scene
    }

    /// The long scene of a seed: small, and of 30,000 steps.
    #[must_use]
    pub fn long_from_seed(seed: u64) -> Self {
        let mut random = SplitMix64::new(seed);
        let mut scene = long::long(&mut random);
        settings::vary(&mut random, &mut scene.settings);
        scene
    }
}

fn repeat(random: &mut SplitMix64, steps: u32) -> Repeat {
    let at = random.count(0, steps as usize - 1) as u32;
    match random.count(0, 3) {
        0 => Repeat::Machine {
            broad_phase: random.pick(&BroadPhaseChoice::ALL),
            threads: random.count(1, 2) as u8,
        },
        1 => Repeat::Restored { at, detour: random.count(1, 3) as u32 },
        2 => Repeat::Migrated { at },
        _ => Repeat::Failing { how: failing(random), every: random.count(1, 4) as u32 },
    }
}

fn failing(random: &mut SplitMix64) -> StepFailure {
    random.pick(&[StepFailure::Refused, StepFailure::TooShort, StepFailure::Late, StepFailure::Late])
}

fn variant(random: &mut SplitMix64, on_grid: bool) -> MetamorphicVariant {
    match random.count(0, 3) {
        0 => MetamorphicVariant::Mirrored,
        1 => MetamorphicVariant::Swapped,
        2 if on_grid => {
            let unit = |random: &mut SplitMix64| random.count(0, 20_000) as i32 - 10_000;
            MetamorphicVariant::Translated { units: [unit(random), unit(random), unit(random)] }
        }
        _ => MetamorphicVariant::Permuted { seed: random.bits() },
    }
}
