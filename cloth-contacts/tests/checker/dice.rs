//! Pseudorandom numbers that depend on a seed alone.

use nalgebra::Vector3;

/// splitmix64.
pub(super) struct Dice(u64);

impl Dice {
    /// The dice of a seed, unlike those of its neighbours.
    pub(super) fn new(seed: u64) -> Self {
        let mut dice = Self(seed);
        dice.0 = dice.word();
        dice
    }

    fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    }

    /// From 0 to `n - 1`.
    pub(super) fn below(&mut self, n: u32) -> u32 {
        (self.word() % u64::from(n)) as u32
    }

    /// True once in `n` throws.
    pub(super) fn one_in(&mut self, n: u32) -> bool {
        self.below(n) == 0
    }

    /// From `-n` to `n`, a whole number.
    pub(super) fn whole(&mut self, n: u32) -> f64 {
        f64::from(self.below(2 * n + 1)) - f64::from(n)
    }

    /// From -1 to 1.
    pub(super) fn real(&mut self) -> f64 {
        (self.word() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    pub(super) fn vector(&mut self) -> Vector3<f64> {
        Vector3::new(self.real(), self.real(), self.real())
    }
}
