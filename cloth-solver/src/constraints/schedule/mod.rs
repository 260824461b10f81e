//! The order in which the constraints of a kind are projected, by one thread or several.
//!
//! Constraints are coloured: those of a colour share no vertex (`colouring.rs`), and one colour follows the
//! other. So each constraint waits for few, and the order within a colour changes no bit.
//!
//! ```text
//!                 thread 0                                        thread 1
//! colour 0   border 0 with border 1, border 0, interior 0     border 1, interior 1
//! colour 1   border 0 with border 1, border 0, interior 0     border 1, interior 1
//! ```
//!
//! Nothing waits for a whole colour: a task, the constraints of one colour that lie in the same chunks, begins
//! when all that come before it in its chunks have ended ([`Groups`]). Within a colour, constraints between the
//! threads come first, then those on their borders, then all others; so while a thread works on these, what
//! others wait for has long been done.

use std::sync::Arc;

use cloth_disjoint::{Access, Groups, Passes, Slices, threads};
use cloth_geom::lanes::Level;

use super::lanes::{Instructions, LANES8, dispatch, eights, in_parts};
use crate::bodies::Packed;
use crate::chunks::Chunks;
use crate::colouring::{by_colour, colours};

/// Least number of blocks for several threads: fewer take less time than it takes to share them.
const LEAST_BLOCKS: usize = 64;

/// Least number of items for several threads.
const LEAST_ITEMS: usize = 512;

/// Positions (m) of the vertices of a block, now and at the start of the substep.
pub(crate) type BlockPositions<'a, const N: usize> = Access<'a, Packed, N, LANES8>;

/// Eight constraints of a kind that share no vertex; a shorter block repeats its last one.
pub(crate) trait ConstraintBlock<const N: usize>: Send {
    /// What is the same for all blocks of a projection.
    type Pass: Copy + Sync;

    /// Projects the constraints of a part.
    fn project<S: Instructions>(
        &mut self,
        simd: S,
        part: usize,
        positions: &mut BlockPositions<'_, N>,
        pass: Self::Pass,
    );
}

/// Constraints of a kind, in blocks.
#[derive(Clone, Debug)]
pub(crate) struct Chunked<B, const N: usize> {
    chunks: Arc<Chunks>,
    /// Colour by colour.
    blocks: Groups<B, N, LANES8>,
}

impl<B, const N: usize> Default for Chunked<B, N> {
    fn default() -> Self {
        Self { chunks: Default::default(), blocks: Groups::default() }
    }
}

impl<B: ConstraintBlock<N>, const N: usize> Chunked<B, N> {
    /// The blocks of constraints. `block` makes one.
    ///
    /// # Panics
    /// If a constraint has a vertex that is not there, or one twice.
    pub(crate) fn new<C: Copy>(
        chunks: &Arc<Chunks>,
        constraints: &[C],
        vertices: impl Fn(&C) -> [u32; N],
        block: impl Fn([C; LANES8]) -> B,
    ) -> Self {
        let colours = colours(chunks.slots().len(), constraints.len(), |i| vertices(&constraints[i]));
        let mut order = by_colour(&colours);
        let colour = |i: u32| colours[i as usize];
        let own = |i: u32| ChunkSet::new(vertices(&constraints[i as usize]).map(|v| chunks.chunk_of(v)));
        if chunks.count() > 1 {
            let of_colours = order.chunk_by_mut(|a, b| colour(*a) == colour(*b));
            of_colours.for_each(|of_colour| of_colour.sort_by_key(|i| own(*i)));
        }
        let mut blocks = Groups::default();
        let mut fill = blocks.refill(chunks.parts());
        for task in order.chunk_by(|a, b| colour(*a) == colour(*b) && own(*a) == own(*b)) {
            let constraint = |i: usize| constraints[task[i] as usize];
            let eights = eights(task.len(), |i| vertices(&constraint(i))).into_iter();
            let added = fill.task(eights.map(|eight| {
                let eight = eight.map(constraint);
                let slots = eight.map(|constraint| vertices(&constraint).map(|v| chunks.slots()[v as usize]));
                (std::array::from_fn(|k| slots.map(|slots| slots[k])), block(eight))
            }));
            added.expect("constraints of different vertices");
        }
        Self { chunks: chunks.clone(), blocks }
    }

    /// Updates which blocks can move something, given inverse masses. Leaving the others out changes no bit.
    pub(crate) fn update_masses(&mut self, inv_mass: &[f32]) {
        let vertices = self.chunks.vertices();
        let moves = |slot: &u32| inv_mass[vertices[*slot as usize] as usize] > 0.0;
        self.blocks.choose_tasks(|ids| ids.iter().flatten().any(moves));
    }

    /// Whether each vertex belongs to constraints that can move something, or to others of their task.
    pub(crate) fn active_vertices(&self) -> Vec<bool> {
        let mut active = vec![false; self.chunks.slots().len()];
        let slots = self.blocks.chosen().flatten().flatten();
        slots.for_each(|&slot| active[self.chunks.vertices()[slot as usize] as usize] = true);
        active
    }

    /// Projects all constraints `passes` times, on the threads of the pool that the caller runs in; given
    /// positions in slots, now and at the start of the substep.
    pub(crate) fn project(
        &mut self,
        level: Level,
        positions: Slices<'_, Packed>,
        passes: u32,
        pass: B::Pass,
    ) {
        let workers = self.chunks.workers().min(threads());
        let threads = if self.blocks.count() < LEAST_BLOCKS { 1 } else { workers };
        self.blocks.project(positions, Passes { count: passes, threads }, |task| {
            dispatch!(level, simd => task.for_each(
                #[inline(always)]
                |block, positions| {
                    let ids = positions.ids()[0];
                    in_parts(
                        simd,
                        &ids,
                        #[inline(always)]
                        |part| block.project(simd, part, positions, pass),
                    );
                },
            ));
        });
    }
}

/// The chunks of a constraint, in the order in which those of a colour are projected: first what lies between
/// workers (0), then their borders (1), then their interiors (2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct ChunkSet {
    rank: u8,
    chunks: u32,
}

impl ChunkSet {
    fn new<const N: usize>(chunks: [u8; N]) -> Self {
        let is_shared = chunks.iter().any(|chunk| chunk / 2 != chunks[0] / 2);
        let first = chunks.iter().min().map_or(0, |first| first % 2);
        let chunks = chunks.iter().fold(0, |set, chunk| set | 1 << chunk);
        Self { rank: if is_shared { 0 } else { 1 + first }, chunks }
    }
}

/// The number of items for a worker, of so many: all of them where threads would gain nothing.
pub(crate) fn items_at_once(chunks: &Chunks, items: usize) -> usize {
    if items < LEAST_ITEMS { items } else { items.div_ceil(chunks.workers().max(1)) }
}

#[cfg(test)]
mod tests;
