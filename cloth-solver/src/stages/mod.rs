//! The stages of a substep, one file each, in the order in which `step.rs` calls them.

pub(crate) mod animate;
pub(crate) mod detect;
pub(crate) mod gate;
pub(crate) mod predict;
pub(crate) mod rollback;
pub(crate) mod solve;
pub(crate) mod update;

/// The number of substeps that an evaluation in this substep covers, for something evaluated once every
/// `interval` substeps; 0 if it is not evaluated. The last evaluation of a step covers what is left of it.
pub(crate) fn substeps_covered(substep: u32, substeps: u32, interval: u32) -> f32 {
    if substep.is_multiple_of(interval) { interval.min(substeps - substep) as f32 } else { 0.0 }
}
