//! States that provoke degeneracy: folded, crumpled on whole numbers, collapsed, flattened, or all of these.

use nalgebra::{Point3, Rotation3, Vector3};

use cloth_testing::Dice;

/// A state of a mesh, from its state at rest.
pub(super) fn state(dice: &mut Dice, rest: &[Point3<f64>]) -> Vec<Point3<f64>> {
    let mut positions = rest.to_vec();
    if dice.one_in(2) {
        fold_over(dice, &mut positions);
        if !dice.one_in(3) {
            return positions;
        }
    } else {
        for _ in 0..dice.below(4) {
            deform(dice, &mut positions);
        }
    }
    quantise(dice, &mut positions);
    place(dice, &mut positions);
    disturb(dice, &mut positions);
    positions
}

fn deform(dice: &mut Dice, positions: &mut [Point3<f64>]) {
    match dice.below(10) {
        0..=3 => {
            let normals = [Vector3::x(), Vector3::z(), Vector3::x() + Vector3::z(), Vector3::y()];
            let chosen = dice.below(4) as usize;
            fold(dice, positions, normals[chosen]);
        }
        4 => crumple(dice, positions),
        5 => roll(dice, positions),
        6 => collapse(dice, positions),
        7 => flatten(dice, positions),
        8 => copy_half(positions),
        _ => shear(dice, positions),
    }
}

/// Folds along one direction, then along the other: slopes of the upper layers have opposite normals.
fn fold_over(dice: &mut Dice, positions: &mut [Point3<f64>]) {
    let directions = [Vector3::x(), Vector3::z()];
    let first = dice.below(2) as usize;
    for k in 0..2 + dice.below(2) as usize {
        fold(dice, positions, directions[(first + k) % 2]);
    }
}

/// Folds what is beyond a line over, with or without a rise; layers without thickness are coplanar.
fn fold(dice: &mut Dice, positions: &mut [Point3<f64>], normal: Vector3<f64>) {
    let line = match dice.below(4) {
        0 => dice.whole(4),
        1 => dice.whole(8) / 2.0,
        _ => 2.0 + 3.0 * dice.real(),
    };
    let lift = match dice.below(5) {
        0 | 1 => 0.0,
        2 => dice.whole(2) / 2.0,
        _ => 0.3 * dice.real(),
    };
    for p in positions {
        let beyond = p.coords.dot(&normal) - line;
        if beyond > 0.0 {
            *p -= normal * (2.0 * beyond / normal.norm_squared());
            p.y += lift * beyond;
        }
    }
}

/// Puts some or all vertices anywhere on a small lattice.
fn crumple(dice: &mut Dice, positions: &mut [Point3<f64>]) {
    let (reach, spared) = (1 + dice.below(3), 1 + dice.below(4));
    for p in positions {
        if spared == 1 || !dice.one_in(spared) {
            *p = Point3::new(dice.whole(reach), dice.whole(reach), dice.whole(reach));
        }
    }
}

/// Rolls a sheet up, so that faces point in every direction.
fn roll(dice: &mut Dice, positions: &mut [Point3<f64>]) {
    let (rate, radius, slope) = (2.0 * dice.real(), 1.0 + dice.real().abs(), 0.3 * dice.real());
    for p in positions {
        let (sin, cos) = (rate * p.x).sin_cos();
        let r = radius + p.y;
        *p = Point3::new(r * sin, r * cos, p.z + slope * p.x);
    }
}

/// Puts some vertices on the place of another: faces without area, and duplicate positions.
fn collapse(dice: &mut Dice, positions: &mut [Point3<f64>]) {
    let count = positions.len() as u32;
    for _ in 0..1 + dice.below(count.max(2) / 2) {
        let [to, from] = [dice.below(count), dice.below(count)].map(|v| v as usize);
        positions[to] = positions[from];
    }
}

/// Puts everything in a plane, or on a line.
fn flatten(dice: &mut Dice, positions: &mut [Point3<f64>]) {
    let (k, from) = (dice.below(3) as usize, dice.below(4) as usize);
    for p in positions {
        p[k] = if from < 3 { p[from] } else { 0.0 };
    }
}

/// Lays the second half of the vertices on the first.
fn copy_half(positions: &mut [Point3<f64>]) {
    let (first, second) = positions.split_at_mut(positions.len() / 2);
    for (to, from) in second.iter_mut().zip(first) {
        *to = *from;
    }
}

fn shear(dice: &mut Dice, positions: &mut [Point3<f64>]) {
    let (x, z) = (dice.whole(4) / 4.0, 0.5 * dice.real());
    for p in positions {
        p.y += x * p.x + z * p.z;
    }
}

/// Rounds to a lattice, half of the time.
fn quantise(dice: &mut Dice, positions: &mut [Point3<f64>]) {
    let Some(&steps) = [1.0, 2.0, 4.0].get(dice.below(6) as usize) else { return };
    for p in positions {
        *p = p.map(|c| (steps * c).round() / steps);
    }
}

/// Turns, scales and moves; what was coplanar is so no more but for rounding, or stays exactly so.
fn place(dice: &mut Dice, positions: &mut [Point3<f64>]) {
    let turn = match dice.below(4) {
        0 => Rotation3::new(3.0 * dice.reals()),
        _ => Rotation3::identity(),
    };
    let scale = match dice.below(8) {
        0 => 10f64.powf(8.0 * dice.real()),
        1 => 2f64.powi(dice.whole(30) as i32),
        2 => 2f64.powi(-500),
        _ => 1.0,
    };
    let offset = match dice.below(8) {
        0 => dice.reals() * 1e6,
        1 => Vector3::repeat(f64::from(1 << 20)),
        _ => Vector3::zeros(),
    };
    let (shift, single) = (dice.below(3) as usize, dice.one_in(4));
    for p in positions {
        let q = (turn * *p + offset) * scale;
        *p = Point3::new(q[shift], q[(shift + 1) % 3], q[(shift + 2) % 3]);
        if single {
            *p = p.map(|c| f64::from(c as f32));
        }
    }
}

/// Moves some coordinates by a few units in the last place, or by a little: all kinds of near misses.
fn disturb(dice: &mut Dice, positions: &mut [Point3<f64>]) {
    let kind = dice.below(8);
    let size = 10f64.powf(-8.0 + 8.0 * dice.real());
    for p in positions {
        match kind {
            0 if dice.one_in(3) => {
                let k = dice.below(3) as usize;
                p[k] = if dice.one_in(2) { p[k].next_up() } else { p[k].next_down() };
            }
            1 => *p += dice.reals() * size,
            _ => {}
        }
    }
}
