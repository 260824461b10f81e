//! Parallel loops on the threads of the rayon pool that the caller runs in; one after the other outside any
//! pool, and without the feature `rayon`.
//!
//! What is done side by side writes to places of its own, in numbers that do not depend on the threads, so
//! results do not either.

#![cfg_attr(not(feature = "rayon"), allow(unused_variables, clippy::ptr_arg, reason = "for tasks"))]

#[cfg(feature = "rayon")]
use rayon::prelude::*;

/// Whether the caller is a thread of a pool of several.
#[cfg(feature = "rayon")]
fn is_on() -> bool {
    rayon::current_thread_index().is_some() && rayon::current_num_threads() > 1
}

/// Calls `work` with the index of each item; `at_once` items form one task.
pub(crate) fn for_each_numbered<T: Send>(
    items: &mut [T],
    at_once: usize,
    work: impl Fn(usize, &mut T) + Send + Sync,
) {
    let numbered = |(number, item): (usize, &mut T)| work(number, item);
    #[cfg(feature = "rayon")]
    if items.len() > at_once && is_on() {
        return items.par_iter_mut().enumerate().with_min_len(at_once).for_each(numbered);
    }
    items.iter_mut().enumerate().for_each(numbered);
}

/// Slices of one length, or none of them, that are divided among threads.
pub trait Pieces: Send + Sized {
    /// The number of items.
    fn count(&self) -> usize;

    /// The items before and from `middle` on.
    fn cut(self, middle: usize) -> (Self, Self);
}

impl<T: Sync> Pieces for &[T] {
    fn count(&self) -> usize {
        self.len()
    }

    fn cut(self, middle: usize) -> (Self, Self) {
        self.split_at(middle)
    }
}

impl<T: Send> Pieces for &mut [T] {
    fn count(&self) -> usize {
        self.len()
    }

    fn cut(self, middle: usize) -> (Self, Self) {
        self.split_at_mut(middle)
    }
}

/// The items of the first are counted.
impl<A: Pieces, B: Pieces> Pieces for (A, B) {
    fn count(&self) -> usize {
        self.0.count()
    }

    fn cut(self, middle: usize) -> (Self, Self) {
        let ((a, after_a), (b, after_b)) = (self.0.cut(middle), self.1.cut(middle));
        ((a, b), (after_a, after_b))
    }
}

impl<A: Pieces> Pieces for Option<A> {
    fn count(&self) -> usize {
        self.as_ref().map_or(0, A::count)
    }

    fn cut(self, middle: usize) -> (Self, Self) {
        self.map(|items| items.cut(middle)).unzip()
    }
}

/// Calls `work` for consecutive pieces of `size` items, the last of which may be shorter, with the index of
/// the first item, and combines the results by `both`, whatever the division.
pub fn in_pieces<P: Pieces, R: Send>(
    items: P,
    size: usize,
    work: impl Fn(usize, P) -> R + Send + Sync,
    both: impl Fn(R, R) -> R + Send + Sync,
) -> R {
    #[cfg(feature = "rayon")]
    if items.count() > size && is_on() {
        return divide(0, items, size, &work, &both);
    }
    work(0, items)
}

#[cfg(feature = "rayon")]
fn divide<P: Pieces, R: Send>(
    first: usize,
    items: P,
    size: usize,
    work: &(impl Fn(usize, P) -> R + Send + Sync),
    both: &(impl Fn(R, R) -> R + Send + Sync),
) -> R {
    let pieces = items.count().div_ceil(size);
    if pieces <= 1 {
        return work(first, items);
    }
    let middle = pieces / 2 * size;
    let (before, after) = items.cut(middle);
    let (a, b) = rayon::join(
        || divide(first, before, size, work, both),
        || divide(first + middle, after, size, work, both),
    );
    both(a, b)
}

/// As [`in_pieces`], without results.
pub fn for_each_piece<P: Pieces>(items: P, size: usize, work: impl Fn(usize, P) + Send + Sync) {
    in_pieces(items, size, work, |(), ()| ());
}

/// Runs both, in parallel if the caller is in a pool.
pub(crate) fn join<A: Send, B: Send>(a: impl FnOnce() -> A + Send, b: impl FnOnce() -> B + Send) -> (A, B) {
    #[cfg(feature = "rayon")]
    if is_on() {
        return rayon::join(a, b);
    }
    (a(), b())
}

/// Appends what `make` appends for consecutive pieces of `size` items, given the index of the first item, in
/// order; each piece uses one of the `memories`. The sum of what it returns.
pub(crate) fn extend_in_pieces<P: Pieces, U: Send>(
    out: &mut Vec<U>,
    memories: &mut Vec<Vec<U>>,
    items: P,
    size: usize,
    make: impl Fn(usize, P, &mut Vec<U>) -> usize + Send + Sync,
) -> usize {
    #[cfg(feature = "rayon")]
    if items.count() > size && is_on() {
        let pieces = items.count().div_ceil(size);
        memories.resize_with(memories.len().max(pieces), Vec::new);
        let sum = extend_each(0, items, &mut memories[..pieces], size, &make);
        memories[..pieces].iter_mut().for_each(|memory| out.append(memory));
        return sum;
    }
    make(0, items, out)
}

#[cfg(feature = "rayon")]
fn extend_each<P: Pieces, U: Send>(
    first: usize,
    items: P,
    memories: &mut [Vec<U>],
    size: usize,
    make: &(impl Fn(usize, P, &mut Vec<U>) -> usize + Send + Sync),
) -> usize {
    if let [memory] = memories {
        return make(first, items, memory);
    }
    let pieces = memories.len() / 2;
    let ((before, after), (memories, further)) = (items.cut(pieces * size), memories.split_at_mut(pieces));
    let (a, b) = rayon::join(
        || extend_each(first, before, memories, size, make),
        || extend_each(first + pieces * size, after, further, size, make),
    );
    a + b
}

/// Appends the results of `make` for each item in order; `at_once` items form one task, which uses one of the
/// `memories`.
pub(crate) fn extend<T: Sync, U: Send>(
    out: &mut Vec<U>,
    memories: &mut Vec<Vec<U>>,
    items: &[T],
    at_once: usize,
    make: impl Fn(&T) -> Option<U> + Send + Sync,
) {
    extend_in_pieces(out, memories, items, at_once, |_, items, out| {
        out.extend(items.iter().filter_map(&make));
        0
    });
}

/// The results of `make` for each item, in order; `at_once` items form one task.
pub fn filter_map<T: Sync, U: Send>(
    items: &[T],
    at_once: usize,
    make: impl Fn(&T) -> Option<U> + Send + Sync,
) -> Vec<U> {
    let mut out = Vec::new();
    extend(&mut out, &mut Vec::new(), items, at_once, make);
    out
}

/// Sorts items whose keys differ.
pub(crate) fn sort_by_key<T: Send, K: Ord>(items: &mut [T], key: impl Fn(&T) -> K + Sync) {
    #[cfg(feature = "rayon")]
    if is_on() {
        return items.par_sort_unstable_by_key(key);
    }
    items.sort_unstable_by_key(key);
}
