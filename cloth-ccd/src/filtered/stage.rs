//! Which stage of the filter decided a query.

use crate::Toi;

/// The stages, in the order in which they are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    /// A proven miss: an axis separates the primitives at both ends.
    Axis,
    /// A proven miss: the height of the one over the other is never zero.
    Height,
    /// A proven miss: wherever the height may be zero, the point lies strictly outside.
    Outside,
    /// A proven hit: the height changes sign while the point lies strictly inside.
    Inside,
    /// A proven miss: in each part of the time some direction separates the primitives at both ends.
    Direction,
    /// A miss that took integers.
    ExactMiss,
    /// A hit that took integers.
    ExactHit,
}

impl Stage {
    /// All of them, in order.
    pub const ALL: [Self; 7] = [
        Self::Axis,
        Self::Height,
        Self::Outside,
        Self::Inside,
        Self::Direction,
        Self::ExactMiss,
        Self::ExactHit,
    ];

    /// The name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Axis => "axis",
            Self::Height => "height",
            Self::Outside => "outside",
            Self::Inside => "inside",
            Self::Direction => "direction",
            Self::ExactMiss => "exact_miss",
            Self::ExactHit => "exact_hit",
        }
    }
}

/// A verdict, and how it came about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decision {
    /// When the primitives first touch; `None` if they do not.
    pub impact: Option<Toi>,
    /// What decided it.
    pub stage: Stage,
}

impl Decision {
    pub(super) fn miss(stage: Stage) -> Self {
        Self { impact: None, stage }
    }
}
