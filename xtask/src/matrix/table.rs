//! The matrix as text.

use std::fmt::Write;

use serde_json::Value;

use cloth_measure::program::WORKING_TREE;

/// One run.
pub(super) struct Cell {
    /// The build, and of which revision if there are two.
    pub(super) program: String,
    pub(super) threads: usize,
    /// Hashes of all frames.
    pub(super) hashes: Vec<String>,
}

/// All runs of a scenario.
pub(super) struct Row {
    pub(super) scenario: String,
    pub(super) cells: Vec<Cell>,
    /// Revisions that have no such scenario.
    pub(super) lacking: Vec<String>,
}

impl Row {
    /// The first run that differs from the first one, and the first frame in which it does.
    fn first_difference(&self) -> Option<(&Cell, usize)> {
        let (first, others) = self.cells.split_first()?;
        let other = others.iter().find(|cell| cell.hashes != first.hashes)?;
        let both = first.hashes.iter().zip(&other.hashes);
        let common = first.hashes.len().min(other.hashes.len());
        Some((other, { both }.position(|(a, b)| a != b).unwrap_or(common)))
    }

    fn is_lost(&self) -> bool {
        self.lacking.iter().any(|name| name == WORKING_TREE)
    }

    /// Whether all runs are equal, and the working tree still has the scenario.
    pub(super) fn passes(&self) -> bool {
        self.first_difference().is_none() && !self.is_lost()
    }

    fn verdict(&self) -> String {
        if let Some((cell, frame)) = self.first_difference() {
            return format!("DIFFERS: {} on {} threads, from frame {frame} on", cell.program, cell.threads);
        }
        match self.lacking.first() {
            None => format!("equal in {} runs", self.cells.len()),
            Some(_) if self.is_lost() => format!("LOST: the {WORKING_TREE} has no such scenario"),
            Some(revision) => format!("not compared: {revision} has no such scenario"),
        }
    }
}

/// A line for each scenario, with the hash of its last frame.
pub(super) fn text(rows: &[Row], left_out: &[&str]) -> String {
    let mut text = String::new();
    for row in rows {
        let last = row.cells.first().and_then(|cell| cell.hashes.last()).map_or("", String::as_str);
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{:<20} {last}  {}", row.scenario, row.verdict());
    }
    if !left_out.is_empty() {
        let _ = writeln!(text, "not run, this machine lacks the instructions: {}", left_out.join(", "));
    }
    text
}

/// The hashes of all frames in the report of a scenario.
pub(super) fn frame_hashes(report: &str) -> Result<Vec<String>, String> {
    let report: Value = serde_json::from_str(report).map_err(|e| e.to_string())?;
    let hashes = report.pointer("/scenarios/0/frame_hashes").and_then(Value::as_array);
    let hashes: Vec<String> =
        hashes.into_iter().flatten().filter_map(|hash| Some(hash.as_str()?.to_owned())).collect();
    match hashes.is_empty() {
        true => Err("the report has no hashes of frames (`frame_hashes`)".into()),
        false => Ok(hashes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(hashes: &[&[&str]]) -> Row {
        let cell = |(threads, hashes): (usize, &&[&str])| Cell {
            program: "dev".into(),
            threads,
            hashes: hashes.iter().map(|&hash| hash.to_owned()).collect(),
        };
        Row { scenario: "hang".into(), cells: (1..).zip(hashes).map(cell).collect(), lacking: vec![] }
    }

    #[test]
    fn names_the_first_run_that_differs_and_its_first_frame() {
        let place = |row: &Row| row.first_difference().map(|(cell, frame)| (cell.threads, frame));
        assert_eq!(place(&row(&[&["a", "b"], &["a", "b"]])), None);
        assert_eq!(place(&row(&[&["a", "b"], &["a", "b"], &["a", "c"]])), Some((3, 1)));
        assert_eq!(place(&row(&[&["a", "b"], &["a"]])), Some((2, 1)), "an interrupted run is not equal");
    }

    #[test]
    fn says_what_was_equal_and_what_was_left_out() {
        let text = text(&[row(&[&["a"], &["a"]]), row(&[&["a"], &["b"]])], &["dev-avx2"]);
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].ends_with("equal in 2 runs") && lines[0].starts_with("hang"));
        assert!(lines[1].ends_with("DIFFERS: dev on 2 threads, from frame 0 on"));
        assert!(lines[2].ends_with("dev-avx2"));
    }

    #[test]
    fn a_lost_scenario_fails_and_a_new_one_does_not() {
        let lacking = |name: &str| Row { lacking: vec![name.into()], ..row(&[&["a"]]) };
        let (new, lost) = (lacking("8b04a8c"), lacking(WORKING_TREE));
        assert!(new.passes() && !lost.passes());
        assert_eq!(new.verdict(), "not compared: 8b04a8c has no such scenario");
        assert_eq!(lost.verdict(), "LOST: the working tree has no such scenario");
        let mut differs = row(&[&["a"], &["b"]]);
        differs.lacking = new.lacking;
        assert!(!differs.passes() && differs.verdict().starts_with("DIFFERS"));
    }

    #[test]
    fn reads_the_hashes_of_all_frames_and_takes_none_for_an_error() {
        let report = r#"{"scenarios": [{"frame_hashes": ["a", "b"]}]}"#;
        assert_eq!(frame_hashes(report).unwrap(), ["a", "b"]);
        assert!(frame_hashes(r#"{"scenarios": [{"frame_hashes": []}]}"#).is_err());
        assert!(frame_hashes("{}").is_err());
    }
}
