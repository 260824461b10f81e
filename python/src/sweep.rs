//! The runs of a sweep, shard by shard, and the manifest of rows.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use cloth_show::Interrupt;
use cloth_show::sweep::manifest::{Merged, merge};
use cloth_show::sweep::{Shard, ShardCounts, ShardOptions, Sweep, run_shard};
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;

use crate::{errors, pool};

/// How long a shard that was interrupted may take to remove what it has begun: it ends between two frames.
const CLEANUP: Duration = Duration::from_millis(800);

/// The number of runs of a sweep.
#[pyfunction]
pub(crate) fn sweep_runs(py: Python<'_>, sweep: PathBuf) -> PyResult<u64> {
    Ok(read(py, &sweep)?.count())
}

/// Runs what is left of a shard; the numbers of runs that were committed and present, of these not clean and
/// failed, and undone. An error of the machine is an `OSError`, one of the sweep a `FileError`.
#[pyfunction]
pub(crate) fn sweep_shard(
    py: Python<'_>,
    sweep: PathBuf,
    out: PathBuf,
    index: u64,
    count: u64,
    jobs: usize,
) -> PyResult<(u64, u64, u64, u64, u64)> {
    let shard = Shard::from_index(index, count).map_err(|error| errors::raise(py, "InputError", error))?;
    let sweep = read(py, &sweep)?;
    // Never freed: after a signal the threads of the shard may outlive this call.
    let stop: &'static AtomicBool = Box::leak(Box::new(AtomicBool::new(false)));
    let (done, is_done) = channel();
    let worker = thread::Builder::new().spawn(move || {
        let options = ShardOptions { out: &out, shard, jobs, interrupt: Interrupt::from_flag(stop) };
        // Nobody waits for the result after a signal.
        let _ = done.send(catch_unwind(AssertUnwindSafe(|| run_shard(&sweep, &options, &|_| {}))));
    })?;
    let counts = pool::wait(py, is_done, stop).inspect_err(|_| {
        py.detach(|| {
            let step = CLEANUP / 40;
            (0..40).take_while(|_| !worker.is_finished()).for_each(|_| thread::sleep(step));
        });
    })?;
    let ShardCounts { committed, present, not_clean, failed, undone } = counts.map_err(|error| {
        if error.is_of_machine() { PyOSError::new_err(error.to_string()) } else { errors::file(py, &error) }
    })?;
    Ok((committed, present, not_clean, failed, undone))
}

/// Merges folders of sweeps and files of rows; the path of the manifest, and its rows by outcome.
#[pyfunction]
pub(crate) fn sweep_merge(
    py: Python<'_>,
    inputs: Vec<PathBuf>,
    out: Option<PathBuf>,
    partial: bool,
) -> PyResult<(PathBuf, BTreeMap<String, u64>)> {
    let merged = py.detach(|| merge(&inputs, out.as_deref(), partial));
    let Merged { path, outcomes, .. } = merged.map_err(|error| errors::file(py, &error))?;
    Ok((path, outcomes))
}

fn read(py: Python<'_>, sweep: &std::path::Path) -> PyResult<Sweep> {
    Sweep::read(sweep).map_err(|error| errors::file(py, &error))
}
