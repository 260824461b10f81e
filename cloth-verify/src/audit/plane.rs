//! Whether a plane separates a pair during a motion: a proof in `f64`, or no answer.
//!
//! Let `d_i(t)` be the corners of the Minkowski difference of the two primitives (`pair.rs`); they move on
//! straight lines. If there is a direction `n` with `n . d_i > 0` for all `i` at two times, there is a plane
//! with normal `n` between the primitives at both times, and at all times in between, because `n . d_i(t)` is
//! linear in `t`. So a motion is free if its interval of time [0, 1] can be cut into parts for each of which
//! one direction is found. How a direction is found does not matter for the proof: some are guessed (across
//! the face or the edges), others are iterates towards the point of the convex hull of all `d_i` that is
//! nearest to the origin.
//!
//! # Rounding
//!
//! Let `u = 2^-53`, and `gamma_k = k u / (1 - k u)` (Higham, "Accuracy and Stability of Numerical
//! Algorithms", section 3.1). Coordinates are exact: `f32` in `f64`. Of the height `n . d` of a corner at the
//! start or the end
//!
//! - the difference `d_k` carries one rounding, the product `n_k d_k` another, and the two sums two more:
//!   each term is off by at most `gamma_4 |n_k d_k|`, and the height by `gamma_4 s` with `s = sum |n_k d_k|`;
//! - a height at a time `t` in between is `(1 - t) h_0 + t h_1`. Times are multiples of `2^-DEPTH`, so that
//!   `1 - t` is exact; a product and a sum add two roundings: it is off by at most `gamma_6 S` with
//!   `S = (1 - t) s_0 + t s_1`;
//! - the bound `8 u S` is computed with at most eight roundings of positive numbers (four of `s`, two of `S`,
//!   the product and the sum below), so that what is computed is at least `(1 - gamma_8) 8 u S`.
//!
//! Since `(1 - gamma_8) 8 u > gamma_6`, a computed height above the computed bound is positive. Products may
//! underflow as well: each of the at most twelve loses less than `2^-1074` then, against which the bound has
//! `2^-1022`. Coordinates of `f32` are below `2^128` and `n_k` at most 1: nothing overflows.
//!
//! Nothing here is taken from the gate; the two have in common only that planes separate convex sets.

use nalgebra::Vector3;

use super::pair::Differences;

/// How often the interval of time is halved. Each level halves the turn of the motion that one direction has
/// to bear; below `2^-DEPTH` of a substep the exact method is cheaper.
const DEPTH: u32 = 4;

/// Iterations towards the nearest point. Pairs that have a plane mostly show it in the first three.
const ITERATIONS: usize = 96;

/// `8 u`, see the module.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// Whether a sequence of planes proves that the pair is apart throughout the motion. `false` is no verdict.
pub(super) fn are_apart(d: &Differences) -> bool {
    are_apart_between(d, 0.0, 1.0, DEPTH)
}

fn are_apart_between(d: &Differences, from: f64, to: f64, depth: u32) -> bool {
    if has_direction(d, from, to) {
        return true;
    }
    if depth == 0 {
        return false;
    }
    let middle = 0.5 * (from + to);
    // Where there is no plane at one moment, there is none for an interval around it.
    has_direction(d, middle, middle)
        && are_apart_between(d, from, middle, depth - 1)
        && are_apart_between(d, middle, to, depth - 1)
}

/// Searches for a direction that serves the whole interval.
fn has_direction(d: &Differences, from: f64, to: f64) -> bool {
    let corners = corners(d, from, to);
    let mean = corners.iter().sum::<Vector3<f64>>() / corners.len() as f64;
    let faces = |n: Vector3<f64>| if n.dot(&mean) < 0.0 { -n } else { n };
    d.across.iter().any(|n| separates(d, &faces(*n), from, to)) || towards_nearest(d, &corners, (from, to))
}

/// The corners at both ends of an interval; rounded, for guesses alone.
fn corners(d: &Differences, from: f64, to: f64) -> [Vector3<f64>; 8] {
    let at = |i: usize, t: f64| d.t0[i] * (1.0 - t) + d.t1[i] * t;
    std::array::from_fn(|k| if k < 4 { at(k, from) } else { at(k - 4, to) })
}

/// The iteration of Mitchell, Dem'yanov and Malozemov (1974): the nearest point as a mean of the corners with
/// weights; each step takes weight from the corner that lies farthest along the iterate and gives it to the
/// one that lies least far. Each iterate is tried as a direction.
fn towards_nearest(d: &Differences, corners: &[Vector3<f64>; 8], (from, to): (f64, f64)) -> bool {
    let mut weights = [0.125; 8];
    for _ in 0..ITERATIONS {
        let nearest: Vector3<f64> = corners.iter().zip(&weights).map(|(c, w)| c * *w).sum();
        let heights = corners.map(|c| nearest.dot(&c));
        let least = (0..8).min_by(|&i, &j| heights[i].total_cmp(&heights[j])).unwrap_or(0);
        if heights[least] > 0.0 {
            // In rounded numbers there is a plane; the proof may still fail for rounding.
            return separates(d, &nearest, from, to);
        }
        let weighted = (0..8).filter(|&i| weights[i] > 0.0);
        let most = weighted.max_by(|&i, &j| heights[i].total_cmp(&heights[j])).unwrap_or(least);
        let way = corners[least] - corners[most];
        let share = (-nearest.dot(&way) / way.norm_squared()).clamp(0.0, weights[most]);
        if share.is_nan() || share == 0.0 {
            return false;
        }
        weights[most] -= share;
        weights[least] += share;
    }
    false
}

/// Whether a direction is proved to separate the pair throughout an interval: see the module.
fn separates(d: &Differences, n: &Vector3<f64>, from: f64, to: f64) -> bool {
    let size = n.amax();
    if !(size > 0.0 && size.is_finite()) {
        return false;
    }
    let n = n / size;
    (0..4).all(|i| {
        let [(h0, s0), (h1, s1)] = [height(&n, &d.t0[i]), height(&n, &d.t1[i])];
        [from, to].into_iter().all(|t| {
            let (h, s) = ((1.0 - t) * h0 + t * h1, (1.0 - t) * s0 + t * s1);
            h > ROUNDING * s + f64::MIN_POSITIVE
        })
    })
}

/// `n . d`, and the sum of the magnitudes of its terms.
fn height(n: &Vector3<f64>, d: &Vector3<f64>) -> (f64, f64) {
    let [x, y, z] = [n.x * d.x, n.y * d.y, n.z * d.z];
    (x + y + z, x.abs() + y.abs() + z.abs())
}

#[cfg(test)]
#[path = "tests/plane.rs"]
mod tests;
