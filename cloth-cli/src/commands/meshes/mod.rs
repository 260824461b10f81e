//! Work on meshes, on threads of its own so that signals are answered, and what is written of it.

mod output;

pub(super) use output::{MeshOutput, check_mesh_format, has_extension};

use std::panic::resume_unwind;
use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread::Builder;
use std::time::{Duration, Instant};

use cloth_io::FileError;
use cloth_show::program::Failure;
use cloth_show::program::interrupt::INTERRUPT;
use rayon::prelude::*;

/// How often a signal is looked for.
const POLL: Duration = Duration::from_millis(20);

/// How long work that sees the signal itself may take to hand over what it has: the process ends 1.3 s after
/// the signal, and writes a report before.
pub(super) const GRACE: Duration = Duration::from_millis(800);

/// As the main thread has it: meshes nest deep in trees.
const STACK: usize = 8 << 20;

/// Does some work about a file on a thread of its own, so that a signal is answered although one mesh takes
/// minutes. After a signal it waits for a moment, `grace`, for what the work has found so far;
/// work that does not answer is left behind, and ends with the process.
pub(super) fn run_on_worker<R: Send + 'static>(
    path: &Path,
    grace: Duration,
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
                return receiver.recv_timeout(grace).unwrap_or_else(late);
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
