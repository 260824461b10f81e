#![doc = include_str!("../README.md")]

mod access;
mod groups;
mod project;
mod turns;

pub use access::{Access, Task};
pub use groups::{Fill, Groups, IndexError, MOST_PARTS, Parts};
pub use project::{Passes, Slices, threads};
