//! The orders in which two threads can work, as far as loom tries them: a task that begins before another has
//! ended, or does not see what it wrote, is an error of a cell. Panics are left out: a poisoned lock of loom
//! panics, where that of std returns an error.
//!
//! `RUSTFLAGS="--cfg loom" cargo test --release -p cloth-disjoint --lib loom`

#![allow(unsafe_code, reason = "loom checks the accesses of its cells")]

use std::sync::atomic::{AtomicUsize, Ordering};

use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::thread;

use super::{Tasked, Turns};
use crate::{Groups, Parts};

const PARTS: usize = 3;

type Stored = Groups<(), 1, 1>;

/// Turns for one run, and a cell for what the tasks of each part change.
struct Run {
    groups: &'static Stored,
    turns: Turns<'static>,
    cells: [UnsafeCell<u32>; PARTS],
}

// SAFETY: it is what the tests are for; loom panics if two threads use a cell at the same time.
unsafe impl Sync for Run {}
// SAFETY: cells of numbers.
unsafe impl Send for Run {}

/// Tasks with such parts; those after a `-` are left out.
fn stored(tasks: &[&str]) -> &'static Stored {
    let (parts, mut groups) = (Parts::new(vec![0, 1, 2]).unwrap(), Stored::default());
    let mut fill = groups.refill(&parts);
    for task in tasks {
        let parts = task.bytes().filter(u8::is_ascii_digit);
        fill.task(parts.map(|digit| ([[u32::from(digit - b'0')]], ()))).unwrap();
    }
    for (stored, task) in groups.plan.tasks.iter_mut().zip(tasks) {
        stored.is_active = !task.starts_with('-');
    }
    Box::leak(Box::new(groups))
}

impl Run {
    fn new(groups: &'static Stored, passes: u32, threads: usize) -> Arc<Self> {
        let turns = Turns::new(&groups.plan, passes, threads);
        Arc::new(Self { groups, turns, cells: std::array::from_fn(|_| UnsafeCell::new(1)) })
    }

    /// Changes the cells of the parts of a task, so that the order of tasks can be seen.
    fn work(&self, task: &Tasked) {
        let name = task.groups.start as u32;
        for turn in &self.groups.plan.turns[task.turns.clone()] {
            // SAFETY: loom panics if another thread uses the cell meanwhile.
            self.cells[usize::from(turn.0)].with_mut(|cell| unsafe { *cell = changed(*cell, name) });
        }
    }

    fn help(&self, thread: usize) {
        self.turns.help(thread, &|task| self.work(task));
    }

    fn cells(&self) -> [u32; PARTS] {
        // SAFETY: as in `work`.
        std::array::from_fn(|part| self.cells[part].with(|cell| unsafe { *cell }))
    }
}

fn changed(cell: u32, name: u32) -> u32 {
    cell.wrapping_mul(31).wrapping_add(name)
}

/// The cells after all tasks in their order.
fn expected(groups: &Stored, passes: u32) -> [u32; PARTS] {
    let mut cells = [1; PARTS];
    for _ in 0..passes {
        for task in groups.plan.tasks.iter().filter(|task| task.is_active) {
            for turn in &groups.plan.turns[task.turns.clone()] {
                let cell = &mut cells[usize::from(turn.0)];
                *cell = changed(*cell, task.groups.start as u32);
            }
        }
    }
    cells
}

/// Tries orders with up to four changes of the thread where it could have gone on, or `LOOM_MAX_PREEMPTIONS`.
fn model(run: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound.get_or_insert(4);
    builder.max_branches = 100_000;
    let tried: &AtomicUsize = Box::leak(Box::default());
    builder.check(move || {
        tried.fetch_add(1, Ordering::Relaxed);
        run();
    });
    assert!(tried.load(Ordering::Relaxed) > 100, "{tried:?} orders");
}

/// Two threads with their own lists; the others of `threads` come when these have ended.
fn two_of(threads: usize, tasks: &[&str], passes: u32) {
    let groups = stored(tasks);
    let expected = expected(groups, passes);
    model(move || {
        let run = Run::new(groups, passes, threads);
        let other = {
            let run = run.clone();
            thread::spawn(move || run.help(1))
        };
        run.help(0);
        other.join().unwrap();
        (2..threads).for_each(|thread| run.help(thread));
        assert_eq!(run.cells(), expected);
    });
}

// The first thread has parts 0 and 1, the second has part 2: each waits for the other.
#[test]
fn tasks_of_two_threads_see_what_those_before_them_wrote() {
    two_of(2, &["2", "02", "1", "2"], 2);
}

#[test]
fn tasks_that_are_left_out_hand_on_what_was_written_before() {
    two_of(2, &["02", "-12", "2", "01"], 1);
}

// Each thread has a part. The last one comes too late, and both others wait for its tasks.
#[test]
fn the_tasks_of_a_thread_that_never_comes_are_done_by_others() {
    two_of(3, &["2", "02", "12", "2"], 1);
}
