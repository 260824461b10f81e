//! Exact predicates: orientation signs, and whether a segment meets a triangle.
//!
//! Results are correct for **all finite** `f64` coordinates, also of mixed magnitude. There are three stages,
//! each used only if the previous one cannot decide:
//!
//! ```text
//! rounding filter         inline, with an underflow guard       nearly every call
//! adaptive expansions     crate `robust`, ordinary exponents    nearly degenerate
//! integers                `reference`, any exponents            extreme exponents
//! ```
//!
//! The verdict always equals that of the integers of [`mod@reference`].
//!
//! **Non-finite coordinates** have no verdict. Callers validate whole arrays with [`check_finite`]. Otherwise
//! the result is conservative and no function panics: signs are [`Sign::Zero`], a segment meets a triangle as
//! [`IntersectionKind::NotFinite`], and a fold counts as flat.

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
