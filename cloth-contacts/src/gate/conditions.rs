//! The conditions on which certificates rest: which pairs are tested, and what proves them separated.
//!
//! They have a file of their own because the rest of the gate only evaluates them. With the feature
//! `mutations` a faulty version replaces this file, to test that the audits find it.

use nalgebra::Point3;

use crate::gate::pair::{Pair, PairCorners};
use crate::gate::rounds::RoundCertifier;
use crate::gate::separation::Direction;
use crate::{Coordinate, parallel};

/// Number of pairs per task of exact detection.
pub(super) const CHUNK: usize = 64;

/// The correct conditions.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Conditions {}

impl Conditions {
    /// The only instance.
    #[cfg(test)]
    pub(super) const SOUND: Self = Self {};

    /// Whether a pair is tested in this round: every pair in the first round, later the pairs with a vertex
    /// that the last round changed.
    #[inline(always)]
    pub(super) fn is_due(
        self,
        certifier: &RoundCertifier<'_, impl Coordinate>,
        corners: &PairCorners,
    ) -> bool {
        let last = certifier.round - 1;
        last == 0 || corners.vertices.iter().any(|&v| certifier.last_changed[v as usize] == last)
    }

    /// Whether a proposed pair is guarded: every pair that is not exempt.
    #[inline(always)]
    pub(super) fn is_guarded(
        self,
        certifier: &RoundCertifier<'_, impl Coordinate>,
        pair: Pair,
        corners: &PairCorners,
    ) -> bool {
        !certifier.tangle_set.contains(corners) && !certifier.released.contains(pair)
    }

    /// Whether a plane normal to a direction separates a pair throughout a linear motion: it does if it
    /// separates it at both ends.
    #[inline(always)]
    pub(super) fn separates(
        self,
        direction: &Direction,
        corners: &PairCorners,
        [t0, t1]: [&[Point3<f64>; 4]; 2],
    ) -> bool {
        direction.separates(corners, t0).is_some() && direction.separates(corners, t1).is_some()
    }

    /// Appends the pairs that collide to `conflicts` in their order; each task uses one of the `scratch`
    /// vectors.
    pub(super) fn decide(
        self,
        undecided: &[Pair],
        meets: impl Fn(&Pair) -> bool + Send + Sync,
        scratch: &mut Vec<Vec<Pair>>,
        conflicts: &mut Vec<Pair>,
    ) {
        parallel::extend(conflicts, scratch, undecided, CHUNK, |pair| meets(pair).then_some(*pair));
    }
}
