//! Coarse levels of stretch: a multilevel correction that carries tension across the cloth in one substep.
//!
//! Gauss-Seidel over the springs carries a load one edge further with every pass, so a sheet of 64 cells sags
//! by `2 n g h^2` an edge below which `n` others hang, however stiff the fabric. The cure is the usual one
//! for elliptic problems, a correction on coarser levels; here by aggregation:
//!
//! ```text
//!   vertices   . . . . | . . . .        a node: the vertices of a patch of about 2 x 2 (8 x 8, 32 x 32) edges
//!              . . . . | . . . .        its position: their centre of mass
//!              . . . . | . . . .        node springs: what joins the patches, in series and in parallel
//!   nodes         o----|----o           a correction of a node moves all its vertices alike
//! ```
//!
//! The centres of congruent patches of an inextensible sheet are never farther apart than at rest, whatever
//! its folds. So node springs are unilateral: they only pull, and have no effect on folded or loose cloth.
//! Momentum is conserved: a node's displacement is the mass-weighted mean of its vertices.
//!
//! Measured on `hang` and `drape-sphere`, see `docs/design/stretch.md`.

use cloth_geom::DisjointSets;
use cloth_geom::lanes::{Level, Quad, SimdBase};
use nalgebra::{Point3, Vector3};

use super::lanes::{
    Instructions, MIN_LENGTH, dispatch, gather, greater, in_parts, minus, norm, plus_scaled, scaled, scatter,
};
use super::stretch::{self, Spring, SpringBlock};
use crate::active::ActiveRuns;
use crate::bodies::{Bodies, Packed, difference, movable, packed};
use crate::colouring::coloured;

/// Gauss-Seidel passes over the springs of a level.
const PASSES: usize = 2;

/// Edges across the patches of the levels that every cloth has, coarsest first.
const PATCH_SIZES: [f32; 2] = [8.0, 2.0];

/// How much coarser each further level is.
const COARSENING_FACTOR: f32 = 4.0;

/// Minimum number of springs of a further level: 8 x 8 patches have more; a sheet of 64 x 64 vertices has too
/// few to profit.
const MIN_SPRINGS: usize = 64;

/// The levels of a cloth, coarsest first; larger cloth has more.
pub(crate) fn levels(input: &CoarseInput<'_>) -> Vec<CoarseLevel> {
    let mut levels = Vec::from(PATCH_SIZES.map(|edges| CoarseLevel::new(input, edges)));
    let sizes = std::iter::successors(Some(PATCH_SIZES[0] * COARSENING_FACTOR), |edges| {
        Some(edges * COARSENING_FACTOR)
    });
    // The patches of each part grow together until one is left, so this ends.
    let further = sizes.map(|edges| CoarseLevel::new(input, edges));
    for level in further.take_while(|level| level.free_springs() >= MIN_SPRINGS) {
        levels.insert(0, level);
    }
    levels
}

/// Input of the levels, over the vertices of all cloths.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CoarseInput<'a> {
    pub(crate) rest: &'a [Point3<f32>],
    pub(crate) faces: &'a [[u32; 3]],
    pub(crate) springs: &'a [Spring],
    pub(crate) inv_mass: &'a [f32],
    /// Vertices on folds of `rest` that will unfold, ascending: distances of patches across them are
    /// meaningless.
    pub(crate) unfolding: &'a [u32],
    /// Mean edge length (m) that patches are counted in.
    pub(crate) edge_length: f32,
}

/// One level.
#[derive(Clone, Debug, Default)]
pub(crate) struct CoarseLevel {
    /// The node of each vertex.
    node_of: Vec<u32>,
    /// The vertices of all nodes, node by node and ascending.
    members: Vec<Member>,
    /// Where the members of each node end.
    ends: Vec<u32>,
    /// Inverse mass of each node (1/kg).
    inv_mass: Vec<f32>,
    springs: Vec<SpringBlock>,
    /// The springs that can move something, and the nodes at their ends.
    active: ActiveRuns,
    active_nodes: ActiveRuns,
    is_active: Vec<bool>,
    centre: Vec<Packed>,
    start: Vec<Packed>,
}

/// A vertex of a node.
#[derive(Clone, Copy, Debug)]
struct Member {
    vertex: u32,
    /// Its share of the node's mass; 1 for a pinned vertex.
    share: f32,
    /// 1 for a vertex that can move, else 0.
    free: f32,
}

/// The members of a node.
#[inline(always)]
fn node_members<'a>(members: &'a [Member], ends: &[u32], node: usize) -> &'a [Member] {
    let begin = if node == 0 { 0 } else { ends[node - 1] };
    &members[begin as usize..ends[node] as usize]
}

impl CoarseLevel {
    /// Patches of about `edges` edges across.
    pub(crate) fn new(input: &CoarseInput<'_>, edges: f32) -> Self {
        let (node_of, node_count) = patches(input, edges * input.edge_length);
        let mut level = Self {
            members: Vec::new(),
            ends: Vec::new(),
            inv_mass: vec![0.0; node_count],
            springs: Vec::new(),
            active: ActiveRuns::default(),
            active_nodes: ActiveRuns::default(),
            is_active: vec![false; node_count],
            centre: vec![Packed::zeros(); node_count],
            start: vec![Packed::zeros(); node_count],
            node_of,
        };
        level.update_masses(input.inv_mass);
        level.compute_mass_shares(input.inv_mass);
        let rest: Vec<Packed> = input.rest.iter().map(|p| packed(&p.coords)).collect();
        level.active_nodes.update(std::iter::repeat_n(true, node_count));
        level.restrict(&rest, Level::fallback());
        level.springs = stretch::blocks(&coloured(node_count, &level.node_springs(input), |s| [s.a, s.b]));
        level.update_masses(input.inv_mass);
        level
    }

    /// The number of springs between movable patches.
    fn free_springs(&self) -> usize {
        let free = |node: u32| self.inv_mass[node as usize] > 0.0;
        let of = |block: &SpringBlock| block.ends().filter(|&[a, b]| free(a) && free(b)).count();
        self.springs.iter().map(of).sum()
    }

    /// Updates the masses. Mass shares stay those of the start, to which the rest lengths belong; a node
    /// moves all its free vertices equally, so momentum is conserved with any shares.
    pub(crate) fn update_masses(&mut self, inv_mass: &[f32]) {
        self.inv_mass.fill(0.0);
        for (v, &node) in self.node_of.iter().enumerate() {
            self.inv_mass[node as usize] += if inv_mass[v] > 0.0 { 1.0 / inv_mass[v] } else { 0.0 };
        }
        self.inv_mass.iter_mut().filter(|m| **m > 0.0).for_each(|m| *m = 1.0 / *m);
        self.active.update(self.springs.iter().map(|block| block.can_move(&self.inv_mass)));
        self.is_active.fill(false);
        for block in self.active.runs().flatten() {
            self.springs[block].ends().flatten().for_each(|node| self.is_active[node as usize] = true);
        }
        self.active_nodes.update(self.is_active.iter().copied());
        for member in &mut self.members {
            member.free = if inv_mass[member.vertex as usize] > 0.0 { 1.0 } else { 0.0 };
        }
    }

    /// Each vertex's mass share of its node; equal shares where nothing is free.
    fn compute_mass_shares(&mut self, inv_mass: &[f32]) {
        let mut counts = vec![0u32; self.inv_mass.len()];
        self.node_of.iter().for_each(|&node| counts[node as usize] += 1);
        self.ends = counts
            .iter()
            .scan(0, |end, &count| {
                *end += count;
                Some(*end)
            })
            .collect();
        let share = |v: u32| {
            let node = self.node_of[v as usize] as usize;
            match (self.inv_mass[node] > 0.0, inv_mass[v as usize] > 0.0) {
                (true, true) => self.inv_mass[node] / inv_mass[v as usize],
                (true, false) => 0.0,
                (false, _) => 1.0 / counts[node] as f32,
            }
        };
        let mut next: Vec<u32> = std::iter::once(0).chain(self.ends.iter().copied()).collect();
        let mut vertices = vec![0; self.node_of.len()];
        for (v, &node) in (0..).zip(&self.node_of) {
            let place = &mut next[node as usize];
            vertices[*place as usize] = v;
            *place += 1;
        }
        let member = |vertex: u32| Member { vertex, share: share(vertex), free: 0.0 };
        self.members = vertices.into_iter().map(member).collect();
    }

    /// Computes the centres of the active nodes, and gives them their inverse masses.
    fn restrict(&mut self, x: &[Packed], level: Level) {
        let Self { members, ends, inv_mass, centre, active_nodes, .. } = self;
        dispatch!(level, simd => {
            for node in active_nodes.runs().flatten() {
                let mut sum = Quad::splat(simd, 0.0);
                for member in node_members(members, ends, node) {
                    let x = Quad::load_array_ref(simd, x[member.vertex as usize].as_ref());
                    sum += x * member.share;
                }
                centre[node] = movable(&Packed::from(sum.to_array()), inv_mass[node]);
            }
        });
    }

    /// Applies the displacement of each active node to its free vertices.
    fn prolongate(&self, x: &mut [Packed], level: Level) {
        let Self { members, ends, centre, start, active_nodes, .. } = self;
        dispatch!(level, simd => {
            for node in active_nodes.runs().flatten() {
                let shift = Quad::load_array(simd, (centre[node] - start[node]).into());
                for member in node_members(members, ends, node) {
                    let x = &mut x[member.vertex as usize];
                    let moved = Quad::load_array_ref(simd, (*x).as_ref()) + shift * member.free;
                    *x = Packed::from(moved.to_array());
                }
            }
        });
    }

    /// The springs between patches: all edges across, in parallel; in series over the distance of the
    /// centres.
    ///
    /// A patch with a fold that will unfold has none: its centre will move.
    fn node_springs(&self, input: &CoarseInput<'_>) -> Vec<Spring> {
        let normals = self.normals(input);
        let mut unfolds = vec![false; self.inv_mass.len()];
        input.unfolding.iter().for_each(|&v| unfolds[self.node_of[v as usize] as usize] = true);
        let mut across: Vec<([u32; 2], Spring)> = input
            .springs
            .iter()
            .map(|s| ([self.node_of[s.a as usize], self.node_of[s.b as usize]], *s))
            .filter(|(nodes, _)| nodes[0] != nodes[1] && !nodes.iter().any(|&node| unfolds[node as usize]))
            .map(|([a, b], s)| ([a.min(b), a.max(b)], s))
            .collect();
        across.sort_by_key(|(nodes, s)| (*nodes, s.a, s.b));
        let joined = across.chunk_by(|p, q| p.0 == q.0).map(|springs| {
            let [a, b] = springs[0].0;
            let rest = self.rest_length(a, b, &normals, springs, input);
            let stiffness: f32 = springs.iter().map(|(_, s)| s.rest / s.compliance).sum::<f32>() / rest;
            Spring { a, b, rest, compliance: 1.0 / stiffness }
        });
        joined.filter(|s| s.rest.is_finite() && s.compliance.is_finite()).collect()
    }

    /// The distance of two centres along the cloth: the chord, bent open by the angle of the patches'
    /// normals, and scaled by what the pose stretches the edges between them.
    fn rest_length(
        &self,
        a: u32,
        b: u32,
        normals: &[Vector3<f32>],
        springs: &[([u32; 2], Spring)],
        input: &CoarseInput<'_>,
    ) -> f32 {
        let chord = difference(&self.centre[b as usize], &self.centre[a as usize]).norm();
        let cosine = normals[a as usize].dot(&normals[b as usize]).clamp(-1.0, 1.0);
        let sine_of_half = (0.5 * (1.0 - cosine)).sqrt();
        let bend = if sine_of_half > 1e-3 { libm::asinf(sine_of_half) / sine_of_half } else { 1.0 };
        let posed: f32 =
            springs.iter().map(|(_, s)| (input.rest[s.a as usize] - input.rest[s.b as usize]).norm()).sum();
        let wanted: f32 = springs.iter().map(|(_, s)| s.rest).sum();
        chord * bend * if posed > 0.0 { wanted / posed } else { 1.0 }
    }

    fn normals(&self, input: &CoarseInput<'_>) -> Vec<Vector3<f32>> {
        let mut normals = vec![Vector3::zeros(); self.inv_mass.len()];
        for f in input.faces {
            let [a, b, c] = f.map(|v| input.rest[v as usize]);
            let normal = (b - a).cross(&(c - a));
            for &v in f {
                normals[self.node_of[v as usize] as usize] += normal;
            }
        }
        normals.iter().map(|n| n.try_normalize(0.0).unwrap_or_default()).collect()
    }

    /// Projects the springs between patches.
    pub(crate) fn project(&mut self, bodies: &mut Bodies<'_>) {
        self.restrict(bodies.x, bodies.level);
        self.start.copy_from_slice(&self.centre);
        let inv_h_sq = 1.0 / (bodies.h * bodies.h);
        for _ in 0..PASSES {
            for run in self.active.runs() {
                let (springs, centre) = (&self.springs[run], &mut self.centre);
                dispatch!(bodies.level, simd => pull(simd, springs, centre, inv_h_sq));
            }
        }
        self.prolongate(bodies.x, bodies.level);
    }
}

/// One pass over unilateral springs, in order.
#[inline(always)]
fn pull<S: Instructions>(simd: S, blocks: &[SpringBlock], centre: &mut [Packed], inv_h_sq: f32) {
    let (zero, least, inv_h_sq) = (simd.splat(0.0), simd.splat(MIN_LENGTH), simd.splat(inv_h_sq));
    for block in blocks {
        in_parts(
            simd,
            &block.a,
            #[inline(always)]
            |part| {
                let (a, w_a) = gather(simd, centre, &block.a, part);
                let (b, w_b) = gather(simd, centre, &block.b, part);
                let sep = minus(&b, &a);
                let length = greater(norm(&sep), least);
                // Branch-free: which springs are taut is unpredictable.
                let longer = greater(length - simd.load(&block.rest, part), zero);
                let weight = w_a + w_b + simd.load(&block.compliance, part) * inv_h_sq;
                let pull = scaled(&sep, longer / (weight * length));
                scatter(simd, plus_scaled(&a, &pull, w_a), w_a, (&block.a, part), centre);
                scatter(simd, plus_scaled(&b, &pull, -w_b), w_b, (&block.b, part), centre);
            },
        );
    }
}

/// Patches: vertices in one cell of a grid over the rest shape, joined by springs within the cell. Pinned
/// vertices are patches by themselves. Numbered by their first vertex.
fn patches(input: &CoarseInput<'_>, size: f32) -> (Vec<u32>, usize) {
    let count = input.rest.len();
    let corner = input.rest.iter().fold(Point3::from([f32::INFINITY; 3]), |m, p| m.inf(p));
    // Half an edge off, so that vertices of a regular grid never lie on the border of a cell.
    let cell =
        |v: usize| (input.rest[v] - corner).map(|c| ((c + 0.5 * input.edge_length) / size).floor() as i32);
    let mut joined = DisjointSets::new(count);
    for s in input.springs {
        let (a, b) = (s.a as usize, s.b as usize);
        if input.inv_mass[a] > 0.0 && input.inv_mass[b] > 0.0 && cell(a) == cell(b) {
            joined.join(s.a, s.b);
        }
    }
    let mut number = vec![u32::MAX; count];
    let mut nodes = 0;
    let node_of = (0..count as u32)
        .map(|v| {
            let first = joined.find(v) as usize;
            if number[first] == u32::MAX {
                number[first] = nodes;
                nodes += 1;
            }
            number[first]
        })
        .collect();
    (node_of, nodes as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cloth_geom::Topology;
    use cloth_geom::fixtures::sheet;

    /// The number of levels of a square sheet of so many vertices a side, some of them pinned.
    fn count(side: usize, pinned: impl Fn(usize) -> bool) -> usize {
        let flat = sheet(side, side, [1.0, 1.0]).unwrap().mesh;
        let rest = flat.positions_f32();
        let topology = Topology::of_mesh(&flat).unwrap();
        let spring = |&[a, b]: &[u32; 2]| {
            let length = (rest[b as usize] - rest[a as usize]).norm();
            Spring { a, b, rest: length, compliance: 1e-4 }
        };
        let springs: Vec<Spring> = topology.edges().iter().map(spring).collect();
        let inv_mass: Vec<f32> = (0..rest.len()).map(|v| if pinned(v) { 0.0 } else { 1e5 }).collect();
        let edge_length = 1.0 / (side - 1) as f32;
        let faces = topology.faces();
        let inv_mass = &inv_mass;
        let input =
            CoarseInput { rest: &rest, faces, springs: &springs, inv_mass, unfolding: &[], edge_length };
        levels(&input).len()
    }

    #[test]
    fn a_cloth_that_is_larger_in_edges_has_more_levels() {
        assert_eq!([9, 64, 250].map(|side| count(side, |_| false)), [2, 2, 3]);
    }

    #[test]
    fn pins_that_each_are_a_patch_make_no_levels_without_end() {
        assert_eq!(count(64, |v| v % 64 == 0), 2);
        assert_eq!(count(64, |_| true), 2);
    }
}
