//! Which candidates need no look yet: a pair that was far apart cannot be near before something has travelled.
//!
//! With `S` the way that the fastest vertex has gone since the lists were built, summed over the steps, and `D` the
//! longest displacement of the present step, both relative to the mean motion:
//!
//! ```text
//!   gap now >= gap then - 2 (S - S then)        approach <= 2 D
//!   no contact while  (gap then - reach) / 2 + S then  >  S + D
//! ```
//!
//! The left side is one number a pair, kept from its last look. Skipping loses nothing: the contacts are those that a
//! look at every pair would give.

use nalgebra::{Point3, Vector3};

use crate::{Motion, Surface};

/// Share of a bound that rounding could cost; far more than the few ulps it does.
const ROUNDING: f32 = 1.0e-4;

/// How far things have travelled, and until when each pair is quiet.
#[derive(Clone, Debug, Default)]
pub(crate) struct Quiet {
    last: Vec<Point3<f32>>,
    /// `S` (m).
    travelled: f32,
    /// `S + D` (m).
    reached: f32,
    pub(crate) point_triangles: Vec<f32>,
    pub(crate) edge_edges: Vec<f32>,
}

impl Quiet {
    /// Starts anew: every pair has to be looked at.
    pub(crate) fn begin(&mut self, pairs: (usize, usize), motion: &Motion<'_>) {
        self.last.clear();
        self.last.extend_from_slice(motion.positions);
        self.travelled = 0.0;
        for (quiet_until, count) in [(&mut self.point_triangles, pairs.0), (&mut self.edge_edges, pairs.1)] {
            quiet_until.clear();
            quiet_until.resize(count, f32::NEG_INFINITY);
        }
    }

    /// Notes the motion of a step.
    pub(crate) fn travel(&mut self, surface: &Surface, motion: &Motion<'_>) {
        let moved = |i: usize| motion.positions[i] - self.last[i];
        self.travelled += longest(surface, self.last.len(), moved);
        let next = longest(surface, self.last.len(), |i| motion.displacements[i]);
        self.reached = (self.travelled + next) * (1.0 + ROUNDING);
        self.last.copy_from_slice(motion.positions);
    }

    /// Whether a pair with this mark cannot be in contact in this step. False for NaN.
    #[inline]
    pub(crate) fn is_quiet(&self, mark: f32) -> bool {
        mark > self.reached
    }

    /// The mark of a pair that is `open` (m) beyond its reach now.
    #[inline]
    pub(crate) fn mark(&self, open: f32) -> f32 {
        0.5 * open * (1.0 - ROUNDING) + self.travelled
    }
}

/// The length of the longest of some displacements, relative to the mean of those that are not kinematic.
fn longest(surface: &Surface, count: usize, displacement: impl Fn(usize) -> Vector3<f32>) -> f32 {
    let mean = crate::candidates::mean(surface, (0..count).map(&displacement)).cast::<f32>();
    let longest_sq = (0..count).map(|i| (displacement(i) - mean).norm_squared()).fold(0.0, f32::max);
    longest_sq.sqrt()
}
