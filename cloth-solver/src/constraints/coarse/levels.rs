//! The levels: centres of patches, and their projection.

use std::ops::Range;
use std::sync::Arc;

use super::patches::{Patches, inverse_masses};
use super::{COARSENING_FACTOR, CoarseInput, MIN_SPRINGS, PASSES, PATCH_SIZES};
use crate::active::ActiveRuns;
use crate::bodies::{Bodies, Packed, movable};
use crate::chunks::Chunks;
use crate::constraints::BetweenLevels;
use crate::constraints::lanes::{
    Instructions, MIN_LENGTH, Numbers, dispatch, gather, greater, minus, norm, plus_scaled, scaled, scatter,
};
use crate::constraints::schedule::{BlockPositions, Chunked, ConstraintBlock, items_at_once};
use crate::constraints::stretch::Spring;
use cloth_contacts::for_each_piece;
use cloth_disjoint::Slices;
use cloth_geom::lanes::{Level, Quad, SimdBase};

/// Least number of nodes of a thread.
const LEAST_NODES: usize = 256;

/// The levels of a scene, coarsest first; larger cloth has more.
#[derive(Clone, Debug, Default)]
pub(crate) struct CoarseLevels(Vec<CoarseLevel>);

impl CoarseLevels {
    pub(crate) fn new(input: &CoarseInput<'_>) -> Self {
        let mut patches = Vec::from(PATCH_SIZES.map(|edges| Patches::new(input, edges)));
        let sizes = std::iter::successors(Some(PATCH_SIZES[0] * COARSENING_FACTOR), |edges| {
            Some(edges * COARSENING_FACTOR)
        });
        // The patches of each part grow together until one is left, so this ends.
        let further = sizes.map(|edges| Patches::new(input, edges));
        for further in further.take_while(|patches| patches.free_springs() >= MIN_SPRINGS) {
            patches.insert(0, further);
        }
        let mut levels =
            Self(patches.iter().map(|patches| CoarseLevel::new(input.chunks, patches)).collect());
        levels.update_masses(input.inv_mass);
        levels
    }

    /// The number of levels.
    #[cfg(test)]
    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }

    /// Updates the masses. Mass shares stay those of the start, to which the rest lengths belong; a node
    /// moves all its free vertices equally, so momentum is conserved with any shares.
    pub(crate) fn update_masses(&mut self, inv_mass: &[f32]) {
        self.0.iter_mut().for_each(|level| level.update_masses(inv_mass));
    }

    /// Projects the springs between the patches of each level.
    pub(crate) fn project(&mut self, bodies: &mut Bodies<'_>, between_levels: BetweenLevels<'_>) {
        let inv_h_sq = 1.0 / (bodies.h * bodies.h);
        for level in &mut self.0 {
            level.restrict(bodies.x.in_slots, bodies.level);
            let centres = Slices { items: &mut level.centre[..], starts: &level.start[..] };
            level.springs.project(bodies.level, centres, PASSES, inv_h_sq);
            level.prolongate(bodies.x.in_slots, bodies.level);
            between_levels(bodies);
        }
    }
}

/// A vertex of a node.
#[derive(Clone, Copy, Debug)]
struct Member {
    slot: u32,
    /// Its share of the node's mass; 1 for a pinned vertex.
    share: f32,
}

/// The node of a vertex.
#[derive(Clone, Copy, Debug, Default)]
struct Owner {
    slot: u32,
    /// 1 for what can move, else 0.
    free: f32,
}

/// One level.
#[derive(Clone, Debug, Default)]
struct CoarseLevel {
    vertices: Arc<Chunks>,
    nodes: Arc<Chunks>,
    /// The node of each vertex.
    node_of: Vec<u32>,
    /// Of each slot of the vertices.
    owners: Vec<Owner>,
    /// The vertices of all nodes, by slots of the nodes and ascending, and where those of each slot end.
    members: Vec<Member>,
    ends: Vec<u32>,
    /// Inverse mass (1/kg) of the node in each slot.
    inv_mass: Vec<f32>,
    springs: Chunked<PullBlock, 2>,
    /// The slots of nodes that springs can move, and of their vertices.
    active_nodes: ActiveRuns,
    active_vertices: ActiveRuns,
    centre: Vec<Packed>,
    start: Vec<Packed>,
}

impl CoarseLevel {
    fn new(vertices: &Arc<Chunks>, patches: &Patches) -> Self {
        let (node_of, centres) = (patches.node_of.clone(), patches.centres());
        let links = patches.springs.iter().map(|s| [s.a, s.b]);
        let workers = vertices.workers().min(centres.len() / LEAST_NODES);
        let nodes = Arc::new(Chunks::new(&centres, std::iter::once(0..centres.len()), links, workers));
        let mut members = vec![Vec::new(); centres.len()];
        let mut owners = vec![Owner::default(); node_of.len()];
        for ((&slot, &node), &share) in vertices.slots().iter().zip(&node_of).zip(&patches.shares) {
            let own = nodes.slots()[node as usize];
            members[own as usize].push(Member { slot, share });
            owners[slot as usize].slot = own;
        }
        let ends = members.iter().scan(0, |end, members| {
            *end += members.len() as u32;
            Some(*end)
        });
        let centre = vec![Packed::zeros(); centres.len()];
        Self {
            ends: ends.collect(),
            members: members.concat(),
            inv_mass: vec![0.0; centres.len()],
            springs: Chunked::new(&nodes, &patches.springs, |s| [s.a, s.b], PullBlock::new),
            active_nodes: ActiveRuns::default(),
            active_vertices: ActiveRuns::default(),
            start: centre.clone(),
            vertices: vertices.clone(),
            centre,
            nodes,
            node_of,
            owners,
        }
    }

    /// Updates the masses, given those of the vertices.
    fn update_masses(&mut self, inv_mass: &[f32]) {
        let of_nodes = inverse_masses(&self.node_of, self.inv_mass.len(), inv_mass);
        self.springs.update_masses(&of_nodes);
        let is_active = self.springs.active_vertices();
        let nodes = self.nodes.vertices();
        self.active_nodes.update(nodes.iter().map(|&node| is_active[node as usize]));
        let node_of = |vertex: &u32| self.node_of[*vertex as usize] as usize;
        self.active_vertices.update(self.vertices.vertices().iter().map(|vertex| is_active[node_of(vertex)]));
        self.inv_mass.iter_mut().zip(nodes).for_each(|(w, &node)| *w = of_nodes[node as usize]);
        for (owner, &vertex) in self.owners.iter_mut().zip(self.vertices.vertices()) {
            owner.free = if inv_mass[vertex as usize] > 0.0 { 1.0 } else { 0.0 };
        }
    }

    /// Computes the centres of the active nodes, and gives them their inverse masses.
    fn restrict(&mut self, x: &[Packed], level: Level) {
        let Self { nodes, active_nodes, members, ends, inv_mass, centre, start, .. } = self;
        let at_once = items_at_once(nodes, centre.len());
        for_each_piece((&mut centre[..], &mut start[..]), at_once, |first, (centre, start)| {
            dispatch!(level, simd => {
                for run in within(active_nodes, first, centre.len()) {
                    let mut begin = if run.start == 0 { 0 } else { ends[run.start - 1] };
                    let slots = run.start - first..run.end - first;
                    let places = centre[slots.clone()].iter_mut().zip(&mut start[slots]);
                    for (((centre, start), &end), &w) in places.zip(&ends[run.clone()]).zip(&inv_mass[run]) {
                        let mut sum = Quad::splat(simd, 0.0);
                        for member in &members[begin as usize..end as usize] {
                            let x = x[member.slot as usize].as_ref();
                            sum += Quad::load_array_ref(simd, x) * member.share;
                        }
                        *centre = movable(&Packed::from(sum.to_array()), w);
                        *start = *centre;
                        begin = end;
                    }
                }
            });
        });
    }

    /// Applies the displacement of each active node to its free vertices.
    fn prolongate(&mut self, x: &mut [Packed], level: Level) {
        let Self { vertices, active_nodes, active_vertices, owners, centre, start, .. } = self;
        // From here on how far the nodes have moved.
        for run in active_nodes.runs() {
            start[run.clone()]
                .iter_mut()
                .zip(&centre[run])
                .for_each(|(start, centre)| *start = centre - *start);
        }
        let shift = &*start;
        let at_once = items_at_once(vertices, x.len());
        for_each_piece((&owners[..], x), at_once, |first, (owners, x)| {
            dispatch!(level, simd => {
                for run in within(active_vertices, first, x.len()) {
                    let slots = run.start - first..run.end - first;
                    for (owner, x) in owners[slots.clone()].iter().zip(&mut x[slots]) {
                        let shift = Quad::load_array_ref(simd, shift[owner.slot as usize].as_ref());
                        let moved = Quad::load_array_ref(simd, (*x).as_ref()) + shift * owner.free;
                        *x = Packed::from(moved.to_array());
                    }
                }
            });
        });
    }
}

/// The runs of active items among `count` from `first` on.
#[inline(always)]
fn within(active: &ActiveRuns, first: usize, count: usize) -> impl Iterator<Item = Range<usize>> {
    let clamped = active.runs().map(move |run| run.start.max(first)..run.end.min(first + count));
    clamped.filter(|run| !run.is_empty())
}

/// Eight unilateral springs between nodes; a shorter block repeats its last.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
struct PullBlock {
    rest: Numbers,
    compliance: Numbers,
}

impl PullBlock {
    fn new(eight: [Spring; 8]) -> Self {
        Self { rest: eight.map(|s| s.rest), compliance: eight.map(|s| s.compliance) }
    }
}

impl ConstraintBlock<2> for PullBlock {
    /// `1 / h^2` (1/s2).
    type Pass = f32;

    #[inline(always)]
    fn project<S: Instructions>(
        &mut self,
        simd: S,
        part: usize,
        x: &mut BlockPositions<'_, 2>,
        inv_h_sq: f32,
    ) {
        let ((x_a, w_a), (x_b, w_b)) =
            (gather(simd, part, |l| x.get(0, l)), gather(simd, part, |l| x.get(1, l)));
        let sep = minus(&x_b, &x_a);
        let length = greater(norm(&sep), simd.splat(MIN_LENGTH));
        // Branch-free: which springs are taut is unpredictable.
        let longer = greater(length - simd.load(&self.rest, part), simd.splat(0.0));
        let weight = w_a + w_b + simd.load(&self.compliance, part) * simd.splat(inv_h_sq);
        let pull = scaled(&sep, longer / (weight * length));
        scatter(simd, part, plus_scaled(&x_a, &pull, w_a), w_a, |l, position| x.set(0, l, position));
        scatter(simd, part, plus_scaled(&x_b, &pull, -w_b), w_b, |l, position| x.set(1, l, position));
    }
}
