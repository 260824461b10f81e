//! Axis-aligned box of points or displacements, in single precision.

use cloth_geom::MapInline;
use cloth_geom::bounds::{Lower, Upper};
use cloth_geom::lanes::{Vectors8, greatest_lane, least_lane, splat};
use nalgebra::Vector3;

/// Componentwise minimum and maximum.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent {
    pub(crate) min: [f32; 3],
    pub(crate) max: [f32; 3],
}

impl Extent {
    pub(crate) const EMPTY: Self = Self { min: [f32::INFINITY; 3], max: [f32::NEG_INFINITY; 3] };

    #[inline]
    pub(crate) fn include(&mut self, v: [f32; 3]) {
        for k in 0..3 {
            self.min[k] = if v[k] < self.min[k] { v[k] } else { self.min[k] };
            self.max[k] = if v[k] > self.max[k] { v[k] } else { self.max[k] };
        }
    }

    /// The extent of all vectors in all lanes; `vectors` must not be empty.
    #[inline(always)]
    pub(crate) fn from_vectors(vectors: impl Iterator<Item = Vectors8>) -> Self {
        let [mut min, mut max] = [f32::INFINITY, f32::NEG_INFINITY].map_inline(|bound| splat([bound; 3]));
        // A loop: `fold` passes its accumulators through memory.
        for v in vectors {
            for k in 0..3 {
                min[k] = v[k].fast_min(min[k]);
                max[k] = v[k].fast_max(max[k]);
            }
        }
        Self { min: min.map_inline(least_lane), max: max.map_inline(greatest_lane) }
    }

    /// An approximate centre; any point would be valid as a reference.
    pub(crate) fn centre(&self) -> Vector3<f32> {
        Vector3::from_fn(|k, _| 0.5 * (self.min[k] + self.max[k]))
    }

    /// Upper bound of the distance (m) of any vector from a point.
    pub(crate) fn farthest_from(&self, place: &Vector3<f64>) -> Upper {
        let beyond = |k: usize| (f64::from(self.max[k]) - place[k]).max(place[k] - f64::from(self.min[k]));
        Upper::norm(&Vector3::new(beyond(0), beyond(1), beyond(2)))
    }

    /// Lower bound of the distance (m) of two boxes; 0 if they overlap.
    pub(crate) fn gap(&self, other: &Self) -> Lower {
        let along = |k: usize| {
            let [min, max] = [self.min[k], self.max[k]].map_inline(f64::from);
            let [other_min, other_max] = [other.min[k], other.max[k]].map_inline(f64::from);
            (other_min - max).max(min - other_max).max(0.0)
        };
        Lower::norm(&Vector3::new(along(0), along(1), along(2)))
    }

    /// Upper bound of the distance (m) of any two points of both boxes.
    pub(crate) fn size_with(&self, other: &Self) -> Upper {
        let along =
            |k: usize| f64::from(self.max[k].max(other.max[k])) - f64::from(self.min[k].min(other.min[k]));
        Upper::norm(&Vector3::new(along(0), along(1), along(2)))
    }

    /// Largest magnitude of a coordinate.
    pub(crate) fn magnitude(&self) -> f32 {
        (0..3).fold(0.0, |most, k| self.min[k].abs().max(self.max[k].abs()).max(most))
    }
}
