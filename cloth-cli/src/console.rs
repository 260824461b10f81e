//! What the command says: results on standard output, errors and progress on standard error.
//!
//! On a terminal long work shows a bar; elsewhere it writes a plain line at each quarter, so that a log stays
//! readable. A reader that has gone away (`cloth check ... | head`) is no reason to stop or to panic.

use std::fmt::Display;
use std::io::{IsTerminal, Write};

pub(crate) use cloth_scene::words::{count, counted};
use indicatif::{ProgressBar, ProgressStyle};

/// Work shorter than this many frames says nothing where there is no terminal.
const SILENT_BELOW: usize = 20;

/// Writes a text to standard output.
pub(crate) fn out(text: impl Display) {
    let _ = write!(std::io::stdout().lock(), "{text}");
}

/// Writes an error, one line, to standard error.
pub(crate) fn error(error: impl Display) {
    let _ = writeln!(std::io::stderr().lock(), "cloth: {error}");
}

/// Writes a line about the run to standard error.
pub(crate) fn note(text: impl Display) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// How far some work has come.
pub(crate) struct Progress {
    what: String,
    total: usize,
    bar: Option<ProgressBar>,
    told: usize,
}

impl Progress {
    /// Starts to report `total` pieces of work.
    pub(crate) fn start(what: impl Into<String>, total: usize) -> Self {
        let what = what.into();
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new(total as u64);
            let style = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} {eta}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar.set_message(what.clone());
            bar
        });
        Self { what, total, bar, told: 0 }
    }

    /// Reports that `done` pieces are done.
    pub(crate) fn done(&mut self, done: usize) {
        if let Some(bar) = &self.bar {
            bar.set_position(done as u64);
        } else if let Some(line) = self.line_at(done) {
            let _ = writeln!(std::io::stderr().lock(), "{line}");
        }
    }

    /// The line that is due, if a further quarter is done.
    fn line_at(&mut self, done: usize) -> Option<String> {
        let quarters = 4 * done / self.total.max(1);
        if self.total < SILENT_BELOW || quarters <= self.told {
            return None;
        }
        self.told = quarters;
        Some(format!("{}: {done}/{}", self.what, self.total))
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_each_quarter_once() {
        let mut progress = Progress { what: "x".into(), total: 200, bar: None, told: 0 };
        let lines: Vec<String> = (1..=200).filter_map(|done| progress.line_at(done)).collect();
        assert_eq!(lines.len(), 4);
        assert_eq!((lines[0].as_str(), lines[3].as_str()), ("x: 50/200", "x: 200/200"));
    }

    #[test]
    fn is_silent_about_little_work() {
        let mut progress = Progress { what: "x".into(), total: 5, bar: None, told: 0 };
        assert_eq!((0..=5).filter_map(|done| progress.line_at(done)).count(), 0);
    }
}
