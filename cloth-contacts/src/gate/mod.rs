//! The certification gate: corrects a proposed motion until it is certified that no two primitives collide.
//!
//! ```text
//! pairs that may collide -> separating plane? -> exact detection? -> correct the rest -> repeat for changed pairs
//!        (lists)              (certificate)       (certificate)                           until all are certified
//! ```
//!
//! Every vertex moves linearly from its start to its accepted end. Every vertex and face, and every two
//! edges, that share no vertex are proved separated throughout, for the positions as stored. Pairs that are
//! not tested cannot have come near each other (`lists/mod.rs`); a tested pair is certified by a separating
//! plane or by exact continuous detection ([`crate::ccd::Filtered`]).
//!
//! The gate fails closed. After each round that changes positions, another round tests the changed pairs.
//! When the rounds are used up, all free vertices are frozen: a pair that does not move does not collide.
//! Bodies cannot be frozen; a pair of cloth and body that cannot be certified is released at last, and
//! reported. Pairs of cloth are never released, except pairs at distance zero that cannot move.

#[cfg(test)]
mod axis_tests;
mod chord;
#[cfg(test)]
pub(crate) mod chord_tests;
#[cfg_attr(feature = "mutations", path = "../faults/gate_conditions.rs")]
mod conditions;
mod correction;
mod examined;
mod exemptions;
mod inspection;
mod pair;
mod released;
mod rounds;
mod separation;
mod separation_lanes;
mod stats;
mod tangle_set;
#[cfg(test)]
mod tests;

use cloth_broadphase::BroadPhase;
use nalgebra::Point3;

use crate::detect::check_slack;
use crate::lists::{DuePairs, PairLists, Threshold};
use crate::{DetectError, Detector, Surface};
use conditions::Conditions;
use correction::{CorrectedMotion, ImpactZones};
pub use examined::ExaminedPair;
pub use exemptions::{Exemption, Exemptions};
use inspection::Inspector;
pub use inspection::{Admission, Inspection, RINGS};
pub use pair::Pair;
pub use released::ReleasedPair;
use rounds::PairSource;
pub use stats::GateStats;
use tangle_set::TangleSet;

/// A proposed motion.
#[derive(Debug)]
pub struct Proposal<'a> {
    /// Positions at the start (m).
    pub start: &'a [Point3<f32>],
    /// Positions at the end (m): proposed before the call, certified after it.
    pub end: &'a mut [Point3<f32>],
    /// Inverse masses (1/kg); 0 for kinematic vertices.
    pub inv_mass: &'a [f32],
    /// Least displacement (m) of a vertex for which pairs are listed; does not affect results.
    pub slack: f32,
}

/// Certifies motions, one after another.
///
/// Of its state only [`Gate::exemptions`] affects results; the lists affect running time alone.
#[derive(Clone, Debug, Default)]
pub struct Gate {
    pub(crate) lists: PairLists,
    due: DuePairs,
    tangle_set: TangleSet,
    inspector: Inspector,
    /// Proposed end positions (m).
    proposed: Vec<Point3<f32>>,
    /// The round in which each vertex was last changed.
    last_changed: Vec<u32>,
    /// The vertices that the last round changed.
    changed: Vec<u32>,
    /// Results of the last round by task.
    results: Vec<rounds::RoundResults>,
    /// Pairs that no plane separates, and scratch memory of the tasks that decide them.
    undecided: Vec<Pair>,
    decided: Vec<Vec<Pair>>,
    conflicts: Vec<Pair>,
    impact_zones: ImpactZones,
    released: released::Released,
    recorder: examined::Recorder,
    conditions: Conditions,
}

impl Gate {
    /// A gate that finds near leaves, and checks states, with this broad phase. Results do not depend on it.
    #[must_use]
    pub fn with_broad_phase(broad_phase: impl BroadPhase) -> Self {
        let broad_phase = broad_phase.into_any();
        Self {
            lists: PairLists::with_broad_phase(&broad_phase),
            inspector: Inspector::with_broad_phase(broad_phase),
            ..Self::default()
        }
    }

    /// Corrects the ends of a motion until all guarded pairs are certified. Only ends that have to change are
    /// changed.
    ///
    /// `surface` must be the result of [`Surface::for_gate`].
    ///
    /// # Errors
    /// If the lengths do not match the surface, a number is not finite, or an inverse mass or the slack is
    /// negative. The motion is unchanged then.
    pub fn certify(
        &mut self,
        surface: &Surface,
        proposal: &mut Proposal<'_>,
    ) -> Result<GateStats, DetectError> {
        let mut lists = std::mem::take(&mut self.lists);
        // The reach of the gate's surface is its clearance.
        let source = PairSource::Lists { lists: &mut lists, surface, threshold: Threshold::Contact };
        let stats = self.certify_from(source, surface, proposal);
        self.lists = lists;
        stats
    }

    /// As [`Gate::certify`], with the lists of a detector, so that pairs are searched once for both.
    /// `detected` is the surface of the detector, from which [`Surface::for_gate`] made `surface`. Where its
    /// lists do not contain all guarded pairs, the gate uses its own. Results are bitwise equal.
    ///
    /// # Errors
    /// As [`Gate::certify`].
    pub fn certify_with_detector(
        &mut self,
        detector: &mut Detector,
        detected: &Surface,
        surface: &Surface,
        proposal: &mut Proposal<'_>,
    ) -> Result<GateStats, DetectError> {
        if !detected.candidates_cover_gate() {
            return self.certify(surface, proposal);
        }
        let (lists, threshold) = (&mut detector.lists, Threshold::Clearance);
        self.certify_from(PairSource::Lists { lists, surface: detected, threshold }, surface, proposal)
    }

    /// As [`Gate::certify`], testing all pairs: the reference implementation. Results are bitwise equal.
    ///
    /// # Errors
    /// As [`Gate::certify`].
    #[doc(hidden)]
    pub fn certify_all_pairs(
        &mut self,
        surface: &Surface,
        proposal: &mut Proposal<'_>,
    ) -> Result<GateStats, DetectError> {
        self.certify_from(PairSource::All, surface, proposal)
    }

    fn certify_from(
        &mut self,
        mut source: PairSource<'_>,
        surface: &Surface,
        proposal: &mut Proposal<'_>,
    ) -> Result<GateStats, DetectError> {
        self.begin(surface, proposal)?;
        let mut motion =
            CorrectedMotion { t0: proposal.start, t1: &mut *proposal.end, inv_mass: proposal.inv_mass };
        let mut stats = self.rounds(&mut source, surface, &mut motion, proposal.slack)?;
        self.tangle_set.count_motion();
        let held = |v: usize| proposal.end[v] == proposal.start[v];
        let changed = (0..self.proposed.len()).filter(|&v| proposal.end[v] != self.proposed[v]);
        (stats.corrected, stats.frozen) =
            changed.fold((0, 0), |(all, back), v| (all + 1, back + usize::from(held(v))));
        Ok(stats)
    }

    /// Proposed end positions (m) of the last motion.
    #[must_use]
    pub fn proposed(&self) -> &[Point3<f32>] {
        &self.proposed
    }

    /// Pairs that were released in the last motion.
    #[must_use]
    pub fn released(&self) -> &[ReleasedPair] {
        self.released.as_slice()
    }

    /// Enables or disables the record of examined pairs; disabled by default. It serves to verify
    /// completeness: every pair that comes within its clearance must be examined. Costs memory proportional
    /// to the pairs while enabled, one branch per pair otherwise.
    pub fn record_examined(&mut self, on: bool) {
        self.recorder.set(on);
    }

    /// The pairs examined in the last motion, unordered, once per round in which they were examined; `None`
    /// while recording is disabled. Exempt pairs are not included.
    #[must_use]
    pub fn examined(&self) -> Option<&[ExaminedPair]> {
        self.recorder.pairs()
    }

    /// Discards the lists. Does not affect results; exemptions are kept.
    pub fn reset(&mut self) {
        self.lists.reset();
    }

    fn begin(&mut self, surface: &Surface, proposal: &Proposal<'_>) -> Result<(), DetectError> {
        let expected = surface.vertex_count();
        let lengths = [proposal.start.len(), proposal.end.len(), proposal.inv_mass.len()];
        if let Some(got) = lengths.into_iter().find(|&n| n != expected) {
            return Err(DetectError::Length { got, expected });
        }
        check_slack(proposal.slack)?;
        if let Some(vertex) = proposal.inv_mass.iter().position(|w| !(w.is_finite() && *w >= 0.0)) {
            return Err(DetectError::InverseMass { vertex, value: proposal.inv_mass[vertex] });
        }
        let is_finite = |p: &Point3<f32>| p.iter().all(|c| c.is_finite());
        let mut ends = proposal.start.iter().zip(&*proposal.end);
        if let Some(vertex) = ends.position(|(start, end)| !(is_finite(start) && is_finite(end))) {
            return Err(DetectError::NotFinite(vertex));
        }
        self.proposed.clear();
        self.proposed.extend_from_slice(proposal.end);
        self.last_changed.clear();
        self.last_changed.resize(expected, 0);
        self.released.clear();
        self.recorder.clear();
        Ok(())
    }
}
