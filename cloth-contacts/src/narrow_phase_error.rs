//! Rounding error of the narrow phase, which computes distances in `f32`: a pair may be skipped only if its separation exceeds it.

use cloth_geom::bounds::{U32, gamma};
use cloth_geom::closest;

/// Most by which the narrow phase, in `f32`, can see a pair otherwise than it is, as a share of the greatest distance of two of its
/// points: a distance that was measured to skip a pair may be too long, and one that is measured to make a contact too short.
pub(crate) const DISTANCE_ERROR: f64 = 2.0 * gamma(closest::ERROR_IN_ROUNDOFFS, U32);

/// What an approach is multiplied by for what the narrow phase could see: in `f32`, after the eight roundings of a product with a unit
/// normal, and with the share of the distance that is gone by then.
pub(crate) const APPROACH_ERROR_FACTOR: f64 = 1.0 + gamma(8, U32) + DISTANCE_ERROR;
