//! Verdicts that are never wrong: orientation signs, and whether a segment meets a triangle.
//!
//! The answers are right for **all finite** `f64` coordinates, from the least subnormal to the greatest number,
//! mixed at will. Three tiers, each taken only when the one before cannot decide:
//!
//! ```text
//! rounding filter         inline, with an underflow guard       nearly every call
//! adaptive expansions     crate `robust`, ordinary exponents    nearly degenerate
//! integers                `reference`, any exponents            extreme exponents
//! ```
//!
//! Agreement with the integers of [`mod@reference`]: equal verdict, always.
//!
//! **Coordinates that are not finite** have no true verdict. Callers check whole arrays once, with
//! [`check_finite`]. Should one slip through, nothing panics and nothing passes as clean: signs are
//! [`Sign::Zero`], a segment meets a triangle as [`IntersectionKind::NotFinite`], and a fold counts as flat.

mod finite;
mod flat_fold;
mod integers;
mod orient;
#[doc(hidden)]
pub mod reference;
mod segment_triangle;
mod sign;

pub use finite::{NotFinite, check_finite};
pub use flat_fold::is_flat_fold;
#[doc(hidden)]
pub use integers::decompose;
pub use orient::{Axis, orient2d, orient3d};
pub use segment_triangle::{IntersectionKind, segment_meets_triangle, segment_triangle_kind};
pub use sign::Sign;
