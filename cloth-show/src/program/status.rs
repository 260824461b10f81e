//! How a program that ran has ended.

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

    /// The exit status of the process: 0, 1 or 2, or 130 or 143 after a signal.
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            Self::Clean => 0,
            Self::Found => 1,
            Self::CouldNotRun => 2,
            Self::Interrupted => interrupt::exit_status(),
        }
    }
}
