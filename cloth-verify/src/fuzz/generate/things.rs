//! Colliders and bodies, which often close on the cloth between them.

use super::super::dice::Dice;
use super::super::scene::{Body, Kind, Obstacle, Way};
use super::cloths::way;

/// A few, or two that close on what is between them.
pub(super) fn obstacles(dice: &mut Dice) -> Vec<Obstacle> {
    let kind = [Kind::Sphere, Kind::Capsule, Kind::Box, Kind::Plane];
    let friction = dice.pick(&[0.0, 0.3, 1.5]);
    if dice.chance(0.5) {
        let (size, speed) = (dice.between(0.1, 0.3), dice.between(0.5, 5.0));
        let kind = dice.pick(&kind[..3]);
        let turn = dice.count(2, 10) as u32;
        // A capsule lies with its middle this far from the cloth.
        let gap = dice.between(0.02, 0.2);
        return [-1.0_f32, 1.0]
            .map(|side| Obstacle {
                kind,
                size,
                at: [0.0, side * (size + gap), 0.0],
                turned: if kind == Kind::Capsule { [0.0, 0.0, 1.5] } else { [0.0; 3] },
                friction,
                way: Way { velocity: [0.0, -side * speed, 0.0], turn, ..Way::default() },
            })
            .into();
    }
    let one = |dice: &mut Dice| {
        let kind = dice.pick(&kind);
        let (turned, at) = match kind {
            Kind::Plane => ([0.0; 3], [0.0, dice.between(-0.4, -0.05), 0.0]),
            _ => (dice.vector(2.0), dice.vector(0.25)),
        };
        let size = dice.between(0.05, 0.2);
        Obstacle { kind, size, at, turned, friction, way: way(dice, 4.0) }
    };
    (0..dice.count(1, 2)).map(|_| one(dice)).collect()
}

/// One body below the cloths, or one on either side; the time step is `dt` (s).
pub(super) fn bodies(dice: &mut Dice, dt: f32) -> Vec<Body> {
    let count = dice.pick(&[1, 1, 1, 2]);
    (0..count).map(|k| body(dice, dt, if k == 0 { -1.0 } else { 1.0 })).collect()
}

fn body(dice: &mut Dice, dt: f32, side: f32) -> Body {
    let ball = dice.chance(0.5);
    let radius = dice.between(0.05, 0.15);
    let mut at = dice.vector(0.05);
    let gap = dice.between(0.01, 0.15);
    at[1] = side * (if ball { radius } else { 0.0 } + gap);
    let mut way = way(dice, 1.0);
    // It reaches the cloth within the scene, slowly or at once.
    let steps = dice.between(1.0, 8.0);
    way.velocity[1] = -side * gap / (steps * dt);
    way.turn = dice.count(3, 12) as u32;
    let pulse = if dice.chance(0.5) { (dice.between(0.1, 1.0), dice.count(2, 8) as u32) } else { (0.0, 1) };
    let thickness = radius * dice.pick(&[0.0, 0.05, 0.1, 0.2]);
    Body { ball, radius, thickness, at, way, spin: dice.between(-10.0, 10.0), pulse }
}
