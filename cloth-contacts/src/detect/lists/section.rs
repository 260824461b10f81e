//! The candidate lists of a section: sixteen patches as the first of each pair.
//!
//! A section is one parallel task with its own lists, scratch memory and results. Its pairs depend on the
//! surface alone, so results do not depend on the number of threads.

use cloth_geom::MapInline;
use cloth_geom::bounds::{Lower, Upper};

use crate::Surface;
use crate::detect::lists::dormant::Dormant;
use crate::detect::lists::list::{
    Arena, Candidate, CandidateKind, MotionLimits, NarrowPhase, Span, TestedList, Threshold,
};
use crate::detect::lists::primitive_bounds::{self, PrimitiveBounds};
use crate::detect::lists::primitive_pairs::PrimitivePairs;
use crate::detect::motion::patch_motions::PatchMotions;
use crate::detect::motion::relative_motion::RelativeMotion;
use crate::patches::Patches;

/// Number of patches in a section.
pub(crate) const PATCHES: u32 = 16;

/// Number of steps, at the present relative motion, for which a list is planned.
const PLANNED_STEPS: f32 = 8.0;

/// Largest planned relative motion in units of the reach; larger for thin cloth, up to `MAX_PLANNED_EDGES`
/// mean edge lengths for the sum of reach and motion. Beyond both, a list would contain neighbours on the
/// flat cloth, which never come into contact.
const MAX_PLANNED_REACHES: f32 = 0.4;
const MAX_PLANNED_EDGES: f32 = 0.6;

/// A list is rebuilt when the path of its patches exceeds this multiple of the planned motion. Limits are
/// `f32`, rounded down: at this path they lose 1/256 of the planned motion; on longer paths pairs would be
/// measured more often than necessary. Results do not depend on it.
const MAX_PATH: f64 = 65_536.0;

/// A pair of patches and its list.
#[derive(Clone, Copy, Debug)]
struct PatchPair {
    patches: [u32; 2],
    /// Path of all patches (m, see `PatchMotions`) up to which these two stay out of reach and have no list.
    inactive_until: Lower,
    motion: RelativeMotion,
    /// Relative motion (m) at which the list expires.
    expires: f32,
    /// Smallest limits of all candidates, indexed by [`Threshold`].
    min_limits: [MotionLimits; 2],
    point_triangles: Span,
    edge_edges: Span,
}

impl PatchPair {
    fn is_inactive_beyond(&self, path: Upper) -> bool {
        self.inactive_until.exceeds(path)
    }

    // Whether the list is complete for the coming step; false for NaN.
    fn is_complete(&self) -> bool {
        let is_too_long = self.motion.path().get() > MAX_PATH * f64::from(self.expires);
        self.motion.net_next() < self.expires && !is_too_long
    }
}

/// Relative motion (m) for which a list is planned; at least that of the coming step. Results do not depend
/// on it.
fn planned_motion(patches: &Patches, pair: &PatchPair, reach: f32, slack: f32) -> f32 {
    let [a, b] = pair.patches;
    let next = pair.motion.net_next();
    let flat = MAX_PLANNED_EDGES * patches.spacing[a as usize].min(patches.spacing[b as usize]);
    let most = (MAX_PLANNED_REACHES * reach).max(flat - reach).max(slack);
    (PLANNED_STEPS * next).clamp(slack, most).max(next.next_up())
}

/// A section.
#[derive(Clone, Debug, Default)]
pub(crate) struct Section {
    pairs: Vec<PatchPair>,
    /// The pairs before the last broad-phase search.
    former: Vec<PatchPair>,
    point_triangles: Arena,
    edge_edges: Arena,
    primitive_pairs: PrimitivePairs,
    /// Pairs whose lists are to be rebuilt.
    due: Vec<u32>,
}

impl Section {
    pub(crate) fn clear(&mut self) {
        self.pairs.clear();
        self.point_triangles.clear();
        self.edge_edges.clear();
    }

    /// Replaces the pairs, which are in ascending order; known pairs keep their lists.
    pub(crate) fn replace_pairs(&mut self, motions: &PatchMotions, patch_pairs: &[[u32; 2]]) {
        std::mem::swap(&mut self.pairs, &mut self.former);
        self.pairs.clear();
        let mut former = self.former.iter().peekable();
        for &patches in patch_pairs {
            while former.next_if(|f| f.patches < patches).is_some() {}
            let known = former.next_if(|f| f.patches == patches).copied();
            self.pairs.push(known.unwrap_or_else(|| PatchPair {
                patches,
                inactive_until: Lower::UNKNOWN,
                motion: RelativeMotion::new(motions, patches),
                expires: f32::NEG_INFINITY,
                min_limits: [MotionLimits::UNLIMITED; 2],
                point_triangles: Span::default(),
                edge_edges: Span::default(),
            }));
        }
    }

    /// Expires the lists of some pairs.
    pub(crate) fn expire(&mut self, is_expired: impl Fn([u32; 2]) -> bool) {
        for pair in self.pairs.iter_mut().filter(|pair| is_expired(pair.patches)) {
            (pair.expires, pair.inactive_until) = (f32::NEG_INFINITY, Lower::UNKNOWN);
        }
    }

    /// Advances the relative motion of all pairs that are not dormant by the last step.
    pub(crate) fn advance(&mut self, motions: &PatchMotions, dormant: &Dormant) {
        let is_followed =
            |pair: &PatchPair| !pair.is_inactive_beyond(motions.path_next) && !dormant.includes(pair.patches);
        for pair in self.pairs.iter_mut().filter(|pair| is_followed(pair)) {
            pair.motion.advance(motions, pair.patches);
        }
    }

    /// Increases the predicted motion of the step after displacements have changed.
    pub(crate) fn extend_next_step(&mut self, motions: &PatchMotions) {
        for pair in self.pairs.iter_mut().filter(|pair| motions.is_changed(pair.patches)) {
            pair.motion.extend_next_step(motions, pair.patches);
        }
    }

    /// Finds expired lists among the pairs that are `is_included`; pairs that are far apart become inactive.
    pub(crate) fn schedule_rebuilds(
        &mut self,
        surface: &Surface,
        motions: &PatchMotions,
        slack: f32,
        is_included: impl Fn([u32; 2]) -> bool,
    ) {
        self.due.clear();
        for (number, pair) in (0..).zip(&mut self.pairs) {
            if pair.is_complete() || pair.is_inactive_beyond(motions.path_next) || !is_included(pair.patches)
            {
                continue;
            }
            let bounds = motions.bounds(pair.patches);
            let reach = surface.reach_of_patches(pair.patches);
            pair.motion = RelativeMotion::new(motions, pair.patches);
            pair.min_limits = [MotionLimits::UNLIMITED; 2];
            (pair.point_triangles, pair.edge_edges) = (Span::default(), Span::default());
            let planned = planned_motion(&surface.patches, pair, reach.to_f32(), slack);
            let separation = bounds[0].gap(bounds[1]) - reach;
            // An empty list is always expired: it is rebuilt when the pair becomes active again.
            (pair.expires, pair.inactive_until) =
                (f32::NEG_INFINITY, Lower::exact(motions.path.get()) + separation);
            if !separation.exceeds(planned.into()) {
                (pair.expires, pair.inactive_until) = (planned, Lower::UNKNOWN);
                self.due.push(number);
            }
        }
    }

    /// The pairs of patches whose lists are to be rebuilt.
    pub(crate) fn due(&self) -> impl ExactSizeIterator<Item = [u32; 2]> {
        self.due.iter().map(|&number| self.pairs[number as usize].patches)
    }

    /// Rebuilds the scheduled lists.
    pub(crate) fn rebuild_lists(
        &mut self,
        surface: &Surface,
        motions: &PatchMotions,
        primitive_bounds: &PrimitiveBounds,
    ) {
        for k in 0..self.due.len() {
            self.rebuild_list(surface, motions, primitive_bounds, self.due[k] as usize);
        }
        if !self.due.is_empty() {
            let live = |span: fn(&PatchPair) -> &Span| self.pairs.iter().map(|pair| span(pair).len()).sum();
            let (points, edges) = (live(|pair| &pair.point_triangles), live(|pair| &pair.edge_edges));
            self.point_triangles.compact(points, self.pairs.iter_mut().map(|pair| &mut pair.point_triangles));
            self.edge_edges.compact(edges, self.pairs.iter_mut().map(|pair| &mut pair.edge_edges));
        }
    }

    fn rebuild_list(
        &mut self,
        surface: &Surface,
        motions: &PatchMotions,
        primitive_bounds: &PrimitiveBounds,
        number: usize,
    ) {
        let pair = &mut self.pairs[number];
        let bounds = motions.bounds(pair.patches);
        let reach = surface.reach_of_patches(pair.patches);
        let clearance = surface.clearance_of_patches(pair.patches).min(reach);
        let required_distance = reach + pair.expires.into();
        let magnitude = bounds[0].magnitude().max(bounds[1].magnitude());
        let rounding =
            primitive_bounds::rounding(magnitude, bounds[0].size_with(bounds[1]) + required_distance);
        // Pairs that the bounds reject are farther apart than the required distance.
        let within = (required_distance + rounding).to_f32();
        self.primitive_pairs.select(&surface.patches, motions, primitive_bounds, pair.patches, within);
        let (points, edges) = (&mut self.point_triangles, &mut self.edge_edges);
        let (first_point, first_edge) = (points.begin(), edges.begin());
        let min_limits = &mut pair.min_limits;
        let mut candidate = |pair: [u32; 2], bound: f32| {
            let bound = Lower::from(bound) - rounding;
            let limits = [reach, clearance].map_inline(|reach| MotionLimits::new(bound - reach));
            (0..2)
                .for_each(|threshold| min_limits[threshold] = min_limits[threshold].min(&limits[threshold]));
            Candidate { pair, limits }
        };
        self.primitive_pairs
            .point_triangles(surface, within, &mut |p, bound| points.push(candidate(p, bound)));
        self.primitive_pairs.edge_edges(surface, within, &mut |p, bound| edges.push(candidate(p, bound)));
        pair.point_triangles = points.end(first_point);
        pair.edge_edges = edges.end(first_edge);
    }

    /// Tests the active candidates of all pairs that are `is_included`.
    pub(crate) fn test(
        &mut self,
        threshold: Threshold,
        motions: &PatchMotions,
        is_included: impl Fn([u32; 2]) -> bool,
        test: &mut impl NarrowPhase,
    ) {
        for pair in &mut self.pairs {
            if pair.min_limits[threshold as usize].exceed(&pair.motion) || !is_included(pair.patches) {
                continue;
            }
            let rounding = Upper::computed(motions.distance_error(pair.patches));
            let (motion, expires) = (&pair.motion, pair.expires);
            let list = |kind| TestedList { kind, threshold, motion, expires, rounding };
            let points = list(CandidateKind::PointTriangle);
            let of_points = self.point_triangles.test(&mut pair.point_triangles, &points, test);
            let edges = list(CandidateKind::EdgeEdge);
            let of_edges = self.edge_edges.test(&mut pair.edge_edges, &edges, test);
            pair.min_limits[threshold as usize] = of_points.min(&of_edges);
        }
    }

    /// Number of candidates in all lists.
    pub(crate) fn count(&self) -> usize {
        self.pairs.iter().map(|pair| pair.point_triangles.len() + pair.edge_edges.len()).sum()
    }
}
