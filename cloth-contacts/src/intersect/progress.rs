//! How far a check has come, and what it found if it was stopped before its end.
//!
//! Most states are judged in milliseconds. A state whose faces nearly coincide has as many pairs as faces squared, and
//! as many intersections: 20,000 triangles on one place make 200 million pairs. Nobody can use such a list, so the
//! caller may stop it.

use std::ops::ControlFlow;

use super::Intersections;

/// How far a check has come. Both numbers only grow.
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
    /// Some intersections of the state: each of them exists, others may be missing. Flat folds were not looked for.
    ///
    /// An empty list is no proof that the state is clean.
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

    /// Whether the state was judged to its end.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        matches!(self, Self::Complete(_))
    }
}

/// Whom a check tells how far it has come, and who may stop it.
pub(super) trait ProgressCallback: FnMut(CheckProgress) -> ControlFlow<()> {}

impl<F: FnMut(CheckProgress) -> ControlFlow<()>> ProgressCallback for F {}
