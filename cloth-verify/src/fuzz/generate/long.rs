//! Long scenes: thousands of trembling steps, then an approach so slow that a bound which has swallowed it shows.
//!
//! Some tremble until the end and carry all that scenes may have. Others are bare: what hides a swallowed step is left out.

use super::super::dice::Dice;
use super::super::form::Form;
use super::super::scene::{Agreement, FORMAT, FuzzScene, Piece, Pin, Way, World};
use super::super::settings::{FuzzSettings, Source};
use super::{cloths, controls, script, settings, things};

/// Steps of a long scene.
const STEPS: u32 = 30_000;

pub(super) fn long(dice: &mut Dice) -> FuzzScene {
    if dice.chance(0.4) { creeping(dice) } else { trembling(dice) }
}

/// Pinned layers, the upper of which trembles sideways by more than the gap between them, comes to rest aside of where it began,
/// and goes through the lower one by ten-thousandths of the gap a step. How far it is from where it began says nothing about the gap then,
/// and of the path only what is added in the end; the candidate lists outlast all of it.
fn creeping(dice: &mut Dice) -> FuzzScene {
    let dt = 1.0 / dice.pick(&[240.0_f32, 120.0, 60.0]);
    let settings = FuzzSettings {
        substeps: 1,
        contacts: dice.pick(&[Source::Full, Source::None]),
        candidate_slack: Some(dice.pick(&[20.0, 40.0])),
        ..settings::settings(dice)
    };
    let spacing = dice.between(0.01, 0.04);
    let gap = spacing * dice.between(0.03, 0.08);
    let from = 2 * dice.count(STEPS as usize / 4, STEPS as usize * 2 / 5) as u32 + 1;
    let approach = gap * dice.between(1.2, 1.6) / ((STEPS - from) as f32 * dt);
    let aside = gap * dice.between(1.2, 2.0) / dt;
    let mut cloths: Vec<Piece> = (0..2).map(|k| layer(dice, k, spacing, gap)).collect();
    let rises = gap * dice.between(0.0, 0.3) / dt;
    let way = Way { velocity: [aside, rises, 0.0], turn: 1, drift: [0.0, -approach, 0.0], from, stops: true };
    for (piece, way) in cloths.iter_mut().zip([Way::default(), way]) {
        piece.thickness = gap * dice.between(0.15, 0.25);
        piece.pins = (0..piece.form.vertex_bound() as u32).map(|vertex| Pin { vertex, way }).collect();
    }
    // A grid would put the layers on each other.
    bare(dt, settings, World { grid: None, ..settings::world(dice, spacing) }, cloths)
}

fn trembling(dice: &mut Dice) -> FuzzScene {
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
                stops: false,
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
    let mut scene = FuzzScene { rules, ..bare(dt, settings, world, pieces) };
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

/// A long scene of cloths alone.
fn bare(dt: f32, settings: FuzzSettings, world: World, cloths: Vec<Piece>) -> FuzzScene {
    FuzzScene {
        format: FORMAT,
        dt,
        steps: STEPS,
        settings,
        world,
        rules: Vec::new(),
        cloths,
        bodies: Vec::new(),
        colliders: Vec::new(),
        script: Vec::new(),
        agreement: None,
        twin: None,
    }
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
