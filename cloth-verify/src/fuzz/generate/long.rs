//! Long scenes: thousands of trembling steps, then an approach so slow that a bound which has swallowed it shows.

use super::super::dice::Dice;
use super::super::form::Form;
use super::super::scene::{Agreement, FORMAT, FuzzScene, Piece, Pin, Way};
use super::super::settings::{FuzzSettings, Source};
use super::{cloths, controls, script, settings, things};

/// Steps of a long scene.
const STEPS: u32 = 30_000;

pub(super) fn long(dice: &mut Dice) -> FuzzScene {
    let dt = 1.0 / dice.pick(&[240.0_f32, 120.0, 60.0]);
    let settings = FuzzSettings {
        substeps: dice.pick(&[1, 1, 2]),
        iterations: 1,
        contacts: dice.pick(&[Source::Full, Source::Full, Source::None, Source::Balls]),
        ..settings::settings(dice)
    };
    let spacing = dice.between(0.01, 0.04);
    let gap = spacing * dice.between(0.05, 0.3);
    // A tenth to all of the gap to and fro, and after a part of the run as far as three gaps in what is left of it.
    let trembles = dice.count(STEPS as usize / 10, STEPS as usize * 9 / 10) as u32;
    let amplitude = gap * dice.between(0.05, 0.5);
    let approach = 3.0 * gap / ((STEPS - trembles) as f32 * dt);
    let mut pieces: Vec<Piece> =
        (0..dice.pick(&[2, 2, 2, 3])).map(|k| layer(dice, k, spacing, gap)).collect();
    for (k, piece) in pieces.iter_mut().enumerate() {
        if k == 0 || dice.chance(0.7) {
            let count = piece.form.vertex_bound() as u32;
            let up = if k == 0 { 1.0 } else { -1.0 };
            let way = Way {
                velocity: [0.0, -up * amplitude / dt, 0.0],
                turn: 1,
                drift: [0.0, if k == 0 { 0.0 } else { up * approach }, 0.0],
                from: trembles,
            };
            let every = dice.pick(&[1, 1, 2, 3]);
            piece.pins = (0..count).step_by(every).map(|vertex| Pin { vertex, way }).collect();
        }
        if dice.chance(0.3) {
            controls::add(dice, piece, 0.1);
        }
    }
    let rules =
        if dice.chance(0.3) { cloths::regions(dice, &mut pieces, settings.contacts) } else { Vec::new() };
    let world = settings::world(dice, spacing);
    let mut scene = FuzzScene {
        format: FORMAT,
        dt,
        steps: STEPS,
        settings,
        world,
        rules,
        cloths: pieces,
        bodies: Vec::new(),
        colliders: Vec::new(),
        script: Vec::new(),
        agreement: None,
        twin: None,
    };
    if dice.chance(0.3) {
        scene.colliders = things::obstacles(dice);
    }
    if dice.chance(0.2) {
        scene.bodies = things::bodies(dice, dt);
        scene.bodies.truncate(1);
    }
    let mut entries = Vec::new();
    for _ in 0..dice.count(0, 20) {
        let at = dice.count(0, STEPS as usize - 4) as u32;
        script::add(dice, &scene, 0.1, at, &mut entries);
    }
    entries.sort_by_key(|entry| entry.at);
    scene.script = entries;
    if dice.chance(0.2) {
        let at = dice.count(0, STEPS as usize - 1) as u32;
        scene.agreement = Some(Agreement::Restored { at, detour: 3 });
    }
    scene
}

/// Up to four by three vertices, the upper ones turned: everything is near everything, so time grows with the square of their number.
fn layer(dice: &mut Dice, k: usize, spacing: f32, gap: f32) -> Piece {
    let vertices = [dice.pick(&[2, 3, 3, 4]), dice.pick(&[2, 3, 3])];
    let mut piece = cloths::piece(dice, Form::Sheet { vertices, spacing }, spacing);
    piece.crumple.0 = piece.crumple.0.min(0.1 * gap);
    piece.thickness = gap * dice.pick(&[0.0, 0.05, 0.2, 0.5, 1.5]);
    piece.at = [0.0, gap * k as f32, 0.0];
    piece.turned = [0.0, dice.between(-0.5, 0.5) * k as f32, 0.0];
    piece.layer = dice.chance(0.3).then_some(k as u16);
    piece
}
