//! The rounds of a certification: test the changed pairs, correct the conflicts, repeat until there is none.
//!
//! The set of tested pairs depends on the lists and thus on earlier motions; the result does not. A pair that
//! is not tested stays beyond its clearance throughout.

use cloth_geom::MapInline;
use cloth_geom::lanes::{LANES8, lanes_of_group, level};
use nalgebra::Point3;

use super::correction::{CorrectedMotion, project};
use super::examined::ExaminedPair;
use super::kept::{KEPT_MARGIN, KeptDistance, prove_kept_by_planes};
use super::pair::{Pair, PairCorners};
use super::released::Released;
use super::separation::{Separation, decide_exactly, prove_by_planes};
use super::separation_lanes;
use super::tangle_set::TangleSet;
use super::{Gate, GateStats};
use crate::ccd::Ccd;
use crate::lists::frames::Path;
use crate::lists::{DuePairs, PairLists, Threshold};
use crate::{Coordinate, DetectError, Surface, parallel};

/// Number of pairs per task.
const TASK_SIZE: usize = 512;
/// Number of pairs per task of exact detection.
const EXACT_TASK_SIZE: usize = 64;

/// Number of rounds that project.
const PROJECTION_ROUNDS: u32 = 6;
/// Number of rounds after those that move impact zones rigidly.
const RIGID_ROUNDS: u32 = 6;
/// Number of rounds after those that freeze impact zones; then everything is frozen.
const FREEZE_ROUNDS: u32 = 24;

/// How a round corrects its conflicts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Escalation {
    Project,
    MoveRigidly,
    Freeze,
    FreezeFree,
    FreezePinned,
    Release,
}

impl Escalation {
    fn for_round(round: u32) -> Self {
        match round {
            r if r <= PROJECTION_ROUNDS => Self::Project,
            r if r <= PROJECTION_ROUNDS + RIGID_ROUNDS => Self::MoveRigidly,
            r if r <= PROJECTION_ROUNDS + RIGID_ROUNDS + FREEZE_ROUNDS => Self::Freeze,
            r if r == PROJECTION_ROUNDS + RIGID_ROUNDS + FREEZE_ROUNDS + 1 => Self::FreezeFree,
            r if r == PROJECTION_ROUNDS + RIGID_ROUNDS + FREEZE_ROUNDS + 2 => Self::FreezePinned,
            _ => Self::Release,
        }
    }
}

impl<C: Ccd + Sync, T: Coordinate> Gate<C, T> {
    pub(super) fn rounds(
        &mut self,
        source: &mut PairSource<'_>,
        surface: &Surface,
        motion: &mut CorrectedMotion<'_, T>,
    ) -> Result<GateStats, DetectError> {
        let mut stats = GateStats::default();
        // It ends: once everything is frozen, what still conflicts is released.
        loop {
            stats.rounds += 1;
            let stage = Escalation::for_round(stats.rounds);
            self.find_conflicts(source, surface, motion, stage, &mut stats)?;
            if self.conflicts.is_empty() {
                stats.released = self.released.as_slice().len() - stats.touching;
                return Ok(stats);
            }
            if self.corrections.are_recorded {
                self.corrections.pairs.extend_from_slice(&self.conflicts);
            }
            if stats.rounds == PROJECTION_ROUNDS + 1 {
                self.impact_zones.begin(motion.t0.len());
            }
            match stage {
                Escalation::Project => self.project(surface, motion, stats.rounds),
                Escalation::MoveRigidly => self.move_rigidly(surface, motion, stats.rounds),
                _ => self.freeze(surface, motion, stage, &mut stats),
            }
        }
    }

    /// Tests the pairs that the last round changed; all pairs in the first round.
    fn find_conflicts(
        &mut self,
        source: &mut PairSource<'_>,
        surface: &Surface,
        motion: &CorrectedMotion<'_, T>,
        stage: Escalation,
        stats: &mut GateStats,
    ) -> Result<(), DetectError> {
        if let PairSource::Lists(source) = source {
            self.find_due(source, motion, stats.rounds)?;
        }
        let certifier = RoundCertifier {
            surface,
            ends: [motion.t0, motion.t1],
            tangle_set: &self.tangle_set,
            released: &self.released,
            round: stats.rounds,
            last_changed: &self.last_changed,
            enforces_clearance: stage == Escalation::Project,
            records: self.recorder.is_on(),
            kept: &self.kept,
        };
        match source {
            PairSource::Lists(_) => certifier.certify_due(&self.due, &mut self.results),
            PairSource::All => certifier.certify_all(&mut self.results),
        }
        self.undecided.clear();
        self.conflicts.clear();
        for results in &self.results {
            stats.proofs += results.proofs;
            stats.proved_in_f32 += results.proved_in_f32;
            stats.near += results.near;
            self.undecided.extend_from_slice(&results.undecided);
            self.conflicts.extend_from_slice(&results.conflicts);
            self.recorder.append(&results.examined);
        }
        stats.exact += self.undecided.len();
        certifier.decide(&self.ccd, &self.undecided, &mut self.decided, &mut self.conflicts);
        self.conflicts.sort_unstable();
        Ok(())
    }

    /// Finds the pairs that may come within their clearance: all in the first round, later those with a
    /// vertex that the last round changed.
    fn find_due(
        &mut self,
        source: &mut ListSource<'_>,
        motion: &CorrectedMotion<'_, T>,
        round: u32,
    ) -> Result<(), DetectError> {
        let last = round - 1;
        self.changed.clear();
        if last > 0 {
            let changed = (0..).zip(&self.last_changed).filter(|&(_, &round)| round == last);
            self.changed.extend(changed.map(|(v, _)| v));
        }
        let changed = (last > 0).then_some(&*self.changed);
        let ListSource { lists, surface, threshold, slack } = source;
        let seen = T::for_lists(&mut self.rounded, surface, motion.t0, motion.t1);
        lists
            .update(seen.surface, seen.start, &Path::Linear(seen.end), *slack, *threshold)
            .map_err(DetectError::Boxes)?;
        lists.due(seen.surface, *threshold, changed, &mut self.due);
        Ok(())
    }

    fn project(&mut self, surface: &Surface, motion: &mut CorrectedMotion<'_, T>, round: u32) {
        for &pair in &self.conflicts {
            let corners = pair.corners(&surface.topology);
            // The pair is tested again even if the projection changes nothing.
            corners.vertices.iter().for_each(|&v| self.last_changed[v as usize] = round);
            let kept = self.kept.by(pair, &corners, motion.t0);
            let least = (kept > 0.0).then_some(kept * (1.0 + 2.0 * KEPT_MARGIN));
            project(&corners, motion, clearance(surface, &corners), least);
        }
    }

    fn move_rigidly(&mut self, surface: &Surface, motion: &mut CorrectedMotion<'_, T>, round: u32) {
        for &pair in &self.conflicts {
            let corners = pair.corners(&surface.topology);
            corners.vertices.iter().for_each(|&v| self.last_changed[v as usize] = round);
            self.impact_zones.merge(&corners);
        }
        self.impact_zones.move_rigidly(motion, &self.proposed, |v| self.last_changed[v as usize] = round);
    }

    /// Releases conflicts with bodies whose cloth is frozen, from the distance that they should keep first,
    /// and pairs of cloth that touch although nothing in them moves. Decided before the round freezes
    /// anything, so that a pair that moved when it was tested is not released.
    fn release(&mut self, surface: &Surface, motion: &CorrectedMotion<'_, T>, stats: &mut GateStats) {
        for &pair in &self.conflicts {
            let corners = pair.corners(&surface.topology);
            let with_body = corners.vertices.iter().any(|&v| surface.is_body(v));
            let mobility = |v: u32| !motion.is_at_start(v) && (motion.is_free(v) || !with_body);
            if corners.vertices.iter().any(|&v| mobility(v)) {
                continue;
            }
            if self.kept.by(pair, &corners, motion.t0) > 0.0 {
                stats.near += 1;
                self.kept.give_up(pair);
            } else {
                stats.touching += usize::from(!with_body);
                self.released.insert(pair, &corners);
            }
        }
    }

    /// Freezes the impact zones and releases pairs that cannot be kept apart.
    fn freeze(
        &mut self,
        surface: &Surface,
        motion: &mut CorrectedMotion<'_, T>,
        stage: Escalation,
        stats: &mut GateStats,
    ) {
        let round = stats.rounds;
        for &pair in &self.conflicts {
            let corners = pair.corners(&surface.topology);
            corners.vertices.iter().for_each(|&v| self.last_changed[v as usize] = round);
            self.impact_zones.merge(&corners);
        }
        self.release(surface, motion, stats);
        // Cloth that collides with cloth is frozen even where it is pinned.
        for &pair in &self.conflicts {
            let corners = pair.corners(&surface.topology);
            let is_at_start = corners.vertices.iter().all(|&v| motion.is_at_start(v) || !motion.is_free(v));
            if is_at_start && !corners.vertices.iter().any(|&v| surface.is_body(v)) {
                corners.vertices.iter().for_each(|&v| _ = motion.freeze(v));
            }
        }
        for &v in self.impact_zones.members() {
            if motion.is_free(v) && motion.freeze(v) {
                self.last_changed[v as usize] = round;
            }
        }
        if stage >= Escalation::FreezeFree {
            let pins = stage >= Escalation::FreezePinned;
            for v in 0..motion.t0.len() as u32 {
                if (motion.is_free(v) || pins && !surface.is_body(v)) && motion.freeze(v) {
                    self.last_changed[v as usize] = round;
                }
            }
        }
    }
}

/// Clearance of a pair (m).
fn clearance(surface: &Surface, corners: &PairCorners) -> f64 {
    surface.clearance(&corners.vertices, corners.split).into()
}

/// Where the pairs that may collide come from.
pub(super) enum PairSource<'a> {
    /// Lists.
    Lists(ListSource<'a>),
    /// All pairs: the reference.
    All,
}

/// Lists of a surface.
pub(super) struct ListSource<'a> {
    pub(super) lists: &'a mut PairLists,
    pub(super) surface: &'a Surface,
    /// What the clearance of the gate is on that surface.
    pub(super) threshold: Threshold,
    /// Least displacement (m) that lists are planned for.
    pub(super) slack: f32,
}

/// Calls `guard` for all vertices and faces, and all pairs of edges, that the gate guards.
pub(super) fn for_all_pairs(surface: &Surface, mut guard: impl FnMut(Pair)) {
    let (faces, edges) = (surface.topology.faces(), surface.topology.edges());
    let mut visit = |pair| {
        if surface.permanent_exemption(pair).is_none() {
            guard(pair);
        }
    };
    for (f, face) in faces.iter().enumerate() {
        let others = (0..surface.vertex_count() as u32).filter(|v| !face.contains(v));
        others.for_each(|v| visit(Pair::PointTriangle([v, f as u32])));
    }
    for (b, edge) in edges.iter().enumerate() {
        let others = edges[..b].iter().enumerate();
        let others = others.filter(|(_, other)| !edge.iter().any(|v| other.contains(v)));
        others.for_each(|(a, _)| visit(Pair::EdgeEdge([a as u32, b as u32])));
    }
}

/// Results of a task in a round.
#[derive(Clone, Debug, Default)]
pub(super) struct RoundResults {
    proofs: usize,
    proved_in_f32: usize,
    near: usize,
    /// Pairs that have to be tested.
    pending: Vec<Pair>,
    /// Pairs that no plane separates.
    pub(super) undecided: Vec<Pair>,
    conflicts: Vec<Pair>,
    /// Filled only while recording.
    examined: Vec<ExaminedPair>,
}

impl RoundResults {
    fn clear(&mut self) {
        (self.proofs, self.proved_in_f32, self.near) = (0, 0, 0);
        self.undecided.clear();
        self.conflicts.clear();
        self.examined.clear();
    }
}

/// Tests the pairs of a round.
pub(super) struct RoundCertifier<'a, T: Coordinate = f32> {
    pub(super) surface: &'a Surface,
    /// Positions (m) at both ends of the motion.
    pub(super) ends: [&'a [Point3<T>]; 2],
    pub(super) tangle_set: &'a TangleSet,
    pub(super) released: &'a Released,
    pub(super) round: u32,
    /// The round in which each vertex was last changed.
    pub(super) last_changed: &'a [u32],
    /// Whether pairs that end below their clearance are conflicts.
    pub(super) enforces_clearance: bool,
    /// Whether tested pairs are recorded.
    pub(super) records: bool,
    pub(super) kept: &'a KeptDistance,
}

impl<T: Coordinate> RoundCertifier<'_, T> {
    /// Certifies all pairs, one after the other and by planes in `f64` alone: the reference.
    fn certify_all(&self, results: &mut Vec<RoundResults>) {
        results.clear();
        let mut all = RoundResults::default();
        for_all_pairs(self.surface, |pair| {
            if self.is_examined(pair, &pair.corners(&self.surface.topology), &mut all) {
                self.prove(pair, &mut all);
            }
        });
        results.push(all);
    }

    /// Certifies the pairs that are due; one entry of `results` a task.
    pub(super) fn certify_due(&self, due: &DuePairs, results: &mut Vec<RoundResults>) {
        let of_points = due.point_triangles.len().div_ceil(TASK_SIZE);
        let tasks = of_points + due.edge_edges.len().div_ceil(TASK_SIZE);
        results.resize_with(results.len().max(tasks), RoundResults::default);
        results[tasks..].iter_mut().for_each(RoundResults::clear);
        parallel::for_each_numbered(&mut results[..tasks], 1, |task, results| {
            results.clear();
            if task < of_points {
                let due = due.point_triangles.chunks(TASK_SIZE).nth(task).unwrap_or_default();
                self.certify_lanes(due.iter().map(|due| Pair::PointTriangle(due.pair)), results);
            } else {
                let due = due.edge_edges.chunks(TASK_SIZE).nth(task - of_points).unwrap_or_default();
                self.certify_lanes(due.iter().map(|due| Pair::EdgeEdge(due.pair)), results);
            }
        });
    }

    /// Certifies pairs of one kind by planes in lanes, and those that remain by planes in `f64`.
    #[inline]
    fn certify_lanes(&self, pairs: impl Iterator<Item = Pair>, results: &mut RoundResults) {
        let topology = &self.surface.topology;
        let mut pending = std::mem::take(&mut results.pending);
        pending.clear();
        pending.extend(pairs.filter(|pair| self.is_examined(*pair, &pair.corners(topology), results)));
        let least = match self.kept.gap() {
            0.0 => 0.0,
            gap => (gap as f32).next_up(),
        };
        let level = level();
        for group in pending.chunks(LANES8) {
            let corners = lanes_of_group(group, |pair| pair.corners(topology));
            let vertices = corners.map_inline(|corners| corners.vertices);
            let clearances =
                corners.map_inline(|corners| self.surface.clearance(&corners.vertices, corners.split));
            let split = corners[0].split;
            let apart = separation_lanes::prove(level, split, &vertices, self.ends, &clearances, least);
            for (l, &pair) in group.iter().enumerate() {
                match apart >> l & 1 {
                    1 => results.proved_in_f32 += 1,
                    _ => self.prove(pair, results),
                }
            }
        }
        results.pending = pending;
    }

    /// Whether a pair has to be tested in this round; counts and records it if so.
    #[inline]
    fn is_examined(&self, pair: Pair, corners: &PairCorners, results: &mut RoundResults) -> bool {
        if !self.is_due(corners) || !self.is_guarded(pair, corners) {
            return false;
        }
        results.proofs += 1;
        if self.records {
            let PairCorners { vertices, split, .. } = *corners;
            results.examined.push(ExaminedPair { vertices, split, round: self.round });
        }
        true
    }

    /// Whether a pair is tested in this round: every pair in the first round, later the pairs with a vertex
    /// that the last round changed.
    #[inline(always)]
    fn is_due(&self, corners: &PairCorners) -> bool {
        let last = self.round - 1;
        let vertices = fault!(ReproveFirstVertexOnly, &corners.vertices[..]);
        let has_changed = |&v: &u32| self.last_changed[v as usize] == last;
        last == 0 || fault!(SkipReproof, vertices.iter().any(has_changed))
    }

    /// Whether a pair is guarded: every pair that is not exempt.
    #[inline(always)]
    fn is_guarded(&self, pair: Pair, corners: &PairCorners) -> bool {
        let is_exempt = self.tangle_set.contains(corners) || self.released.contains(pair);
        fault!(SkipEdgeEdge | DropOneInAThousand | RegionOfFirstFace, !is_exempt, pair, self.surface)
    }

    /// Tests a pair by separating planes.
    #[inline]
    fn prove(&self, pair: Pair, results: &mut RoundResults) {
        let corners = pair.corners(&self.surface.topology);
        let [t0, t1] = self.ends.map(|at| corners.at(at));
        let closest = corners.closest(&t0);
        let clearance = clearance(self.surface, &corners);
        let kept = self.kept.by_closest(pair, &corners, &t0, &closest);
        let separation = if kept > 0.0 {
            prove_kept_by_planes(&corners, &closest, [&t0, &t1], clearance, self.kept.gap())
        } else {
            results.near += usize::from(self.kept.is_on() && self.round == 1);
            prove_by_planes(&corners, &closest, [&t0, &t1], clearance)
        };
        match separation {
            Separation::Undecided => results.undecided.push(pair),
            Separation::Colliding => results.conflicts.push(pair),
            Separation::TooClose if self.enforces_clearance => results.conflicts.push(pair),
            Separation::TooClose | Separation::Separated => {}
        }
    }

    /// Decides the remaining pairs exactly and appends those that collide to `conflicts` in their order; each
    /// task uses one of the `scratch` vectors.
    pub(super) fn decide(
        &self,
        ccd: &(impl Ccd + Sync),
        undecided: &[Pair],
        scratch: &mut Vec<Vec<Pair>>,
        conflicts: &mut Vec<Pair>,
    ) {
        let meets = |pair: &Pair| {
            let corners = pair.corners(&self.surface.topology);
            let kept = self.kept.by(*pair, &corners, self.ends[0]);
            let ends = self.ends.map(|at| corners.at(at));
            decide_exactly(ccd, &corners, ends, kept) == Separation::Colliding
        };
        let is_conflict = |pair: &Pair| {
            fault!(IgnoreAThread, meets(pair), undecided.chunks(EXACT_TASK_SIZE).nth(1), pair)
                .then_some(*pair)
        };
        parallel::extend(conflicts, scratch, undecided, EXACT_TASK_SIZE, is_conflict);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_stage_has_its_rounds_and_comes_after_the_gentler_one() {
        let of = |stage| (1..100).filter(|&round| Escalation::for_round(round) == stage).count() as u32;
        assert_eq!(
            [of(Escalation::Project), of(Escalation::MoveRigidly), of(Escalation::Freeze)],
            [PROJECTION_ROUNDS, RIGID_ROUNDS, FREEZE_ROUNDS]
        );
        assert_eq!([of(Escalation::FreezeFree), of(Escalation::FreezePinned)], [1, 1]);
        assert!((1..100).all(|round| Escalation::for_round(round) <= Escalation::for_round(round + 1)));
    }
}
