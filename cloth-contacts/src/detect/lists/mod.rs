//! Candidate pairs of primitives, in lists that are kept over many steps.
//!
//! | file | content |
//! |---|---|
//! | `primitive_bounds` | bounding spheres and half extents of primitives, eight at a time |
//! | `primitive_pairs` | candidate pairs of two patches |
//! | `dormant` | patches that do not move |
//! | `list` | storage of lists and their motion limits |
//! | `section` | the lists of sixteen patches: one parallel task |
//! | `candidates` | all lists |

pub(crate) mod candidates;
#[cfg_attr(feature = "mutations", path = "../../faults/dormant.rs")]
pub(crate) mod dormant;
pub(crate) mod list;
pub(crate) mod primitive_bounds;
pub(crate) mod primitive_pairs;
pub(crate) mod section;
