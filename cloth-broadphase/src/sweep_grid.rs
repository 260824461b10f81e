//! NvCloth's sweep over a grid: one axis swept in fine cells, the two others hashed into 253 x 253 coarse
//! ones.
//!
//! ```text
//! key = [hash b: 8 bits][hash a: 8 bits][sweep: 16 bits]    cell 0 and the last of each axis are sentinels,
//!                                                           so that no neighbour's key wraps around
//!  b + 1 | x | x | x |  sorted by key, the items of a hash cell stand along the sweep axis; an item meets
//!  b     |   | o | x |  those ahead in its own cell, and in four neighbours those a sweep's reach before
//!          a-1  a  a+1  and behind it: five ranges of keys, whose ends only ever move on
//! ```
//!
//! The text is `nvcloth-self-collision`. It gives the grid scale as the reciprocal of the cell count; what
//! works is cells in a metre, `cells / edge length`. NvCloth numbers its particles in 16 bits and overflows
//! beyond 65,536 without a word; ids are 32 bits here.
//!
//! [`PointGrid`] is that structure for particles and one distance. [`SweepGrid`] puts boxes into it by their
//! least corners, and needs them to be of nearly equal size: the reach of all is that of the largest. So the
//! largest boxes, one in 64 and at least one, are kept apart and compared with everything.
//!
//! **No pair of boxes is lost**, since the cell of a coordinate is a monotone function of it, rounding
//! included: from `a.min <= b.max` follows `cell(a.min) <= cell(b.max) <= cell(b.min) + 1` on a hash axis,
//! where each box that is not apart has been seen to end in the next cell at the latest; likewise on the
//! sweep axis with the greatest count.

mod boxes;
mod grid;
mod points;

pub use boxes::SweepGrid;
pub use points::{PointGrid, PointsError};
