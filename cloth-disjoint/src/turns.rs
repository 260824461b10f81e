//! Who works next: tasks with a part in common take turns, and a thread that comes late is not waited for.

use std::array::from_fn;

#[cfg(loom)]
use loom::{hint::spin_loop, sync::Mutex, sync::atomic, thread::yield_now};
#[cfg(not(loom))]
use std::{hint::spin_loop, sync::Mutex, sync::atomic, thread::yield_now};

use atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::MOST_PARTS;
use crate::groups::{Tasked, Turn};

/// Tries of a thread that waits before it lets others use its core: about 20 microseconds.
const SPINS: u32 = if cfg!(loom) { 0 } else { 500 };

/// Most threads.
pub(crate) const MOST_THREADS: usize = MOST_PARTS;

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
    tasks: &'a [Tasked],
    turns: &'a [Turn],
    totals: &'a [usize; MOST_PARTS],
    /// Parts in use: those of a thread are next to each other.
    parts: usize,
    passes: usize,
    /// How many tasks of each part have ended.
    done: [Padded<AtomicUsize>; MOST_PARTS],
    lists: [List; MOST_THREADS],
    threads: usize,
    /// Whether a thread has panicked: its tasks will never end.
    has_failed: AtomicBool,
}

impl<'a> Turns<'a> {
    pub(crate) fn new(
        tasks: &'a [Tasked],
        turns: &'a [Turn],
        totals: &'a [usize; MOST_PARTS],
        passes: u32,
        threads: usize,
    ) -> Self {
        let parts = totals.iter().rposition(|&total| total > 0).map_or(0, |last| last + 1);
        let list = |_| List { has_come: AtomicBool::new(false), next: Mutex::new(0) };
        Self {
            tasks,
            turns,
            totals,
            parts,
            passes: passes as usize,
            done: from_fn(|_| Padded(AtomicUsize::new(0))),
            lists: from_fn(list),
            threads,
            has_failed: AtomicBool::new(false),
        }
    }

    /// Works as one of the threads until everything has ended: calls `run` with tasks whose turn it is.
    pub(crate) fn help(&self, thread: usize, run: &impl Fn(&Tasked)) {
        let failure = FailureGuard(&self.has_failed);
        self.lists[thread].has_come.store(true, Ordering::Relaxed);
        let mut tries = 0;
        while !self.work_on(thread, thread, run) {
            for other in (0..self.threads).filter(|&other| other != thread) {
                self.work_on(other, thread, run);
            }
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
        let count = self.tasks.len();
        while count > 0 && *next / count < self.passes {
            let task = &self.tasks[*next % count];
            let turns = &self.turns[task.turns.clone()];
            if turns.first().is_some_and(|turn| self.thread_of(turn.part) == list) {
                if is_left() || !self.is_due(turns, *next / count) {
                    return false;
                }
                if task.is_active {
                    run(task);
                }
                for turn in turns {
                    self.done[usize::from(turn.part)].0.fetch_add(1, Ordering::Release);
                }
            }
            *next += 1;
        }
        true
    }

    /// The thread that has the tasks whose first part this is.
    fn thread_of(&self, part: u8) -> usize {
        usize::from(part) * self.threads / self.parts
    }

    /// Whether all tasks before one of a pass have ended.
    fn is_due(&self, turns: &[Turn], pass: usize) -> bool {
        turns.iter().all(|turn| {
            let part = usize::from(turn.part);
            let before = pass.wrapping_mul(self.totals[part]).wrapping_add(turn.before);
            self.done[part].0.load(Ordering::Acquire) == before
        })
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
