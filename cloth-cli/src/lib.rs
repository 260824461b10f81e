#![doc = include_str!("../README.md")]

mod args;
mod commands;
mod left_out;
mod schema;

use std::ffi::OsString;

use cloth_show::program::{self, Failure, Program, Status};

use args::Command;

/// Runs a command line, the name of the program first, to its exit status.
pub fn run(line: impl IntoIterator<Item = OsString>) -> u8 {
    let commit = Some(env!("CLOTH_COMMIT")).filter(|commit| !commit.is_empty()).map(str::to_owned);
    let this = Program { name: "cloth", version: env!("CARGO_PKG_VERSION"), commit };
    program::run(this, || match args::parse(line)? {
        Some(cli) => {
            cloth_io::set_max_input(cli.max_input);
            program::check_instructions()?;
            start(&cli.command)
        }
        None => Ok(Status::Clean),
    })
}

fn start(command: &Command) -> Result<Status, Failure> {
    match command {
        Command::Check(args) => commands::check::run(args),
        Command::Simulate(args) => commands::simulate::run(args),
        Command::Untangle(args) => commands::untangle::run(args),
        Command::Sweep(args) => commands::sweep::run(args),
        Command::Merge(args) => commands::merge::run(args),
        Command::Sample(args) => commands::sample::run(args),
        Command::Schema(args) => schema::run(args),
    }
}
