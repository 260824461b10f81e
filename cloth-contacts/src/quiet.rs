//! Which candidates need no look yet: a pair that was far apart cannot be near before something has travelled.
//!
//! Each vertex has an odometer `P`: how far it has gone, relative to the mean motion, with the displacement predicted
//! for this step. A pair whose gap was `open` beyond its reach when it was last looked at, can be in contact only if
//! `P_a + P_b`, each the most of its vertices, has grown by `open`. Most pairs need not even that look: the odometers
//! of a pair grow no faster than twice the fastest one's, `S`, which is one number for all.
//!
//! Skipping loses nothing: the contacts are those that a look at every pair would give.

use nalgebra::{Point3, Vector3};

use crate::pair_list::Candidate;
use crate::paths::mean;
use crate::{Motion, Surface};

/// Share of a bound that rounding could cost; far more than the few ulps it does.
const ROUNDING: f32 = 1.0e-4;

/// Way of the fastest vertex (m) after which odometers begin anew: on a longer one, `f32` would swallow the steps of
/// a vertex that creeps.
pub(crate) const LONGEST_WAY: f32 = 4.0;

/// Odometers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Quiet {
    last: Vec<Point3<f32>>,
    /// How far each vertex has gone by the start of the step (m).
    gone: Vec<f32>,
    /// The same by its predicted end.
    reached: Vec<f32>,
    /// `S` at the start of the step (m).
    travelled: f32,
    /// `S` at its predicted end (m).
    outlook: f32,
}

impl Quiet {
    /// Notes the motion of a step; returns whether the odometers began anew, so that no mark holds any more.
    #[must_use]
    pub(crate) fn travel(&mut self, surface: &Surface, motion: &Motion<'_>) -> bool {
        let count = motion.positions.len();
        let anew = self.last.len() != count || self.travelled > LONGEST_WAY;
        if anew {
            self.travelled = 0.0;
            self.last.clear();
            self.last.extend_from_slice(motion.positions);
            self.gone.clear();
            self.gone.resize(count, 0.0);
            self.reached.resize(count, 0.0);
        }
        let moved = |v: usize| motion.positions[v] - self.last[v];
        let mean_moved: Vector3<f32> = mean(surface, (0..count).map(moved)).cast();
        let mean_next: Vector3<f32> = mean(surface, motion.displacements.iter().copied()).cast();
        let (mut most, mut most_next) = (0.0_f32, 0.0_f32);
        for v in 0..count {
            let way = (moved(v) - mean_moved).norm();
            let next = (motion.displacements[v] - mean_next).norm();
            self.gone[v] += way;
            self.reached[v] = self.gone[v] + next;
            most = most.max(way);
            most_next = most_next.max(next);
        }
        self.travelled += most;
        self.outlook = (self.travelled + most_next) * (1.0 + ROUNDING);
        self.last.copy_from_slice(motion.positions);
        anew
    }

    /// Whether a pair cannot be in contact in this step. False for NaN.
    #[inline]
    pub(crate) fn is_quiet<const A: usize, const B: usize>(
        &self,
        candidate: &mut Candidate,
        a: impl Fn() -> [u32; A],
        b: impl Fn() -> [u32; B],
    ) -> bool {
        if candidate.mark > self.outlook {
            return true;
        }
        let left = candidate.own_mark - self.most(&self.reached, &a()) - self.most(&self.reached, &b());
        let quiet = left > 0.0;
        if quiet {
            // Both odometers have at most `S` to go for each metre of it.
            candidate.mark = 0.5 * left * (1.0 - ROUNDING) + self.travelled;
        }
        quiet
    }

    /// Marks a pair that is `open` (m) beyond its reach now.
    #[inline]
    pub(crate) fn mark(&self, candidate: &mut Candidate, open: f32, a: &[u32], b: &[u32]) {
        candidate.mark = 0.5 * open * (1.0 - ROUNDING) + self.travelled;
        let gone = self.most(&self.gone, a) + self.most(&self.gone, b);
        candidate.own_mark = open * (1.0 - ROUNDING) + gone;
    }

    fn most(&self, odometers: &[f32], vertices: &[u32]) -> f32 {
        vertices.iter().fold(0.0, |most, &v| odometers[v as usize].max(most))
    }
}
