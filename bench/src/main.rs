//! The program that `cargo xtask bench` starts.

#![forbid(unsafe_code)]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use cloth_bench::documents::documents;
use cloth_bench::schema::BenchReport;
use cloth_bench::{history, report};

/// Recorded results.
const HISTORY: &str = "bench/history";

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
        /// Folder of the recorded results that the page draws.
        #[arg(long, value_name = "DIR", default_value = HISTORY)]
        history: PathBuf,
        /// Append the results of the run to that folder first.
        #[arg(long)]
        record: bool,
    },
    /// Writes the JSON schemas of the run and of the history.
    Schema {
        /// Folder for the documents.
        #[arg(value_name = "DIR", default_value = "docs/schema")]
        folder: PathBuf,
    },
}

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Report { json, out, history, record } => pages(&json, &out, &history, record),
        Command::Schema { folder } => schemas(&folder),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("bench: {message}");
            ExitCode::from(2)
        }
    }
}

/// Writes the pages of a run with the history, to which it is appended before if `record` is set.
fn pages(json: &Path, out: &Path, folder: &Path, record: bool) -> Result<(), String> {
    let run = read(json)?;
    if record {
        history::append(folder, &history::records(&run)).map_err(|e| e.to_string())?;
    }
    let history = history::read(folder).map_err(|e| e.to_string())?;
    report::write_with_history(&run, &history, out).map_err(|e| e.to_string())
}

/// Writes the documents of `docs/schema` that describe this program's files.
fn schemas(folder: &Path) -> Result<(), String> {
    for (name, text) in documents().map_err(|e| format!("cannot write a schema as JSON: {e}"))? {
        let path = folder.join(name);
        cloth_io::write_atomically(&path, |w| w.write_all(text.as_bytes())).map_err(|e| e.to_string())?;
    }
    Ok(())
}

fn read(path: &Path) -> Result<BenchReport, String> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    serde_json::from_str(&text).map_err(|e| format!("{}: not a report of this version: {e}", path.display()))
}
