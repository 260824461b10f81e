//! The stages of a substep, one file each, in the order in which `step.rs` calls them.

pub(crate) mod animate;
pub(crate) mod detect;
pub(crate) mod gate;
pub(crate) mod predict;
pub(crate) mod solve;
pub(crate) mod undo;
pub(crate) mod update;
