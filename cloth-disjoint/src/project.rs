//! Work on groups, by one thread or several.

#![allow(unsafe_code, reason = "threads change different items of one slice")]

use std::ops::Range;

use crate::MOST_PARTS;
use crate::access::{Access, Task};
use crate::groups::{Group, Groups, Tasked};
use crate::turns::Turns;

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

impl<T> Shared<T> {
    /// # Safety
    /// The items are there, and nothing else uses them as long as what is returned.
    #[inline(always)]
    #[allow(clippy::mut_from_ref, reason = "what the caller promises")]
    unsafe fn own(&self, range: &Range<usize>) -> &mut [T] {
        // SAFETY: what the caller promises.
        unsafe { std::slice::from_raw_parts_mut(self.0.add(range.start), range.len()) }
    }
}

impl<B: Send, const N: usize, const L: usize> Groups<B, N, L> {
    /// Does all tasks in their order, as often as said: `work` is called with each, for tasks that share no
    /// part at the same time. It must not wait for other work of the pool: the thread could take up a part of
    /// this projection that waits for the task that it is in.
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
            let groups = unsafe { groups.own(&task.groups) };
            // `Fill::task` has compared the numbers with `self.items`, the length of both slices. A task with an
            // item in common has a part in common, and waits for its turn.
            work(Task { groups, items: items.0, starts: starts.as_ptr() });
        };
        if threads <= 1 {
            let active = || self.plan.tasks.iter().filter(|task| task.is_active);
            return (0..count).for_each(|_| active().for_each(run));
        }
        let threads = threads.min(MOST_PARTS);
        let turns = Turns::new(&self.plan, count, threads);
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
        let mut tasks = std::mem::take(&mut self.plan.tasks);
        (self.items, self.plan.totals) = (from.items, from.plan.totals);
        self.plan.turns.clone_from(&from.plan.turns);
        tasks.clone_from(&from.plan.tasks);
        if self.groups.len() < from.groups.len() {
            self.groups.resize_with(from.groups.len(), || Group { ids: [[0; L]; N], data: B::default() });
        }
        let (count, threads) = (tasks.len(), threads.max(1));
        let (from, to) = (Shared(from.groups.as_mut_ptr()), Shared(self.groups.as_mut_ptr()));
        let chosen = Shared(tasks.as_mut_ptr());
        spread(0..threads, &|thread| {
            let (from, to, chosen) = (&from, &to, &chosen);
            for number in (thread..count).step_by(threads) {
                // SAFETY: each task is for one thread, and no two tasks have a group in common; `to` is as long
                // as `from`.
                let (task, from, to) = unsafe {
                    let task = &mut chosen.own(&(number..number + 1))[0];
                    let (from, to) = (from.own(&task.groups), to.own(&task.groups));
                    (task, from, to)
                };
                task.groups.end = task.groups.start;
                for Group { ids, data } in from {
                    // SAFETY: `Fill::task` has compared the numbers with `from.items`, the length of `items`,
                    // which nothing writes to: the access is lent as shared.
                    let access = unsafe { Access::new(ids, items.as_ptr().cast_mut(), items.as_ptr()) };
                    if let Some(data) = choose(data, &access) {
                        to[task.groups.len()] = Group { ids: *ids, data };
                        task.groups.end += 1;
                    }
                }
            }
        });
        self.plan.tasks = tasks;
    }
}

/// The threads of the pool that the caller runs in; one outside any.
#[must_use]
pub fn threads() -> usize {
    if rayon::current_thread_index().is_some() { rayon::current_num_threads() } else { 1 }
}

/// Calls `work` for each number, on several threads of the pool if they are free.
fn spread(numbers: Range<usize>, work: &(impl Fn(usize) + Sync)) {
    if numbers.len() <= 1 {
        return numbers.for_each(work);
    }
    let middle = numbers.start + numbers.len() / 2;
    rayon::join(|| spread(numbers.start..middle, work), || spread(middle..numbers.end, work));
}
