//! Choice sequences: the only source of randomness of the generators, so that any fuzzer can drive and shrink
//! them.
//!
//! A generator reads numbers from a [`ChoiceSequence`] and turns them into a query. The numbers come from a
//! seed, or from proptest, which makes them smaller to simplify a failing query. Smaller numbers must
//! therefore mean simpler queries: 0 selects the first of a list, the value 0, and "no". Beyond the end of
//! the sequence all numbers are 0.

/// A sequence of choices.
#[derive(Clone, Debug)]
pub struct ChoiceSequence {
    choices: Vec<u32>,
    next: usize,
}

impl ChoiceSequence {
    /// More choices than any generator makes.
    pub const LENGTH: usize = 192;

    /// A tape of given choices.
    #[must_use]
    pub fn new(choices: Vec<u32>) -> Self {
        Self { choices, next: 0 }
    }

    /// A pseudo-random sequence, determined by the seed (`splitmix64`).
    #[must_use]
    pub fn seeded(seed: u64) -> Self {
        let mut state = seed;
        let mut draw = || {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            ((z ^ (z >> 31)) >> 32) as u32
        };
        Self::new((0..Self::LENGTH).map(|_| draw()).collect())
    }

    pub(super) fn into_choices(self) -> Vec<u32> {
        self.choices
    }

    fn draw(&mut self) -> u64 {
        self.next += 1;
        self.choices.get(self.next - 1).copied().unwrap_or(0).into()
    }

    /// One of 0, 1, ..., `n - 1`; 0 for `n = 0`.
    pub(super) fn below(&mut self, n: usize) -> usize {
        ((self.draw() * n as u64) >> 32) as usize
    }

    /// An integer from `-most` to `most`, where `most` is at most 2^60: 0, -1, 1, -2, 2 and so on as the
    /// choice grows.
    pub(super) fn signed(&mut self, most: i64) -> i64 {
        let count = 2 * most as u64 + 1;
        let choice = if count >> 31 == 0 { self.draw() << 32 } else { (self.draw() << 32) | self.draw() };
        let k = ((u128::from(choice) * u128::from(count)) >> 64) as i64;
        if k % 2 == 0 { k / 2 } else { -(k + 1) / 2 }
    }

    /// One of a list; the first is the simplest.
    pub(super) fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }

    /// Yes, once in `n` times.
    pub(super) fn once_in(&mut self, n: usize) -> bool {
        self.below(n) + 1 == n
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_tape_chooses_the_simplest() {
        let mut choices = ChoiceSequence::new(vec![]);
        assert_eq!(
            (choices.below(7), choices.signed(9), choices.pick(&[5, 6]), choices.once_in(2)),
            (0, 0, 5, false)
        );
    }

    #[test]
    fn reaches_both_ends_of_every_range() {
        let mut least = ChoiceSequence::new(vec![0; 20]);
        let mut most = ChoiceSequence::new(vec![u32::MAX; 20]);
        assert_eq!((least.below(3), most.below(3)), (0, 2));
        for bound in [1, 5, 1 << 20, 1 << 36, 1 << 60] {
            assert_eq!((least.signed(bound), most.signed(bound)), (0, bound));
        }
        assert!(most.once_in(9));
    }

    #[test]
    fn draws_every_small_number() {
        let mut seen = [0; 7];
        for seed in 0..20 {
            let mut choices = ChoiceSequence::seeded(seed);
            (0..50).for_each(|_| seen[(choices.signed(3) + 3) as usize] += 1);
        }
        assert!(seen.iter().all(|&count| count > 100), "{seen:?}");
    }
}
