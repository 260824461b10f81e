//! Cache of measured distances for expensive shapes: the last measured position of each point in the frame of
//! the shape, and its distance.
//!
//! A distance changes by at most the displacement since, so a distant point need not be measured again.
//! Displacements in the frame of the shape include the motion of the collider.

use nalgebra::Point3;

use super::point_blocks::BOX_LANES;
use super::{Collider, Shape};

/// One point and one shape.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    at: Point3<f32>,
    distance: f32,
}

#[derive(Clone, Debug, Default)]
struct Row {
    shape: Option<Shape>,
    samples: Vec<BoxSamples>,
}

/// The samples of the points of four blocks.
pub(super) type BoxSamples = [Sample; BOX_LANES];

/// Samples of all colliders that are costly to measure.
#[derive(Clone, Debug, Default)]
pub(super) struct Samples {
    rows: Vec<Row>,
}

/// Share of a distance and of the place where it was measured that rounding could cost; see
/// [`ROUNDING`](super::block_culling::ROUNDING). The surface point is no farther from the origin than both
/// together.
const ROUNDING: f32 = super::block_culling::ROUNDING;

/// Nothing is known.
const UNKNOWN: Sample = Sample { at: Point3::new(0.0, 0.0, 0.0), distance: f32::NEG_INFINITY };

impl Samples {
    /// Resizes for `count` points and removes shapes that no longer exist.
    pub(super) fn fit(&mut self, colliders: &[Collider], count: usize) {
        self.rows.resize_with(colliders.len(), Row::default);
        for (row, collider) in self.rows.iter_mut().zip(colliders) {
            let count = if is_costly(&collider.shape) { count.div_ceil(BOX_LANES) } else { 0 };
            if row.samples.len() != count || (count > 0 && row.shape.as_ref() != Some(&collider.shape)) {
                row.samples.clear();
                row.samples.resize(count, [UNKNOWN; BOX_LANES]);
                row.shape = (count > 0).then(|| collider.shape.clone());
            }
        }
    }

    /// Forgets all distances and keeps the room for them.
    pub(super) fn clear(&mut self) {
        self.rows.iter_mut().for_each(|row| row.samples.fill([UNKNOWN; BOX_LANES]));
    }

    /// The samples of a collider, if its shape is one of those that are sampled.
    pub(super) fn of_collider(&mut self, collider: usize) -> Option<&mut [BoxSamples]> {
        Some(&mut self.rows[collider].samples[..]).filter(|samples| !samples.is_empty())
    }
}

impl Sample {
    /// A sample of a point at `local`.
    pub(super) fn new(local: Point3<f32>, distance: f32) -> Self {
        Self { at: local, distance }
    }

    /// A lower bound (m) of the distance of the point at `local`; negative infinity if nothing is known.
    pub(super) fn at_least(&self, local: &Point3<f32>) -> f32 {
        let Self { at, distance } = self;
        distance - (local - at).norm() - ROUNDING * (distance.abs() + at.coords.amax())
    }
}

// Shapes without a SIMD distance. The distance from a one-sided surface is discontinuous behind its border,
// so it cannot be cached.
fn is_costly(shape: &Shape) -> bool {
    let has_search = match shape {
        Shape::Hull(_) | Shape::Mesh(_) | Shape::Compound(_) | Shape::Cone { .. } => true,
        #[cfg(feature = "parry")]
        Shape::Parry(_) => true,
        _ => false,
    };
    has_search && shape.bounds().is_some()
}
