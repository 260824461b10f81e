//! Meshes one by one, on threads of their own: each is read, checked and reported, or rejected.
//!
//! A file that is refused does not keep the others from being judged; it decides the exit status all the
//! same.

mod effort;
mod output;

pub(super) use effort::check_effort;
pub(super) use output::{MeshOutput, check_mesh_format, has_extension};

use std::panic::resume_unwind;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread::Builder;
use std::time::{Duration, Instant};

use cloth_io::FileError;
use cloth_show::check::{SCHEMA_VERSION, Subject};
use cloth_show::program::interrupt::INTERRUPT;
use cloth_show::program::{Failure, RunFiles, Status, console, json};
use rayon::prelude::*;
use serde::Serialize;

use crate::args::MeshArgs;

/// How often a signal is looked for.
const POLL: Duration = Duration::from_millis(20);

/// How long work that sees the signal itself may take to hand over what it has: the process ends 1.3 s after
/// the signal, and writes a report before.
const GRACE: Duration = Duration::from_millis(800);

/// As the main thread has it: meshes nest deep in trees.
const STACK: usize = 8 << 20;

/// What a command finds of one mesh.
pub(super) trait MeshReport: Serialize + Send + 'static {
    /// Figures over all meshes, whose fields stand before them in the JSON.
    type Total: Serialize;

    /// The block for a terminal, each line ended.
    fn text(&self) -> String;

    /// Whether nothing was found that the command calls a failure.
    fn is_clean(&self) -> bool;

    /// The figures over all meshes that were judged.
    fn total(meshes: &[Self]) -> Self::Total
    where
        Self: Sized;
}

/// The JSON of a run.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(super) struct RunReport<R, T> {
    schema_version: u32,
    #[serde(flatten)]
    total: T,
    meshes: Vec<R>,
    /// Files that could not be judged.
    rejected: Vec<RejectedFile>,
    /// Whether a signal ended the run early: the last mesh has the states until then, later ones are left
    /// out.
    interrupted: bool,
}

/// Nothing is summed over meshes.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(super) struct NoTotal {}

impl<R> RunReport<R, NoTotal> {
    pub(super) fn new(meshes: Vec<R>, rejected: Vec<RejectedFile>, interrupted: bool) -> Self {
        Self { schema_version: SCHEMA_VERSION, total: NoTotal {}, meshes, rejected, interrupted }
    }
}

/// A file that could not be judged, and why.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(super) struct RejectedFile {
    pub(super) path: String,
    pub(super) error: String,
}

/// The schema of the JSON of a run that finds `R` of each mesh, and sums nothing.
pub(super) fn schema_of<R: schemars::JsonSchema + 'static>() -> schemars::Schema {
    json::schema::<RunReport<R, NoTotal>>()
}

/// The schema of the JSON of a run that finds `R` of each mesh.
pub(super) fn schema<R: MeshReport + schemars::JsonSchema>() -> schemars::Schema
where
    R::Total: schemars::JsonSchema + 'static,
{
    json::schema::<RunReport<R, R::Total>>()
}

/// Judges each mesh and prints its block or why it was rejected, then writes the JSON. A signal ends it
/// before the next mesh. `further` are files in addition to the meshes that are read, with the options that
/// name them.
///
/// # Errors
/// If there is a cache for several meshes, if the JSON would write over one of them, or if it cannot be
/// written.
pub(super) fn run<R: MeshReport>(
    args: &MeshArgs,
    cache: Option<&Path>,
    further: &[(Option<&Path>, &str)],
    judge: impl Fn(Subject) -> Result<R, FileError> + Send + Sync + 'static,
) -> Result<Status, Failure> {
    if cache.is_some() && args.meshes.len() != 1 {
        return Err(Failure::new("--cache wants one MESH, whose faces the cache moves; name one"));
    }
    let files = files(args, further)?;
    let judge = Arc::new(judge);
    let (mut meshes, mut rejected) = (Vec::new(), Vec::new());
    for path in args.meshes.iter().take_while(|_| !INTERRUPT.is_requested()) {
        let (judge, own, cache) = (Arc::clone(&judge), path.clone(), cache.map(Path::to_path_buf));
        let arrays = args.arrays.clone().unwrap_or_default();
        let judged = run_on_worker(path, move || {
            Subject::open_arrays(&own, cache.as_deref(), &arrays).and_then(|s| judge(s))
        });
        match judged.map_err(Failure::from) {
            Ok(mesh) => {
                console::out(mesh.text());
                meshes.push(mesh);
            }
            Err(failure) => {
                console::error(&failure);
                rejected.push(RejectedFile { path: path.display().to_string(), error: failure.to_string() });
            }
        }
    }
    let interrupted = INTERRUPT.is_requested();
    let status = match rejected.is_empty() || interrupted {
        true => Status::of_run(meshes.iter().all(R::is_clean), interrupted),
        false => Status::CouldNotRun,
    };
    let total = R::total(&meshes);
    let report = RunReport { schema_version: SCHEMA_VERSION, total, meshes, rejected, interrupted };
    json::write(args.json.as_deref(), &report, &files)?;
    Ok(status)
}

/// What the run reads and writes, checked.
fn files(args: &MeshArgs, further: &[(Option<&Path>, &str)]) -> Result<RunFiles, Failure> {
    let mut files = RunFiles::default();
    for path in &args.meshes {
        files.reads_all(&Subject::files(path), "MESH");
    }
    further.iter().for_each(|(path, role)| path.iter().for_each(|path| files.reads(path, role)));
    files.writes_json(args.json.as_deref())?;
    Ok(files)
}

/// Does some work about a file on a thread of its own, so that a signal is answered although one mesh takes
/// minutes. After a signal it waits a moment for what the work has found so far; work
/// that does not answer is left behind, and ends with the process.
pub(super) fn run_on_worker<R: Send + 'static>(
    path: &Path,
    work: impl FnOnce() -> Result<R, FileError> + Send + 'static,
) -> Result<R, FileError> {
    let (sender, receiver) = channel();
    let thread = Builder::new().stack_size(STACK).spawn(move || drop(sender.send(work())));
    let thread = thread.map_err(|e| FileError::new(path, format!("cannot start a thread for it: {e}")))?;
    let late = |_| Err(FileError::new(path, "interrupted before anything of it was judged"));
    loop {
        match receiver.recv_timeout(POLL) {
            Ok(found) => return found,
            Err(RecvTimeoutError::Timeout) if INTERRUPT.is_requested() => {
                return receiver.recv_timeout(GRACE).unwrap_or_else(late);
            }
            Err(RecvTimeoutError::Timeout) => {}
            // It has panicked, and so do we.
            Err(RecvTimeoutError::Disconnected) => match thread.join() {
                Err(panic) => resume_unwind(panic),
                Ok(()) => return late(RecvTimeoutError::Disconnected),
            },
        }
    }
}

/// Does some work on each item on the threads of the global pool, and gives what was found to `take` as it
/// comes, with the number of its item. A signal ends it after a moment, with what was found until then.
///
/// # Errors
/// Those of `take`.
pub(super) fn stream_from_worker<I: Send + 'static, R: Send + 'static>(
    items: Vec<I>,
    work: impl Fn(&I) -> R + Send + Sync + 'static,
    mut take: impl FnMut(usize, R) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let (sender, receiver) = channel();
    let side_by_side = move || {
        rayon::scope(|_| {
            items.into_iter().enumerate().par_bridge().for_each(|(number, item)| {
                if !INTERRUPT.is_requested() {
                    // Who received has gone away after a signal, or because of an error.
                    let _ = sender.send((number, work(&item)));
                }
            });
        });
    };
    let thread = Builder::new().spawn(side_by_side);
    let thread = thread.map_err(|e| Failure::new(format!("cannot start a thread: {e}")))?;
    let mut end: Option<Instant> = None;
    loop {
        match receiver.recv_timeout(POLL) {
            Ok((number, found)) => take(number, found)?,
            Err(RecvTimeoutError::Timeout) if INTERRUPT.is_requested() => {
                if Instant::now() >= *end.get_or_insert_with(|| Instant::now() + GRACE) {
                    return Ok(());
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                // It has panicked, and so do we; or all is done.
                return thread.join().map_or_else(|panic| resume_unwind(panic), Ok);
            }
        }
    }
}
