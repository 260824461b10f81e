//! Side by side on the threads of the pool that the caller runs in; outside any pool one after the other.
//!
//! What is done side by side writes to places of its own, in numbers that do not depend on the threads, so
//! results do not either.

use rayon::prelude::*;

/// Whether the caller is a thread of a pool of several.
pub(crate) fn is_on() -> bool {
    rayon::current_thread_index().is_some() && rayon::current_num_threads() > 1
}

/// Calls `work` with the index of each item; `at_once` items form one task.
pub(crate) fn for_each_numbered<T: Send>(
    items: &mut [T],
    at_once: usize,
    work: impl Fn(usize, &mut T) + Send + Sync,
) {
    let numbered = |(number, item): (usize, &mut T)| work(number, item);
    if items.len() > at_once && is_on() {
        items.par_iter_mut().enumerate().with_min_len(at_once).for_each(numbered);
    } else {
        items.iter_mut().enumerate().for_each(numbered);
    }
}

/// Calls `work` for consecutive groups of `size` items, the last of which may be shorter; `at_once` groups
/// form one task.
pub(crate) fn for_each_group<T: Send>(
    items: &mut [T],
    size: usize,
    at_once: usize,
    work: impl Fn(&mut [T]) + Send + Sync,
) {
    if items.len() > size * at_once && is_on() {
        items.par_chunks_mut(size).with_min_len(at_once).for_each(work);
    } else {
        items.chunks_mut(size).for_each(work);
    }
}

/// Does both.
pub(crate) fn join(a: impl FnOnce() + Send, b: impl FnOnce() + Send) {
    if is_on() {
        rayon::join(a, b);
    } else {
        a();
        b();
    }
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
    if items.len() > at_once && is_on() {
        let tasks = items.len().div_ceil(at_once);
        memories.resize_with(memories.len().max(tasks), Vec::new);
        let made = items.par_chunks(at_once).zip(&mut memories[..tasks]);
        made.with_max_len(1).for_each(|(chunk, memory)| memory.extend(chunk.iter().filter_map(&make)));
        memories[..tasks].iter_mut().for_each(|memory| out.append(memory));
    } else {
        out.extend(items.iter().filter_map(make));
    }
}

/// Sorts items whose keys differ.
pub(crate) fn sort_by_key<T: Send, K: Ord>(items: &mut [T], key: impl Fn(&T) -> K + Sync) {
    if is_on() {
        items.par_sort_unstable_by_key(key);
    } else {
        items.sort_unstable_by_key(key);
    }
}
