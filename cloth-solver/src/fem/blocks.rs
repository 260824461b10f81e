//! Loops and sums over vertices in fixed blocks: the same bits on any number of threads.

use rayon::prelude::*;

use super::sparse::Packed;

/// Entries of a partial sum.
pub(crate) const SUM_BLOCK: usize = 256;

/// Whether the caller is a thread of a pool of several.
fn has_threads() -> bool {
    rayon::current_thread_index().is_some() && rayon::current_num_threads() > 1
}

/// Calls `work` for each block of `size` items with the number of its first item.
pub(crate) fn for_each<T: Send>(items: &mut [T], size: usize, work: impl Fn(usize, &mut [T]) + Send + Sync) {
    if items.len() > size && has_threads() {
        items.par_chunks_mut(size).enumerate().for_each(|(block, items)| work(block * size, items));
    } else {
        items.chunks_mut(size).enumerate().for_each(|(block, items)| work(block * size, items));
    }
}

/// The scalar product: partial sums of [`SUM_BLOCK`] entries, added in order.
pub(crate) fn dot(a: &[Packed], b: &[Packed]) -> f64 {
    let partial = |(a, b): (&[Packed], &[Packed])| {
        let sums = a.iter().zip(b).fold(Packed::zeros(), |sum, (a, b)| sum + a.component_mul(b));
        (sums.x + sums.y) + (sums.z + sums.w)
    };
    a.chunks(SUM_BLOCK).zip(b.chunks(SUM_BLOCK)).map(partial).sum()
}
