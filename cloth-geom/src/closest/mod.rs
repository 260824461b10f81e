//! Closest points of points, segments and triangles, for `f32` and `f64`, degenerate shapes included.
//!
//! Weights come with every answer, and the squared distance is that to the point (or pair) with these
//! weights.
//!
//! **Agreement with [`mod@reference`]: `|distance - true distance| <= 64 u M`**, with the unit roundoff `u`
//! (2^-24 for `f32`, 2^-53 for `f64`) and `M` the greatest distance between two of the given points. It holds
//! for slivers, near-parallel segments and shapes of no extent alike, because
//!
//! - only differences of points are used, so the bound is relative to the shape and not to where it lies;
//! - areas come from cross products, whose error is `u M^2`. The usual Gram determinant `aa bb - ab^2` has
//!   the error `u M^4` where the true value is `M^4 sin^2`: it cannot tell angles below `sqrt(u)`, in `f32` 1
//!   part in 4,000, from noise;
//! - every step after the first moves to the best point of something closed, so noise in the first step can
//!   cost no more than the width across which noise can push: `u M / sin` along, times `sin` apart.
//!
//! 64 is the number of roundings on the longest path, foot of a point on a face: 11 for the parameter along,
//! 20 for the height, 13 for the weight between, 5 for the sum; the rest for products of errors. The largest
//! error seen in two million cases of each kind is 4, and 33 for segments of 1e-13 m in `f32`.
//!
//! **Range.** Areas, not their squares, must stay in the scalar: `M` from 1e-13 to 1e18 m for `f32`, from
//! 1e-139 to 1e153 m for `f64`. Below, the answer only stays within the extent. No weight leaves [0, 1].
//! Coordinates must be finite.

/// Error bound of the distances of this module, in unit roundoffs of the largest distance between two of the
/// given points.
pub const ERROR_IN_ROUNDOFFS: u32 = 64;

mod area;
#[doc(hidden)]
#[doc(hidden)]
pub mod lanes;
mod point_segment;
mod point_triangle;
#[doc(hidden)]
pub mod reference;
mod segment_segment;

pub use point_segment::{PointSegment, SegmentFeature, point_segment};
pub use point_triangle::{PointTriangle, TriangleFeature, point_triangle};
pub use segment_segment::{SegmentSegment, segment_segment};
