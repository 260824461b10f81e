//! Jumps of what is given, and from when on they are cuts: added after all else, from random numbers of their
//! own, so that a seed keeps the rest of its scene.

use std::f32::consts::{FRAC_PI_2, PI};

use cloth_solver::Teleport;
use nalgebra::Vector3;

use super::super::random::SplitMix64;
use super::super::scene::{FuzzMotion, FuzzPin, FuzzScene, FuzzWaypoints};
use super::super::script::{Jumping, ScriptCall, ScriptEntry};
use super::settings::ten_to;

/// Steps in which what lags may arrive.
const ARRIVAL: u32 = 40;

/// Adds to the scene of a seed.
pub(super) fn add(seed: u64, scene: &mut FuzzScene) {
    let random = &mut SplitMix64::new(!seed.rotate_left(32));
    if random.chance(0.65) {
        scene.settings.teleport = Some(teleport(random));
    }
    if !random.chance(0.5) {
        return;
    }
    let piece = &mut scene.cloths[0];
    if piece.pins.is_empty() && piece.attachments.is_empty() && random.chance(0.6) {
        let motion = FuzzMotion::default();
        piece.pins = (0..random.count(1, 4) as u32).map(|vertex| FuzzPin { vertex, motion }).collect();
    }
    let last = scene.steps.saturating_sub(1) as usize / 2;
    let at = random.count(0, last) as u32;
    // In two steps in a row now and then.
    for at in at..=at + u32::from(random.chance(0.3)) {
        let call = jump(random, scene);
        scene.script.push(ScriptEntry { at, call });
    }
    scene.script.sort_by_key(|entry| entry.at);
    if random.chance(0.3) {
        stand_still(scene);
        if random.chance(0.3) {
            scene.steps += ARRIVAL / scene.settings.substeps;
        }
    }
}

fn teleport(random: &mut SplitMix64) -> Teleport {
    if random.chance(0.3) {
        return Teleport::default();
    }
    Teleport {
        metres: ten_to(random.between(-2.0, 0.5)),
        sides: random.pick(&[0.0, 1.0, 2.0]),
        speed: random.pick(&[0.0, 10.0, 60.0]),
        angle: random.pick(&[0.5, FRAC_PI_2, PI]),
    }
}

fn jump(random: &mut SplitMix64, scene: &mut FuzzScene) -> ScriptCall {
    let number = random.count(0, 3) as u32;
    let pinned = (0..scene.cloths.len() as u32).find(|&k| !scene.cloths[k as usize].pins.is_empty());
    let of = match random.count(0, 9) {
        0..=3 => Jumping::All,
        4 | 5 => Jumping::Pins(pinned.unwrap_or(number)),
        6 if !scene.bodies.is_empty() => Jumping::Body(number),
        7 if !scene.colliders.is_empty() => Jumping::Collider(number),
        8 | 9 => Jumping::Waypoints,
        _ => Jumping::All,
    };
    if of == Jumping::Waypoints && scene.waypoints.is_none() {
        scene.waypoints = Some(FuzzWaypoints { count: random.count(1, 3) as u32, bow: [0.0; 3] });
    }
    let distance = ten_to(random.between(-1.0, 2.0));
    let by = (direction(random) * distance).into();
    let angle = random.pick(&[0.0, 0.5, 1.0]) * random.between(0.0, PI);
    let rotation = (direction(random) * angle).into();
    ScriptCall::Jump { of, rotation, by }
}

/// Any direction.
fn direction(random: &mut SplitMix64) -> Vector3<f32> {
    Vector3::from(random.vector(1.0)).try_normalize(1.0e-3).unwrap_or_else(Vector3::y)
}

/// Moves nothing but by calls.
fn stand_still(scene: &mut FuzzScene) {
    for piece in &mut scene.cloths {
        piece.pins.iter_mut().for_each(|pin| pin.motion = FuzzMotion::default());
        piece.attachments.iter_mut().for_each(|spring| spring.motion = FuzzMotion::default());
    }
    for body in &mut scene.bodies {
        (body.motion, body.spin, body.pulse.0) = (FuzzMotion::default(), 0.0, 0.0);
    }
    scene.colliders.iter_mut().for_each(|collider| collider.motion = FuzzMotion::default());
}
