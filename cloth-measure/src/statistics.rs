//! From times of several runs to a ratio and its interval.

use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};

/// Resamples of a bootstrap.
const RESAMPLES: usize = 4000;

/// Fewer pairs decide nothing.
pub const FEWEST_PAIRS: usize = 3;

/// A ratio of two times with its interval of 95 %.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ratio {
    /// The ratio: 2 is twice the time.
    pub value: f64,
    /// 2.5th percentile of the bootstrap.
    pub low: f64,
    /// 97.5th percentile.
    pub high: f64,
}

impl Ratio {
    /// Whether the interval excludes 1 and is no wider than the distance of the ratio from 1, both as
    /// logarithms.
    #[must_use]
    pub fn is_clear(&self) -> bool {
        let width = self.high.ln() - self.low.ln();
        (self.low > 1.0 || self.high < 1.0) && width <= self.value.ln().abs()
    }
}

/// The geometric mean of ratios of paired runs, all above zero; none without ratios. With fewer than
/// [`FEWEST_PAIRS`] the interval reaches from the least to the greatest.
#[must_use]
pub fn paired_ratio(ratios: &[f64]) -> Option<Ratio> {
    let logs: Vec<f64> = ratios.iter().map(|r| r.ln()).collect();
    if logs.is_empty() || logs.iter().any(|l| !l.is_finite()) {
        return None;
    }
    let mean = |sum: f64| sum / logs.len() as f64;
    let [low, high] = match logs.len() < FEWEST_PAIRS {
        true => [f64::min, f64::max].map(|pick| logs.iter().copied().reduce(pick).unwrap_or(f64::NAN)),
        false => bootstrap(|draw| mean(logs.iter().map(|_| logs[draw(logs.len())]).sum())),
    };
    Some(Ratio { value: mean(logs.iter().sum()).exp(), low: low.exp(), high: high.exp() })
}

/// The ratio of the summed times of two programs, new over old, each from the frames of several runs, of
/// which the least time counts; runs are drawn with replacement, for each program on its own.
#[must_use]
pub fn ratio_of_sums(old: &[&[f64]], new: &[&[f64]]) -> Ratio {
    let sum = |runs: &[&[f64]]| least_times(runs).iter().sum::<f64>();
    let [low, high] = bootstrap(|draw| {
        let mut drawn =
            |runs: &[&[f64]]| sum(&runs.iter().map(|_| runs[draw(runs.len())]).collect::<Vec<_>>());
        let old = drawn(old);
        drawn(new) / old
    });
    Ratio { value: sum(new) / sum(old), low, high }
}

/// Of each frame the least time over some runs, over the frames that all of them have: a frame does the same
/// work in every run, and whatever interrupts it only adds.
#[must_use]
pub fn least_times(runs: &[&[f64]]) -> Vec<f64> {
    let frames = runs.iter().map(|run| run.len()).min().unwrap_or(0);
    let least = |k: usize| runs.iter().map(|run| run[k]).fold(f64::INFINITY, f64::min);
    (0..frames).map(least).collect()
}

/// The value of nearest rank in a sorted list; NaN if it is empty.
#[must_use]
pub fn rank(sorted: &[f64], share: f64) -> f64 {
    let rank = (share * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.saturating_sub(1)).copied().unwrap_or(f64::NAN)
}

/// The values in their order; NaN comes last.
#[must_use]
pub fn sorted(mut values: Vec<f64>) -> Vec<f64> {
    values.sort_by(f64::total_cmp);
    values
}

/// The 2.5th and the 97.5th percentile of a statistic over resamples: it draws from its data by the function
/// that it gets, which returns an index below its argument.
fn bootstrap(mut statistic: impl FnMut(&mut dyn FnMut(usize) -> usize) -> f64) -> [f64; 2] {
    // A fixed seed: equal times give equal intervals.
    let mut random = Pcg64Mcg::seed_from_u64(1);
    let mut draw = |n: usize| ((u128::from(random.next_u64()) * n as u128) >> 64) as usize;
    let values = sorted((0..RESAMPLES).map(|_| statistic(&mut draw)).collect());
    [0.025, 0.975].map(|share| rank(&values, share))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clear_ratios_differ_from_noise() {
        let clear = paired_ratio(&[2.0, 2.1, 1.9]).expect("an interval");
        assert!(clear.is_clear() && (clear.value - 2.0).abs() < 0.01 && clear.low < 2.0 && clear.high > 2.0);
        let noise = paired_ratio(&[0.9, 1.1, 1.02, 0.97, 1.0]).expect("an interval");
        assert!(!noise.is_clear() && noise.low < 1.0 && noise.high > 1.0);
        // The interval excludes 1 and is wider than the effect.
        let wide = paired_ratio(&[1.05, 1.3, 1.9]).expect("an interval");
        assert!(wide.low > 1.0 && !wide.is_clear(), "{wide:?}");
    }

    #[test]
    fn two_pairs_span_their_interval() {
        let two = paired_ratio(&[3.1, 3.0]).expect("an interval");
        assert_eq!((two.low, two.high), (3.0f64.ln().exp(), 3.1f64.ln().exp()));
        assert_eq!(paired_ratio(&[]), None);
        assert_eq!(paired_ratio(&[0.0]), None);
    }

    #[test]
    fn intervals_cover_the_true_ratio_about_as_often_as_promised() {
        // Seven pairs with a spread of 5 %, from sums of uniform numbers. The percentile bootstrap is known
        // to be a little narrow there.
        let mut random = Pcg64Mcg::seed_from_u64(7);
        let mut uniform = || f64::from(random.next_u32()) / f64::from(u32::MAX);
        let mut normal = || (0..12).map(|_| uniform()).sum::<f64>() - 6.0;
        let covered = (0..400).filter(|_| {
            let ratios: Vec<f64> = (0..7).map(|_| 1.5 * (0.05 * normal()).exp()).collect();
            let found = paired_ratio(&ratios).expect("an interval");
            found.low <= 1.5 && 1.5 <= found.high
        });
        let share = covered.count() as f64 / 400.0;
        assert!((0.82..=0.99).contains(&share), "{share}");
    }

    #[test]
    fn of_each_frame_the_least_time_counts() {
        let runs: [&[f64]; 2] = [&[1.0, 9.0, 3.0, 4.0], &[5.0, 2.0, 3.0]];
        assert_eq!(least_times(&runs), [1.0, 2.0, 3.0]);
        assert_eq!(least_times(&[]), [0.0; 0]);
        assert_eq!([0.5, 0.95, 1.0].map(|share| rank(&[1.0, 2.0, 3.0, 4.0], share)), [2.0, 4.0, 4.0]);
        assert!(rank(&[], 0.5).is_nan());
    }

    #[test]
    fn equal_runs_give_a_point_and_noisy_ones_an_interval() {
        let (old, new): (&[f64], &[f64]) = (&[10.0, 20.0], &[5.0, 10.0]);
        let same = ratio_of_sums(&[old; 3], &[new; 3]);
        assert_eq!(same, Ratio { value: 0.5, low: 0.5, high: 0.5 });
        let noisy: Vec<Vec<f64>> = (0..5).map(|k| vec![10.0 + f64::from(k), 20.0]).collect();
        let noisy: Vec<&[f64]> = noisy.iter().map(Vec::as_slice).collect();
        let found = ratio_of_sums(&noisy, &[new; 5]);
        assert!(found.low < found.high && found.low <= found.value && found.value <= found.high, "{found:?}");
    }
}
