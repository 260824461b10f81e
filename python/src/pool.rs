//! The threads on which work is done while the interpreter runs on.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
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

/// Does work on the threads, without the interpreter, and asks for signals meanwhile. The work is to end soon
/// after the flag is set; the signal's exception is raised then.
pub(crate) fn run_interruptible<R: Send>(
    py: Python<'_>,
    work: impl FnOnce(&AtomicBool) -> R + Send,
) -> PyResult<R> {
    let pool = pool(py, None)?;
    py.detach(|| {
        let (stop, (done, is_done)) = (&AtomicBool::new(false), channel());
        pool.in_place_scope(|scope| {
            scope.spawn(move |_| done.send(work(stop)).unwrap_or_default());
            let mut raised = None;
            loop {
                match is_done.recv_timeout(SIGNALS) {
                    Ok(result) => return raised.map_or(Ok(result), Err),
                    Err(RecvTimeoutError::Timeout) if raised.is_none() => {
                        if let Err(error) = Python::attach(|py| py.check_signals()) {
                            stop.store(true, Ordering::Relaxed);
                            raised = Some(error);
                        }
                    }
                    Err(RecvTimeoutError::Timeout) => {}
                    // The work panicked: leaving the scope passes that on.
                    Err(RecvTimeoutError::Disconnected) => {
                        return Err(PyRuntimeError::new_err("the work ended without a result"));
                    }
                }
            }
        })
    })
}
