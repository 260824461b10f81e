//! The matrix as text.

use std::fmt::Write;

/// One run.
pub(super) struct Cell {
    pub(super) build: &'static str,
    pub(super) threads: usize,
    /// Of all frames.
    pub(super) hashes: Vec<String>,
}

/// All runs of a scenario.
pub(super) struct Row {
    pub(super) scenario: String,
    pub(super) cells: Vec<Cell>,
}

impl Row {
    /// The first run that differs from the first one, and the first frame in which it does.
    pub(super) fn first_difference(&self) -> Option<(&Cell, usize)> {
        let (first, others) = self.cells.split_first()?;
        let other = others.iter().find(|cell| cell.hashes != first.hashes)?;
        let both = first.hashes.iter().zip(&other.hashes);
        let common = first.hashes.len().min(other.hashes.len());
        Some((other, { both }.position(|(a, b)| a != b).unwrap_or(common)))
    }
}

/// A line for each scenario, with the hash of its last frame.
pub(super) fn text(rows: &[Row], left_out: &[&str]) -> String {
    let mut text = String::new();
    for row in rows {
        let last = row.cells.first().and_then(|cell| cell.hashes.last()).map_or("", String::as_str);
        let _ = match row.first_difference() {
            None => writeln!(text, "{:<20} {last}  equal in {} runs", row.scenario, row.cells.len()),
            Some((cell, frame)) => writeln!(
                text,
                "{:<20} {last}  DIFFERS: {} on {} threads, from frame {frame} on",
                row.scenario, cell.build, cell.threads
            ),
        };
    }
    if !left_out.is_empty() {
        let _ = writeln!(text, "not run, this machine lacks AVX2: {}", left_out.join(", "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(hashes: &[&[&str]]) -> Row {
        let cell = |(threads, hashes): (usize, &&[&str])| Cell {
            build: "dev",
            threads,
            hashes: hashes.iter().map(|&hash| hash.to_owned()).collect(),
        };
        Row { scenario: "hang".into(), cells: (1..).zip(hashes).map(cell).collect() }
    }

    #[test]
    fn names_the_first_run_that_differs_and_its_first_frame() {
        let place = |row: &Row| row.first_difference().map(|(cell, frame)| (cell.threads, frame));
        assert_eq!(place(&row(&[&["a", "b"], &["a", "b"]])), None);
        assert_eq!(place(&row(&[&["a", "b"], &["a", "b"], &["a", "c"]])), Some((3, 1)));
        assert_eq!(place(&row(&[&["a", "b"], &["a"]])), Some((2, 1)), "an interrupted run is not equal");
    }

    #[test]
    fn tells_what_was_equal_and_what_was_left_out() {
        let text = text(&[row(&[&["a"], &["a"]]), row(&[&["a"], &["b"]])], &["dev-avx2"]);
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].ends_with("equal in 2 runs") && lines[0].starts_with("hang"));
        assert!(lines[1].ends_with("DIFFERS: dev on 2 threads, from frame 0 on"));
        assert!(lines[2].ends_with("dev-avx2"));
    }
}
