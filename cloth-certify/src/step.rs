//! How far along a motion one may go: for line searches.

use cloth_contacts::Coordinate;
use cloth_contacts::gate::Pair;
use cloth_contacts::impacts::{ImpactFinder, decide};
use cloth_contacts::intersect::Checker;
use nalgebra::Point3;

use crate::input::{check_distance, check_finite, check_length, check_limit, exact};
use crate::motion::AT_ONCE;
use crate::{CollisionMesh, InputError, MotionWitness, StateReport};

/// The largest share below 1 that is tried: with it the end of a step stays between both ends when rounded.
const LARGEST: f64 = 1.0 - 4.0 * f64::EPSILON;

/// The first share by which a step is shortened if its rounded end is not certified, and the factor on it.
const SHORTENED: [f64; 2] = [1e-9, 4.0];

/// Why a step is not the whole motion.
#[derive(Clone, Debug, PartialEq)]
pub enum StepLimit {
    /// Nothing: the step is 1.
    None,
    /// This pair collides, or comes within the distance.
    Collision(MotionWitness),
    /// The start intersects or touches itself: the step is 0.
    Tangled(StateReport),
    /// This pair is within the distance at the start: the step is 0.
    TooNear(Pair),
}

/// How far one may go: see [`CollisionMesh::max_step`].
#[derive(Clone, Debug, PartialEq)]
pub struct MaxStep {
    /// Share of the motion, in [0, 1].
    pub step: f64,
    /// What limits it.
    pub limit: StepLimit,
}

impl MaxStep {
    /// The end of the step (m) that is certified: the coordinate nearest to `x0 + t (x1 - x0)`, computed in
    /// `f64`; `x0` for a step of 0 and `x1` for a step of 1. In `f64` it equals the expression
    /// `x0 + t * (x1 - x0)` of any language; where the difference overflows, `(1 - t) * x0 + t * x1`.
    ///
    /// # Errors
    /// If the lengths differ.
    pub fn advance<T: Coordinate>(
        &self,
        x0: &[[T; 3]],
        x1: &[[T; 3]],
        end: &mut [[T; 3]],
    ) -> Result<(), InputError> {
        for (name, got) in [("x1", x1.len()), ("end", end.len())] {
            check_length(name, got, x0.len())?;
        }
        for ((end, from), to) in end.iter_mut().zip(x0).zip(x1) {
            for (k, end) in end.iter_mut().enumerate() {
                *end = coordinate(from[k], to[k], self.step);
            }
        }
        Ok(())
    }
}

/// A coordinate of the end of a step. The difference overflows only between ends of opposite signs: between
/// them, the sum of their shares is no greater than either.
fn coordinate<T: Coordinate>(from: T, to: T, step: f64) -> T {
    if step == 0.0 {
        return from;
    }
    if step == 1.0 {
        return to;
    }
    let [x0, x1]: [f64; 2] = [from.into(), to.into()];
    let way = x1 - x0;
    T::nearest(if way.is_finite() { x0 + step * way } else { (1.0 - step) * x0 + step * x1 })
}

impl CollisionMesh {
    /// The largest share `t` of the motion from `x0` to `x1` (m) for which the motion to `x0 + t (x1 - x0)`,
    /// as [`MaxStep::advance`] rounds it, is certified to keep all pairs farther apart than `min_distance`
    /// (m); 0 m: not to touch.
    ///
    /// It is never too long. It falls short of the exact one by about 1e-9 of it, or by what the rounding of
    /// the end makes necessary; for a distance above 0 by 1e-3 of the distance more.
    ///
    /// # Errors
    /// If there is not one finite position a vertex at either end, the distance is negative, NaN or beyond
    /// [`CollisionMesh::LIMIT`], or it is above 0 and a coordinate is beyond that: distances are measured
    /// with an error of 1e-13 of the extent of a pair.
    pub fn max_step<T: Coordinate>(
        &self,
        x0: &[[T; 3]],
        x1: &[[T; 3]],
        min_distance: f64,
    ) -> Result<MaxStep, InputError> {
        check_distance(min_distance)?;
        let check = if min_distance == 0.0 { check_finite } else { check_limit };
        check(self, "x0", x0)?;
        check(self, "x1", x1)?;
        let (from, to) = (exact(x0), exact(x1));
        let start = self.check_exact(&mut Checker::default(), &from)?;
        if !start.is_clean() {
            return Ok(MaxStep { step: 0.0, limit: StepLimit::Tangled(start) });
        }
        let mut finder = ImpactFinder::default();
        let ends = [&*from, &*to];
        let candidates = self.candidates(&mut finder, ends, min_distance)?;
        let Some(first) = self.earliest(candidates, ends, min_distance, 0.0) else {
            return Ok(MaxStep { step: 1.0, limit: StepLimit::None });
        };
        if self.is_near(first.pair, [&from, &from], min_distance) {
            return Ok(MaxStep { step: 0.0, limit: StepLimit::TooNear(first.pair) });
        }
        // All pairs are asked again: rounding bends the paths of the vertices.
        let end_at = |step: f64| -> Vec<Point3<f64>> {
            let ends = x0.iter().zip(x1);
            ends.map(|(a, b)| [0, 1, 2].map(|k| coordinate(a[k], b[k], step).into()).into()).collect()
        };
        let is_certified = |step: f64| {
            let end = end_at(step);
            let is_near = |pair| self.is_near(pair, [&from, &end], min_distance).then_some(());
            candidates.chunks(AT_ONCE).all(|group| decide(group, is_near).is_empty())
        };
        let longest = first.time.time.min(LARGEST);
        let [mut shortened, factor] = SHORTENED;
        let mut step = longest * (1.0 - shortened);
        while step > 0.0 && !is_certified(step) {
            shortened *= factor;
            step = longest * (1.0 - shortened).max(0.0);
        }
        Ok(MaxStep { step: step.max(0.0), limit: StepLimit::Collision(first) })
    }
}
