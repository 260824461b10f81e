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
    // On a grid far from the origin, the grid would be finer than the numbers there.
    let grid = (!far && dice.chance(0.3)).then(|| {
        let exponent = libm::floorf(libm::log2f(spacing * scale)) - dice.count(0, 3) as f32;
        libm::exp2f(exponent)
    });
    World { scale, origin, grid, mirrored: false, permuted: None, swapped: false }
}

fn ten_to(exponent: f32) -> f32 {
    libm::exp10f(exponent)
}
