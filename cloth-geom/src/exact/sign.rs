//! The three possible verdicts of a predicate.

use std::cmp::Ordering;

/// The sign of a real number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sign {
    /// Less than zero.
    Negative,
    /// Exactly zero.
    Zero,
    /// Greater than zero.
    Positive,
}

impl Sign {
    /// The sign of the negated number.
    #[must_use]
    #[inline]
    pub fn opposite(self) -> Self {
        match self {
            Self::Negative => Self::Positive,
            Self::Zero => Self::Zero,
            Self::Positive => Self::Negative,
        }
    }

    /// The sign of a number that is not NaN.
    #[inline]
    pub(super) fn from_f64(value: f64) -> Self {
        debug_assert!(!value.is_nan());
        value.partial_cmp(&0.0).map_or(Self::Zero, Self::from)
    }
}

impl From<Ordering> for Sign {
    /// The sign of `left - right`, where the two compare as given.
    fn from(ordering: Ordering) -> Self {
        match ordering {
            Ordering::Less => Self::Negative,
            Ordering::Equal => Self::Zero,
            Ordering::Greater => Self::Positive,
        }
    }
}
