//! Items of a slice, changed by several threads in a fixed order and without bounds checks.
//!
//! A constraint of a cloth solver reads and writes a few items far apart; it is projected after all constraints
//! before it that share an item with it, on whichever thread. Rust's slices cannot be lent in such pieces, and
//! checked indices take half of the instructions. So the proof is made once, where the constraints are stored:
//!
//! ```text
//! items     0 1 2 3 4 5 6 7      a slice, as the caller numbers it
//! parts     a a a b b b c c      one thread at a time works in a part            [`Parts`]
//! groups    [0 2] [1 3] [6 7]    indices with data: all below the length, none twice   [`Groups`]
//! tasks       a    a b    c      groups in a row; a task has the parts of its items
//! ```
//!
//! Tasks that have a part in common are done in their order, one after the other; tasks that have none share no
//! item, and threads work on them at the same time. So what is computed does not depend on the number of threads.
//!
//! ```
//! use cloth_disjoint::{Groups, Parts, Passes, Slices};
//!
//! // Springs of a chain: first those within the halves, then the one between them.
//! let parts = Parts::new(vec![0, 0, 1, 1], 2).unwrap();
//! let mut springs = Groups::<f32, 2, 1>::default();
//! let mut fill = springs.refill(&parts);
//! fill.task([([[0], [1]], 1.0)]).unwrap();
//! fill.task([([[2], [3]], 1.0)]).unwrap();
//! fill.task([([[1], [2]], 1.0)]).unwrap();
//! assert!(fill.task([([[3], [4]], 1.0)]).is_err(), "there is no item 4");
//! # fill = springs.refill(&parts);
//! # fill.task([([[0], [1]], 1.0)]).unwrap();
//! # fill.task([([[2], [3]], 1.0)]).unwrap();
//! # fill.task([([[1], [2]], 1.0)]).unwrap();
//!
//! let (mut x, start) = ([0.0, 1.5, 2.5, 4.0], [0.0; 4]);
//! let slices = Slices { items: &mut x, starts: &start };
//! springs.project(slices, Passes { count: 20, threads: 2 }, |task| {
//!     task.for_each(|rest, at| {
//!         let (a, b) = (*at.get(0, 0), *at.get(1, 0));
//!         let push = 0.5 * (*rest - (b - a));
//!         at.set(0, 0, a - push);
//!         at.set(1, 0, b + push);
//!     });
//! });
//! assert!((x[3] - x[0] - 3.0).abs() < 1e-3);
//! ```

mod access;
mod groups;
mod project;
mod turns;

pub use access::{Access, Task};
pub use groups::{Fill, Groups, IndexError, MOST_PARTS, Parts};
pub use project::{Passes, Slices, spread, threads};
