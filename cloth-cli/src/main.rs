//! The `cloth` command: judges meshes and caches exactly, simulates a user's own scene, and runs the
//! scenarios.
//!
//! Exit status 0 means clean, 1 means "ran, and found failures", 2 means "could not run"; an error is one
//! line on standard error that names the file, the place and the fix. Standard output holds the result and
//! nothing else; if it cannot be written, that is 2, unless its reader has gone away. 130 and 143 mean
//! "interrupted" by SIGINT or SIGTERM: what was found so far has been reported.

mod args;
mod commands;
mod console;
mod failure;
mod files;
mod interrupt;
mod json;
mod schema;
#[cfg(test)]
#[path = "../tests/test_data/mod.rs"]
mod test_data;

use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Command};
use failure::{Failure, Status};

fn main() -> ExitCode {
    interrupt::listen();
    let outcome = match Cli::try_parse() {
        Ok(cli) => {
            cloth_io::set_max_input(cli.max_input);
            check_instructions().and_then(|()| run(&cli.command))
        }
        Err(error) if error.use_stderr() => Err(args::one_line_error(&error)),
        Err(help) => {
            // Help and version go to standard output; a reader that has gone away is no failure.
            console::see(help.print());
            Ok(Status::Clean)
        }
    };
    let status = outcome.unwrap_or_else(|failure| {
        console::error(&failure);
        Status::CouldNotRun
    });
    match console::out_error() {
        Some(error) if matches!(status, Status::Clean | Status::Found) => {
            console::error(format!("standard output cannot be written: {error}"));
            Status::CouldNotRun.into()
        }
        _ => status.into(),
    }
}

/// `CLOTH_SIMD` may name instructions that are unknown, or that the machine does not have.
fn check_instructions() -> Result<(), Failure> {
    cloth_geom::lanes::chosen_level().map(drop).map_err(|error| Failure::new(error.to_string()))
}

fn run(command: &Command) -> Result<Status, Failure> {
    match command {
        Command::Verify(args) => commands::verify::run(args),
        Command::Check(args) => commands::check::run(args),
        Command::Ccd(args) => commands::ccd::run(args),
        Command::Cull(args) => on_all_threads(|| commands::cull::run(args)),
        Command::Pairs(args) => commands::pairs::run(args),
        Command::Simulate(args) => commands::simulate::run(args),
        Command::Untangle(args) => commands::untangle::run(args),
        Command::Sample(args) => commands::sample::run(args),
        Command::Schema(args) => schema::run(args),
    }
}

/// The exact checks use the threads of the pool that they are called in.
fn on_all_threads(work: impl FnOnce() -> Result<Status, Failure> + Send) -> Result<Status, Failure> {
    rayon::scope(|_| work())
}
