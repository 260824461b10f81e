//! How a program that ran has ended.

use std::process::ExitCode;

use super::interrupt;

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
