//! The two bounds that allow a pair of patches to be skipped. They must never be too small.
//!
//! They have a file of their own because all culling rests on them. With the feature `mutations` a faulty
//! version replaces this file, to test that the audits find it.

use cloth_geom::bounds::Upper;
use nalgebra::Vector3;

use crate::detect::motion::extent::Extent;

/// The correct bounds.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MotionBounds {}

impl MotionBounds {
    /// The only instance.
    #[cfg(test)]
    pub(crate) const SOUND: Self = Self {};

    /// Upper bound (m) on how much a displacement within an extent differs from `centre`, if each may be off
    /// by `rounded` (m).
    #[inline(always)]
    pub(super) fn deviation(self, extent: &Extent, centre: &Vector3<f64>, rounded: Upper) -> Upper {
        extent.farthest_from(centre) + rounded
    }

    /// Length (m) of a path after another step.
    #[inline(always)]
    pub(super) fn extended_path(self, path: Upper, step: Upper) -> Upper {
        path + step
    }
}
