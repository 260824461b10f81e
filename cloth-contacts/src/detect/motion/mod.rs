//! First stage: how far any two patches can have moved relative to each other, in the last step and in the coming one.
//!
//! | file | what it has |
//! |---|---|
//! | `extent` | the box of a patch |
//! | `stride` | the motion of one patch: a shift, a turn, and what is left |
//! | `drift` | the motions of all patches |
//! | `relative_motion` | what two patches have moved relative to each other since their list was made |

pub(crate) mod drift;
pub(crate) mod extent;
pub(crate) mod relative_motion;
pub(crate) mod stride;
