//! Whether the gate examined every pair that came within its clearance.
//!
//! The gate's lists may leave out a pair only if it stays farther apart than its clearance,
//! `Surface::CLEARANCE` times the sum of the radii of its two primitives, throughout the proposed motion. So
//! a pair that is nearer at the start of the motion has to be examined in the first round, and one that is
//! nearer at the end of the accepted motion in some round: later rounds examine what earlier ones changed.
//!
//! # No false alarm
//!
//! The distance of any point of the one primitive to any point of the other bounds that of the pair from
//! above. The closest points are found in `f64` with weights `w_i`, and their difference is a sum of at most
//! four terms `w d`, where `d` are the corners of the Minkowski difference (`pair.rs`). With `D` the greatest
//! `|d|`: weights whose sum is off 1 by `e` move the difference by at most `e D`, and `e <= 8 u` for sums of
//! three rounded weights, or of products of two; products, sums and roots add at most `16 u D`. `64 u D` is
//! more than both.
//!
//! The gate computes a clearance in `f32` (a product for each radius, and a sum: three roundings of `2^-24`),
//! and from the radii of one vertex of each primitive. A pair counts only if it is nearer than `1 - 2^-20`
//! times the clearance of the least radii.

use cloth_contacts::Surface;
use cloth_geom::closest::{point_triangle, segment_segment};
use cloth_solver::ExaminedPair;
use nalgebra::{Point3, Vector3};

use super::pair::{MotionPath, Pair};

/// `64 u`, see the module.
const ROUNDING: f64 = 32.0 * f64::EPSILON;

/// Share of the clearance that counts: see the module.
const SURE: f64 = 1.0 - 1.0 / 1_048_576.0;

/// Half the distance (m) at which a primitive of some vertices may be near another.
pub(super) fn margin(vertices: &[u32], radius: &[f32]) -> f64 {
    f64::from(Surface::CLEARANCE)
        * vertices.iter().fold(0.0, |most, &v| f64::max(most, radius[v as usize].into()))
}

/// The clearance (m) that surely applies to a pair.
fn clearance(pair: &Pair, radius: &[f32]) -> f64 {
    let least =
        |side: &[u32]| side.iter().fold(f64::INFINITY, |least, &v| least.min(radius[v as usize].into()));
    let (a, b) = pair.sides();
    SURE * f64::from(Surface::CLEARANCE) * (least(a) + least(b))
}

/// An upper bound of the distance (m) of a pair.
fn distance(pair: &Pair, at: &[Point3<f32>]) -> f64 {
    let p = pair.at(at);
    let (apart, corners): (Vector3<f64>, Vec<Vector3<f64>>) = if pair.split == 1 {
        let weights = point_triangle(&p[0], [&p[1], &p[2], &p[3]]).weights;
        let corners = [p[0] - p[1], p[0] - p[2], p[0] - p[3]];
        (corners.iter().zip(weights).map(|(d, w)| d * w).sum(), corners.to_vec())
    } else {
        let found = segment_segment([&p[0], &p[1]], [&p[2], &p[3]]);
        let ([s, t], [r, q]) = ([found.s, found.t], [1.0 - found.s, 1.0 - found.t]);
        let corners = [p[0] - p[2], p[0] - p[3], p[1] - p[2], p[1] - p[3]];
        let weights = [r * q, r * t, s * q, s * t];
        (corners.iter().zip(weights).map(|(d, w)| d * w).sum(), corners.to_vec())
    };
    let most = corners.iter().map(Vector3::norm).fold(0.0, f64::max);
    apart.norm() + ROUNDING * most
}

/// The pairs that the gate examined in a motion.
pub(super) struct ExaminedPairs {
    /// Each pair with the first round that examined it, sorted.
    pairs: Vec<(Pair, u32)>,
}

impl ExaminedPairs {
    pub(super) fn new(examined: &[ExaminedPair]) -> Self {
        let mut pairs: Vec<(Pair, u32)> =
            examined.iter().map(|pair| (Pair::new(pair.vertices, pair.split), pair.round)).collect();
        pairs.sort_unstable();
        Self { pairs }
    }

    /// The first round that examined a pair.
    fn round(&self, pair: &Pair) -> Option<u32> {
        let place = self.pairs.partition_point(|entry| entry.0 < *pair);
        self.pairs.get(place).filter(|entry| entry.0 == *pair).map(|entry| entry.1)
    }

    /// How near (m) a pair came that was left out, if it came within its clearance.
    pub(super) fn missed_distance(&self, pair: &Pair, path: &MotionPath<'_>, radius: &[f32]) -> Option<f64> {
        let clearance = clearance(pair, radius);
        let near = |at| Some(distance(pair, at)).filter(|&d| d < clearance);
        match self.round(pair) {
            Some(1) => None,
            Some(_) => near(path.t0),
            None => near(path.t0).or_else(|| near(path.t1)),
        }
    }
}
