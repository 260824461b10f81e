//! What a search for pairs may leave out, and what it may not.

mod cull;
mod point_grid;
