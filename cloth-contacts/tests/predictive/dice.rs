//! Seeded random numbers and shapes for tests.

use nalgebra::{Point3, Vector3};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};

/// Unit roundoff of `f32`.
pub(crate) const U: f32 = f32::EPSILON / 2.0;

pub(crate) struct Dice(Pcg64Mcg);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(Pcg64Mcg::seed_from_u64(seed))
    }

    /// Evenly from `low` to `high`.
    pub(crate) fn between(&mut self, low: f32, high: f32) -> f32 {
        let unit = (self.0.next_u64() >> 40) as f32 / (1u64 << 24) as f32;
        low + (high - low) * unit
    }

    /// Each coordinate evenly from `-size` to `size`.
    pub(crate) fn vector(&mut self, size: f32) -> Vector3<f32> {
        Vector3::from_fn(|_, _| self.between(-size, size))
    }

    pub(crate) fn point(&mut self, size: f32) -> Point3<f32> {
        self.vector(size).into()
    }

    /// Evenly on the unit sphere.
    pub(crate) fn direction(&mut self) -> Vector3<f32> {
        loop {
            let v = self.vector(1.0);
            if (0.01..=1.0).contains(&v.norm_squared()) {
                return v.normalize();
            }
        }
    }
}
