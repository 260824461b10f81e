//! The scenarios, one file each.

use crate::scenario::Scenario;

/// All scenarios, in the order in which they run.
#[must_use]
pub fn all() -> &'static [Scenario] {
    &[]
}
