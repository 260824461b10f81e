//! The subcommands.

pub(crate) mod ccd;
pub(crate) mod check;
pub(crate) mod cull;
mod meshes;
mod motion;
pub(crate) mod pairs;
pub(crate) mod sample;
pub(crate) mod simulate;
pub(crate) mod untangle;
