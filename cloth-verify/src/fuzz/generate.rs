//! A scene from a seed: small, crowded, violent, and often such that the solver alone would lose it.

use super::dice::Dice;
use super::scene::{Body, Form, FuzzScene, FuzzSettings, Kind, Obstacle, Piece, Pin, Way};

impl FuzzScene {
    /// The scene of a seed: always the same.
    #[must_use]
    pub fn of_seed(seed: u64) -> Self {
        let mut dice = Dice::new(seed);
        let dt = 1.0 / dice.pick(&[240.0_f32, 120.0, 60.0, 60.0, 30.0, 15.0]);
        let frames = dice.count(4, 12);
        let settings = settings(&mut dice);
        // Mostly a few edges in a substep; now and then so far that everything could meet everything.
        let substep = dt / settings.substeps as f32;
        let speed = if dice.chance(0.1) { 20.0 } else { (dice.between(0.005, 0.12) / substep).min(20.0) };
        let cloths = match dice.count(0, 5) {
            0 | 1 => layers(&mut dice, speed),
            2 | 3 => thrown(&mut dice, speed),
            4 => held(&mut dice, speed),
            _ => tangled(&mut dice, speed),
        };
        let mut scene = Self { dt, frames, settings, cloths, colliders: Vec::new(), bodies: Vec::new() };
        if dice.chance(0.3) {
            scene.colliders = obstacles(&mut dice);
        }
        if dice.chance(0.2) {
            scene.bodies = (0..dice.count(1, 2)).map(|_| body(&mut dice)).collect();
        }
        scene
    }
}

fn settings(dice: &mut Dice) -> FuzzSettings {
    FuzzSettings {
        // Within one substep the motion of a frame is the motion that was certified, which can be judged apart.
        substeps: if dice.chance(0.55) { 1 } else { dice.count(2, 8) as u32 },
        iterations: dice.count(1, 2) as u32,
        detect_interval: dice.count(1, 4) as u32,
        self_friction: if dice.chance(0.3) { 0.0 } else { dice.between(0.0, 1.0) },
        gravity: dice.pick(&[-9.81, -9.81, 0.0, -50.0]),
        contacts: dice.chance(0.5),
        recovery: dice.chance(0.4),
    }
}

/// Sheets close above each other that slide and press.
fn layers(dice: &mut Dice, speed: f32) -> Vec<Piece> {
    let count = dice.pick(&[2, 2, 3, 4]);
    let spacing = dice.between(0.02, 0.06);
    let gap = spacing * dice.between(0.1, 1.0);
    let vertices = sides(dice);
    let layer = |k: usize, dice: &mut Dice| {
        let up = k as f32 - 0.5 * (count - 1) as f32;
        let mut piece = piece(dice, Form::Sheet { vertices, spacing }, spacing);
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
    let count = dice.pick(&[1, 2, 2, 3, 4]);
    let one = |k: usize, dice: &mut Dice| {
        let spacing = dice.between(0.02, 0.08);
        let form = form(dice, spacing);
        let mut piece = piece(dice, form, spacing);
        piece.at = [dice.between(-0.1, 0.1), 0.3 * k as f32, dice.between(-0.1, 0.1)];
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
    for piece in &mut pieces {
        let count = piece.form.counts_mut().into_iter().map(|n| *n as u32).product::<u32>().max(4);
        let last = count - 1;
        let side = *piece.form.counts_mut()[0] as u32;
        let corners = [0, last, side - 1, last + 1 - side.min(last)];
        let pins = dice.count(0, 4);
        let together = dice.chance(0.4).then(|| way(dice, speed));
        piece.pins = corners[..pins]
            .iter()
            .map(|&vertex| Pin { vertex, way: together.unwrap_or_else(|| way(dice, speed)) })
            .collect();
        piece.pins.sort_unstable_by_key(|pin| pin.vertex);
        piece.pins.dedup_by_key(|pin| pin.vertex);
    }
    pieces
}

/// Pieces that cross each other, or themselves, from the start.
fn tangled(dice: &mut Dice, speed: f32) -> Vec<Piece> {
    let mut pieces = if dice.chance(0.5) { layers(dice, speed) } else { thrown(dice, speed) };
    for (k, piece) in pieces.iter_mut().enumerate() {
        let spacing = 0.04;
        piece.at = [0.06 * k as f32, 0.05 * k as f32, 0.03];
        if k == 0 && dice.chance(0.5) {
            let vertices = [dice.count(5, 9), dice.count(4, 6)];
            let gap = [dice.between(0.01, 0.05), dice.between(-0.1, 0.05)];
            piece.form = Form::Fold { vertices, spacing, gap };
        }
        piece.turned = dice.vector(1.5);
        piece.velocity = dice.vector(speed.min(5.0));
    }
    pieces
}

/// Vertices along either side: few as a rule, since every frame may judge every pair.
fn sides(dice: &mut Dice) -> [usize; 2] {
    let most = dice.pick(&[4, 5, 6, 6, 7, 12]);
    [(); 2].map(|()| dice.count(4, most))
}

fn form(dice: &mut Dice, spacing: f32) -> Form {
    let wide = sides(dice);
    let (narrow, tube) = ([(); 2].map(|()| dice.count(2, 3)), [(); 2].map(|()| dice.count(4, 8)));
    match dice.count(0, 5) {
        0 | 1 => Form::Sheet { vertices: wide, spacing },
        2 => Form::Sheet { vertices: [narrow[0], wide[1]], spacing },
        3 => Form::Disc { rings: narrow[0], spacing },
        4 => Form::Tube { vertices: tube, spacing },
        _ => {
            let gap = [dice.between(0.2, 1.0), dice.between(0.2, 1.0)].map(|share| share * spacing);
            Form::Fold { vertices: wide, spacing, gap }
        }
    }
}

fn piece(dice: &mut Dice, form: Form, spacing: f32) -> Piece {
    Piece {
        form,
        at: [0.0; 3],
        turned: [0.0; 3],
        crumple: (spacing * dice.pick(&[0.001, 0.05, 0.15]), dice.bits()),
        thickness: spacing * dice.pick(&[0.05, 0.2, 0.5, 0.8]),
        material: dice.pick(&["cotton", "silk", "denim"]).into(),
        velocity: [0.0; 3],
        pins: Vec::new(),
    }
}

fn way(dice: &mut Dice, speed: f32) -> Way {
    Way { velocity: dice.vector(speed), turn: dice.count(1, 8) }
}

/// A few, or two that close on what is between them.
fn obstacles(dice: &mut Dice) -> Vec<Obstacle> {
    let kind = [Kind::Sphere, Kind::Capsule, Kind::Box, Kind::Plane];
    if dice.chance(0.4) {
        let (size, speed) = (dice.between(0.1, 0.3), dice.between(0.5, 5.0));
        let kind = dice.pick(&kind[..3]);
        let turn = dice.count(2, 10);
        return [-1.0_f32, 1.0]
            .map(|side| Obstacle {
                kind,
                size,
                at: [0.0, side * (size + 0.2), 0.0],
                turned: [0.0; 3],
                way: Way { velocity: [0.0, -side * speed, 0.0], turn },
            })
            .into();
    }
    let one = |dice: &mut Dice| {
        let kind = dice.pick(&kind);
        let (turned, at) = match kind {
            Kind::Plane => ([0.0; 3], [0.0, dice.between(-0.6, -0.1), 0.0]),
            _ => (dice.vector(2.0), dice.vector(0.4)),
        };
        Obstacle { kind, size: dice.between(0.05, 0.2), at, turned, way: way(dice, 4.0) }
    };
    (0..dice.count(1, 2)).map(|_| one(dice)).collect()
}

fn body(dice: &mut Dice) -> Body {
    let radius = dice.between(0.05, 0.2);
    let mut at = dice.vector(0.2);
    at[1] = -radius - dice.between(0.05, 0.3);
    let mut way = way(dice, 3.0);
    way.velocity[1] = way.velocity[1].abs();
    Body { ball: dice.chance(0.6), radius, thickness: 0.1 * radius, at, way, spin: dice.between(-10.0, 10.0) }
}
