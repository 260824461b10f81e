//! How a scene is simulated, and in which world.

use super::super::dice::Dice;
use super::super::scene::World;
use super::super::settings::{FuzzSettings, Source};

pub(super) fn settings(dice: &mut Dice) -> FuzzSettings {
    let substeps = match dice.count(0, 9) {
        0..=3 => 1,
        4..=6 => dice.count(2, 5) as u32,
        _ => 8,
    };
    let contacts = match dice.count(0, 19) {
        0..=9 => Source::Full,
        10..=12 => Source::None,
        13..=15 => Source::Balls,
        _ => Source::Cached(dice.between(0.02, 0.15), dice.chance(0.7)),
    };
    FuzzSettings {
        substeps,
        iterations: dice.count(1, 2) as u32,
        detect_interval: dice.count(1, 4) as u32,
        self_friction: match dice.count(0, 3) {
            0 => 0.0,
            1 => dice.between(1.0, 2.0),
            _ => dice.between(0.0, 1.0),
        },
        gravity: dice.pick(&[
            [0.0, -9.81, 0.0],
            [0.0, -9.81, 0.0],
            [0.0; 3],
            [0.0, -50.0, 0.0],
            [5.0, -8.0, 2.0],
        ]),
        wind: if dice.chance(0.3) {
            (dice.vector(15.0), dice.between(0.0, 1.3), dice.between(0.0, 1.0))
        } else {
            ([0.0; 3], dice.pick(&[0.0, 1.2]), 0.0)
        },
        contacts,
        recovery: dice.chance(0.65),
        layer_order: dice.chance(0.7),
        recovery_speed: dice.chance(0.2).then(|| dice.between(0.1, 2.0)),
        most_radii: dice.chance(0.25).then(|| dice.between(0.3, 3.0)),
        balls: (dice.chance(0.4), dice.chance(0.3).then(|| dice.between(0.0, 1.0)), dice.chance(0.4)),
        broad_phase: dice.count(0, 6) as u8,
        threads: if dice.chance(0.3) { 2 } else { 1 },
        candidate_slack: None,
        relaxation: None,
        wind_interval: None,
    }
}

/// Varies what is chosen after all else, so that a seed keeps everything else of its scene.
pub(super) fn vary(dice: &mut Dice, settings: &mut FuzzSettings) {
    if dice.chance(0.6) {
        // As published, as far from it as it goes, and between.
        settings.relaxation = Some(match dice.count(0, 3) {
            0 => 1.0,
            1 => ten_to(dice.between(-4.0, -1.0)),
            _ => dice.between(0.05, 1.0),
        });
    }
    if dice.chance(0.6) {
        settings.wind_interval = Some(dice.count(1, 8) as u32);
    }
}

/// A world of any size and place; `spacing` (m, not scaled) is that of a cloth.
pub(super) fn world(dice: &mut Dice, spacing: f32) -> World {
    let scale = match dice.count(0, 9) {
        0 | 1 => ten_to(dice.between(-4.0, -2.0)),
        2 | 3 => ten_to(dice.between(2.0, 4.0)),
        4 => ten_to(dice.between(-2.0, 2.0)),
        _ => 1.0,
    };
    let far = dice.chance(0.2);
    let origin = if far {
        let distance = scale * ten_to(dice.between(3.2, 5.0));
        dice.vector(1.0).map(|x| x * distance)
    } else {
        [0.0; 3]
    };
    let grid = dice.chance(0.3).then(|| {
        // Far from the origin a grid finer than this would be finer than the numbers there.
        let farthest = origin.iter().fold(0.0, |most: f32, x| most.max(x.abs()));
        let numbers = if far { ceil_power(farthest) - 20.0 } else { f32::NEG_INFINITY };
        let exponent = ceil_power(spacing * scale) - dice.count(1, 4) as f32;
        libm::exp2f(exponent.max(numbers))
    });
    // A multiple of the grid, so that it can be moved by others without rounding.
    let origin = origin.map(|x| grid.map_or(x, |grid| libm::roundf(x / grid) * grid));
    World { scale, origin, grid, mirrored: false, permuted: None, swapped: false }
}

/// The exponent of the least power of two that is not less.
fn ceil_power(x: f32) -> f32 {
    libm::ceilf(libm::log2f(x))
}

fn ten_to(exponent: f32) -> f32 {
    libm::exp10f(exponent)
}
