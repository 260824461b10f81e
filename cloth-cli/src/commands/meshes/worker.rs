//! Work on a thread of its own, so that a signal is answered although one mesh takes minutes.

use std::panic::resume_unwind;
use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread::Builder;
use std::time::Duration;

use cloth_io::FileError;

use crate::interrupt::INTERRUPT;

/// How often a signal is looked for.
const POLL: Duration = Duration::from_millis(20);

/// How long work that sees the signal itself may take to hand over what it has.
const GRACE: Duration = Duration::from_secs(2);

/// As the main thread has it: meshes nest deep in trees.
const STACK: usize = 8 << 20;

/// Does some work about a file. After a signal it waits a moment for what the work has found so far; work
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
