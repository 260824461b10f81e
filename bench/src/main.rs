//! The program that `cargo xtask bench` starts.

#![forbid(unsafe_code)]

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use cloth_bench::report;
use cloth_bench::schema::BenchReport;

/// Runs this project and other cloth libraries on the same scenes and judges all with the same exact checker.
#[derive(Parser)]
#[command(name = "cargo xtask bench", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Writes the pages of a finished run again.
    Report {
        /// The JSON of the run.
        json: PathBuf,
        /// Directory for the pages.
        #[arg(long, value_name = "DIR", default_value = "report/bench")]
        out: PathBuf,
    },
}

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Report { json, out } => read(&json)
            .and_then(|run| report::write(&run, &out).map_err(|e| format!("{}: {e}", out.display()))),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("bench: {message}");
            ExitCode::from(2)
        }
    }
}

fn read(path: &Path) -> Result<BenchReport, String> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    serde_json::from_str(&text).map_err(|e| format!("{}: not a report of this version: {e}", path.display()))
}
