//! The threads on which work is done while the interpreter runs on.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::errors;

/// How often the interpreter is asked for signals.
const SIGNALS: Duration = Duration::from_millis(50);

struct Pool {
    threads: Arc<ThreadPool>,
    /// The process that started them: a fork has none of its parent's threads.
    process: u32,
}

static POOL: Mutex<Option<Pool>> = Mutex::new(None);

/// The pool of this process, with a number of threads if it is not there yet or that is another one.
fn pool(py: Python<'_>, wanted: Option<usize>) -> PyResult<Arc<ThreadPool>> {
    let mut slot = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    let process = std::process::id();
    if let Some(pool) = &*slot
        && pool.process == process
        && wanted.is_none_or(|wanted| wanted == pool.threads.current_num_threads())
    {
        return Ok(Arc::clone(&pool.threads));
    }
    let threads = ThreadPoolBuilder::new().num_threads(wanted.unwrap_or(0)).build();
    let threads = Arc::new(threads.map_err(|error| errors::raise(py, "ClothError", error))?);
    let old = slot.replace(Pool { threads: Arc::clone(&threads), process });
    if let Some(old) = old.filter(|old| old.process != process) {
        // Its threads are in another process: nobody here could end them.
        std::mem::forget(old);
    }
    Ok(threads)
}

/// Sets the number of threads; 0: one a core, or `RAYON_NUM_THREADS`.
#[pyfunction]
pub(crate) fn set_thread_count(py: Python<'_>, count: usize) -> PyResult<()> {
    // A change waits for nobody: work that has begun keeps its pool.
    if count == 0 {
        *POOL.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
    pool(py, (count > 0).then_some(count.min(1024))).map(|_| ())
}

/// The number of threads.
#[pyfunction]
pub(crate) fn thread_count(py: Python<'_>) -> PyResult<usize> {
    Ok(pool(py, None)?.current_num_threads())
}

/// Does work on the threads, without the interpreter.
pub(crate) fn run<R: Send>(py: Python<'_>, work: impl FnOnce() -> R + Send) -> PyResult<R> {
    let pool = pool(py, None)?;
    Ok(py.detach(|| pool.install(work)))
}

/// Does work on the threads, without the interpreter, and asks for signals meanwhile. After one, its
/// exception is raised at once; the work sees the flag, and is to end soon.
pub(crate) fn run_interruptible<R: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce(&AtomicBool) -> R + Send + 'static,
) -> PyResult<R> {
    let pool = pool(py, None)?;
    let stop = Arc::new(AtomicBool::new(false));
    let (done, is_done) = channel();
    let seen = Arc::clone(&stop);
    pool.spawn(move || {
        // Nobody waits for the result after a signal. A panic that left this closure would end the process.
        let _ = done.send(catch_unwind(AssertUnwindSafe(|| work(&seen))));
    });
    wait(py, is_done, &stop)
}

/// Waits for the result of work on another thread, and asks for signals meanwhile. After one, the flag is set
/// and its exception is raised at once.
pub(crate) fn wait<R: Send>(
    py: Python<'_>,
    is_done: Receiver<std::thread::Result<R>>,
    stop: &AtomicBool,
) -> PyResult<R> {
    // Only what is `Sync` can be used without the interpreter.
    let is_done = Mutex::new(is_done);
    loop {
        match py.detach(|| is_done.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(SIGNALS)) {
            Ok(Ok(result)) => return Ok(result),
            Ok(Err(panic)) => resume_unwind(panic),
            Err(_) => {
                if let Err(error) = py.check_signals() {
                    stop.store(true, Ordering::Relaxed);
                    return Err(error);
                }
            }
        }
    }
}
