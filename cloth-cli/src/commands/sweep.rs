//! `cloth sweep`: the runs of a sweep, or of a shard of it.

use std::sync::Mutex;

use cloth_show::program::console::{self, Progress, count};
use cloth_show::program::interrupt::INTERRUPT;
use cloth_show::program::{Failure, Status};
use cloth_show::sweep::manifest::merge;
use cloth_show::sweep::{ShardCounts, ShardOptions, Sweep, run_shard};

use crate::args::SweepArgs;

/// Runs what is left of a shard, and merges the manifest if it is the whole sweep.
pub(crate) fn run(args: &SweepArgs) -> Result<Status, Failure> {
    let sweep = Sweep::read(&args.sweep)?;
    let shard = args.shard.unwrap_or_default();
    let jobs = args.jobs.map_or_else(processors, usize::from);
    let all = shard.count_of(sweep.count());
    let progress = Mutex::new((Progress::start("sweep", "run", all as usize), 0));
    let options = ShardOptions { out: &args.out, shard, jobs, interrupt: INTERRUPT };
    let counts = run_shard(&sweep, &options, &|error| {
        error.iter().for_each(console::error);
        if let Ok(mut progress) = progress.lock() {
            progress.1 += 1;
            let done = progress.1;
            progress.0.done(done);
        }
    })?;
    drop(progress);
    let whole = args.shard.is_none() && counts.undone == 0;
    let merged = whole.then(|| merge(std::slice::from_ref(&args.out), None, false)).transpose()?;
    let of = args.shard.map_or(String::new(), |shard| format!("shard {shard}, "));
    console::out(format!("{}: {of}{}\n", args.out.display(), in_words(&counts)));
    merged.iter().for_each(|merged| console::out(format!("wrote {}\n", merged.path.display())));
    let interrupted = INTERRUPT.is_requested() && counts.undone > 0;
    Ok(match counts.undone {
        1.. if !interrupted => Status::CouldNotRun,
        _ => Status::of_run(counts.not_clean + counts.failed == 0, interrupted),
    })
}

fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn in_words(counts: &ShardCounts) -> String {
    let ShardCounts { committed, present, not_clean, failed, undone } = *counts;
    let clean = committed + present - not_clean - failed;
    let [all, clean, not_clean, failed, before, left] =
        [committed + present, clean, not_clean, failed, present, undone].map(|n| count(n as usize));
    let before = if present > 0 { format!(", {before} of them before") } else { String::new() };
    let left = if undone > 0 { format!("; {left} undone, call it again") } else { String::new() };
    format!("{all} runs: {clean} clean, {not_clean} not clean, {failed} failed{before}{left}")
}
