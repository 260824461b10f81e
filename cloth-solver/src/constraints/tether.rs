//! Tethers: a vertex stays within the geodesic distance of its anchors.
//!
//! Long-range attachments (Kim, Chentanez and Mueller-Fischer 2012). With the anchor at `a`, immovable, the
//! constraint is `C = |x - a| - limit <= 0`, `limit = (1 + max_stretch) geodesic`. Its gradient is the unit
//! vector from `a` to `x`, so XPBD with `a = compliance / h^2` gives, and only ever pulls,
//!
//! ```text
//!   dl = max(0, C - a l) / (w + a)        x -= w dl (x - a) / |x - a|
//! ```
//!
//! A load reaches the anchor in one pass, however long the cloth. Tethers move free vertices and read
//! anchors, which none of them moves; those of one rank (nearest anchor, second nearest, ...) move one vertex
//! each, so eight are projected at once, in any order. Anchors are treated as immovable even where they are
//! attached softly: a tether then bears load that the attachment never feels, and momentum is not conserved.

use std::ops::IndexMut;
use std::sync::Arc;

use nalgebra::{Point3, Vector3};

use super::lanes::{
    Ids, Instructions, MIN_LENGTH, Numbers, dispatch, gather, greater, in_parts, minus, norm, octets,
    plus_scaled, scatter,
};
use super::{BetweenLevels, ClothInput, Constraint, Multipliers, Pass};
use crate::Tethers;
use crate::active::ActiveRuns;
use crate::bodies::{Bodies, Packed};
use crate::geodesic::{GeodesicGraph, nearest, rounded_up};

/// Maximum number of hinges that a straight line may cross. On a grid with parallel diagonals, lengths are
/// then at most 2.8 % too long; see `docs/design/controls.md`.
pub(super) const HINGES: u32 = 4;

/// The tethers of one cloth.
#[derive(Clone, Debug)]
pub(crate) struct ClothTethers {
    desc: Tethers,
    graph: Arc<GeodesicGraph>,
    /// The first vertex of the cloth in the common arrays.
    offset: u32,
    attached: Vec<u32>,
    /// The pinned vertices when the tethers were last rebuilt.
    pinned: Vec<bool>,
    stale: bool,
    blocks: Vec<TetherBlock>,
    /// The tethers to attached vertices, ascending: anchor, block and lane.
    to_attached: Vec<(u32, usize, usize)>,
    active: ActiveRuns,
}

/// Eight tethers of one rank.
#[derive(Clone, Copy, Debug, PartialEq)]
struct TetherBlock {
    vertex: Ids,
    anchor: Ids,
    /// Maximum distance (m).
    limit: Numbers,
    lambda: Numbers,
}

impl Constraint for Vec<ClothTethers> {
    fn add_cloth(&mut self, cloth: &ClothInput<'_>) {
        if let (Some(tethers), Some(graph)) = (cloth.cloth.tethers, &cloth.prepared.graph) {
            let graph = graph.clone();
            let attached = cloth.cloth.attachments.iter().map(|a| a.vertex).collect();
            self.push(ClothTethers::new(tethers, graph, cloth.offset, attached));
        }
    }

    fn update_masses(&mut self, inv_mass: &[f32]) {
        self.iter_mut().for_each(|tethers| tethers.update_masses(inv_mass));
    }

    fn update_pins(&mut self, awake_inv_mass: &[f32], inv_mass: &[f32]) {
        for tethers in self {
            if tethers.rebuild_if_stale(awake_inv_mass) {
                tethers.set_masses(inv_mass);
            }
        }
    }

    fn project(&mut self, bodies: &mut Bodies<'_>, pass: Pass, _: BetweenLevels<'_>) {
        self.iter_mut().for_each(|tethers| tethers.project(bodies, pass.multipliers()));
    }
}

impl ClothTethers {
    /// Tethers of one cloth whose vertices begin at `offset`; `attached` are its own vertex indices.
    pub(crate) fn new(desc: Tethers, graph: Arc<GeodesicGraph>, offset: u32, attached: Vec<u32>) -> Self {
        Self {
            desc,
            graph,
            offset,
            attached,
            pinned: Vec::new(),
            stale: true,
            blocks: Vec::new(),
            to_attached: Vec::new(),
            active: ActiveRuns::default(),
        }
    }

    /// Rebuilds the tethers before the next step for these attached vertices, in the common arrays.
    pub(crate) fn set_attached(&mut self, attached: impl Iterator<Item = u32>) {
        let own = self.offset..self.offset + self.graph.vertex_count() as u32;
        self.attached = attached.filter(|v| own.contains(v)).map(|v| v - self.offset).collect();
        self.pinned.clear();
        self.stale = true;
    }

    /// What the tethers to an attached vertex have pulled at the cloth in a substep (`lambda`, kg m), at these
    /// positions (m).
    pub(crate) fn pull_to(&self, anchor: u32, x: &[Point3<f32>]) -> Vector3<f32> {
        let first = self.to_attached.partition_point(|tether| tether.0 < anchor);
        let own = self.to_attached[first..].iter().take_while(|tether| tether.0 == anchor);
        own.map(|&(_, block, lane)| {
            let block = &self.blocks[block];
            let apart = x[anchor as usize] - x[block.vertex[lane] as usize];
            apart.try_normalize(0.0).unwrap_or_default() * block.lambda[lane]
        })
        .sum()
    }

    /// Updates the masses. If the pinned vertices have changed, the tethers are rebuilt before the next step.
    pub(crate) fn update_masses(&mut self, inv_mass: &[f32]) {
        let own = &inv_mass[self.offset as usize..][..self.graph.vertex_count()];
        self.stale |= !own.iter().map(|&w| w == 0.0).eq(self.pinned.iter().copied());
        self.set_masses(inv_mass);
    }

    fn set_masses(&mut self, inv_mass: &[f32]) {
        let can_move = |block: &TetherBlock| block.vertex.iter().any(|&v| inv_mass[v as usize] > 0.0);
        self.active.update(self.blocks.iter().map(can_move));
    }

    /// Rebuilds the tethers if the anchors have changed; returns whether they have.
    pub(crate) fn rebuild_if_stale(&mut self, inv_mass: &[f32]) -> bool {
        let own = &inv_mass[self.offset as usize..][..self.graph.vertex_count()];
        // Sleeping cloth is immovable, but not pinned.
        if !std::mem::take(&mut self.stale) || own.iter().map(|&w| w == 0.0).eq(self.pinned.iter().copied()) {
            return false;
        }
        self.pinned = own.iter().map(|&w| w == 0.0).collect();
        let mut is_anchor = self.pinned.clone();
        self.attached.iter().for_each(|&v| is_anchor[v as usize] = true);
        let anchors: Vec<u32> = (0..is_anchor.len() as u32).filter(|&v| is_anchor[v as usize]).collect();
        let nearest = nearest(&self.graph, &anchors, self.desc.anchors as usize);
        self.blocks.clear();
        for rank in 0..self.desc.anchors as usize {
            let free = nearest.iter().enumerate().filter(|&(v, _)| !is_anchor[v]);
            let tethers: Vec<(u32, u32, f32)> = free
                .filter_map(|(v, anchors)| {
                    anchors.get(rank).map(|&(a, length)| (v as u32, a, self.limit(length)))
                })
                .collect();
            let blocks = octets(tethers.len()).map(|octet| self.block(octet.map(|i| tethers[i])));
            let blocks: Vec<TetherBlock> = blocks.collect();
            self.blocks.extend(blocks);
        }
        let is_attached = |anchor: u32| self.attached.contains(&(anchor - self.offset));
        let lanes = self.blocks.iter().enumerate().flat_map(|(b, block)| {
            // The last block of a rank repeats its last tether.
            let is_repeated = |l: usize| l > 0 && block.vertex[l] == block.vertex[l - 1];
            (0..8).filter(move |&l| !is_repeated(l)).map(move |l| (block.anchor[l], b, l))
        });
        self.to_attached = lanes.filter(|&(anchor, ..)| is_attached(anchor)).collect();
        self.to_attached.sort_unstable();
        self.set_masses(inv_mass);
        true
    }

    fn limit(&self, length: f64) -> f32 {
        rounded_up(length * (1.0 + f64::from(self.desc.max_stretch)))
    }

    fn block(&self, tethers: [(u32, u32, f32); 8]) -> TetherBlock {
        TetherBlock {
            vertex: tethers.map(|(v, _, _)| v + self.offset),
            anchor: tethers.map(|(_, a, _)| a + self.offset),
            limit: tethers.map(|(_, _, limit)| limit),
            lambda: [0.0; 8],
        }
    }

    /// One pass over the tethers, rank by rank.
    pub(crate) fn project(&mut self, bodies: &mut Bodies<'_>, multipliers: Multipliers) {
        // Those of attached vertices are part of a force.
        let multipliers = Multipliers { end: multipliers.end && self.attached.is_empty(), ..multipliers };
        let softness = self.desc.compliance / (bodies.h * bodies.h);
        let x = &mut bodies.x;
        for run in self.active.runs() {
            let blocks = &mut self.blocks[run];
            dispatch!(bodies.level, simd => {
                for block in blocks {
                    let ids = block.vertex;
                    in_parts(
                        simd,
                        &ids,
                        #[inline(always)]
                        |part| block.project(simd, part, x, softness, multipliers),
                    );
                }
            });
        }
    }
}

impl TetherBlock {
    /// Projects the tethers of a part.
    #[inline(always)]
    fn project<S: Instructions>(
        &mut self,
        simd: S,
        part: usize,
        positions: &mut impl IndexMut<usize, Output = Packed>,
        softness: f32,
        multipliers: Multipliers,
    ) {
        let softness = simd.splat(softness);
        let (x, w) = gather(simd, part, |l| &positions[self.vertex[l] as usize]);
        let sep = minus(&gather(simd, part, |l| &positions[self.anchor[l] as usize]).0, &x);
        let length = greater(norm(&sep), simd.splat(MIN_LENGTH));
        let lambda = multipliers.load(simd, &self.lambda, part);
        // Branch-free: which tethers are taut is unpredictable.
        let too_long = length - simd.load(&self.limit, part) - softness * lambda;
        // One division for both the multiplier and the direction.
        let scale = greater(too_long, simd.splat(0.0)) / ((w + softness) * length);
        multipliers.store(simd, lambda + scale * length, &mut self.lambda, part);
        let moved = plus_scaled(&x, &sep, w * scale);
        scatter(simd, part, moved, w, |l, position| positions[self.vertex[l] as usize] = position);
    }
}

#[cfg(test)]
mod tests;
