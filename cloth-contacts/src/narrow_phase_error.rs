//! Rounding error of the narrow phase, which computes distances in `f32`. A pair may be skipped only if its
//! separation exceeds it.

use cloth_geom::bounds::{U32, gamma};
use cloth_geom::closest;

/// Error of a distance computed by the narrow phase in `f32`, as a share of the largest distance of two
/// points of the pair. A distance measured to skip a pair may be too large by it, and one measured to make a
/// contact too small.
pub(crate) const DISTANCE_ERROR: f64 = 2.0 * gamma(closest::ERROR_IN_ROUNDOFFS, U32);

/// Factor on an approach for its error in the narrow phase: eight roundings in `f32` for a product with a
/// unit normal, and the distance error.
pub(crate) const APPROACH_ERROR_FACTOR: f64 = 1.0 + gamma(8, U32) + DISTANCE_ERROR;
