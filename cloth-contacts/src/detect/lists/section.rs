//! The lists of some patches: pairs of patches of which the first is one of them, and what they have near each other.
//!
//! A section is a task: it has lists, memory and results of its own, and takes only what all have in common. Which pairs belong to it
//! depends on the surface alone.

use cloth_geom::bounds::{Lower, Upper};

use crate::Surface;
use crate::detect::lists::list::{Arena, Candidate, Kind, Look, Marks, Span, Watch};
use crate::detect::lists::outlines::{self, Outlines};
use crate::detect::lists::pairing::Pairing;
use crate::detect::motion::drift::Drift;
use crate::detect::motion::relative_motion::RelativeMotion;
use crate::patches::Patches;

/// Patches in a section.
pub(crate) const PATCHES: u32 = 16;

/// Steps, at the present relative motion, that a list is meant to last.
const STEPS_AHEAD: f32 = 8.0;

/// Most relative motion that a list is planned for, in units of the reach; of thin cloth more, as long as reach and motion are less
/// than `FLAT` mean edges. With more than either, the list would hold the neighbours on the flat cloth, which never come near.
const MOST_AHEAD: f32 = 0.4;
const FLAT: f32 = 0.6;

/// Path of two patches, in units of what their list was planned for, after which it is built anew. Marks are `f32`, rounded down: on a
/// path as long as this they lose a 256th of the plan, on a longer one pairs would be measured more often than need be. No result
/// depends on it.
const LONGEST_PATH: f64 = 65_536.0;

/// A pair of patches and its list.
#[derive(Clone, Copy, Debug)]
struct PatchPair {
    patches: [u32; 2],
    /// Path of all patches (see `Drift`) up to which these two stay out of reach and have no list (m).
    sleeps: Lower,
    motion: RelativeMotion,
    /// Reading of the relative motion (m) from which the list is no longer complete.
    expires: f32,
    /// The least of the candidates, by [`Watch`].
    wakes: [Marks; 2],
    point_triangles: Span,
    edge_edges: Span,
}

impl PatchPair {
    fn sleeps_beyond(&self, path: Upper) -> bool {
        self.sleeps.exceeds(path)
    }

    /// Whether the list is complete for the coming step. Written so that a NaN expires.
    fn holds(&self) -> bool {
        let is_worn = self.motion.path().get() > LONGEST_PATH * f64::from(self.expires);
        self.motion.way_next() < self.expires && !is_worn
    }
}

/// Relative motion (m) that a list is planned for; no result depends on it, but that it outlasts the coming step.
fn ahead(patches: &Patches, pair: &PatchPair, reach: f32, slack: f32) -> f32 {
    let [a, b] = pair.patches;
    let next = pair.motion.way_next();
    let flat = FLAT * patches.spacing[a as usize].min(patches.spacing[b as usize]);
    let most = (MOST_AHEAD * reach).max(flat - reach).max(slack);
    (STEPS_AHEAD * next).clamp(slack, most).max(next.next_up())
}

/// Some pairs of patches.
#[derive(Clone, Debug, Default)]
pub(crate) struct Section {
    pairs: Vec<PatchPair>,
    /// The pairs before the last search.
    former: Vec<PatchPair>,
    point_triangles: Arena,
    edge_edges: Arena,
    pairing: Pairing,
    /// Pairs whose lists are to be made anew.
    due: Vec<u32>,
}

impl Section {
    pub(crate) fn clear(&mut self) {
        self.pairs.clear();
        self.point_triangles.clear();
        self.edge_edges.clear();
    }

    /// Takes the neighbours that were found, ascending; those that were known keep their lists.
    pub(crate) fn take(&mut self, drift: &Drift, neighbours: &[[u32; 2]]) {
        std::mem::swap(&mut self.pairs, &mut self.former);
        self.pairs.clear();
        let mut former = self.former.iter().peekable();
        for &patches in neighbours {
            while former.next_if(|f| f.patches < patches).is_some() {}
            let known = former.next_if(|f| f.patches == patches).copied();
            self.pairs.push(known.unwrap_or_else(|| PatchPair {
                patches,
                sleeps: Lower::UNKNOWN,
                motion: RelativeMotion::start(drift, patches),
                expires: f32::NEG_INFINITY,
                wakes: [Marks::NEVER; 2],
                point_triangles: Span::default(),
                edge_edges: Span::default(),
            }));
        }
    }

    /// Takes in the last step and the coming one.
    pub(crate) fn advance(&mut self, drift: &Drift) {
        for pair in self.pairs.iter_mut().filter(|pair| !pair.sleeps_beyond(drift.path_next)) {
            pair.motion.advance(drift, pair.patches);
        }
    }

    /// Takes in that the coming step is another one.
    pub(crate) fn lengthen(&mut self, drift: &Drift) {
        for pair in self.pairs.iter_mut().filter(|pair| drift.is_touched(pair.patches)) {
            pair.motion.lengthen(drift, pair.patches);
        }
    }

    /// Finds the pairs that need another list, of those that are `concerned`, and puts those to sleep that are far apart.
    pub(crate) fn plan(
        &mut self,
        surface: &Surface,
        drift: &Drift,
        slack: f32,
        concerned: impl Fn([u32; 2]) -> bool,
    ) {
        self.due.clear();
        for (number, pair) in (0..).zip(&mut self.pairs) {
            if pair.holds() || pair.sleeps_beyond(drift.path_next) || !concerned(pair.patches) {
                continue;
            }
            let boxes = drift.boxes(pair.patches);
            let reach = surface.reach_of_patches(pair.patches);
            pair.motion = RelativeMotion::start(drift, pair.patches);
            pair.wakes = [Marks::NEVER; 2];
            (pair.point_triangles, pair.edge_edges) = (Span::default(), Span::default());
            let ahead = ahead(&surface.patches, pair, reach.to_f32(), slack);
            let open = boxes[0].gap(boxes[1]) - reach;
            // An empty list never holds: it is made again when the pair awakes.
            (pair.expires, pair.sleeps) = (f32::NEG_INFINITY, Lower::exact(drift.path.get()) + open);
            if !open.exceeds(ahead.into()) {
                (pair.expires, pair.sleeps) = (ahead, Lower::UNKNOWN);
                self.due.push(number);
            }
        }
    }

    /// The patches of the pairs that need another list.
    pub(crate) fn due(&self) -> impl ExactSizeIterator<Item = [u32; 2]> {
        self.due.iter().map(|&number| self.pairs[number as usize].patches)
    }

    /// Makes the lists that are due.
    pub(crate) fn make_lists(&mut self, surface: &Surface, drift: &Drift, outlines: &Outlines) {
        for k in 0..self.due.len() {
            self.make_list(surface, drift, outlines, self.due[k] as usize);
        }
        if !self.due.is_empty() {
            let live = |span: fn(&PatchPair) -> &Span| self.pairs.iter().map(|pair| span(pair).len()).sum();
            let (points, edges) = (live(|pair| &pair.point_triangles), live(|pair| &pair.edge_edges));
            self.point_triangles.compact(points, self.pairs.iter_mut().map(|pair| &mut pair.point_triangles));
            self.edge_edges.compact(edges, self.pairs.iter_mut().map(|pair| &mut pair.edge_edges));
        }
    }

    fn make_list(&mut self, surface: &Surface, drift: &Drift, outlines: &Outlines, number: usize) {
        let pair = &mut self.pairs[number];
        let boxes = drift.boxes(pair.patches);
        let reach = surface.reach_of_patches(pair.patches);
        let clearance = surface.clearance_of_patches(pair.patches).min(reach);
        let asked = reach + pair.expires.into();
        let magnitude = boxes[0].magnitude().max(boxes[1].magnitude());
        let rounding = outlines::rounding(magnitude, boxes[0].size_with(boxes[1]) + asked);
        // What the outlines leave out is farther apart than was asked for.
        let within = (asked + rounding).to_f32();
        self.pairing.choose(&surface.patches, drift, outlines, pair.patches, within);
        let (points, edges) = (&mut self.point_triangles, &mut self.edge_edges);
        let (first_point, first_edge) = (points.begin(), edges.begin());
        let wakes = &mut pair.wakes;
        let mut candidate = |pair: [u32; 2], bound: f32| {
            let bound = Lower::from(bound) - rounding;
            let marks = [reach, clearance].map(|reach| Marks::new(bound - reach));
            (0..2).for_each(|watch| wakes[watch] = wakes[watch].least(&marks[watch]));
            Candidate { pair, marks }
        };
        self.pairing.point_triangles(surface, within, &mut |p, bound| points.push(candidate(p, bound)));
        self.pairing.edge_edges(surface, within, &mut |p, bound| edges.push(candidate(p, bound)));
        pair.point_triangles = points.end(first_point);
        pair.edge_edges = edges.end(first_edge);
    }

    /// Looks at every candidate that could be in contact in the coming step, of the pairs that are `concerned`, list by list.
    pub(crate) fn look(
        &mut self,
        watch: Watch,
        drift: &Drift,
        concerned: impl Fn([u32; 2]) -> bool,
        look: &mut impl Look,
    ) {
        for pair in &mut self.pairs {
            if pair.wakes[watch as usize].are_ahead(&pair.motion) || !concerned(pair.patches) {
                continue;
            }
            let rounding = Upper::computed(drift.distance_error(pair.patches));
            let limits = (pair.expires, rounding);
            let points = (Kind::PointTriangle, &mut pair.point_triangles);
            let of_points = self.point_triangles.look(points, watch, &pair.motion, limits, look);
            let edges = (Kind::EdgeEdge, &mut pair.edge_edges);
            let of_edges = self.edge_edges.look(edges, watch, &pair.motion, limits, look);
            pair.wakes[watch as usize] = of_points.least(&of_edges);
        }
    }

    /// How many candidates there are.
    pub(crate) fn count(&self) -> usize {
        self.pairs.iter().map(|pair| pair.point_triangles.len() + pair.edge_edges.len()).sum()
    }
}
