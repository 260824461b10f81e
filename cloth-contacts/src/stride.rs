//! How one patch moves in one step: as a whole, with what turn, and how far its vertices differ from that.
//!
//! ```text
//! approach of any vertex of A and any of B  <=  |middle_A - middle_B| + spread_A + spread_B
//! the same without a common turn w          <=  |middle_A - middle_B - w x (centre_A - centre_B)|
//!                                                + |w_A - w|  (radius_A + radius_B) + spread_A + spread_B
//! ```

use nalgebra::{Matrix3, Point3, Vector3};

use crate::gate::weakness::{Weak, Weakness};

/// Share by which a bound is raised for its own rounding; far more than the few ulps that it takes.
pub(crate) const ROUNDING: f32 = 1.0e-4;

/// Spread in units of the patch's size below which a turn is not looked for: it costs more than it could spare.
const LEAST_TURN: f32 = 1.0e-3;

/// Share of the spread that a turn has to make up to be worth its while.
const LEAST_SHARE: f32 = 0.5;

/// The least and greatest of some vectors.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent {
    pub(crate) min: [f32; 3],
    pub(crate) max: [f32; 3],
}

impl Extent {
    pub(crate) const EMPTY: Self = Self { min: [f32::INFINITY; 3], max: [f32::NEG_INFINITY; 3] };

    #[inline]
    pub(crate) fn take(&mut self, v: [f32; 3]) {
        for k in 0..3 {
            self.min[k] = if v[k] < self.min[k] { v[k] } else { self.min[k] };
            self.max[k] = if v[k] > self.max[k] { v[k] } else { self.max[k] };
        }
    }

    pub(crate) fn middle(&self) -> Vector3<f32> {
        Vector3::from_fn(|k, _| 0.5 * (self.min[k] + self.max[k]))
    }

    fn half_diagonal(&self) -> f32 {
        Vector3::from_fn(|k, _| 0.5 * (self.max[k] - self.min[k])).norm()
    }

    /// Distance between two boxes (m); 0 if they overlap.
    pub(crate) fn gap(&self, other: &Self) -> f32 {
        let along = |k: usize| (other.min[k] - self.max[k]).max(self.min[k] - other.max[k]).max(0.0);
        Vector3::from_fn(|k, _| along(k)).norm()
    }

    /// Squared distance of a point from the box (m²); 0 inside.
    #[inline]
    pub(crate) fn distance_sq(&self, p: &Point3<f32>) -> f32 {
        Vector3::from_fn(|k, _| (self.min[k] - p[k]).max(p[k] - self.max[k]).max(0.0)).norm_squared()
    }

    /// Greatest magnitude of a coordinate.
    pub(crate) fn magnitude(&self) -> f32 {
        (0..3).fold(0.0, |most, k| self.min[k].abs().max(self.max[k].abs()).max(most))
    }
}

/// A motion of a patch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flow {
    /// Of the patch as a whole (m).
    pub(crate) middle: Vector3<f32>,
    /// Most by which a vertex differs from it (m).
    pub(crate) spread: f32,
}

/// A motion of a patch over a step, with its turn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stride {
    pub(crate) flow: Flow,
    /// The turn (rad), or zero if the patch does not turn much.
    turn: Vector3<f32>,
    /// What the turn about the patch's centre leaves of the motion.
    beside_turn: Flow,
}

/// Where a patch is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ground {
    pub(crate) centre: Vector3<f32>,
    /// From the centre to its farthest vertex, at most (m).
    radius: f32,
}

impl Ground {
    pub(crate) fn of(at: &Extent) -> Self {
        Self { centre: at.middle(), radius: at.half_diagonal() * (1.0 + ROUNDING) + at.magnitude() * 1.0e-6 }
    }
}

impl Stride {
    /// Of a patch with these corners (m), each with its displacement (m).
    pub(crate) fn of(
        ground: &Ground,
        corners: impl Iterator<Item = (Point3<f32>, Vector3<f32>)> + Clone,
        weak: Weak,
    ) -> Self {
        let mut all = Extent::EMPTY;
        corners.clone().for_each(|(_, d)| all.take(d.into()));
        let flow = Flow::of(&all, weak);
        let still = Self { flow, turn: Vector3::zeros(), beside_turn: flow };
        if flow.spread <= LEAST_TURN * ground.radius {
            return still;
        }
        let turn = fitted_turn(corners.clone());
        let share = turn.norm() * ground.radius;
        if share.is_nan() || share <= LEAST_SHARE * flow.spread {
            return still;
        }
        let mut off = Extent::EMPTY;
        corners.for_each(|(p, d)| off.take((d - turn.cross(&(p.coords - ground.centre))).into()));
        let mut beside_turn = Flow::of(&off, weak);
        beside_turn.spread += 1.0e-6 * turn.norm() * (ground.radius + ground.centre.norm());
        if beside_turn.spread < 0.5 * flow.spread { Self { flow, turn, beside_turn } } else { still }
    }

    /// The most that the distance of a vertex of one patch from one of another shrinks (m).
    ///
    /// A turn that both have in common brings no two points nearer, not even as a linear motion: what it adds to their
    /// difference is perpendicular to it.
    #[inline]
    pub(crate) fn relative(&self, other: &Self, grounds: [&Ground; 2]) -> f32 {
        let plain = self.flow.relative(&other.flow);
        if self.turn == Vector3::zeros() && other.turn == Vector3::zeros() {
            return plain;
        }
        let (common, own) = ((self.turn + other.turn) * 0.5, (self.turn - other.turn) * 0.5);
        let (middle, spread) = self.beside_turn.beside(&other.beside_turn);
        let [a, b] = grounds;
        let arm = a.centre - b.centre;
        let rounding = 1.0e-6 * common.norm() * arm.norm();
        let left =
            (middle - common.cross(&arm)).norm() + own.norm() * (a.radius + b.radius) + spread + rounding;
        plain.min(left * (1.0 + ROUNDING))
    }
}

/// The turn that fits the displacements best, in the least squares; none for corners on a line.
fn fitted_turn(corners: impl Iterator<Item = (Point3<f32>, Vector3<f32>)> + Clone) -> Vector3<f32> {
    let nothing = (Vector3::zeros(), Vector3::zeros(), 0.0_f32);
    let sum = corners.clone().fold(nothing, |(p, d, n), corner| (p + corner.0.coords, d + corner.1, n + 1.0));
    let (place, way) = (sum.0 / sum.2, sum.1 / sum.2);
    let (mut inertia, mut moment) = (Matrix3::zeros(), Vector3::zeros());
    for (p, d) in corners {
        let r = p.coords - place;
        inertia += Matrix3::identity() * r.norm_squared() - r * r.transpose();
        moment += r.cross(&(d - way));
    }
    inertia.try_inverse().map_or(Vector3::zeros(), |inverse| inverse * moment)
}

impl Flow {
    pub(crate) const NONE: Self = Self { middle: Vector3::new(0.0, 0.0, 0.0), spread: 0.0 };

    pub(crate) fn of(extent: &Extent, weak: Weak) -> Self {
        let rounding = extent.magnitude() * 1.0e-6;
        let spread = extent.half_diagonal() * (1.0 + ROUNDING) + rounding;
        let spread = if weak.is(Weakness::CentreForBound) { 0.0 } else { spread };
        Self { middle: extent.middle(), spread }
    }

    /// The motion of one middle relative to the other, and both spreads (m).
    #[inline]
    pub(crate) fn beside(&self, other: &Self) -> (Vector3<f32>, f32) {
        (self.middle - other.middle, self.spread + other.spread)
    }

    /// The most that a vertex moves beyond a mean motion (m).
    #[inline]
    pub(crate) fn beyond(&self, mean: &Vector3<f32>) -> f32 {
        ((self.middle - mean).norm() + self.spread) * (1.0 + ROUNDING)
    }

    /// The most that a vertex of one patch moves relative to one of another (m).
    #[inline]
    fn relative(&self, other: &Self) -> f32 {
        let (middle, spread) = self.beside(other);
        (middle.norm() + spread) * (1.0 + ROUNDING)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn vector(size: f32) -> impl Strategy<Value = Vector3<f32>> {
        [-size..size, -size..size, -size..size].prop_map(Vector3::from)
    }

    /// A patch of four corners about a place, moved by a turn about the origin and something of each corner's own.
    fn patch(place: Vector3<f32>) -> impl Strategy<Value = Vec<(Point3<f32>, Vector3<f32>)>> {
        proptest::collection::vec((vector(0.1), vector(1.0e-3)), 4)
            .prop_map(move |corners| corners.into_iter().map(|(p, d)| ((place + p).into(), d)).collect())
    }

    fn stride(corners: &[(Point3<f32>, Vector3<f32>)]) -> (Ground, Stride) {
        let mut at = Extent::EMPTY;
        corners.iter().for_each(|(p, _)| at.take(p.coords.into()));
        let ground = Ground::of(&at);
        (ground, Stride::of(&ground, corners.iter().copied(), Weak::default()))
    }

    proptest! {
        #[test]
        fn no_two_corners_come_nearer_than_the_bound_at_any_time(
            mut a in patch(Vector3::new(0.2, 0.0, 0.0)),
            mut b in patch(Vector3::new(-0.2, 0.1, 0.0)),
            turns in [vector(0.5), vector(0.5)],
            alike in any::<bool>(),
        ) {
            for (patch, turn) in [(&mut a, turns[0]), (&mut b, turns[usize::from(!alike)])] {
                patch.iter_mut().for_each(|(p, d)| *d += turn.cross(&p.coords));
            }
            let ((ground_a, stride_a), (ground_b, stride_b)) = (stride(&a), stride(&b));
            let bound = stride_a.relative(&stride_b, [&ground_a, &ground_b]);
            for ((p, d), (q, e)) in a.iter().flat_map(|a| b.iter().map(move |b| (a, b))) {
                for share in [0.25, 0.5, 1.0] {
                    let (before, after) = ((p - q).norm(), (p + d * share - (q + e * share)).norm());
                    prop_assert!(before - after <= bound * share + 1.0e-6, "{before} {after} {bound}");
                }
            }
        }
    }

    #[test]
    fn what_turns_together_does_not_approach() {
        let corners = |at: f32| {
            let places = [[0.0, 0.0, 0.0], [0.1, 0.0, 0.0], [0.0, 0.1, 0.0], [0.1, 0.1, 0.02]];
            let turn = Vector3::new(0.0, 0.1, 0.3);
            let at = places.map(|p| Point3::from(p) + Vector3::new(at, 0.0, 0.0));
            at.map(|p| (p, turn.cross(&p.coords) + Vector3::new(3.0, 0.0, 0.0)))
        };
        let ((ground_a, a), (ground_b, b)) = (stride(&corners(0.0)), stride(&corners(0.2)));
        assert!(a.flow.relative(&b.flow) > 0.05);
        assert!(a.relative(&b, [&ground_a, &ground_b]) < 1.0e-4);
    }
}
