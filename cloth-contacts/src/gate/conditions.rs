//! What the certificate rests on: which pairs are judged, and what proves them.
//!
//! These conditions stand alone because all else in the gate serves to ask them. With the feature `mutations` another file takes the
//! place of this one, so that tests can see what happens when one of them is wrong.

use nalgebra::Point3;

use crate::gate::pair::{Pair, PairCorners};
use crate::gate::rounds::RoundCertifier;
use crate::gate::separation::Direction;
use crate::parallel;

/// Pairs for exact detection that one task decides.
pub(super) const CHUNK: usize = 64;

/// The sound conditions.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Conditions {}

impl Conditions {
    /// The only ones there are.
    #[cfg(test)]
    pub(super) const SOUND: Self = Self {};

    /// Whether a pair is to be judged in this round: all are in the first one, and later those of which the last round touched a vertex.
    #[inline(always)]
    pub(super) fn is_due(self, certifier: &RoundCertifier<'_, '_>, corners: &PairCorners) -> bool {
        let last = certifier.round - 1;
        last == 0 || corners.vertices.iter().any(|&v| certifier.last_changed[v as usize] == last)
    }

    /// Whether a pair that was proposed is kept apart: every one that is not exempt.
    #[inline(always)]
    pub(super) fn is_guarded(
        self,
        certifier: &RoundCertifier<'_, '_>,
        pair: Pair,
        corners: &PairCorners,
    ) -> bool {
        !certifier.tangle_set.contains(corners) && !certifier.released.contains(pair)
    }

    /// Whether a plane across a direction separates a pair throughout a linear motion: it does so at both ends.
    #[inline(always)]
    pub(super) fn separates(
        self,
        direction: &Direction,
        corners: &PairCorners,
        [t0, t1]: [&[Point3<f64>; 4]; 2],
    ) -> bool {
        direction.separates(corners, t0).is_some() && direction.separates(corners, t1).is_some()
    }

    /// Adds the pairs that meet to the conflicts, in their order; each task has one of the `scratch`.
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
