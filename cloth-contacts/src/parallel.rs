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

/// Calls `work` for consecutive groups of `size` items, the last of which may be shorter; `at_once` groups
/// form one task.
pub(crate) fn for_each_group<T: Send>(
    items: &mut [T],
    size: usize,
    at_once: usize,
    work: impl Fn(&mut [T]) + Send + Sync,
) {
    #[cfg(feature = "rayon")]
    if items.len() > size * at_once && is_on() {
        return items.par_chunks_mut(size).with_min_len(at_once).for_each(work);
    }
    items.chunks_mut(size).for_each(work);
}

/// Runs both, in parallel if the caller is in a pool.
pub(crate) fn join(a: impl FnOnce() + Send, b: impl FnOnce() + Send) {
    #[cfg(feature = "rayon")]
    if is_on() {
        rayon::join(a, b);
        return;
    }
    a();
    b();
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
    #[cfg(feature = "rayon")]
    if items.len() > at_once && is_on() {
        let tasks = items.len().div_ceil(at_once);
        memories.resize_with(memories.len().max(tasks), Vec::new);
        let made = items.par_chunks(at_once).zip(&mut memories[..tasks]);
        made.with_max_len(1).for_each(|(chunk, memory)| memory.extend(chunk.iter().filter_map(&make)));
        return memories[..tasks].iter_mut().for_each(|memory| out.append(memory));
    }
    out.extend(items.iter().filter_map(make));
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
