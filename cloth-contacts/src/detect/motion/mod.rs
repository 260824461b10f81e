//! First stage: how far any two patches can have moved relative to each other, in the last step and in the coming one.
//!
//! | file | what it has |
//! |---|---|
//! | `extent` | the box of a patch |
//! | `rules` | the bounds on motions that all else rests on |
//! | `patch_motion` | the motion of one patch: a shift, a turn, and what is left |
//! | `patch_motions` | the motions of all patches |
//! | `relative_motion` | what two patches have moved relative to each other since their list was made |

pub(crate) mod extent;
#[cfg_attr(feature = "mutations", path = "../../faults/motion_bounds.rs")]
pub(crate) mod motion_bounds;
pub(crate) mod patch_motion;
pub(crate) mod patch_motions;
pub(crate) mod relative_motion;
