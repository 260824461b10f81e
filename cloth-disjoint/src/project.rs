//! Work on groups, by one thread or several.

#![allow(unsafe_code, reason = "threads change different items of one slice")]

use std::ops::Range;

use crate::access::{Access, Task};
use crate::groups::{Group, Groups, Tasked};
use crate::turns::{MOST_THREADS, Turns};

/// What the numbers in groups are of: as many items as the groups were stored for.
pub struct Slices<'a, T> {
    /// What changes.
    pub items: &'a mut [T],
    /// What does not change.
    pub starts: &'a [T],
}

/// How often, and by how many threads.
#[derive(Clone, Copy, Debug)]
pub struct Passes {
    /// How often all tasks are done.
    pub count: u32,
    /// Most threads of the pool that the caller runs in; see [`threads`].
    pub threads: usize,
}

/// A pointer that threads share.
struct Shared<T>(*mut T);

// SAFETY: each use says which items a thread has for itself.
unsafe impl<T: Send> Sync for Shared<T> {}

impl<B: Send, const N: usize, const L: usize> Groups<B, N, L> {
    /// Does all tasks in their order, as often as said: `work` is called with each, for tasks that share no
    /// part at the same time. It must not wait for other work of the pool: the thread could take up a part of this
    /// projection that waits for the task that it is in.
    ///
    /// # Panics
    /// If there are not as many items as the groups were stored for, or `work` panics.
    pub fn project<T: Copy + Send + Sync>(
        &mut self,
        slices: Slices<'_, T>,
        Passes { count, threads }: Passes,
        work: impl Fn(Task<'_, B, T, N, L>) + Sync,
    ) {
        let Slices { items, starts } = slices;
        assert_eq!([items.len(), starts.len()], [self.items; 2], "the items that the groups were stored for");
        let (items, groups) = (Shared(items.as_mut_ptr()), Shared(self.groups.as_mut_ptr()));
        let run = |task: &Tasked| {
            let (items, groups) = (&items, &groups);
            // SAFETY: the range is one of `self.groups`. No two tasks have a group in common, and a task is not
            // done by two threads at once: the second waits for the turn after the first.
            let own =
                unsafe { std::slice::from_raw_parts_mut(groups.0.add(task.groups.start), task.groups.len()) };
            // SAFETY: `Fill::task` has compared the numbers with `self.items`, the length of both slices. A task
            // with an item in common has a part in common, and waits for its turn.
            let task = unsafe { Task::new(own, items.0, starts.as_ptr()) };
            work(task);
        };
        let threads = threads.min(MOST_THREADS);
        if threads <= 1 {
            let active = || self.tasks.iter().filter(|task| task.is_active);
            return (0..count).for_each(|_| active().for_each(run));
        }
        let turns = Turns::new(&self.tasks, &self.turns, &self.totals, count, threads);
        spread(0..threads, &|thread| turns.help(thread, &run));
    }

    /// Replaces the groups by those of others for which `choose` returns data, with their items, tasks and
    /// order: what is known of them holds for some of them too.
    ///
    /// # Panics
    /// If there are not as many items as the groups were stored for, or `choose` panics.
    pub fn select<S: Send, T: Copy + Sync>(
        &mut self,
        from: &mut Groups<S, N, L>,
        items: &[T],
        threads: usize,
        choose: impl Fn(&mut S, &Access<'_, T, N, L>) -> Option<B> + Sync,
    ) where
        B: Default,
    {
        assert_eq!(items.len(), from.items, "the items that the groups were stored for");
        // Without tasks until all are there.
        self.tasks.clear();
        (self.items, self.totals) = (from.items, from.totals);
        self.turns.clone_from(&from.turns);
        if self.groups.len() < from.groups.len() {
            self.groups.resize_with(from.groups.len(), || Group { ids: [[0; L]; N], data: B::default() });
        }
        let mut tasks = std::mem::take(&mut self.tasks);
        tasks.clone_from(&from.tasks);
        let pieces = Pieces { tasks: &mut tasks, from: &mut from.groups, to: &mut self.groups, first: 0 };
        pieces.divide(threads, &|task, from, to| {
            let mut count = 0;
            for Group { ids, data } in from {
                let items = items.as_ptr();
                // SAFETY: `Fill::task` has compared the numbers with `from.items`, the length of `items`, which
                // nothing writes to: the access is lent as shared.
                let access = unsafe { Access::new(ids, items.cast_mut(), items) };
                if let Some(data) = choose(data, &access) {
                    to[count] = Group { ids: *ids, data };
                    count += 1;
                }
            }
            task.groups.end = task.groups.start + count;
        });
        self.tasks = tasks;
    }
}

/// Tasks with their groups in two lists, from the group `first` on.
struct Pieces<'a, S, B> {
    tasks: &'a mut [Tasked],
    from: &'a mut [S],
    to: &'a mut [B],
    first: usize,
}

impl<S: Send, B: Send> Pieces<'_, S, B> {
    /// Calls `work` for each task with its groups in both lists, on so many threads.
    fn divide(self, threads: usize, work: &(impl Fn(&mut Tasked, &mut [S], &mut [B]) + Sync)) {
        let Self { tasks, from, to, first } = self;
        let middle = first + from.len() / 2;
        let tasks_before = tasks.partition_point(|task| task.groups.start < middle);
        if threads <= 1 || tasks_before == tasks.len() {
            for task in tasks {
                let own = task.groups.start - first..task.groups.end - first;
                work(task, &mut from[own.clone()], &mut to[own]);
            }
            return;
        }
        let start = tasks[tasks_before].groups.start;
        let (before, after) = tasks.split_at_mut(tasks_before);
        let ((a, b), (c, d)) = (from.split_at_mut(start - first), to.split_at_mut(start - first));
        let left = Self { tasks: before, from: a, to: c, first };
        let right = Pieces { tasks: after, from: b, to: d, first: start };
        rayon::join(|| left.divide(threads / 2, work), || right.divide(threads - threads / 2, work));
    }
}

/// The threads of the pool that the caller runs in; one outside any.
#[must_use]
pub fn threads() -> usize {
    if rayon::current_thread_index().is_some() { rayon::current_num_threads() } else { 1 }
}

/// Calls `work` for each number, on several threads of the pool if they are free.
pub fn spread(numbers: Range<usize>, work: &(impl Fn(usize) + Sync)) {
    if numbers.len() <= 1 {
        return numbers.for_each(work);
    }
    let middle = numbers.start + numbers.len() / 2;
    rayon::join(|| spread(numbers.start..middle, work), || spread(middle..numbers.end, work));
}
