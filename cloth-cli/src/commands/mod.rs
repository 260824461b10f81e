//! The subcommands.

pub(crate) mod check;
pub(crate) mod merge;
mod meshes;
pub(crate) mod sample;
pub(crate) mod simulate;
pub(crate) mod sweep;
pub(crate) mod untangle;
