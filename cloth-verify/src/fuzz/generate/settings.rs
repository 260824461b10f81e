//! How a scene is simulated, and in which world.

use super::super::random::SplitMix64;
use super::super::scene::FuzzWorld;
use super::super::settings::{FuzzContactSource, FuzzSettings};

pub(super) fn settings(random: &mut SplitMix64) -> FuzzSettings {
    let substeps = match random.count(0, 9) {
        0..=3 => 1,
        4..=6 => random.count(2, 5) as u32,
        _ => 8,
    };
    let contacts = match random.count(0, 19) {
        0..=9 => FuzzContactSource::Full,
        10..=12 => FuzzContactSource::None,
        13..=15 => FuzzContactSource::Particles,
        _ => FuzzContactSource::Cached(random.between(0.02, 0.15), random.chance(0.7)),
    };
    FuzzSettings {
        substeps,
        iterations: random.count(1, 2) as u32,
        detect_interval: random.count(1, 4) as u32,
        self_friction: match random.count(0, 3) {
            0 => 0.0,
            1 => random.between(1.0, 2.0),
            _ => random.between(0.0, 1.0),
        },
        gravity: random.pick(&[
            [0.0, -9.81, 0.0],
            [0.0, -9.81, 0.0],
            [0.0; 3],
            [0.0, -50.0, 0.0],
            [5.0, -8.0, 2.0],
        ]),
        wind: if random.chance(0.3) {
            (random.vector(15.0), random.between(0.0, 1.3), random.between(0.0, 1.0))
        } else {
            ([0.0; 3], random.pick(&[0.0, 1.2]), 0.0)
        },
        contacts,
        recovery: random.chance(0.65),
        layer_order: random.chance(0.7),
        recovery_speed: random.chance(0.2).then(|| random.between(0.1, 2.0)),
        max_displacement_radii: random.chance(0.25).then(|| random.between(0.3, 3.0)),
        particles: (
            random.chance(0.4),
            random.chance(0.3).then(|| random.between(0.0, 1.0)),
            random.chance(0.4),
        ),
        broad_phase: random.count(0, 6) as u8,
        threads: if random.chance(0.3) { 2 } else { 1 },
        candidate_slack: None,
        relaxation: None,
        wind_interval: None,
        sleep: None,
    }
}

/// Varies what is chosen after all else, so that a seed keeps everything else of its scene.
pub(super) fn vary(random: &mut SplitMix64, settings: &mut FuzzSettings) {
    if random.chance(0.6) {
        // As published, as far from it as it goes, and between.
        settings.relaxation = Some(match random.count(0, 3) {
            0 => 1.0,
            1 => ten_to(random.between(-4.0, -1.0)),
            _ => random.between(0.05, 1.0),
        });
    }
    if random.chance(0.6) {
        settings.wind_interval = Some(random.count(1, 8) as u32);
    }
    if random.chance(0.3) {
        // So soon and at such a speed that cloth in motion falls asleep and is woken again.
        settings.sleep = Some((random.between(0.0, 0.1), ten_to(random.between(-2.0, 0.5))));
    }
}

/// A world of any size and place; `spacing` (m, not scaled) is that of a cloth.
pub(super) fn world(random: &mut SplitMix64, spacing: f32) -> FuzzWorld {
    let scale = match random.count(0, 9) {
        0 | 1 => ten_to(random.between(-4.0, -2.0)),
        2 | 3 => ten_to(random.between(2.0, 4.0)),
        4 => ten_to(random.between(-2.0, 2.0)),
        _ => 1.0,
    };
    let far = random.chance(0.2);
    let origin = if far {
        let distance = scale * ten_to(random.between(3.2, 5.0));
        random.vector(1.0).map(|x| x * distance)
    } else {
        [0.0; 3]
    };
    let grid = random.chance(0.3).then(|| {
        // Far from the origin a grid finer than this would be finer than the numbers there.
        let farthest = origin.iter().fold(0.0, |most: f32, x| most.max(x.abs()));
        let numbers = if far { ceil_power(farthest) - 20.0 } else { f32::NEG_INFINITY };
        let exponent = ceil_power(spacing * scale) - random.count(1, 4) as f32;
        libm::exp2f(exponent.max(numbers))
    });
    // A multiple of the grid, so that it can be moved by others without rounding.
    let origin = origin.map(|x| grid.map_or(x, |grid| libm::roundf(x / grid) * grid));
    FuzzWorld { scale, origin, grid, mirrored: false, permutation_seed: None, reversed: false }
}

/// The exponent of the least power of two that is not less.
fn ceil_power(x: f32) -> f32 {
    libm::ceilf(libm::log2f(x))
}

fn ten_to(exponent: f32) -> f32 {
    libm::exp10f(exponent)
}
