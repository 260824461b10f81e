//! The program that `cargo xtask bench` starts.

#![forbid(unsafe_code)]

mod measure;
mod push;
mod sweep;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};
use cloth_bench::run::work;
use cloth_bench::schema::BenchReport;
use cloth_bench::{history, report};
use serde::de::DeserializeOwned;

/// Recorded results.
const HISTORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/history");

/// Runs this project and other cloth libraries on the same scenes and judges all with the same exact checker.
#[derive(Parser)]
#[command(name = "cargo xtask bench", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Measures, writes the JSON and the pages, and prints the tables.
    Run(measure::Arguments),
    /// Tries settings of the peers on `hang` and prints time and stretch of each.
    Sweep(sweep::Arguments),
    /// Pushes one sheet through another with every gate, and writes who keeps the promise.
    Push(push::Arguments),
    /// Writes the pages of a finished run again.
    Report(ReportArguments),
    /// Runs one contender in one scene; `run` starts a process of this for each run.
    #[command(hide = true)]
    Worker {
        /// What to run, as JSON.
        arguments: String,
    },
}

#[derive(Args)]
struct ReportArguments {
    /// The JSON of the run.
    json: PathBuf,
    /// Directory for the pages.
    #[arg(long, value_name = "DIR", default_value = "report/bench")]
    out: PathBuf,
    /// Folder of the recorded results that the page draws.
    #[arg(long, value_name = "DIR", default_value = HISTORY)]
    history: PathBuf,
    /// Append the results of the run to that folder first.
    #[arg(long)]
    record: bool,
}

fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Run(arguments) => arguments.run(),
        Command::Sweep(arguments) => arguments.run(),
        Command::Push(arguments) => arguments.run(),
        Command::Report(r) => {
            read::<BenchReport>(&r.json).and_then(|run| pages(&run, &r.out, &r.history, r.record))
        }
        Command::Worker { arguments } => {
            let read = serde_json::from_str(&arguments).map_err(|e| format!("arguments of a worker: {e}"));
            read.and_then(|arguments| work(&arguments))
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("bench: {message}");
            ExitCode::from(2)
        }
    }
}

/// Writes the pages of a run with the history, to which it is appended before if `record` is set.
fn pages(run: &BenchReport, out: &Path, folder: &Path, record: bool) -> Result<(), String> {
    if record {
        history::append(folder, &history::records(run))?;
    }
    report::write(run, &history::read(folder)?, out)
}

fn read<T: DeserializeOwned>(path: &Path) -> Result<T, String> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    serde_json::from_str(&text).map_err(|e| format!("{}: not a report of this version: {e}", path.display()))
}
