//! Worker threads.

use std::thread::{self, JoinHandle};

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::handle::{self, Handle};
use crate::status::{Fault, cloth_error, cloth_status, run};

/// The most threads of a pool or of a simulation.
pub const CLOTH_MAX_THREADS: u32 = 1024;

/// A pool of worker threads. Any number of threads may work in it at once.
pub struct cloth_threads(());

impl Handle for cloth_threads {
    type Content = JoinedPool;
    const KIND: u64 = 0x7c10_7401_e5a1_d5b1;
    const NAME: &'static str = "pool of threads";
}

/// Starts `count` worker threads, 1 to `CLOTH_MAX_THREADS`.
///
/// Pass the pool to calls that take one; with null they work on the calling thread alone. Results have equal
/// bits for any number of threads. `*threads` is null after an error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cloth_threads_create(
    count: u32,
    threads: *mut *mut cloth_threads,
    error: *mut cloth_error,
) -> cloth_status {
    // SAFETY: the caller keeps the rules of pointers.
    unsafe {
        handle::create(("threads", threads), error, || {
            check_count(count)?;
            JoinedPool::start(count as usize).map_err(|e| {
                Fault::argument(format!("{count} threads cannot be started: {e}; ask for fewer"))
            })
        })
    }
}

/// Ends the threads, and waits until they have ended. Null is allowed. No call may be using the pool.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cloth_threads_destroy(threads: *mut cloth_threads) -> cloth_status {
    // SAFETY: the caller keeps the rules of pointers, and uses the handle for the last time.
    unsafe { run(std::ptr::null_mut(), || handle::destroy(threads)) }
}

/// A pool whose threads have ended when it is dropped: rayon alone does not wait for them, and the library
/// could be unloaded while they run.
pub(crate) struct JoinedPool {
    pool: Option<ThreadPool>,
    workers: Vec<JoinHandle<()>>,
}

impl JoinedPool {
    fn start(count: usize) -> Result<Self, rayon::ThreadPoolBuildError> {
        let mut started = Self { pool: None, workers: Vec::new() };
        let pool = ThreadPoolBuilder::new().num_threads(count).spawn_handler(|worker| {
            let named = thread::Builder::new().name(format!("cloth-{}", worker.index()));
            started.workers.push(named.spawn(|| worker.run())?);
            Ok(())
        });
        started.pool = Some(pool.build()?);
        Ok(started)
    }
}

impl Drop for JoinedPool {
    fn drop(&mut self) {
        drop(self.pool.take());
        for worker in self.workers.drain(..) {
            // A worker catches the panics of its tasks.
            let _ = worker.join();
        }
    }
}

pub(crate) fn check_count(count: u32) -> Result<(), Fault> {
    if (1..=CLOTH_MAX_THREADS).contains(&count) {
        return Ok(());
    }
    Err(Fault::argument(format!("{count} threads are asked for; use 1 to {CLOTH_MAX_THREADS}")))
}

/// Does the work in a pool, or here.
///
/// # Safety
/// The pool is null or one that is not destroyed during the call.
pub(crate) unsafe fn within<R: Send>(
    threads: *const cloth_threads,
    work: impl FnOnce() -> R + Send,
) -> Result<R, Fault> {
    // SAFETY: as demanded.
    let pool = unsafe { handle::optional(threads)? };
    Ok(match pool {
        Some(JoinedPool { pool: Some(pool), .. }) => pool.install(work),
        _ => work(),
    })
}
