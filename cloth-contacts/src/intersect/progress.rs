//! Progress of a check, and the partial result of a check that was stopped.
//!
//! Most states are checked in milliseconds. A state with nearly coincident faces has quadratically many pairs
//! and intersections: 20,000 coincident triangles make 200 million pairs. The caller may stop such a check.

use std::ops::ControlFlow;

use super::Intersections;

/// Progress of a check. Both numbers are monotone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CheckProgress {
    /// Pairs of faces that were proposed and decided.
    pub pairs: u64,
    /// Intersections among them.
    pub intersections: u64,
}

/// What came of a check that could be stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Checked {
    /// All intersections of the state.
    Complete(Intersections),
    /// Some intersections of the state; others may be missing, and flat folds were not searched.
    ///
    /// An empty list does not prove that the state is clean.
    Stopped(Intersections),
}

impl Checked {
    /// The intersections, all of them or some.
    #[must_use]
    pub fn into_intersections(self) -> Intersections {
        match self {
            Self::Complete(found) | Self::Stopped(found) => found,
        }
    }

    /// Whether the whole state was checked.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        matches!(self, Self::Complete(_))
    }
}

/// Receives the progress of a check, and may stop it.
pub(super) trait ProgressCallback: FnMut(CheckProgress) -> ControlFlow<()> {}

impl<F: FnMut(CheckProgress) -> ControlFlow<()>> ProgressCallback for F {}
