//! Exact verdict at the cost of a filter: proofs in floating point first, integers only where rounding could
//! decide.
//!
//! ```text
//! axis       an axis separates at both ends, and therefore throughout; comparisons only      miss
//! height     the cubic of the height over the plane (or between the lines) has no root       miss
//! outside    strictly outside at the roots                                                   miss
//! inside     strictly inside at a root where the height changes sign                         hit
//! direction  some direction separates at both ends of each part of the time                  miss
//! exact      the rest, over integers: touching, coplanar, degenerate, or within rounding     either
//! ```
//!
//! Each floating-point proof has an error bound that is derived where it is used; none is a parameter. The
//! integer stage is bounded too: a fixed number of products and remainders, whatever the coordinates (see
//! `exact`).
//!
//! The verdict always equals that of [`super::Reference`], and the time satisfies the contract of [`Toi`].
//! The integer stage shares no code with the reference: it uses the substitution `t / (1 - t)`, signs at 0
//! and infinity, and Thom's encoding of roots, where the reference isolates roots and uses squared distances
//! of all features.

#[cfg(test)]
mod bounds_tests;
mod containment;
mod cubic;
mod distance;
mod exact;
mod height;
mod relative;
mod separation;
mod stage;

use super::{Ccd, CcdError, Query, Toi, check};
use relative::Relative;
pub use stage::{Decision, Stage};

/// The exact verdict, fast, and a time whose gap the caller bounds.
#[derive(Clone, Copy, Debug)]
pub struct Filtered {
    /// The largest gap that a time of impact may have (share of the step). A gap of the order of 1e-12 costs
    /// nothing; smaller ones are paid for in integers, down to the distance to the next `f64`, which is what
    /// every gap may be.
    pub max_gap: f64,
}

impl Default for Filtered {
    /// Gaps of up to a millionth of the step: far less than a step's motion can resolve.
    fn default() -> Self {
        Self { max_gap: 1e-6 }
    }
}

impl Filtered {
    /// By how much "not free down to d" may be wrong for d > 0: the primitives then come within
    /// `d (1 + DISTANCE_TOLERANCE)`, or, where rounding is coarser than that, within d and 1e-13 of the
    /// extent of the query.
    pub const DISTANCE_TOLERANCE: f64 = 1e-3;

    /// Times exact to the last bit: the greatest `f64` that is not later than the exact one.
    #[must_use]
    pub fn tight() -> Self {
        Self { max_gap: 0.0 }
    }

    /// Whether and when the primitives touch, and which stage of the filter decided it.
    ///
    /// # Errors
    /// A coordinate that is not finite.
    pub fn decide(&self, query: &Query) -> Result<Decision, CcdError> {
        check(query, 0.0)?;
        if separation::along_an_axis(query) {
            return Ok(Decision::miss(Stage::Axis));
        }
        Ok(Relative::new(query).and_then(|relative| self.try_rounded(&relative)).unwrap_or_else(|| {
            let impact = exact::impact(query, self.max_gap);
            Decision { stage: if impact.is_some() { Stage::ExactHit } else { Stage::ExactMiss }, impact }
        }))
    }

    /// The stages in floating point; none if they cannot decide.
    fn try_rounded(&self, relative: &Relative) -> Option<Decision> {
        let decided = relative.spatial().and_then(|spatial| height::decide(&spatial, self.max_gap));
        decided.or_else(|| separation::throughout(relative).then(|| Decision::miss(Stage::Direction)))
    }
}

impl Ccd for Filtered {
    fn impact(&self, query: &Query, distance: f64) -> Result<Option<Toi>, CcdError> {
        if distance == 0.0 {
            return Ok(self.decide(query)?.impact);
        }
        check(query, distance)?;
        distance::impact(query, distance)
    }

    fn is_free(&self, query: &Query, distance: f64) -> Result<bool, CcdError> {
        // Any gap will do, so no time is computed.
        Self { max_gap: 1.0 }.impact(query, distance).map(|impact| impact.is_none())
    }
}
