//! The arguments of `cloth sweep`.

use std::path::PathBuf;

use clap::Args;
use cloth_show::sweep::Shard;

/// Runs a scene again and again with other values of its keys, on one machine or on many.
///
/// Each run has a folder of its own, which is written under a temporary name and renamed when it is whole.
/// The same command goes on with what was killed or interrupted; shards of one sweep may run anywhere that
/// the folder can be reached from, in any order, and more than once. A run whose scene ends with an error is
/// tried twice, and then recorded as failed. Errors of the machine (disk, permission, memory) go to OUT/log
/// and leave the run undone.
#[derive(Debug, Args)]
#[command(
    after_help = "Exit status: 0 all runs are clean, 1 some are not or failed, 2 some are undone or nothing \
    could be run.\n\nExamples:\n  \
    cloth sweep drape-sweep.toml --out runs\n  \
    cloth sweep drape-sweep.toml --out runs --shard 3/8"
)]
pub(crate) struct SweepArgs {
    /// Sweep file; see cloth-show/examples/sweep.toml for every key.
    #[arg(value_name = "SWEEP.toml")]
    pub(crate) sweep: PathBuf,
    /// Write the runs to this folder, or go on with it.
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// Run only shard I of N: every N-th run. `auto` reads the task of a Slurm array, `auto/N` its task
    /// modulo N. Without it, all runs, and the manifest at the end; with it, `cloth merge DIR` makes that.
    #[arg(long, value_name = "I/N")]
    pub(crate) shard: Option<Shard>,
    /// Run so many at a time, each on one thread; by default as many as the process has processors.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) jobs: Option<u16>,
}
