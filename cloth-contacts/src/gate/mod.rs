//! The gate: changes a proposed motion until it is certified that no two primitives meet on the way.
//!
//! ```text
//! pairs that could meet -> plane? -> exact detection? -> pull back what is left -> what that touches, again
//!     (patch lists)       (proof)        (proof)              (pull)                    until nothing is left
//! ```
//!
//! Every vertex moves on a straight line from where it was to where it is accepted; every vertex and face, and every two edges, that
//! share no vertex are proved apart throughout, in the numbers in which they are stored. Pairs that are not looked at cannot
//! have come near each other (`candidates`); a pair that is looked at passes by a plane (`proof`) or by exact detection
//! ([`crate::ccd::Filtered`]), or not at all.
//!
//! The gate fails closed. Each round that changes something is followed by another that proves what it touched; when the rounds are
//! used up, everything that can stay where it was does so, and a pair that has not moved has not met. What cannot be held
//! back are bodies: a pair of cloth and body is let go in the end, and reported. Cloth is never let go.

#[cfg_attr(feature = "mutations", path = "../faults/gate_conditions.rs")]
mod conditions;
mod correction;
mod examined;
mod exemptions;
mod inspection;
mod pair;
mod pair_source;
mod released;
mod rounds;
mod separation;
mod separation_lanes;
mod stats;
mod tangle_set;
#[cfg(test)]
mod tests;

use cloth_broadphase::BroadPhase;
use nalgebra::{Point3, Vector3};

use crate::detect::lists::candidates::Candidates;
use crate::{DetectError, Detector, Surface};
use conditions::Conditions;
use correction::{ImpactZones, Motion};
pub use examined::ExaminedPair;
pub use exemptions::{Exemption, Exemptions};
use inspection::Inspector;
pub use inspection::{Admission, Inspection, RINGS};
pub use pair::Pair;
use pair_source::{AllPairs, PairSource, SharedCandidates};
pub use released::ReleasedPair;
pub use stats::GateStats;
use tangle_set::TangleSet;

/// A motion that is proposed.
#[derive(Debug)]
pub struct Proposal<'a> {
    /// Positions at the start (m).
    pub start: &'a [Point3<f32>],
    /// Positions at the end (m): as proposed before, as certified after.
    pub end: &'a mut [Point3<f32>],
    /// Inverse masses (1/kg); what is kinematic has 0.
    pub inv_mass: &'a [f32],
    /// The least relative motion (m) that lists of candidates are made to outlast; it changes no result.
    pub slack: f32,
}

/// Certifies one motion after another.
///
/// Of what it keeps, only [`Gate::exemptions`] influences a result; the lists influence times alone.
#[derive(Clone, Debug, Default)]
pub struct Gate<B> {
    candidates: Candidates<B>,
    /// How many motions were certified.
    motions: u64,
    tangle_set: TangleSet,
    inspector: Inspector<B>,
    /// The ends as they were proposed (m).
    proposed: Vec<Point3<f32>>,
    displacements: Vec<Vector3<f32>>,
    /// The round in which each vertex was last touched.
    last_changed: Vec<u32>,
    /// What the last round found in each section of the lists.
    results: Vec<rounds::RoundResults>,
    /// Pairs that no plane separates, and memory of the tasks that decide them.
    undecided: Vec<Pair>,
    decided: Vec<Vec<Pair>>,
    conflicts: Vec<Pair>,
    impact_zones: ImpactZones,
    released: released::Released,
    recorder: examined::Recorder,
    conditions: Conditions,
}

impl<B: BroadPhase> Gate<B> {
    /// Changes the ends of a motion until all pairs are proved apart throughout that are not in quarantine.
    ///
    /// The surface is one that [`Surface::for_gate`] made. Nothing but the ends that had to be changed is changed.
    ///
    /// # Errors
    /// If the motion does not fit the surface, or is not finite; it is then as it was.
    pub fn certify(
        &mut self,
        surface: &Surface,
        proposal: &mut Proposal<'_>,
    ) -> Result<GateStats, DetectError> {
        let mut candidates = std::mem::take(&mut self.candidates);
        let stats = self.certify_from(&mut candidates, surface, proposal);
        self.candidates = candidates;
        if stats.is_err() {
            // Lists that were rebuilt in part are complete for no motion.
            self.reset();
        }
        stats
    }

    /// The same from the lists of a detector, whose reach is greater, so that they are made once for both. `detected` is its
    /// surface, of which [`Surface::for_gate`] made the gate's. Where it does not list all that the gate keeps apart, the gate uses its
    /// own. Agreement: equal bits.
    ///
    /// # Errors
    /// As [`Gate::certify`].
    pub fn certify_with_detector(
        &mut self,
        detector: &mut Detector<B>,
        detected: &Surface,
        surface: &Surface,
        proposal: &mut Proposal<'_>,
    ) -> Result<GateStats, DetectError> {
        if !detected.candidates_cover_gate() {
            return self.certify(surface, proposal);
        }
        let lists = &mut SharedCandidates { candidates: detector.candidates_mut(), surface: detected };
        let stats = self.certify_from(lists, surface, proposal);
        if stats.is_err() {
            detector.invalidate_candidates();
        }
        stats
    }

    /// The same from every pair there is: the reference. Agreement: equal bits.
    ///
    /// # Errors
    /// As [`Gate::certify`].
    pub fn certify_all_pairs(
        &mut self,
        surface: &Surface,
        proposal: &mut Proposal<'_>,
    ) -> Result<GateStats, DetectError> {
        self.certify_from(&mut AllPairs, surface, proposal)
    }

    fn certify_from(
        &mut self,
        source: &mut impl PairSource,
        surface: &Surface,
        proposal: &mut Proposal<'_>,
    ) -> Result<GateStats, DetectError> {
        self.begin(surface, proposal)?;
        let mut motion = Motion { t0: proposal.start, t1: &mut *proposal.end, inv_mass: proposal.inv_mass };
        let mut stats = self.rounds(source, surface, &mut motion, proposal.slack)?;
        self.motions += 1;
        let held = |v: usize| proposal.end[v] == proposal.start[v];
        let changed = (0..self.proposed.len()).filter(|&v| proposal.end[v] != self.proposed[v]);
        (stats.corrected, stats.frozen) =
            changed.fold((0, 0), |(all, back), v| (all + 1, back + usize::from(held(v))));
        Ok(stats)
    }

    /// The ends of the last motion as they were proposed (m).
    #[must_use]
    pub fn proposed(&self) -> &[Point3<f32>] {
        &self.proposed
    }

    /// Pairs that were let go in the last motion.
    #[must_use]
    pub fn released(&self) -> &[ReleasedPair] {
        self.released.as_slice()
    }

    /// Switches the record of examined pairs on or off; it is off by default. It serves checks of completeness: every pair that
    /// comes within its clearance has to be examined, whatever list it comes from. On, it costs memory in proportion to the
    /// pairs; off, one branch for each.
    pub fn record_examined(&mut self, on: bool) {
        self.recorder.set(on);
    }

    /// The pairs that were examined in the last motion, in no order, one that several rounds examined once for each; `None`
    /// while they are not recorded. Exempt pairs (tangled or released) are not among them.
    #[must_use]
    pub fn examined(&self) -> Option<&[ExaminedPair]> {
        self.recorder.pairs()
    }

    /// Forgets the candidate lists, so that the next motion rebuilds them. It changes no result; exemptions are kept.
    pub fn reset(&mut self) {
        self.candidates.invalidate();
    }

    fn begin(&mut self, surface: &Surface, proposal: &Proposal<'_>) -> Result<(), DetectError> {
        let expected = surface.vertex_count();
        let lengths = [proposal.start.len(), proposal.end.len(), proposal.inv_mass.len()];
        if let Some(got) = lengths.into_iter().find(|&n| n != expected) {
            return Err(DetectError::Length { got, expected });
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
