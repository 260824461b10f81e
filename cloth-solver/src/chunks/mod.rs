//! Chunks: neighbouring vertices, whose positions lie side by side while they are solved.
//!
//! Each thread has two chunks: the vertices near those of other threads, and the others. The order in which
//! constraints are solved (`constraints/schedule/mod.rs`) does not depend on them.
//!
//! ```text
//! vertices    0 1 2 3 ...                     of all parts, as the caller numbers them
//! slots       | chunk 0    | chunk 1     | ...
//! ```

#[cfg(test)]
mod tests;

use std::ops::Range;

use cloth_disjoint::{MOST_PARTS, Parts};
use nalgebra::Point3;

/// Least number of vertices of a thread. For 4,096 vertices two threads take 0.8 of the time of one
/// (`docs/design/solver-threads.md`).
const LEAST_VERTICES: usize = 2048;

/// Vertices that are near each other without being brought into an order.
const LEAST_CUT: usize = 64;

/// Most threads that have vertices of their own.
pub(crate) const MOST_WORKERS: usize = MOST_PARTS / 2;

/// The number of workers for so many vertices and threads.
pub(crate) fn workers(vertices: usize, threads: usize) -> usize {
    threads.min(vertices / LEAST_VERTICES)
}

/// The slot of each vertex.
#[derive(Clone, Debug)]
pub(crate) struct Chunks {
    slots: Vec<u32>,
    /// The vertex in each slot.
    vertices: Vec<u32>,
    /// The chunk of each slot, ascending.
    parts: Parts,
    /// The number of chunks.
    count: usize,
}

impl Default for Chunks {
    fn default() -> Self {
        Self::with_chunk_of(&[], 0)
    }
}

impl Chunks {
    /// Divides the vertices of parts among at most so many workers, each of which gets as many: one part
    /// after the other, each in an order in which neighbours are near each other. Links are neighbours.
    pub(crate) fn new(
        rest: &[Point3<f32>],
        parts: impl IntoIterator<Item = Range<usize>>,
        links: impl Iterator<Item = [u32; 2]> + Clone,
        workers: usize,
    ) -> Self {
        let workers = workers.min(MOST_WORKERS);
        if workers <= 1 {
            return Self::with_chunk_of(&vec![0; rest.len()], 1);
        }
        let mut order: Vec<u32> = (0..rest.len() as u32).collect();
        parts.into_iter().for_each(|part| bisect(&mut order[part], rest));
        let mut worker_of = vec![0; rest.len()];
        for (place, &v) in order.iter().enumerate() {
            worker_of[v as usize] = (place * workers / rest.len()) as u8;
        }
        // Vertices within two links of those of another worker are on its border.
        let mut is_border = vec![false; rest.len()];
        for [a, b] in links.clone().filter(|[a, b]| worker_of[*a as usize] != worker_of[*b as usize]) {
            (is_border[a as usize], is_border[b as usize]) = (true, true);
        }
        let first = is_border.clone();
        for [a, b] in links.filter(|[a, b]| first[*a as usize] || first[*b as usize]) {
            (is_border[a as usize], is_border[b as usize]) = (true, true);
        }
        let chunk = |(&worker, is_border): (&u8, bool)| 2 * worker + u8::from(!is_border);
        let chunk_of: Vec<u8> = worker_of.iter().zip(is_border).map(chunk).collect();
        Self::with_chunk_of(&chunk_of, 2 * workers)
    }

    /// The number of workers.
    pub(crate) fn workers(&self) -> usize {
        self.count().div_ceil(2)
    }

    /// The chunks of vertices, given the chunk of each, in which they are in ascending order.
    pub(crate) fn with_chunk_of(chunk_of: &[u8], count: usize) -> Self {
        let mut vertices: Vec<u32> = (0..chunk_of.len() as u32).collect();
        vertices.sort_by_key(|&vertex| chunk_of[vertex as usize]);
        let mut slots = vec![0; vertices.len()];
        (0..).zip(&vertices).for_each(|(slot, &vertex)| slots[vertex as usize] = slot);
        let of_slots = vertices.iter().map(|&vertex| chunk_of[vertex as usize]).collect();
        Self { slots, parts: Parts::new(of_slots).expect("at most 32 chunks"), vertices, count }
    }

    /// The number of chunks.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// The slot of each vertex.
    pub(crate) fn slots(&self) -> &[u32] {
        &self.slots
    }

    /// The slot of each vertex, if they differ from the vertices.
    pub(crate) fn reordered(&self) -> Option<&[u32]> {
        (self.count() > 1).then_some(&*self.slots)
    }

    /// The vertex in each slot.
    pub(crate) fn vertices(&self) -> &[u32] {
        &self.vertices
    }

    /// The chunk of a vertex.
    pub(crate) fn chunk_of(&self, vertex: u32) -> u8 {
        self.parts.of_items()[self.slots[vertex as usize] as usize]
    }

    /// The chunks as parts of all slots.
    pub(crate) fn parts(&self) -> &Parts {
        &self.parts
    }
}

/// Brings vertices into an order in which each half, each quarter and so on lies on one side of a cut across
/// the longest side of the whole.
fn bisect(vertices: &mut [u32], rest: &[Point3<f32>]) {
    if vertices.len() <= LEAST_CUT {
        return;
    }
    let at = |v: &u32| rest[*v as usize];
    let low = vertices.iter().fold(Point3::from([f32::INFINITY; 3]), |low, v| low.inf(&at(v)));
    let high = vertices.iter().fold(Point3::from([f32::NEG_INFINITY; 3]), |high, v| high.sup(&at(v)));
    let axis = (high - low).imax();
    let middle = vertices.len() / 2;
    vertices.select_nth_unstable_by(middle, |a, b| at(a)[axis].total_cmp(&at(b)[axis]).then(a.cmp(b)));
    let (below, above) = vertices.split_at_mut(middle);
    bisect(below, rest);
    bisect(above, rest);
}
