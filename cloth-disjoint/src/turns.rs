//! Who works next: tasks with a part in common take turns, and a thread that comes late is not waited for.

#[cfg(all(test, loom))]
use loom::{hint::spin_loop, sync::Mutex, sync::atomic, thread::yield_now};
#[cfg(not(all(test, loom)))]
use std::{hint::spin_loop, sync::Mutex, sync::atomic, thread::yield_now};

use atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::MOST_PARTS;
use crate::groups::{Plan, Tasked};

/// Tries of a thread that waits before it lets others use its core: about 20 microseconds.
const SPINS: u32 = if cfg!(all(test, loom)) { 0 } else { 500 };

/// In cache lines of its own, so that threads that look at neighbours do not wait for each other.
#[repr(align(128))]
struct Padded<T>(T);

/// The tasks of a thread. Until it comes, others work on them when they have to wait.
#[repr(align(128))]
struct List {
    has_come: AtomicBool,
    /// The number of tasks, of all threads, that have been looked at.
    next: Mutex<usize>,
}

/// Tasks, and who has done which.
pub(crate) struct Turns<'a> {
    plan: &'a Plan,
    /// Parts in use: those of a thread are next to each other.
    parts: usize,
    passes: usize,
    threads: usize,
    /// How many tasks of each part have ended.
    done: [Padded<AtomicUsize>; MOST_PARTS],
    lists: [List; MOST_PARTS],
    /// Whether a thread has panicked: its tasks will never end.
    has_failed: AtomicBool,
}

impl<'a> Turns<'a> {
    /// For [`MOST_PARTS`] threads at most.
    pub(crate) fn new(plan: &'a Plan, passes: u32, threads: usize) -> Self {
        let parts = plan.totals.iter().rposition(|&total| total > 0).map_or(0, |last| last + 1);
        let done = std::array::from_fn(|_| Padded(AtomicUsize::new(0)));
        let list = |_| List { has_come: AtomicBool::new(false), next: Mutex::new(0) };
        let (lists, has_failed) = (std::array::from_fn(list), AtomicBool::new(false));
        Self { plan, parts, passes: passes as usize, threads, done, lists, has_failed }
    }

    /// Works as one of the threads until everything has ended: calls `run` with tasks whose turn it is.
    pub(crate) fn help(&self, thread: usize, run: &impl Fn(&Tasked)) {
        let failure = FailureGuard(&self.has_failed);
        self.lists[thread].has_come.store(true, Ordering::Relaxed);
        let mut tries = 0;
        while !self.work_on(thread, thread, run) {
            let others = (0..self.threads).filter(|&other| other != thread);
            others.for_each(|other| _ = self.work_on(other, thread, run));
            if self.has_failed.load(Ordering::Relaxed) {
                break;
            }
            tries += 1;
            if tries < SPINS { spin_loop() } else { yield_now() }
        }
        std::mem::forget(failure);
    }

    /// Runs tasks of a list until one has to wait; whether none is left.
    fn work_on(&self, list: usize, thread: usize, run: &impl Fn(&Tasked)) -> bool {
        let is_left = || list != thread && self.lists[list].has_come.load(Ordering::Relaxed);
        if is_left() {
            return false;
        }
        let Ok(mut next) = self.lists[list].next.try_lock() else { return false };
        let count = self.plan.tasks.len();
        while count > 0 && *next / count < self.passes {
            let task = &self.plan.tasks[*next % count];
            let turns = &self.plan.turns[task.turns.clone()];
            // A task is in the list of the thread that has its first part.
            if usize::from(turns[0].0) * self.threads / self.parts == list {
                if is_left() || !turns.iter().all(|turn| self.is_due(*turn, *next / count)) {
                    return false;
                }
                if task.is_active {
                    run(task);
                }
                turns
                    .iter()
                    .for_each(|turn| _ = self.done[turn.0 as usize].0.fetch_add(1, Ordering::Release));
            }
            *next += 1;
        }
        true
    }

    /// Whether all tasks of a part before one of a pass have ended.
    fn is_due(&self, (part, before): (u8, usize), pass: usize) -> bool {
        let before = pass.wrapping_mul(self.plan.totals[part as usize]).wrapping_add(before);
        self.done[part as usize].0.load(Ordering::Acquire) == before
    }
}

/// Notes that a thread panics, so that others do not wait for it; forgotten at a good end.
struct FailureGuard<'a>(&'a AtomicBool);

impl Drop for FailureGuard<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[cfg(all(test, loom))]
mod loom_tests;
