//! How a program ends: a status, or one line that says why it could not run.

use std::fmt;
use std::process::ExitCode;

use cloth_io::FileError;

use super::interrupt;

/// The longest error (characters): what a hostile file or argument says must not fill the terminal.
const MAX_LENGTH: usize = 600;

/// How a program that ran has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// It ran, and all is well.
    Clean,
    /// It ran, and found failures.
    Found,
    /// At least a part of it could not run; its errors have been printed.
    CouldNotRun,
    /// A signal has ended it early; what it found until then is reported.
    Interrupted,
}

impl Status {
    /// That of a run with this verdict, unless it was interrupted.
    #[must_use]
    pub fn of_run(pass: bool, interrupted: bool) -> Self {
        match (interrupted, pass) {
            (true, _) => Self::Interrupted,
            (false, true) => Self::Clean,
            (false, false) => Self::Found,
        }
    }
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        Self::from(match status {
            Status::Clean => 0,
            Status::Found => 1,
            Status::CouldNotRun => 2,
            Status::Interrupted => interrupt::exit_status(),
        })
    }
}

/// Why a program could not run, on one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure(String);

impl Failure {
    /// A failure in words, which are put on one line.
    #[must_use]
    pub fn new(text: impl AsRef<str>) -> Self {
        Self(one_line(text.as_ref()))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<FileError> for Failure {
    fn from(error: FileError) -> Self {
        Self::new(error.to_string())
    }
}

/// White space becomes single blanks, control characters are escaped, and the rest is cut.
fn one_line(text: &str) -> String {
    let joined = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut line = String::new();
    for (i, c) in joined.chars().enumerate() {
        if i >= MAX_LENGTH {
            line.push_str("...");
            break;
        }
        if c.is_control() { line.extend(c.escape_default()) } else { line.push(c) }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_one_line_whatever_it_contains() {
        assert_eq!(Failure::new("a\n  b\u{7}").to_string(), "a b\\u{7}");
        assert!(Failure::new("x".repeat(100_000)).to_string().len() <= MAX_LENGTH + 3);
    }
}
