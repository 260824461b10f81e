//! A Latin hypercube: so many samples that of each dimension every one of as many equal parts has one (McKay,
//! Beckman, Conover, "A comparison of three methods for selecting values of input variables", 1979).

use rand_pcg::Pcg64;
use rand_pcg::rand_core::Rng;

/// The most samples of all dimensions together: they take 800 MB.
const MOST: u64 = 100_000_000;

/// The shares of every sample, in each dimension from 0 to below 1.
#[derive(Clone, Debug)]
pub(super) struct LatinHypercube {
    samples: u64,
    /// By dimension, then by sample.
    shares: Vec<Vec<f64>>,
}

impl LatinHypercube {
    /// The same samples for the same seed on every machine.
    ///
    /// # Errors
    /// If there are too many.
    pub(super) fn new(seed: u64, samples: u64, dimensions: usize) -> Result<Self, String> {
        let most = MOST / dimensions.max(1) as u64;
        if samples > most {
            return Err(format!("must be at most {most}, found {samples}"));
        }
        let shares = |dimension: usize| {
            let mut dice = Pcg64::new(seed.into(), dimension as u128);
            let mut parts: Vec<(u64, u32)> =
                (0..samples).map(|part| (dice.next_u64(), part as u32)).collect();
            parts.sort_unstable();
            let share = |(_, part)| {
                let inside = (dice.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
                ((f64::from(part) + inside) / samples as f64).min(1.0_f64.next_down())
            };
            parts.into_iter().map(share).collect()
        };
        Ok(Self { samples, shares: (0..dimensions).map(shares).collect() })
    }

    pub(super) fn samples(&self) -> u64 {
        self.samples
    }

    pub(super) fn share(&self, sample: u64, dimension: usize) -> f64 {
        self.shares[dimension][sample as usize]
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
        let bits = [(0, 0), (3, 1)].map(|(sample, dimension)| cube.share(sample, dimension).to_bits());
        assert_eq!(bits, [4599180253146365142, 4604656501034334832]);
    }
}
