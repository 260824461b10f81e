//! Third stage: which primitives of two patches could come near, in a list that outlives many steps.
//!
//! | file | what it has |
//! |---|---|
//! | `primitive_bounds` | balls and capsules around primitives, eight at a time |
//! | `primitive_pairs` | the primitives of two patches that are near each other |
//! | `list` | lists in arrays, and the marks that let them sleep |
//! | `section` | the lists of some patches: a task |
//! | `candidates` | all lists |

pub(crate) mod candidates;
pub(crate) mod list;
pub(crate) mod primitive_bounds;
pub(crate) mod primitive_pairs;
pub(crate) mod section;
