//! The rounds of one motion: judge what was touched, change what is not proved, until nothing is left.
//!
//! Which pairs are judged depends on the lists of candidates, and they on the broad phase; what is found does not. A pair that is not
//! looked at is apart by more than its clearance throughout, which is a verdict like any other.

use nalgebra::Point3;

use super::examined::ExaminedPair;
use super::lanes::{self, LANES};
use super::pair::{Pair, PairCorners};
use super::proof::{Verdict, by_planes, exactly};
use super::pull::{Motion, clip};
use super::quarantine::Quarantine;
use super::released::Released;
use super::rules::Rules;
use super::source::{Judge, Source};
use super::{Gate, GateStats};
use crate::detect::check_finite;
use crate::detect::lists::list::{Kind, Woken};
use crate::{DetectError, Surface};

/// Rounds in which motions are clipped.
const CLIPS: u32 = 6;
/// Rounds after those in which what hangs together moves as one.
const DRIFTS: u32 = 6;
/// Rounds after those in which it stays where it is; then everything does.
const HOLDS: u32 = 24;

/// What a round does about its conflicts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    Clip,
    Drift,
    Hold,
    HoldAll,
    HoldPins,
    Release,
}

impl Stage {
    fn of(round: u32) -> Self {
        match round {
            r if r <= CLIPS => Self::Clip,
            r if r <= CLIPS + DRIFTS => Self::Drift,
            r if r <= CLIPS + DRIFTS + HOLDS => Self::Hold,
            r if r == CLIPS + DRIFTS + HOLDS + 1 => Self::HoldAll,
            r if r == CLIPS + DRIFTS + HOLDS + 2 => Self::HoldPins,
            _ => Self::Release,
        }
    }
}

impl<B> Gate<B> {
    pub(super) fn rounds(
        &mut self,
        source: &mut impl Source,
        surface: &Surface,
        motion: &mut Motion<'_>,
        slack: f32,
    ) -> Result<GateStats, DetectError> {
        let mut stats = GateStats::default();
        loop {
            stats.rounds += 1;
            let stage = Stage::of(stats.rounds);
            self.find_conflicts(source, (surface, motion, slack), stage, &mut stats)?;
            if self.conflicts.is_empty() {
                stats.released = self.released.as_slice().len() - stats.touching;
                return Ok(stats);
            }
            if stats.rounds == CLIPS + 1 {
                self.zones.begin(motion.t0.len());
            }
            match stage {
                Stage::Clip => self.clip(surface, motion, stats.rounds),
                Stage::Drift => self.drift(surface, motion, stats.rounds),
                _ => self.hold(surface, motion, stage, &mut stats),
            }
        }
    }

    /// Judges the pairs that the last round touched, all in the first.
    fn find_conflicts(
        &mut self,
        source: &mut impl Source,
        (surface, motion, slack): (&Surface, &Motion<'_>, f32),
        stage: Stage,
        stats: &mut GateStats,
    ) -> Result<(), DetectError> {
        self.displacements.clear();
        self.displacements.extend(motion.t1.iter().zip(motion.t0).map(|(b, a)| b - a));
        let moving = crate::Motion { positions: motion.t0, displacements: &self.displacements };
        if stats.rounds == 1 {
            check_finite(&moving)?;
        }
        let court = Court {
            surface,
            motion,
            quarantine: &self.quarantine,
            released: &self.released,
            round: stats.rounds,
            touched: &self.touched,
            minds_tight: stage == Stage::Clip,
            records: self.recorder.is_on(),
            rules: self.rules,
        };
        let last = stats.rounds - 1;
        let touched = |v: u32| self.touched[v as usize] == last;
        let touched: Option<&dyn Fn(u32) -> bool> = if last > 0 { Some(&touched) } else { None };
        source.visit(surface, &moving, slack, touched, &court, &mut self.found)?;
        self.open.clear();
        self.conflicts.clear();
        for found in &self.found {
            stats.proofs += found.proofs;
            stats.proved_in_f32 += found.proved_in_f32;
            self.open.extend_from_slice(&found.open);
            self.conflicts.extend_from_slice(&found.conflicts);
            self.recorder.take(&found.examined);
        }
        stats.exact += self.open.len();
        court.decide(&self.open, &mut self.decided, &mut self.conflicts);
        self.conflicts.sort_unstable();
        Ok(())
    }

    fn clip(&mut self, surface: &Surface, motion: &mut Motion<'_>, round: u32) {
        for &pair in &self.conflicts {
            let corners = pair.corners(&surface.topology);
            // Clipped or not, the pair has to be judged again.
            corners.vertices.iter().for_each(|&v| self.touched[v as usize] = round);
            clip(&corners, motion, clearance(surface, &corners));
        }
    }

    fn drift(&mut self, surface: &Surface, motion: &mut Motion<'_>, round: u32) {
        for &pair in &self.conflicts {
            let corners = pair.corners(&surface.topology);
            corners.vertices.iter().for_each(|&v| self.touched[v as usize] = round);
            self.zones.take(&corners);
        }
        self.zones.drift(motion, &self.wanted, |v| self.touched[v as usize] = round);
    }

    /// Releases conflicts with bodies whose cloth stays, and of those of cloth that touch though nothing in them moves. It is decided
    /// before the round holds anything: a pair whose pinned vertex is held for another pair was judged while that moved.
    fn release(&mut self, surface: &Surface, motion: &Motion<'_>, stats: &mut GateStats) {
        for &pair in &self.conflicts {
            let corners = pair.corners(&surface.topology);
            let with_body = corners.vertices.iter().any(|&v| surface.is_body(v));
            let yields = |v: u32| !motion.stays(v) && (motion.is_free(v) || !with_body);
            if !corners.vertices.iter().any(|&v| yields(v)) {
                stats.touching += usize::from(!with_body);
                self.released.insert(pair, &corners);
            }
        }
    }

    /// Holds what hangs together where it is, and lets go of what cannot be held.
    fn hold(&mut self, surface: &Surface, motion: &mut Motion<'_>, stage: Stage, stats: &mut GateStats) {
        let round = stats.rounds;
        for &pair in &self.conflicts {
            let corners = pair.corners(&surface.topology);
            corners.vertices.iter().for_each(|&v| self.touched[v as usize] = round);
            self.zones.take(&corners);
        }
        self.release(surface, motion, stats);
        // Cloth that crosses cloth is held even where it is pinned.
        for &pair in &self.conflicts {
            let corners = pair.corners(&surface.topology);
            let stays = corners.vertices.iter().all(|&v| motion.stays(v) || !motion.is_free(v));
            if stays && !corners.vertices.iter().any(|&v| surface.is_body(v)) {
                corners.vertices.iter().for_each(|&v| _ = motion.hold(v));
            }
        }
        for &v in self.zones.members() {
            if motion.is_free(v) && motion.hold(v) {
                self.touched[v as usize] = round;
            }
        }
        if stage >= Stage::HoldAll {
            let pins = stage >= Stage::HoldPins;
            for v in 0..motion.t0.len() as u32 {
                if (motion.is_free(v) || pins && !surface.is_body(v)) && motion.hold(v) {
                    self.touched[v as usize] = round;
                }
            }
        }
    }
}

/// The clearance (m) of a pair.
fn clearance(surface: &Surface, corners: &PairCorners) -> f64 {
    surface.reach(corners.vertices[0], corners.vertices[3]).into()
}

/// What a round has found in some lists.
#[derive(Clone, Debug, Default)]
pub(super) struct Found {
    proofs: usize,
    proved_in_f32: usize,
    /// Of the list that is looked at, the candidates that are to be judged.
    pending: Vec<u32>,
    /// Pairs that no plane separates.
    open: Vec<Pair>,
    conflicts: Vec<Pair>,
    /// If they are recorded.
    examined: Vec<ExaminedPair>,
}

/// Judges the pairs of a round.
pub(super) struct Court<'a, 'm> {
    pub(super) surface: &'a Surface,
    motion: &'a Motion<'m>,
    pub(super) quarantine: &'a Quarantine,
    pub(super) released: &'a Released,
    pub(super) round: u32,
    /// The round in which each vertex was last touched.
    pub(super) touched: &'a [u32],
    /// Whether pairs that end too near are in conflict.
    minds_tight: bool,
    /// Whether the pairs that are judged are recorded.
    records: bool,
    rules: Rules,
}

impl Judge for Court<'_, '_> {
    type Found = Found;

    fn begin(&self, found: &mut Found) {
        (found.proofs, found.proved_in_f32) = (0, 0);
        found.open.clear();
        found.conflicts.clear();
        found.examined.clear();
    }

    fn pair(&self, pair: Pair, found: &mut Found) {
        if self.admits(pair, &pair.corners(&self.surface.topology), found) {
            self.prove(pair, found);
        }
    }

    fn list(&self, kind: Kind, woken: &[Woken], open: &mut Vec<Option<f64>>, found: &mut Found) {
        let (topology, motion) = (&self.surface.topology, self.motion);
        found.pending.clear();
        for (k, woken) in (0_u32..).zip(woken) {
            let pair = kind.pair(woken.pair);
            if self.admits(pair, &pair.corners(topology), found) {
                found.pending.push(k);
            }
        }
        open.resize(woken.len(), None);
        for first in (0..found.pending.len()).step_by(LANES) {
            // The last group is filled up with its last pair.
            let last = found.pending.len() - 1;
            let places = [0, 1, 2, 3].map(|l| found.pending[(first + l).min(last)] as usize);
            let corners = places.map(|k| kind.pair(woken[k].pair).corners(topology));
            let vertices = corners.map(|corners| corners.vertices);
            let clearances = vertices.map(|v| self.surface.reach(v[0], v[3]));
            let ends = [motion.t0, &*motion.t1];
            let seen = match kind {
                Kind::PointTriangle => lanes::vertices_and_faces(&vertices, ends, clearances),
                Kind::EdgeEdge => lanes::edges(&vertices, ends, clearances),
            };
            let count = LANES.min(last + 1 - first);
            found.proved_in_f32 += (seen.apart & ((1 << count) - 1)).count_ones() as usize;
            for l in 0..count {
                open[places[l]] = Some(match seen.apart >> l & 1 {
                    1 => f64::from(seen.distances_sq[l].sqrt()) - f64::from(clearances[l]),
                    _ => self.prove(kind.pair(woken[places[l]].pair), found),
                });
            }
        }
    }
}

impl Court<'_, '_> {
    /// Whether a pair is to be judged in this round; counts and notes it if so.
    #[inline]
    fn admits(&self, pair: Pair, corners: &PairCorners, found: &mut Found) -> bool {
        if !self.rules.is_due(self, corners) || !self.rules.is_guarded(self, pair, corners) {
            return false;
        }
        found.proofs += 1;
        if self.records {
            let PairCorners { vertices, split, .. } = *corners;
            found.examined.push(ExaminedPair { vertices, split, round: self.round });
        }
        true
    }

    /// Judges a pair by planes; says how far (m) it is beyond its clearance at the start.
    #[inline]
    fn prove(&self, pair: Pair, found: &mut Found) -> f64 {
        let corners = pair.corners(&self.surface.topology);
        let [t0, t1] = self.ends(&corners);
        let closest = corners.closest(&t0);
        let clearance = clearance(self.surface, &corners);
        match by_planes(&corners, &closest, [&t0, &t1], clearance, self.rules) {
            Verdict::Open => found.open.push(pair),
            Verdict::Meets => found.conflicts.push(pair),
            Verdict::Tight if self.minds_tight => found.conflicts.push(pair),
            Verdict::Tight | Verdict::Apart => {}
        }
        closest.distance - clearance
    }

    fn ends(&self, corners: &PairCorners) -> [[Point3<f64>; 4]; 2] {
        [corners.at(self.motion.t0), corners.at(self.motion.t1)]
    }

    /// Decides what no plane did.
    fn decide(&self, open: &[Pair], memories: &mut Vec<Vec<Pair>>, conflicts: &mut Vec<Pair>) {
        let meets = |pair: &Pair| {
            let corners = pair.corners(&self.surface.topology);
            let [t0, t1] = self.ends(&corners);
            exactly(&corners, t0, t1) == Verdict::Meets
        };
        self.rules.decide(open, meets, memories, conflicts);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_stage_has_its_rounds_and_comes_after_the_gentler_one() {
        let of = |stage| (1..100).filter(|&round| Stage::of(round) == stage).count() as u32;
        assert_eq!([of(Stage::Clip), of(Stage::Drift), of(Stage::Hold)], [CLIPS, DRIFTS, HOLDS]);
        assert_eq!([of(Stage::HoldAll), of(Stage::HoldPins)], [1, 1]);
        assert!((1..100).all(|round| Stage::of(round) <= Stage::of(round + 1)));
    }
}
