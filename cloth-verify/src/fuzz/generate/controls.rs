//! What holds, drives and damps a cloth, and the pairs that its author exempts.

use super::super::dice::Dice;
use super::super::scene::{Carried, Driven, Piece, Seam, Spring, Way};
use super::cloths::way;

pub(super) fn add(dice: &mut Dice, piece: &mut Piece, speed: f32) {
    let count = piece.form.vertex_bound().max(4);
    let spacing = piece.form.spacing();
    let vertex = |dice: &mut Dice| dice.count(0, count - 1) as u32;
    if dice.chance(0.2) {
        piece.attachments = (0..dice.count(1, 3))
            .map(|_| Spring {
                vertex: vertex(dice),
                compliance: dice.pick(&[0.0, 1e-4, 1e-2]),
                way: way(dice, speed.min(5.0)),
            })
            .collect();
    }
    if dice.chance(0.3) {
        piece.stitches = (0..dice.count(1, 3))
            .map(|_| {
                let edge = vertex(dice);
                let other = if dice.chance(0.5) { edge } else { (edge + 1) % count as u32 };
                Seam { vertex: vertex(dice), edge: [edge, other], ratio: dice.between(0.0, 1.0) }
            })
            .collect();
    }
    if dice.chance(0.2) {
        piece.exclusions = (0..dice.count(1, 4)).map(|_| [vertex(dice), vertex(dice)]).collect();
    }
    let is_held = !(piece.pins.is_empty() && piece.attachments.is_empty());
    if dice.chance(if is_held { 0.4 } else { 0.05 }) {
        piece.tethers = Some([dice.pick(&[0.0, 0.01, 0.2]), dice.pick(&[0.0, 0.0, 1e-4])]);
    }
    if dice.chance(0.15) {
        piece.drive = Some(Driven {
            stiffness: dice.pick(&[1.0, 50.0, 2_000.0]),
            damping: dice.between(0.0, 5.0),
            most: dice.chance(0.4).then(|| spacing * dice.between(0.1, 3.0)),
            backstop: dice.chance(0.3).then(|| [spacing * dice.between(0.0, 1.0), dice.between(0.1, 1.0)]),
            way: way(dice, speed.min(5.0)),
        });
    }
    if dice.chance(0.15) {
        let way = Way { turn: dice.count(2, 6) as u32, ..way(dice, speed.min(8.0)) };
        piece.carrier =
            Some(Carried { felt: dice.pick(&[0.0, 0.3, 0.8]), way, spin: dice.between(-5.0, 5.0) });
    }
    if dice.chance(0.2) {
        piece.damping = [dice.between(0.0, 20.0), dice.between(0.0, 20.0), dice.between(0.0, 5.0)];
    }
}
