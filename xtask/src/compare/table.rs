//! The comparison as text.

use std::fmt::Write;

use super::estimate::{Times, ratio};
use super::options::Options;
use super::run::{Quality, Run};

/// What is compared, and the names of the columns.
pub(super) fn heading([old, new]: &[&str; 2], options: &Options) -> String {
    format!(
        "{new} against {old}: size {}, gate {}, {} thread(s), {} run(s) each, alternating; the least time of each frame counts\n\
         {:<18}{:>22}{:>22}{:>24}  quality where it differs\n",
        options.size,
        options.gate,
        options.threads,
        options.runs,
        "scenario",
        "median of moving, ms",
        "p95, ms",
        "all frames, new / old",
    )
}

/// The row of a scenario, and one for the stages.
pub(super) fn scenario(name: &str, [old, new]: &[Vec<Run>; 2]) -> String {
    let old_frames: Vec<&[f64]> = old.iter().map(|run| run.frames.as_slice()).collect();
    let new_frames: Vec<&[f64]> = new.iter().map(|run| run.frames.as_slice()).collect();
    let [was, is] = [Times::from_runs(&old_frames), Times::from_runs(&new_frames)];
    let found = ratio(&old_frames, &new_frames);
    let pair = |old: f64, new: f64| format!("{} -> {}", figure(old), figure(new));
    let mut text = format!(
        "{name:<18}{:>22}{:>22}{:>24}  {}\n",
        pair(was.median, is.median),
        pair(was.p95, is.p95),
        format!("{:.3} [{:.3}, {:.3}]", found.value, found.interval[0], found.interval[1]),
        quality(&old[0], &new[0]),
    );
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{:<18}{}", "", stages(old, new));
    text
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
    let figures = |q: &Quality| {
        [
            ("intersections, worst", q.intersections[0]),
            ("intersections, end", q.intersections[1]),
            ("stretch p99, %", 100.0 * q.stretch[0]),
            ("stretch max, %", 100.0 * q.stretch[1]),
            ("penetration, mm", 1000.0 * q.penetration),
            ("substeps", q.substeps),
        ]
    };
    let both = figures(&old.quality).into_iter().zip(figures(&new.quality));
    let differing = both.filter(|((_, a), (_, b))| a.to_bits() != b.to_bits());
    let words: Vec<String> =
        differing.map(|((name, a), (_, b))| format!("{name} {} -> {}", figure(a), figure(b))).collect();
    if words.is_empty() { "equal but for bits".into() } else { words.join(", ") }
}

/// Three significant digits.
fn figure(x: f64) -> String {
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
mod tests {
    use super::*;
    use crate::compare::run::tests::report;

    #[test]
    fn a_row_has_times_ratio_quality_and_stages() {
        let run = |ms: f64, hash| Run::read(&report(&[ms, 2.0 * ms, 2.0 * ms, 3.0 * ms], hash)).unwrap();
        let mut faster = run(5.0, "b");
        faster.quality.stretch[0] = 0.05;
        let text = scenario("pile", &[vec![run(10.0, "a"); 2], vec![faster; 2]]);
        for part in [
            "20.0 -> 10.0",
            "30.0 -> 15.0",
            "0.500 [0.500, 0.500]",
            "stretch p99, % 4.00 -> 5.00",
            "detect 2.00 -> 2.00",
        ] {
            assert!(text.contains(part), "{text}");
        }
        assert!(scenario("x", &[vec![run(1.0, "a")], vec![run(1.0, "a")]]).contains("equal bits"));
    }

    #[test]
    fn figures_have_three_digits() {
        assert_eq!(
            [0.0, 0.01234, 1.0, 12.34, 1234.5, f64::NAN].map(figure),
            ["0", "0.0123", "1.00", "12.3", "1234", "-"]
        );
    }
}
