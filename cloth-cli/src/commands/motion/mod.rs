//! One real motion of a mesh: its two frames, the boxes it sweeps, and the numbers of its primitives.

mod frames;
mod numbers;

pub(super) use frames::Frames;
pub(super) use numbers::{Pair, read_pairs};
