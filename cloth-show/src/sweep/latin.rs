//! A Latin hypercube: so many samples that of each dimension every one of as many equal parts has one (McKay,
//! Beckman, Conover, "A comparison of three methods for selecting values of input variables", 1979).

use rand_pcg::Pcg64;
use rand_pcg::rand_core::Rng;

/// The most samples: their places are numbers of 32 bits.
const MOST: u64 = 1 << 32;

/// The shares of every sample, in each dimension from 0 to below 1.
#[derive(Clone, Debug)]
pub(super) struct LatinHypercube {
    seed: u64,
    samples: u64,
    /// Of each dimension the part in which each sample lies.
    parts: Vec<Vec<u32>>,
}

impl LatinHypercube {
    /// The same samples for the same seed on every machine.
    ///
    /// # Errors
    /// If there are too many.
    pub(super) fn new(seed: u64, samples: u64, dimensions: usize) -> Result<Self, String> {
        if samples > MOST {
            return Err(format!("must be at most {MOST}, found {samples}"));
        }
        let part = |dimension: usize| {
            let mut dice = Pcg64::new(seed.into(), 2 * dimension as u128);
            let mut order: Vec<(u64, u32)> = (0..samples).map(|k| (dice.next_u64(), k as u32)).collect();
            order.sort_unstable();
            order.into_iter().map(|(_, k)| k).collect()
        };
        Ok(Self { seed, samples, parts: (0..dimensions).map(part).collect() })
    }

    pub(super) fn samples(&self) -> u64 {
        self.samples
    }

    /// The share of a sample in a dimension: anywhere in its part.
    pub(super) fn share(&self, sample: u64, dimension: usize) -> f64 {
        let part = self.parts[dimension][sample as usize];
        let mut dice =
            Pcg64::new((u128::from(sample) << 64) | u128::from(self.seed), 2 * dimension as u128 + 1);
        let inside = (dice.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
        ((f64::from(part) + inside) / self.samples as f64).min(1.0 - f64::EPSILON)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_of_every_dimension_has_one_sample() {
        let cube = LatinHypercube::new(7, 50, 3).unwrap();
        let mut all = Vec::new();
        for dimension in 0..3 {
            let shares: Vec<f64> = (0..50).map(|sample| cube.share(sample, dimension)).collect();
            let mut parts: Vec<usize> = shares.iter().map(|share| (50.0 * share) as usize).collect();
            parts.sort_unstable();
            assert_eq!(parts, (0..50).collect::<Vec<_>>());
            all.push(shares);
        }
        assert!(all[0] != all[1] && all[1] != all[2]);
        let other = LatinHypercube::new(8, 50, 3).unwrap();
        assert_ne!(cube.share(0, 0), other.share(0, 0));
    }

    #[test]
    fn samples_have_the_same_bits_on_every_machine() {
        let cube = LatinHypercube::new(1, 4, 2).unwrap();
        let bits = [[0, 0], [3, 1]].map(|[sample, dimension]| cube.share(sample, dimension).to_bits());
        assert_eq!(bits, [0, 0]);
    }
}
