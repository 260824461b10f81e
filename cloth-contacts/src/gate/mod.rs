//! The certification gate: corrects a proposed motion until it is certified that no two primitives collide.
//!
//! ```text
//! pairs that may collide -> separating plane? -> exact detection? -> correct the rest -> repeat for changed
//!        (lists)              (certificate)       (certificate)      pairs until all are certified
//! ```
//!
//! Every vertex moves linearly from its start to its accepted end. Every vertex and face, and every two
//! edges, that share no vertex are proved separated throughout, for the positions as stored. Pairs that are
//! not tested cannot have come near each other (`lists/mod.rs`); a tested pair is certified by a separating
//! plane or by exact continuous detection ([`Filtered`], or a method of the caller's: [`Gate::with_ccd`]).
//!
//! The gate fails closed. After each round that changes positions, another round tests the changed pairs.
//! When the rounds are used up, all free vertices are frozen: a pair that does not move does not collide.
//! Bodies cannot be frozen; a pair of cloth and body that cannot be certified is released at last, and
//! reported. Pairs of cloth are never released, except pairs at distance zero that cannot move.

#[cfg(test)]
mod axis_tests;
#[cfg(test)]
mod ccd_tests;
mod chord;
#[cfg(test)]
mod chord_tests;
mod correction;
mod examined;
mod exemptions;
mod inspection;
mod kept;
mod pair;
mod released;
mod rounds;
mod separation;
mod separation_lanes;
mod stats;
mod tangle_set;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod wide_tests;

use cloth_broadphase::{AnyBroadPhase, BroadPhase};
use nalgebra::Point3;

use crate::ccd::{Ccd, Filtered};
use crate::coordinate::exact;
use crate::detect::check_slack;
use crate::lists::{DuePairs, PairLists, Threshold};
use crate::{Coordinate, DetectError, Detector, Surface, parallel};
use correction::{CorrectedMotion, ImpactZones};
pub use examined::ExaminedPair;
pub use exemptions::{Exemption, Exemptions};
use inspection::Inspector;
pub use inspection::{Admission, Inspection, RINGS};
use kept::KeptDistance;
pub use pair::Pair;
pub use released::ReleasedPair;
use rounds::{ListSource, PairSource};
pub use stats::GateStats;
use tangle_set::TangleSet;

/// Number of items that are checked in one task.
const TASK_SIZE: usize = 4096;

/// A proposed motion.
#[derive(Debug)]
pub struct Proposal<'a, T: Coordinate = f32> {
    /// Positions at the start (m).
    pub start: &'a [Point3<T>],
    /// Positions at the end (m): proposed before the call, certified after it.
    pub end: &'a mut [Point3<T>],
    /// Inverse masses (1/kg); 0 for kinematic vertices.
    pub inv_mass: &'a [T],
    /// Least displacement (m) of a vertex for which pairs are listed; does not affect results.
    pub slack: f32,
}

/// Certifies motions, one after another.
///
/// Of its state only [`Gate::exemptions`] affects results; the lists affect running time alone.
///
/// # Another exact decision
///
/// Pairs that no plane separates are decided by `C`: by [`Filtered`], unless [`Gate::with_ccd`] is given
/// another method. The gate asks it for [`Ccd::is_free`] alone, at the distance that a pair keeps, which is 0
/// unless [`Gate::keep_distance`] was called, on several threads at once if it is called in a pool of
/// several.
///
/// - `true` must be a proof for the coordinates as given, without tolerance: nothing else tests the pair.
/// - `false` may be a false positive, and an error counts as `false`: the motion is corrected, and a pair of
///   cloth and body that is never certified is released at last ([`Gate::released`]).
/// - Answers must depend on the query alone. If they equal those of [`Filtered`], results are bitwise equal.
///   With false positives the certificate holds, but ends may depend on the lists, and thus on earlier
///   motions and the broad phase: a pair that need not be tested is not asked about.
///
/// ```
/// use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
/// use cloth_contacts::ccd::{Ccd, CcdError, Filtered, Query, Toi};
/// use cloth_contacts::gate::{Gate, Proposal};
/// # use cloth_contacts::{Regions, Surface, SurfaceDesc};
/// # let start = [[0., 0., 0.], [0., 0., 4.], [4., 0., 0.], [1., 1., 1.], [1.2, 2., 1.], [1., 2., 1.2]];
/// # let start = start.map(nalgebra::Point3::<f32>::from);
/// # let mut end = start;
/// # end[3..].iter_mut().for_each(|p| p.y -= 2.0);
/// # let surface = Surface::new(&SurfaceDesc {
/// #     faces: &[[0, 1, 2], [3, 4, 5]], radius: &[0.01; 6], half_scr: &[0.005; 6],
/// #     part: &[0, 0, 0, 1, 1, 1],
/// #     kinematic: &[false, false], rest: &start, exclusions: &[], regions: Regions::default(),
/// # })?.for_gate();
///
/// #[derive(Default)]
/// struct Counting(Filtered, AtomicUsize);
///
/// impl Ccd for Counting {
///     fn impact(&self, query: &Query, distance: f64) -> Result<Option<Toi>, CcdError> {
///         self.1.fetch_add(1, Relaxed);
///         self.0.impact(query, distance)
///     }
/// }
///
/// let mut gate = Gate::with_ccd(Counting::default());
/// let mut proposal = Proposal { start: &start, end: &mut end, inv_mass: &[1.0; 6], slack: 0.01 };
/// let stats = gate.certify(&surface, &mut proposal)?;
/// assert!(stats.exact > 0 && gate.ccd().1.load(Relaxed) == stats.exact);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Gate<C = Filtered, T: Coordinate = f32> {
    ccd: C,
    pub(crate) lists: PairLists,
    rounded: T::Rounded,
    due: DuePairs,
    tangle_set: TangleSet,
    inspector: Inspector,
    /// Proposed end positions (m).
    proposed: Vec<Point3<T>>,
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
    corrections: Corrections,
    kept: KeptDistance,
}

/// The corrected pairs of a motion, while they are recorded.
#[derive(Clone, Debug, Default)]
struct Corrections {
    are_recorded: bool,
    pairs: Vec<Pair>,
}

/// Only for the default method, so that `Gate::default()` needs no annotation.
impl Default for Gate {
    fn default() -> Self {
        Self::with_ccd(Filtered::default())
    }
}

impl Gate {
    /// A gate that finds near leaves, and checks states, with this broad phase. Results do not depend on it.
    #[must_use]
    pub fn with_broad_phase(broad_phase: impl BroadPhase) -> Self {
        Self::new(Filtered::default(), broad_phase)
    }
}

impl<C, T: Coordinate> Gate<C, T> {
    /// A gate whose exact decisions are those of this method; see [`Gate`] for what it has to fulfil.
    #[must_use]
    pub fn with_ccd(ccd: C) -> Self {
        Self::new(ccd, AnyBroadPhase::default())
    }

    /// As [`Gate::with_ccd`] and [`Gate::with_broad_phase`] together.
    #[must_use]
    pub fn new(ccd: C, broad_phase: impl BroadPhase) -> Self {
        let broad_phase = broad_phase.into_any();
        Self {
            ccd,
            lists: PairLists::with_broad_phase(&broad_phase),
            rounded: T::Rounded::default(),
            due: DuePairs::default(),
            tangle_set: TangleSet::default(),
            inspector: Inspector::with_broad_phase(broad_phase),
            proposed: Vec::new(),
            last_changed: Vec::new(),
            changed: Vec::new(),
            results: Vec::new(),
            undecided: Vec::new(),
            decided: Vec::new(),
            conflicts: Vec::new(),
            impact_zones: ImpactZones::default(),
            released: released::Released::default(),
            recorder: examined::Recorder::default(),
            corrections: Corrections::default(),
            kept: KeptDistance::default(),
        }
    }

    /// Keeps every guarded pair that starts a motion farther apart than 1.01 `distance` (m) farther apart
    /// than the distance throughout, and its end again farther apart than 1.01 of it; other pairs do not
    /// touch, and [`GateStats::near`] counts them. 0, the default, is not to touch, and so is less than that
    /// or NaN.
    ///
    /// The clearance of the surface has to be at least 1.125 `distance`, or pairs are not listed soon enough.
    pub fn keep_distance(&mut self, distance: f64) {
        self.kept = KeptDistance::new(distance);
    }

    /// The method of its exact decisions.
    #[must_use]
    pub fn ccd(&self) -> &C {
        &self.ccd
    }
}

impl<C: Ccd + Sync, T: Coordinate> Gate<C, T> {
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
        proposal: &mut Proposal<'_, T>,
    ) -> Result<GateStats, DetectError> {
        let mut lists = std::mem::take(&mut self.lists);
        // The reach of the gate's surface is its clearance.
        let threshold = Threshold::Contact;
        let source = ListSource { lists: &mut lists, surface, threshold, slack: proposal.slack };
        let stats = self.certify_from(PairSource::Lists(source), surface, proposal);
        self.lists = lists;
        stats
    }

    /// As [`Gate::certify`], for every vertex and face and every two edges that are guarded, one after the
    /// other: the reference to compare with. Results are bitwise equal.
    ///
    /// No list, no lanes and no thread is involved: what is left is a loop over all pairs, in each of which
    /// two planes in `f64` and exact detection decide. The time is that of the square of the primitives.
    ///
    /// ```
    /// use cloth_contacts::gate::{Gate, Proposal};
    /// # use cloth_contacts::{Regions, Surface, SurfaceDesc};
    /// # let start = [[0., 0., 0.], [0., 0., 4.], [4., 0., 0.], [1., 1., 1.], [1.2, 2., 1.], [1., 2., 1.2]];
    /// # let start = start.map(nalgebra::Point3::<f32>::from);
    /// # let mut proposed = start;
    /// # proposed[3..].iter_mut().for_each(|p| p.y -= 2.0);
    /// # let surface = Surface::new(&SurfaceDesc {
    /// #     faces: &[[0, 1, 2], [3, 4, 5]], radius: &[0.01; 6], half_scr: &[0.005; 6],
    /// #     part: &[0, 0, 0, 1, 1, 1],
    /// #     kinematic: &[false, false], rest: &start, exclusions: &[], regions: Regions::default(),
    /// # })?.for_gate();
    /// # let inv_mass = [1.0; 6];
    /// let [mut by_lists, mut by_all_pairs] = [proposed, proposed];
    /// let of = |end| Proposal { start: &start, end, inv_mass: &inv_mass, slack: 0.01 };
    /// let stats = Gate::default().certify(&surface, &mut of(&mut by_lists))?;
    /// let reference = Gate::default().certify_all_pairs(&surface, &mut of(&mut by_all_pairs))?;
    /// assert!(stats.corrected > 0 && stats.corrected == reference.corrected);
    /// assert_eq!(by_lists, by_all_pairs);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`Gate::certify`].
    pub fn certify_all_pairs(
        &mut self,
        surface: &Surface,
        proposal: &mut Proposal<'_, T>,
    ) -> Result<GateStats, DetectError> {
        self.certify_from(PairSource::All, surface, proposal)
    }

    fn certify_from(
        &mut self,
        mut source: PairSource<'_>,
        surface: &Surface,
        proposal: &mut Proposal<'_, T>,
    ) -> Result<GateStats, DetectError> {
        self.begin(surface, proposal)?;
        let mut motion =
            CorrectedMotion { t0: proposal.start, t1: &mut *proposal.end, inv_mass: proposal.inv_mass };
        let mut stats = self.rounds(&mut source, surface, &mut motion)?;
        self.tangle_set.count_motion();
        if stats.rounds == 1 {
            return Ok(stats);
        }
        let held = |v: usize| proposal.end[v] == proposal.start[v];
        let changed = (0..self.proposed.len()).filter(|&v| proposal.end[v] != self.proposed[v]);
        (stats.corrected, stats.frozen) =
            changed.fold((0, 0), |(all, back), v| (all + 1, back + usize::from(held(v))));
        Ok(stats)
    }
}

impl<C: Ccd + Sync> Gate<C> {
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
        let source = ListSource { lists, surface: detected, threshold, slack: proposal.slack };
        self.certify_from(PairSource::Lists(source), surface, proposal)
    }
}

impl<C, T: Coordinate> Gate<C, T> {
    /// Proposed end positions (m) of the last motion.
    #[must_use]
    pub fn proposed(&self) -> &[Point3<T>] {
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

    /// Enables or disables the record of corrected pairs; disabled by default.
    pub fn record_corrections(&mut self, on: bool) {
        self.corrections.are_recorded = on;
        self.corrections.pairs.clear();
    }

    /// The pairs that were corrected in the last motion, once per round in which they were; empty while they
    /// are not recorded.
    #[must_use]
    pub fn corrections(&self) -> &[Pair] {
        &self.corrections.pairs
    }

    /// Discards the lists. Does not affect results; exemptions are kept.
    pub fn reset(&mut self) {
        self.lists.reset();
    }

    fn begin(&mut self, surface: &Surface, proposal: &Proposal<'_, T>) -> Result<(), DetectError> {
        let expected = surface.vertex_count();
        let lengths = [proposal.start.len(), proposal.end.len(), proposal.inv_mass.len()];
        if let Some(got) = lengths.into_iter().find(|&n| n != expected) {
            return Err(DetectError::Length { got, expected });
        }
        check_slack(proposal.slack)?;
        let is_mass = |w: &T| (0.0..f64::INFINITY).contains(&(*w).into());
        if let Some(vertex) = find_other(proposal.inv_mass, is_mass) {
            return Err(DetectError::InverseMass { vertex, value: proposal.inv_mass[vertex].into() });
        }
        let is_finite = |p: &Point3<T>| {
            let [x, y, z] = exact(p).into();
            x.is_finite() & y.is_finite() & z.is_finite()
        };
        let broken = [proposal.start, proposal.end].map(|at| find_other(at, is_finite));
        if let Some(vertex) = broken.into_iter().flatten().min() {
            return Err(DetectError::NotFinite(vertex));
        }
        parallel::join(
            || {
                self.proposed.clear();
                self.proposed.extend_from_slice(proposal.end);
            },
            || {
                self.last_changed.clear();
                self.last_changed.resize(expected, 0);
            },
        );
        self.released.clear();
        self.recorder.clear();
        self.corrections.pairs.clear();
        self.kept.begin();
        Ok(())
    }
}

/// The first item that is not as all should be. All are looked at before one is sought, since that is done
/// several at a time.
fn find_other<T: Sync>(items: &[T], is: impl Fn(&T) -> bool + Send + Sync) -> Option<usize> {
    let all_of = |_, items: &[T]| items.iter().fold(true, |all, item| all & is(item));
    let all = parallel::in_pieces(items, TASK_SIZE, all_of, |a, b| a & b);
    if all { None } else { items.iter().position(|item| !is(item)) }
}
