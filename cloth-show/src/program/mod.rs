//! What the programs of the project share: exit statuses and errors on one line, signals, progress, and files
//! of which none is both read and written.
//!
//! ```text
//! main -> run: listens to signals -> work -> Status, or a Failure on standard error -> exit status
//! ```
//!
//! Exit status 0 means clean, 1 means "ran, and found failures", 2 means "could not run"; an error is one
//! line on standard error that names the file, the place and the fix. Standard output holds the result and
//! nothing else; if it cannot be written, that is 2, unless its reader has gone away. 130 and 143 mean
//! "interrupted" by SIGINT or SIGTERM: what was found so far has been reported.

pub mod command_line;
pub mod console;
pub mod interrupt;
pub mod json;
#[cfg(feature = "schema")]
pub mod schema;
mod status;

use std::sync::OnceLock;

pub use crate::{Failure, RunFiles};
pub use status::Status;

/// What a program knows of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// How its errors begin.
    pub name: &'static str,
    /// Its version.
    pub version: &'static str,
    /// The commit that it was built from, with `-dirty` if sources were changed since; none if nobody knows.
    pub commit: Option<String>,
}

static PROGRAM: OnceLock<Program> = OnceLock::new();

/// The program of this process; without [`run`] it has no name.
fn program() -> &'static Program {
    static NONE: Program = Program { name: "", version: "", commit: None };
    PROGRAM.get().unwrap_or(&NONE)
}

/// Runs a program from its start to its exit status. In a process that has run one before, errors and
/// reports bear the name of the first.
pub fn run(program: Program, work: impl FnOnce() -> Result<Status, Failure>) -> u8 {
    PROGRAM.get_or_init(|| program);
    interrupt::listen();
    let status = work().unwrap_or_else(|failure| {
        console::error(&failure);
        Status::CouldNotRun
    });
    match console::out_error() {
        Some(error) if matches!(status, Status::Clean | Status::Found) => {
            console::error(format!("standard output cannot be written: {error}"));
            Status::CouldNotRun.code()
        }
        _ => status.code(),
    }
}

/// Refuses what `CLOTH_SIMD` names if it is unknown, or if the machine does not have it.
///
/// # Errors
/// As it says.
pub fn check_instructions() -> Result<(), Failure> {
    cloth_geom::lanes::chosen_level().map(drop).map_err(|error| Failure::new(error.to_string()))
}
