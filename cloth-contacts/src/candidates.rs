//! Which primitive pairs could come into contact: a list for each pair of patches, kept as long as it holds.
//!
//! ```text
//! 0 ---- relative motion now ---- by the end of the step ---- a candidate's mark ---- expiry of the list ---> relative motion
//!                          `- no mark below: nothing to look at
//! ```
//!
//! A candidate that was `open` beyond its reach when it was last looked at cannot be in contact before its two patches
//! have moved by `open` relative to each other: that is its mark. What a list left out was open by more than the
//! list's expiry, and two patches that are far apart have an empty list that expires when they could be near.
//!
//! Skipping loses nothing: the contacts are those that a look at every pair would give.

use cloth_broadphase::{BoxesError, BroadPhase};
use cloth_geom::bounds::{Lower, Upper};
use nalgebra::{Point3, Vector3};

use crate::drift::Drift;
use crate::list::{Arena, Candidate, Look, Marks, Span, Watch};
use crate::neighbours::Neighbours;
use crate::outlines::{self, Outlines};
use crate::pairing::Pairing;
use crate::patches::Patches;
use crate::relative_motion::RelativeMotion;
use crate::{Surface, edge_edge, point_triangle};

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

/// Share of the slack that the vertices of a patch may part before it is anchored anew.
const ANCHOR_SHARE: f32 = 0.25;

/// Positions at the start of a step (m), and the displacements predicted over it (m); one each a vertex.
#[derive(Clone, Copy, Debug)]
pub struct Motion<'a> {
    /// Positions at the start of the step.
    pub positions: &'a [Point3<f32>],
    /// Displacements: velocity times the step.
    pub displacements: &'a [Vector3<f32>],
}

impl<'a> Motion<'a> {
    #[inline]
    pub(crate) fn point_triangle(&self, vertex: u32, corners: [u32; 3]) -> point_triangle::Query<'a> {
        point_triangle::Query {
            p: &self.positions[vertex as usize],
            d: &self.displacements[vertex as usize],
            corners: corners.map(|v| &self.positions[v as usize]),
            displacements: corners.map(|v| &self.displacements[v as usize]),
        }
    }

    #[inline]
    pub(crate) fn edge_edge(&self, a: [u32; 2], b: [u32; 2]) -> edge_edge::Query<'a> {
        edge_edge::Query {
            a: a.map(|v| &self.positions[v as usize]),
            b: b.map(|v| &self.positions[v as usize]),
            a_displacements: a.map(|v| &self.displacements[v as usize]),
            b_displacements: b.map(|v| &self.displacements[v as usize]),
        }
    }
}

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

/// What an update of the lists did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Updated {
    /// Whether the pairs of patches were found anew.
    pub(crate) searched: bool,
    /// Lists made anew.
    pub(crate) lists: usize,
}

/// All lists.
#[derive(Clone, Debug, Default)]
pub(crate) struct Candidates<B> {
    drift: Drift,
    neighbours: Neighbours<B>,
    outlines: Outlines,
    pairing: Pairing,
    pairs: Vec<PatchPair>,
    /// The pairs before the last search.
    former: Vec<PatchPair>,
    point_triangles: Arena,
    edge_edges: Arena,
}

impl<B: BroadPhase> Candidates<B> {
    /// Forgets the lists, so that the next update makes them anew.
    pub(crate) fn forget(&mut self) {
        self.drift.forget();
        self.forget_pairs();
    }

    /// Makes the bounds of motion wrong, if that is the weakness.
    #[cfg(feature = "mutations")]
    pub(crate) fn weaken(&mut self, weak: crate::gate::weakness::Weak) {
        self.drift.weaken(weak);
    }

    /// Makes the lists complete for this step; `slack` (m) is the least relative motion that a list is planned for.
    ///
    /// # Errors
    /// If a position or displacement is not finite.
    pub(crate) fn update(
        &mut self,
        surface: &Surface,
        motion: &Motion<'_>,
        slack: f32,
    ) -> Result<Updated, BoxesError> {
        let patches = &surface.patches;
        if !self.drift.note(patches, motion, ANCHOR_SHARE * slack) {
            self.forget_pairs();
        }
        let path = self.drift.path_next;
        for pair in self.pairs.iter_mut().filter(|pair| !pair.sleeps_beyond(path)) {
            pair.motion.advance(&self.drift, pair.patches);
        }
        self.outlines.begin(patches);
        self.renew(surface, slack, false)
    }

    /// Makes the lists complete for other displacements of the same positions; `touched` tells which vertices have others.
    ///
    /// # Errors
    /// As [`Candidates::update`], which must have come before.
    pub(crate) fn update_again(
        &mut self,
        surface: &Surface,
        motion: &Motion<'_>,
        slack: f32,
        touched: impl Fn(u32) -> bool,
    ) -> Result<Updated, BoxesError> {
        self.drift.note_again(&surface.patches, motion, touched);
        for pair in self.pairs.iter_mut().filter(|pair| self.drift.is_touched(pair.patches)) {
            pair.motion.lengthen(&self.drift, pair.patches);
        }
        self.renew(surface, slack, true)
    }

    /// Finds the pairs of patches anew and makes the lists anew that are no longer complete. If this is done `again` for a
    /// step, only what was touched can be so, and what has new neighbours.
    fn renew(&mut self, surface: &Surface, slack: f32, again: bool) -> Result<Updated, BoxesError> {
        let (patches, path) = (&surface.patches, self.drift.path_next);
        let searched = !self.neighbours.serve(patches, &self.drift);
        if searched {
            self.neighbours.find(patches, &surface.groups.full_mesh, &self.drift)?;
            self.take_neighbours();
        }
        let mut lists = 0;
        for i in 0..self.pairs.len() {
            let pair = &self.pairs[i];
            let is_concerned = !again || searched || self.drift.is_touched(pair.patches);
            if !pair.holds() && is_concerned && !pair.sleeps_beyond(path) {
                lists += usize::from(self.make_list(surface, i, slack));
            }
        }
        let live = |span: fn(&PatchPair) -> &Span| self.pairs.iter().map(|pair| span(pair).len()).sum();
        let (points, edges) = (live(|pair| &pair.point_triangles), live(|pair| &pair.edge_edges));
        self.point_triangles.compact(points, self.pairs.iter_mut().map(|pair| &mut pair.point_triangles));
        self.edge_edges.compact(edges, self.pairs.iter_mut().map(|pair| &mut pair.edge_edges));
        Ok(Updated { searched, lists })
    }

    fn forget_pairs(&mut self) {
        self.neighbours.forget();
        self.pairs.clear();
        self.point_triangles.clear();
        self.edge_edges.clear();
    }

    /// Takes the neighbours that were found; those that were known keep their lists.
    fn take_neighbours(&mut self) {
        std::mem::swap(&mut self.pairs, &mut self.former);
        self.pairs.clear();
        let mut former = self.former.iter().peekable();
        for &patches in self.neighbours.pairs() {
            while former.next_if(|f| f.patches < patches).is_some() {}
            let known = former.next_if(|f| f.patches == patches).copied();
            self.pairs.push(known.unwrap_or_else(|| PatchPair {
                patches,
                sleeps: Lower::UNKNOWN,
                motion: RelativeMotion::start(&self.drift, patches),
                expires: f32::NEG_INFINITY,
                wakes: [Marks::NEVER; 2],
                point_triangles: Span::default(),
                edge_edges: Span::default(),
            }));
        }
    }

    /// Makes a list, or puts the pair to sleep if it is far apart. Returns whether there is a list.
    fn make_list(&mut self, surface: &Surface, i: usize, slack: f32) -> bool {
        let pair = &mut self.pairs[i];
        let [a, b] = pair.patches;
        let patches = &surface.patches;
        let boxes = pair.patches.map(|p| &self.drift.boxes[p as usize]);
        let reach = surface.reach_of_patches([a, b]);
        let clearance = surface.clearance_of_patches([a, b]).min(reach);
        pair.motion = RelativeMotion::start(&self.drift, pair.patches);
        let ahead = ahead(patches, pair, reach.to_f32(), slack);
        let open = boxes[0].gap(boxes[1]) - reach;
        let (points, edges) = (&mut self.point_triangles, &mut self.edge_edges);
        let (first_point, first_edge) = (points.begin(), edges.begin());
        pair.wakes = [Marks::NEVER; 2];
        pair.sleeps = Lower::exact(self.drift.path.get()) + open;
        // An empty list never holds: it is made again when the pair awakes.
        pair.expires = f32::NEG_INFINITY;
        let near = !open.exceeds(ahead.into());
        if near {
            (pair.expires, pair.sleeps) = (ahead, Lower::UNKNOWN);
            let corners = &self.drift.corners;
            self.outlines.make(patches, corners, a);
            self.outlines.make(patches, corners, b);
            let asked = reach + ahead.into();
            let magnitude = boxes[0].magnitude().max(boxes[1].magnitude());
            let rounding = outlines::rounding(magnitude, boxes[0].size_with(boxes[1]) + asked);
            // What the outlines leave out is farther apart than was asked for.
            let within = (asked + rounding).to_f32();
            self.pairing.choose(patches, corners, &self.outlines, [a, b], boxes, within);
            let wakes = &mut pair.wakes;
            let mut candidate = |pair: [u32; 2], bound: f32| {
                let bound = Lower::from(bound) - rounding;
                let marks = [reach, clearance].map(|reach| Marks::new(bound - reach));
                (0..2).for_each(|watch| wakes[watch] = wakes[watch].least(&marks[watch]));
                Candidate { pair, marks }
            };
            self.pairing.point_triangles(surface, within, &mut |p, bound| points.push(candidate(p, bound)));
            self.pairing.edge_edges(surface, within, &mut |p, bound| edges.push(candidate(p, bound)));
        }
        pair.point_triangles = points.end(first_point);
        pair.edge_edges = edges.end(first_edge);
        near
    }

    /// Looks at every candidate that could be in contact in the coming step, list by list.
    pub(crate) fn look(&mut self, watch: Watch, point_triangles: &mut impl Look, edge_edges: &mut impl Look) {
        self.look_where(watch, |_, _| true, point_triangles, edge_edges);
    }

    /// The same for pairs of patches that the last [`Candidates::update_again`] touched.
    pub(crate) fn look_again(
        &mut self,
        watch: Watch,
        point_triangles: &mut impl Look,
        edge_edges: &mut impl Look,
    ) {
        self.look_where(watch, Drift::is_touched, point_triangles, edge_edges);
    }

    fn look_where(
        &mut self,
        watch: Watch,
        is_concerned: impl Fn(&Drift, [u32; 2]) -> bool,
        point_triangles: &mut impl Look,
        edge_edges: &mut impl Look,
    ) {
        for pair in &mut self.pairs {
            if pair.wakes[watch as usize].are_ahead(&pair.motion) || !is_concerned(&self.drift, pair.patches)
            {
                continue;
            }
            let rounding = Upper::computed(self.drift.distance_error(pair.patches));
            let limits = (pair.expires, rounding);
            let (points, edges) = (&mut pair.point_triangles, &mut pair.edge_edges);
            let of_points = self.point_triangles.look(points, watch, &pair.motion, limits, point_triangles);
            let of_edges = self.edge_edges.look(edges, watch, &pair.motion, limits, edge_edges);
            pair.wakes[watch as usize] = of_points.least(&of_edges);
        }
    }

    /// The candidates `[vertex, face]`, in no order.
    pub(crate) fn point_triangles(&self) -> impl Iterator<Item = [u32; 2]> {
        let lists = self.pairs.iter().map(|pair| self.point_triangles.candidates(pair.point_triangles));
        lists.flatten().copied()
    }

    /// The candidates `[edge, edge]`, in no order.
    pub(crate) fn edge_edges(&self) -> impl Iterator<Item = [u32; 2]> {
        let lists = self.pairs.iter().map(|pair| self.edge_edges.candidates(pair.edge_edges));
        lists.flatten().copied()
    }

    /// How many candidates there are.
    pub(crate) fn count(&self) -> usize {
        self.pairs.iter().map(|pair| pair.point_triangles.len() + pair.edge_edges.len()).sum()
    }
}
