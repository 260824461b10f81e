//! Confidence intervals of ratios of paired runs.

/// Resamples of a bootstrap.
const RESAMPLES: usize = 4000;
/// Fewer pairs decide nothing.
const MIN_PAIRS: usize = 3;

/// A ratio with its interval of 95 %.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Interval {
    /// Geometric mean of the pairs' ratios.
    pub(super) ratio: f64,
    /// 2.5th percentile of the bootstrap; the least pair if there are fewer than three.
    pub(super) low: f64,
    /// 97.5th percentile, or the greatest pair.
    pub(super) high: f64,
    /// Whether the interval excludes 1, is narrower than the distance of the ratio from 1 (both as
    /// logarithms), and has three pairs at least.
    pub(super) decided: bool,
}

/// The interval of the mean logarithm of some ratios, all above zero; none without ratios.
pub(super) fn interval(ratios: &[f64]) -> Option<Interval> {
    let logs: Vec<f64> = ratios.iter().map(|r| r.ln()).collect();
    let mean = |sum: f64| sum / logs.len() as f64;
    if logs.is_empty() || logs.iter().any(|l| !l.is_finite()) {
        return None;
    }
    let centre = mean(logs.iter().sum());
    let mut means: Vec<f64> = if logs.len() < MIN_PAIRS {
        logs.clone()
    } else {
        let mut random = Lcg(0x9e37_79b9_7f4a_7c15);
        (0..RESAMPLES).map(|_| mean((0..logs.len()).map(|_| logs[random.below(logs.len())]).sum())).collect()
    };
    means.sort_by(f64::total_cmp);
    let at = |share: f64| means[((means.len() - 1) as f64 * share).round() as usize];
    let (low, high) = (at(0.025), at(0.975));
    let decided = logs.len() >= MIN_PAIRS && (low > 0.0 || high < 0.0) && high - low <= centre.abs();
    Some(Interval { ratio: centre.exp(), low: low.exp(), high: high.exp(), decided })
}

/// A linear congruential generator (Knuth's constants): equal results on every machine, without a dependency.
struct Lcg(u64);

impl Lcg {
    /// A number below `n`, from the upper bits.
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % n
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clear_ratios_are_decided_and_noise_is_not() {
        let clear = interval(&[2.0, 2.1, 1.9]).expect("an interval");
        assert!(clear.decided && (clear.ratio - 2.0).abs() < 0.01 && clear.low < 2.0 && clear.high > 2.0);
        let noise = interval(&[0.9, 1.1, 1.02, 0.97, 1.0]).expect("an interval");
        assert!(!noise.decided && noise.low < 1.0 && noise.high > 1.0);
        // The interval excludes 1 and is wider than the effect.
        let wide = interval(&[1.05, 1.3, 1.9]).expect("an interval");
        assert!(wide.low > 1.0 && !wide.decided, "{wide:?}");
    }

    #[test]
    fn two_pairs_decide_nothing() {
        let two = interval(&[3.0, 3.1]).expect("an interval");
        assert_eq!((two.decided, two.low, two.high), (false, 3.0f64.ln().exp(), 3.1f64.ln().exp()));
        assert_eq!(interval(&[]), None);
        assert_eq!(interval(&[0.0]), None);
    }

    #[test]
    fn the_interval_covers_the_true_ratio_about_as_often_as_it_says() {
        // Seven pairs with a spread of 5 %, from sums of uniform numbers. The percentile bootstrap is known
        // to be a little narrow there.
        let mut random = Lcg(7);
        let mut normal =
            || (0..12).map(|_| random.below(1 << 20) as f64 / f64::from(1 << 20)).sum::<f64>() - 6.0;
        let covered = (0..400).filter(|_| {
            let ratios: Vec<f64> = (0..7).map(|_| 1.5 * (0.05 * normal()).exp()).collect();
            let found = interval(&ratios).expect("an interval");
            found.low <= 1.5 && 1.5 <= found.high
        });
        let share = covered.count() as f64 / 400.0;
        assert!((0.82..=0.99).contains(&share), "{share}");
    }
}
