//! The subcommands.

pub(crate) mod check;
mod meshes;
pub(crate) mod sample;
pub(crate) mod simulate;
pub(crate) mod sweep;
pub(crate) mod untangle;
