//! From the times of several runs to a ratio and its interval.

/// Resamplings of the bootstrap.
const RESAMPLINGS: usize = 2000;

/// Share of frames that count as moving: those that are not among the fastest quarter, in which cloth often
/// lies still.
const STILL: f64 = 0.25;

/// A ratio of two times, new over old.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Ratio {
    /// Of the least times.
    pub(super) value: f64,
    /// The 2.5th and 97.5th percentile over the resamplings.
    pub(super) interval: [f64; 2],
}

/// What is summed up of the times of the frames (ms).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Times {
    /// All frames.
    pub(super) sum: f64,
    /// The median of those that move.
    pub(super) median: f64,
    /// The 95th percentile of all.
    pub(super) p95: f64,
}

/// Of each frame the least time over some runs (ms).
fn least<'a>(runs: impl Iterator<Item = &'a [f64]>) -> Vec<f64> {
    let mut found: Vec<f64> = Vec::new();
    for frames in runs {
        if found.is_empty() {
            found.extend_from_slice(frames);
        }
        found.iter_mut().zip(frames).for_each(|(least, &ms)| *least = least.min(ms));
    }
    found
}

impl Times {
    pub(super) fn from_runs(runs: &[&[f64]]) -> Self {
        let mut frames = least(runs.iter().copied());
        let sum = frames.iter().sum();
        frames.sort_by(f64::total_cmp);
        let still = (STILL * frames.len() as f64) as usize;
        Self { sum, median: rank(&frames[still..], 0.5), p95: rank(&frames, 0.95) }
    }
}

/// The ratio of the sums of two revisions, and its interval: runs are drawn with replacement, for each
/// revision on its own.
pub(super) fn ratio(old: &[&[f64]], new: &[&[f64]]) -> Ratio {
    let sum =
        |runs: &[&[f64]], drawn: &[usize]| -> f64 { least(drawn.iter().map(|&k| runs[k])).iter().sum() };
    let all = |runs: &[&[f64]]| (0..runs.len()).collect::<Vec<_>>();
    let value = sum(new, &all(new)) / sum(old, &all(old));
    let mut random = Random(1);
    let mut ratios: Vec<f64> = (0..RESAMPLINGS)
        .map(|_| {
            let mut drawn = |runs: &[&[f64]]| {
                let draw: Vec<usize> = runs.iter().map(|_| random.below(runs.len())).collect();
                sum(runs, &draw)
            };
            let old = drawn(old);
            drawn(new) / old
        })
        .collect();
    ratios.sort_by(f64::total_cmp);
    Ratio { value, interval: [rank(&ratios, 0.025), rank(&ratios, 0.975)] }
}

/// The value of nearest rank in a sorted list that is not empty.
fn rank(sorted: &[f64], part: f64) -> f64 {
    let rank = (part * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.saturating_sub(1)).copied().unwrap_or(f64::NAN)
}

/// Pseudorandom numbers, the same on every machine (`SplitMix64`, Steele, Lea and Flood 2014).
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % n as u64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_each_frame_the_least_time_counts() {
        let runs: [&[f64]; 2] = [&[1.0, 9.0, 3.0, 4.0], &[5.0, 2.0, 3.0, 8.0]];
        let times = Times::from_runs(&runs);
        assert_eq!(times, Times { sum: 10.0, median: 3.0, p95: 4.0 });
    }

    #[test]
    fn the_interval_of_equal_runs_is_a_point_and_that_of_noisy_ones_holds_the_ratio() {
        let (old, new): (&[f64], &[f64]) = (&[10.0, 20.0], &[5.0, 10.0]);
        let same = ratio(&[old; 3], &[new; 3]);
        assert_eq!(same, Ratio { value: 0.5, interval: [0.5, 0.5] });
        let noisy: Vec<Vec<f64>> = (0..5).map(|k| vec![10.0 + f64::from(k), 20.0]).collect();
        let noisy: Vec<&[f64]> = noisy.iter().map(Vec::as_slice).collect();
        let found = ratio(&noisy, &[new; 5]);
        assert!(found.interval[0] < found.interval[1], "{found:?}");
        assert!(found.interval[0] <= found.value && found.value <= found.interval[1], "{found:?}");
    }
}
