use std::fmt::Debug;

use nalgebra::{Point3, Vector3};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};

/// Seeded random numbers, the same on every machine.
#[derive(Clone, Debug)]
pub struct Dice(Pcg64Mcg);

impl Dice {
    /// The dice of a seed, unlike those of its neighbours.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(Pcg64Mcg::seed_from_u64(seed))
    }

    /// From 0 to `n - 1`.
    ///
    /// # Panics
    /// If `n` is not above 0.
    pub fn below<N>(&mut self, n: N) -> N
    where
        N: TryFrom<u64, Error: Debug> + TryInto<u64, Error: Debug>,
    {
        let n = n.try_into().expect("not negative");
        N::try_from(self.0.next_u64() % n).expect("below `n`")
    }

    /// True once in `n` throws.
    pub fn one_in(&mut self, n: u32) -> bool {
        self.below(n) == 0
    }

    /// From `-n` to `n`, a whole number.
    pub fn whole(&mut self, n: u32) -> f64 {
        f64::from(self.below(2 * n + 1)) - f64::from(n)
    }

    /// One of these.
    ///
    /// # Panics
    /// If there is none.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// Evenly from 0 to 1.
    pub fn unit(&mut self) -> f32 {
        (self.0.next_u64() >> 40) as f32 / (1_u64 << 24) as f32
    }

    /// Evenly from `low` to `high`.
    pub fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.unit()
    }

    /// Each coordinate evenly from `-size` to `size`.
    pub fn vector(&mut self, size: f32) -> Vector3<f32> {
        Vector3::from_fn(|_, _| size * (2.0 * self.unit() - 1.0))
    }

    /// As [`Self::vector`].
    pub fn point(&mut self, size: f32) -> Point3<f32> {
        self.vector(size).into()
    }

    /// Evenly on the unit sphere.
    pub fn direction(&mut self) -> Vector3<f32> {
        loop {
            let v = self.vector(1.0);
            if (0.01..=1.0).contains(&v.norm_squared()) {
                return v.normalize();
            }
        }
    }

    /// Evenly from -1 to 1.
    pub fn real(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    /// Each coordinate evenly from -1 to 1.
    pub fn reals(&mut self) -> Vector3<f64> {
        Vector3::from_fn(|_, _| self.real())
    }
}
