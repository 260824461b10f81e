//! Numbers that a seed decides: SplitMix64 (Steele, Lea, Flood 2014), the same on every machine.

/// A source of numbers.
pub(super) struct SplitMix64(u64);

impl SplitMix64 {
    pub(super) fn new(seed: u64) -> Self {
        // Neighbouring seeds are to have nothing in common.
        let mut random = Self(seed ^ 0x5851_f42d_4c95_7f2d);
        random.bits();
        Self(random.bits())
    }

    pub(super) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// In [0, 1).
    fn unit(&mut self) -> f32 {
        (self.bits() >> 40) as f32 / (1u64 << 24) as f32
    }

    pub(super) fn between(&mut self, least: f32, most: f32) -> f32 {
        least + (most - least) * self.unit()
    }

    /// From the least to the most, both included.
    pub(super) fn count(&mut self, least: usize, most: usize) -> usize {
        least + (self.bits() % (most - least + 1) as u64) as usize
    }

    pub(super) fn chance(&mut self, share: f32) -> bool {
        self.unit() < share
    }

    pub(super) fn pick<T: Copy>(&mut self, among: &[T]) -> T {
        among[self.count(0, among.len() - 1)]
    }

    /// Each number below `count` once.
    pub(super) fn permutation(&mut self, count: usize) -> Vec<u32> {
        let mut numbers: Vec<u32> = (0..count as u32).collect();
        (1..count).for_each(|k| numbers.swap(k, self.count(0, k)));
        numbers
    }

    /// Each coordinate between `-most` and `most`.
    pub(super) fn vector(&mut self, most: f32) -> [f32; 3] {
        [(); 3].map(|()| self.between(-most, most))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stay_in_their_range_and_reach_its_ends() {
        let mut random = SplitMix64::new(1);
        let counts: Vec<usize> = (0..200).map(|_| random.count(3, 6)).collect();
        assert_eq!((counts.iter().min(), counts.iter().max()), (Some(&3), Some(&6)));
        let numbers: Vec<f32> = (0..200).map(|_| random.between(-2.0, 2.0)).collect();
        assert!(numbers.iter().all(|x| (-2.0..2.0).contains(x)));
        assert!(numbers.iter().any(|&x| x < -1.5) && numbers.iter().any(|&x| x > 1.5));
    }

    #[test]
    fn a_seed_repeats_its_numbers_and_the_next_has_others() {
        assert_eq!(SplitMix64::new(7).bits(), SplitMix64::new(7).bits());
        assert_ne!(SplitMix64::new(7).bits(), SplitMix64::new(8).bits());
    }
}
