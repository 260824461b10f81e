//! Moves one shape to where it costs least: a pattern search without derivatives, because the cost has a kink
//! at each point's surface.

use nalgebra::Vector3;

use super::super::{WorldProxy, world::perpendiculars};
use super::cloud::Cloud;

/// How far a move takes each of the two centres along the axis and in two directions across it, and the two
/// radii.
type Move = [i8; 8];

/// Moves of the radii, of both centres, of one, and of one centre with its radius, so that the far side of
/// its ball stays in place.
#[rustfmt::skip]
const MOVES: [Move; 24] = [
    [0, 0, 0,  0, 0, 0,  1, 1],
    [0, 0, 0,  0, 0, 0,  1, 0],
    [0, 0, 0,  0, 0, 0,  0, 1],
    [1, 0, 0,  1, 0, 0,  0, 0],
    [0, 1, 0,  0, 1, 0,  0, 0],
    [0, 0, 1,  0, 0, 1,  0, 0],
    [1, 0, 0,  0, 0, 0,  0, 0],
    [0, 1, 0,  0, 0, 0,  0, 0],
    [0, 0, 1,  0, 0, 0,  0, 0],
    [0, 0, 0,  1, 0, 0,  0, 0],
    [0, 0, 0,  0, 1, 0,  0, 0],
    [0, 0, 0,  0, 0, 1,  0, 0],
    [1, 0, 0,  0, 0, 0,  1, 0],
    [1, 0, 0,  0, 0, 0, -1, 0],
    [0, 1, 0,  0, 0, 0,  1, 0],
    [0, 1, 0,  0, 0, 0, -1, 0],
    [0, 0, 1,  0, 0, 0,  1, 0],
    [0, 0, 1,  0, 0, 0, -1, 0],
    [0, 0, 0,  1, 0, 0,  0, 1],
    [0, 0, 0,  1, 0, 0,  0, -1],
    [0, 0, 0,  0, 1, 0,  0, 1],
    [0, 0, 0,  0, 1, 0,  0, -1],
    [0, 0, 0,  0, 0, 1,  0, 1],
    [0, 0, 0,  0, 0, 1,  0, -1],
];

/// Rounds through all moves at most; a search ends by its step in 20 to 40.
const MAX_ROUNDS: usize = 100;

/// Steps of a search, m: the first, and the one below which it ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Steps {
    pub(super) first: f64,
    pub(super) last: f64,
}

/// Improves one of the shapes of a bone, the others fixed; returns the cost of all.
pub(super) fn improve(cloud: &Cloud, shapes: &mut [WorldProxy], which: usize, steps: Steps) -> f64 {
    let others = cloud.depths(shapes.iter().enumerate().filter(|&(k, _)| k != which).map(|(_, shape)| shape));
    let mut shape = shapes[which];
    let mut best = cloud.cost_with(&shape, &others, f64::INFINITY);
    let mut step = steps.first;
    for _ in 0..MAX_ROUNDS {
        if !(step.is_finite() && step >= steps.last) {
            break;
        }
        let mut has_improved = false;
        let axes = frame(&shape);
        for direction in &MOVES {
            for step in [step, -step] {
                let moved = apply(&shape, &axes, direction, step);
                if moved.radii.iter().any(|&r| r < 0.0)
                    || !moved.ends.iter().all(|end| cloud.room.contains(end))
                {
                    continue;
                }
                let cost = cloud.cost_with(&moved, &others, best);
                if cost < best {
                    (shape, best, has_improved) = (moved, cost, true);
                    break;
                }
            }
        }
        if !has_improved {
            step /= 2.0;
        }
    }
    shapes[which] = shape;
    best
}

/// The axis and two directions across it.
fn frame(shape: &WorldProxy) -> [Vector3<f64>; 3] {
    let axis = (shape.ends[1] - shape.ends[0]).try_normalize(0.0).unwrap_or_else(Vector3::y);
    let [u, v] = perpendiculars(&axis);
    [axis, u, v]
}

fn apply(shape: &WorldProxy, axes: &[Vector3<f64>; 3], direction: &Move, step: f64) -> WorldProxy {
    let mut moved = *shape;
    for end in 0..2 {
        for k in 0..3 {
            moved.ends[end] += axes[k] * (f64::from(direction[3 * end + k]) * step);
        }
        moved.radii[end] += f64::from(direction[6 + end]) * step;
    }
    moved
}
