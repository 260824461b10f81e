//! What a pair of patches is skipped by: two bounds on motions, which must never be too small.
//!
//! They stand alone because all else rests on them. With the feature `mutations` another file takes the place of this one, so
//! that tests can see what happens when they are wrong.

use cloth_geom::bounds::Upper;
use nalgebra::Vector3;

use crate::detect::motion::extent::Extent;

/// The sound bounds.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MotionBounds {}

impl MotionBounds {
    /// The only ones there are.
    #[cfg(test)]
    pub(crate) const SOUND: Self = Self {};

    /// Most by which a displacement within an extent differs from `centre`, if it may be off by `rounded` (m).
    #[inline(always)]
    pub(super) fn deviation(self, extent: &Extent, centre: &Vector3<f64>, rounded: Upper) -> Upper {
        extent.farthest_from(centre) + rounded
    }

    /// The length (m) of a path and of the step after it.
    #[inline(always)]
    pub(super) fn extended_path(self, path: Upper, step: Upper) -> Upper {
        path + step
    }
}
