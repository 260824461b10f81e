//! Starts the project's own jobs:
//! `cargo xtask quick | ci | verify | bench | dashboard | compare | matrix | counts | faults | web | schema |
//! tidy | help`.
//!
//! Depends on little and compiles in seconds: the work is done by child processes (`cloth`, `cargo bench`,
//! `.ci/run`), whose output and exit status pass through unchanged. So 1 still means "ran, and found
//! failures", and 2 "could not run". Paths among the arguments stay relative to the caller's directory.

#![forbid(unsafe_code)]

mod commands;
mod compare;
#[cfg(test)]
mod corpus_tests;
mod counts;
mod faults;
mod matrix;
mod options;
mod quick;
mod tidy;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match commands::Job::parse(&arguments) {
        Ok(job) => job.run(),
        Err(message) => {
            eprintln!("{message}");
            ExitCode::from(commands::COULD_NOT_RUN)
        }
    }
}
