//! The arguments of `cloth merge`.

use std::path::PathBuf;

use clap::Args;

/// Joins the rows of shards into one manifest, equal in every byte whatever the order of work.
///
/// Rows are sorted by kind, plan and number. One that is there several times is taken once, and rows that
/// contradict each other are refused. A last line that was cut short by a kill is no row. Of the rows of
/// `cloth check` the times of files (`judged`) are left out. In the folder of a sweep, every run is compared
/// with its row, and what is left of interrupted tries at it is removed.
#[derive(Clone, Debug, Args)]
#[command(
    after_help = "Exit status: 0 written, whatever the outcomes of the rows, 2 refused: rows are missing, \
    contradict each other or cannot be read.\n\nExamples:\n  \
    cloth merge out\n  \
    cloth merge shard-1.jsonl shard-2.jsonl --out table.jsonl"
)]
pub(crate) struct MergeArgs {
    /// Folders of sweeps, and files of rows: those of `cloth check --jsonl` and of `cloth-verify --fuzz
    /// --jsonl`, and earlier manifests.
    #[arg(value_name = "IN", required = true)]
    pub(crate) inputs: Vec<PathBuf>,
    /// Write the manifest to this file, by default to manifest.jsonl in IN if that is one folder.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Write what is there, although rows are missing.
    #[arg(long)]
    pub(crate) partial: bool,
}
