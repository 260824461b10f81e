//! Cloths in the attitudes that are hard on a gate: in layers, thrown at each other, dragged by their corners, tangled.

use super::super::dice::Dice;
use super::super::form::Form;
use super::super::scene::{Meeting, Patch, Piece, Pin, Rule, Way};
use super::super::settings::{FuzzSettings, Source};

pub(super) fn cloths(dice: &mut Dice, settings: &FuzzSettings, speed: f32) -> Vec<Piece> {
    let cached = matches!(settings.contacts, Source::Cached(..));
    let mut pieces = match dice.count(0, 5) {
        0 | 1 => layers(dice, speed),
        _ if cached => layers(dice, speed),
        2 => thrown(dice, speed),
        3 if dice.chance(0.5) => thrown(dice, speed),
        4 => held(dice, speed),
        _ => tangled(dice, speed),
    };
    if cached || dice.chance(0.45) {
        let places = pieces.iter_mut().enumerate();
        places.for_each(|(k, piece)| piece.layer = Some(k as u16));
        if pieces.len() < 2 {
            let mut other = pieces[0].clone();
            other.at[1] += 0.5 * other.form.spacing();
            other.layer = Some(1);
            pieces.push(other);
        }
    }
    if cached && dice.chance(0.3) {
        tangle(dice, &mut pieces, speed);
    }
    if dice.chance(0.35) {
        pin_some(dice, &mut pieces, speed);
    }
    pieces
}

/// Sheets close above each other that slide and press.
fn layers(dice: &mut Dice, speed: f32) -> Vec<Piece> {
    let count = dice.pick(&[2, 2, 2, 3]);
    let spacing = dice.between(0.02, 0.06);
    let gap = spacing * dice.between(0.1, 1.0);
    let vertices = sides(dice);
    let layer = |k: usize, dice: &mut Dice| {
        let up = k as f32 - 0.5 * (count - 1) as f32;
        let form = match dice.count(0, 6) {
            0 => Form::Disc { rings: 2, spacing },
            1 => Form::Book { vertices: [2, vertices[1]], spacing, pages: dice.count(3, 4) },
            _ => Form::Sheet { vertices, spacing },
        };
        let mut piece = piece(dice, form, spacing);
        piece.at = [dice.between(-spacing, spacing), gap * up, dice.between(-spacing, spacing)];
        piece.turned = [0.0, if dice.chance(0.5) { 0.0 } else { dice.between(-3.0, 3.0) }, 0.0];
        piece.crumple.0 = piece.crumple.0.min(0.3 * gap);
        piece.velocity = dice.vector(speed);
        piece.velocity[1] = -up * speed * dice.between(0.0, 1.0);
        piece
    };
    (0..count).map(|k| layer(k, dice)).collect()
}

/// Pieces of all forms that fly at each other.
fn thrown(dice: &mut Dice, speed: f32) -> Vec<Piece> {
    let count = dice.pick(&[1, 2, 2, 3]);
    let one = |k: usize, dice: &mut Dice| {
        let spacing = dice.between(0.02, 0.08);
        let form = form(dice, spacing);
        let mut piece = piece(dice, form, spacing);
        piece.at = [dice.between(-0.1, 0.1), 0.15 * k as f32, dice.between(-0.1, 0.1)];
        let turned = dice.pick(&[0.4, 3.0]);
        piece.turned = dice.vector(turned);
        let towards = if k == 0 { 1.0 } else { -1.0 };
        piece.velocity =
            [dice.between(-2.0, 2.0), towards * speed * dice.between(0.2, 1.0), dice.between(-2.0, 2.0)];
        piece
    };
    (0..count).map(|k| one(k, dice)).collect()
}

/// Pieces whose corners are dragged about, also through each other.
fn held(dice: &mut Dice, speed: f32) -> Vec<Piece> {
    let mut pieces = if dice.chance(0.5) { layers(dice, speed) } else { thrown(dice, speed) };
    pin_some(dice, &mut pieces, speed);
    pieces
}

/// Pins up to four vertices of each piece, or all of one.
fn pin_some(dice: &mut Dice, pieces: &mut [Piece], speed: f32) {
    for piece in pieces {
        let count = piece.form.vertex_bound().max(4) as u32;
        let last = count - 1;
        let side = *piece.form.counts_mut()[0] as u32;
        let corners = [0, last, side.max(1) - 1, last + 1 - side.min(last)];
        let together = dice.chance(0.4).then(|| way(dice, speed));
        let pinned: Vec<u32> = match dice.count(0, 5) {
            5 => (0..count).collect(),
            pins => corners[..pins.min(4)].to_vec(),
        };
        let together = if pinned.len() > 4 { Some(way(dice, 0.5 * speed)) } else { together };
        piece.pins = pinned
            .into_iter()
            .map(|vertex| Pin { vertex, way: together.unwrap_or_else(|| way(dice, speed)) })
            .collect();
        piece.pins.sort_unstable_by_key(|pin| pin.vertex);
        piece.pins.dedup_by_key(|pin| pin.vertex);
    }
}

/// Pieces that cross each other, or themselves, from the start.
fn tangled(dice: &mut Dice, speed: f32) -> Vec<Piece> {
    let mut pieces = if dice.chance(0.5) { layers(dice, speed) } else { thrown(dice, speed) };
    tangle(dice, &mut pieces, speed);
    pieces
}

fn tangle(dice: &mut Dice, pieces: &mut [Piece], speed: f32) {
    for (k, piece) in pieces.iter_mut().enumerate() {
        let spacing = 0.04;
        piece.at = [0.06 * k as f32, 0.05 * k as f32, 0.03];
        if k == 0 && dice.chance(0.5) {
            let vertices = [dice.count(5, 8), dice.count(3, 5)];
            let gap = [dice.between(0.01, 0.05), dice.between(-0.1, 0.05)];
            piece.form = Form::Fold { vertices, spacing, gap };
        }
        // Lightly tangled pieces are resolved; badly tangled ones are not.
        let most = if dice.chance(0.5) { 0.3 } else { 1.5 };
        piece.turned = dice.vector(most);
        piece.velocity = dice.vector(speed.min(5.0));
    }
}

/// Regions of some cloths, and what they do about each other.
pub(super) fn regions(dice: &mut Dice, pieces: &mut [Piece], contacts: Source) -> Vec<Rule> {
    let mut rules = Vec::new();
    if contacts == Source::Balls && dice.chance(0.3) {
        rules.push(Rule { regions: [0, 0], interaction: Meeting::Full });
    }
    if matches!(contacts, Source::Cached(..)) && dice.chance(0.5) {
        // Bodies are of no region: beside cached contacts, cloth can touch them as balls alone.
        let with_bodies =
            (1..=3).map(|region| Rule { regions: [0, region], interaction: Meeting::Particles });
        rules.extend(with_bodies);
    }
    if !dice.chance(0.5) {
        return rules;
    }
    for piece in pieces.iter_mut() {
        let (from, to) = (dice.between(0.0, 0.5), dice.between(0.5, 1.0));
        piece.regions = vec![Patch { region: dice.count(1, 3) as u8, faces: [from, to] }];
        if dice.chance(0.4) {
            piece.regions.push(Patch { region: dice.count(1, 3) as u8, faces: [0.0, 1.0] });
        }
    }
    for _ in 0..dice.count(1, 3) {
        let regions = [dice.count(0, 3) as u8, dice.count(0, 3) as u8];
        let interaction = dice.pick(&[Meeting::None, Meeting::None, Meeting::Particles, Meeting::Full]);
        rules.push(Rule { regions, interaction });
    }
    rules
}

/// Vertices along either side: few, since every pair of every substep is audited.
fn sides(dice: &mut Dice) -> [usize; 2] {
    let most = dice.pick(&[4, 4, 5, 5, 6]);
    [(); 2].map(|()| dice.count(3, most))
}

fn form(dice: &mut Dice, spacing: f32) -> Form {
    let wide = sides(dice);
    let (narrow, tube) = ([(); 2].map(|()| dice.count(2, 3)), [(); 2].map(|()| dice.count(3, 6)));
    match dice.count(0, 7) {
        0 | 1 => Form::Sheet { vertices: wide, spacing },
        2 => Form::Sheet { vertices: [narrow[0], wide[1]], spacing },
        3 => Form::Disc { rings: narrow[0], spacing },
        4 => Form::Tube { vertices: tube, spacing },
        5 => Form::Book { vertices: narrow, spacing, pages: dice.count(3, 5) },
        _ => {
            let gap = [dice.between(0.2, 1.0), dice.between(0.2, 1.0)].map(|share| share * spacing);
            // Now and then it lies flat on itself.
            let gap = if dice.chance(0.3) { [0.0; 2] } else { gap };
            Form::Fold { vertices: wide, spacing, gap }
        }
    }
}

pub(super) fn piece(dice: &mut Dice, form: Form, spacing: f32) -> Piece {
    Piece {
        form,
        at: [0.0; 3],
        turned: [0.0; 3],
        crumple: (
            spacing * dice.pick(if form.is_flat_fold() { &[0.0] } else { &[0.0, 0.001, 0.05, 0.15] }),
            dice.bits(),
        ),
        thickness: spacing * dice.pick(&[0.0, 0.05, 0.2, 0.5, 0.8, 1.2]),
        material: dice.pick(&["cotton", "silk", "denim"]).into(),
        velocity: [0.0; 3],
        layer: None,
        regions: Vec::new(),
        balls: dice.count(1, 2) as u32,
        pins: Vec::new(),
        attachments: Vec::new(),
        stitches: Vec::new(),
        exclusions: Vec::new(),
        tethers: None,
        drive: None,
        carrier: None,
        damping: [0.0; 3],
    }
}

pub(super) fn way(dice: &mut Dice, speed: f32) -> Way {
    Way { velocity: dice.vector(speed), turn: dice.count(1, 8) as u32, ..Way::default() }
}
