//! First stage: how far any two patches can have moved relative to each other, in the last step and in the coming one.
//!
//! | file | what it has |
//! |---|---|
//! | `extent` | the box of a patch |
//! | `rules` | the bounds on motions that all else rests on |
//! | `stride` | the motion of one patch: a shift, a turn, and what is left |
//! | `drift` | the motions of all patches |
//! | `relative_motion` | what two patches have moved relative to each other since their list was made |

pub(crate) mod drift;
pub(crate) mod extent;
pub(crate) mod relative_motion;
#[cfg_attr(feature = "mutations", path = "../../faults/motion.rs")]
pub(crate) mod rules;
pub(crate) mod stride;
