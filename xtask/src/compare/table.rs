//! The comparison as text.

use std::fmt::Write;

use super::options::Options;
use super::row::{Row, figure, interval};

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
pub(super) fn scenario(row: &Row) -> String {
    let [was, is] = row.times;
    let pair = |old: f64, new: f64| format!("{} -> {}", figure(old), figure(new));
    let mut text = format!(
        "{:<18}{:>22}{:>22}{:>24}  {}\n",
        row.scenario,
        pair(was.median, is.median),
        pair(was.p95, is.p95),
        interval(row.ratio),
        row.quality,
    );
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{:<18}{}", "", row.stages);
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::row::tests::{faster, unchanged};

    #[test]
    fn a_row_has_times_ratio_quality_and_stages() {
        let text = scenario(&faster());
        for part in [
            "20.0 -> 10.0",
            "30.0 -> 15.0",
            "0.500 [0.500, 0.500]",
            "stretch p99, % 4.00 -> 5.00",
            "detect 2.00 -> 2.00",
        ] {
            assert!(text.contains(part), "{text}");
        }
        assert!(scenario(&unchanged()).contains("equal bits"));
    }
}
