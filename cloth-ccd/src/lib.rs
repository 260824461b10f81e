#![doc = include_str!("../README.md")]

#[cfg(any(test, feature = "comparison"))]
mod additive;
pub mod closest_approach;
pub mod conformance;
mod filtered;
#[cfg(any(test, feature = "comparison"))]
mod inclusion;
mod query;
mod reference;
mod toi;

use cloth_geom::exact::NotFinite;
use thiserror::Error;

#[cfg(any(test, feature = "comparison"))]
pub use additive::Additive;
pub use cloth_geom;
pub use filtered::{Decision, Filtered, Stage};
#[cfg(any(test, feature = "comparison"))]
pub use inclusion::Inclusion;
pub use nalgebra;
pub use query::{Corners, Query};
pub use reference::Reference;
pub use toi::Toi;

/// A method of continuous collision detection.
pub trait Ccd {
    /// The time at which the primitives first come within `distance` (m) of each other, inclusive; at a
    /// distance of 0, when they first touch.
    ///
    /// `None` is a proof that they stay farther apart than `distance` throughout, for every method. `Some`
    /// may be a false positive of a conservative method; see [`Toi`] for the meaning of the time.
    ///
    /// # Errors
    /// If a coordinate is not finite, or the distance is negative or not finite.
    fn impact(&self, query: &Query, distance: f64) -> Result<Option<Toi>, CcdError>;

    /// Whether this motion is free down to `distance` (m): "yes" is always true.
    ///
    /// # Errors
    /// As [`Ccd::impact`].
    fn is_free(&self, query: &Query, distance: f64) -> Result<bool, CcdError> {
        self.impact(query, distance).map(|impact| impact.is_none())
    }
}

/// Why a query has no answer.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum CcdError {
    /// A corner is not finite; those of the start count first, then those of the end.
    #[error(transparent)]
    NotFinite(#[from] NotFinite),
    /// The distance is negative or not finite.
    #[error("the distance is {0} m; it must be finite and not negative")]
    Distance(f64),
}

/// The check before all methods: refuses queries that have no answer.
fn check(query: &Query, distance: f64) -> Result<(), CcdError> {
    query.check_finite()?;
    if distance.is_finite() && distance >= 0.0 { Ok(()) } else { Err(CcdError::Distance(distance)) }
}
