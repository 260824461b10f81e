//! What is compared of a scenario.

use cloth_measure::statistics::{Ratio, least_times, rank, ratio_of_sums, sorted};

use super::run::{QUALITY, Run};

/// Share of frames that do not count as moving: the fastest quarter, in which cloth often lies still.
const STILL: f64 = 0.25;

/// What is summed up of the times of the frames (ms).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Times {
    /// The median of those that move.
    pub(super) median: f64,
    /// The 95th percentile of all.
    pub(super) p95: f64,
}

impl Times {
    fn from_runs(runs: &[&[f64]]) -> Self {
        let frames = sorted(least_times(runs));
        let still = (STILL * frames.len() as f64) as usize;
        Self { median: rank(&frames[still..], 0.5), p95: rank(&frames, 0.95) }
    }
}

/// A scenario of two revisions, the old one first.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Row {
    pub(super) scenario: String,
    /// Times of the frames.
    pub(super) times: [Times; 2],
    /// Of all frames, new over old.
    pub(super) ratio: Ratio,
    /// Where the cloth differs, in words.
    pub(super) quality: String,
    /// Least mean time of each stage (ms), in words.
    pub(super) stages: String,
}

impl Row {
    /// From the runs of both.
    pub(super) fn new(scenario: &str, [old, new]: &[Vec<Run>; 2]) -> Self {
        let old_frames: Vec<&[f64]> = old.iter().map(|run| run.frames.as_slice()).collect();
        let new_frames: Vec<&[f64]> = new.iter().map(|run| run.frames.as_slice()).collect();
        Self {
            scenario: scenario.to_owned(),
            times: [Times::from_runs(&old_frames), Times::from_runs(&new_frames)],
            ratio: ratio_of_sums(&old_frames, &new_frames),
            quality: quality(&old[0], &new[0]),
            stages: stages(old, new),
        }
    }

    /// Faster, slower, or undecided if the interval of the ratio includes 1.
    pub(super) fn verdict(&self) -> &'static str {
        match self.ratio {
            Ratio { low, .. } if low > 1.0 => "slower",
            Ratio { high, .. } if high < 1.0 => "faster",
            _ => "undecided",
        }
    }
}

/// A ratio with its interval.
pub(super) fn interval(Ratio { value, low, high }: Ratio) -> String {
    format!("{value:.3} [{low:.3}, {high:.3}]")
}

/// The least mean time of each stage over the runs (ms), those first that take longest.
fn stages(old: &[Run], new: &[Run]) -> String {
    let least = |runs: &[Run], stage: &str| {
        runs.iter().filter_map(|run| run.stages.get(stage)).copied().fold(f64::INFINITY, f64::min)
    };
    let names = old[0].stages.keys().chain(new[0].stages.keys().filter(|k| !old[0].stages.contains_key(*k)));
    let mut rows: Vec<(&str, f64, f64)> =
        names.map(|stage| (stage.as_str(), least(old, stage), least(new, stage))).collect();
    rows.sort_by(|a, b| b.1.total_cmp(&a.1));
    let shown = rows.iter().filter(|row| row.1.min(row.2) >= 0.005);
    shown
        .map(|(stage, old, new)| format!("{stage} {} -> {}", figure(*old), figure(*new)))
        .collect::<Vec<_>>()
        .join(", ")
}

/// Whether the bits are equal, and if not, which figures of the cloth differ.
fn quality(old: &Run, new: &Run) -> String {
    if old.hash == new.hash {
        return "equal bits".into();
    }
    let both = QUALITY.iter().zip(old.quality.into_iter().zip(new.quality));
    let differing = both.filter(|(_, (a, b))| a.to_bits() != b.to_bits());
    let words: Vec<String> =
        differing.map(|((name, ..), (a, b))| format!("{name} {} -> {}", figure(a), figure(b))).collect();
    if words.is_empty() { "equal but for bits".into() } else { words.join(", ") }
}

/// Three significant digits.
pub(super) fn figure(x: f64) -> String {
    match x {
        _ if !x.is_finite() => "-".into(),
        _ if x == 0.0 => "0".into(),
        _ => {
            let digits = (2 - x.abs().log10().floor() as i32).clamp(0, 6) as usize;
            format!("{x:.digits$}")
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::compare::run::tests::report;

    /// A scenario whose new revision takes half the time and stretches more.
    pub(in super::super) fn faster() -> Row {
        let run = |ms: f64, hash| Run::read(&report(&[ms, 2.0 * ms, 2.0 * ms, 3.0 * ms], hash)).unwrap();
        let mut faster = run(5.0, "b");
        faster.quality[2] = 5.0;
        Row::new("pile", &[vec![run(10.0, "a"); 2], vec![faster; 2]])
    }

    /// A scenario of which nothing changed.
    pub(in super::super) fn unchanged() -> Row {
        let run = || vec![Run::read(&report(&[1.0], "a")).unwrap()];
        Row::new("x", &[run(), run()])
    }

    #[test]
    fn a_verdict_is_given_only_if_the_interval_excludes_one() {
        assert_eq!((faster().verdict(), unchanged().verdict()), ("faster", "undecided"));
        let mut row = faster();
        row.ratio = Ratio { value: 1.2, low: 0.99, high: 1.4 };
        assert_eq!(row.verdict(), "undecided");
        row.ratio = Ratio { value: 1.2, low: 1.01, high: 1.4 };
        assert_eq!(row.verdict(), "slower");
    }

    #[test]
    fn the_median_is_that_of_frames_that_move() {
        let runs: [&[f64]; 2] = [&[1.0, 9.0, 3.0, 4.0], &[5.0, 2.0, 3.0, 8.0]];
        assert_eq!(Times::from_runs(&runs), Times { median: 3.0, p95: 4.0 });
    }

    #[test]
    fn figures_have_three_digits() {
        assert_eq!(
            [0.0, 0.01234, 1.0, 12.34, 1234.5, f64::NAN].map(figure),
            ["0", "0.0123", "1.00", "12.3", "1234", "-"]
        );
    }
}
