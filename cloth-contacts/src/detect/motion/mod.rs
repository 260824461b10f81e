//! Upper bounds on the relative motion of two patches, for the last step and for the coming one.
//!
//! | file | content |
//! |---|---|
//! | `extent` | axis-aligned box of a patch or of its displacements |
//! | `motion_bounds` | the two bounds on which skipping a pair rests |
//! | `patch_motion` | motion of one patch: translation, rotation, residual |
//! | `patch_motions` | motions of all patches |
//! | `patch_state` | what is known of one patch in a step |
//! | `relative_motion` | relative motion of two patches since their list was built |

pub(crate) mod extent;
#[cfg_attr(feature = "mutations", path = "../../faults/motion_bounds.rs")]
pub(crate) mod motion_bounds;
pub(crate) mod patch_motion;
pub(crate) mod patch_motions;
mod patch_state;
pub(crate) mod relative_motion;
