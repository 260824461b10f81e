//! The threads that a step runs on.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::{ThreadPool, ThreadPoolBuilder, Yield};

use crate::BuildError;

/// Tries of a thread to find work before it lets others use its core: about 30 microseconds.
const SPINS: u32 = 400;

/// A pool of threads, or none: then work is done where the caller is.
#[derive(Clone, Debug, Default)]
pub(crate) struct Threads(Option<Arc<ThreadPool>>);

impl Threads {
    /// A pool of so many threads, for more than one.
    pub(crate) fn new(threads: u32) -> Result<Self, BuildError> {
        if threads <= 1 {
            return Ok(Self(None));
        }
        let pool = ThreadPoolBuilder::new().num_threads(threads as usize);
        let pool = pool.thread_name(|number| format!("cloth-{number}")).build();
        match pool {
            Ok(pool) => Ok(Self(Some(Arc::new(pool)))),
            Err(error) => Err(BuildError::Threads { threads, cause: error.to_string() }),
        }
    }

    /// Does the work in the pool.
    pub(crate) fn run<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        match &self.0 {
            Some(pool) => pool.install(work),
            None => work(),
        }
    }

    /// Does work of many short parts in the pool, between which its threads do not fall asleep: waking one
    /// takes longer than a part.
    pub(crate) fn keep_awake<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        let Some(pool) = &self.0 else { return work() };
        let is_done = AtomicBool::new(false);
        let work = || {
            let _guard = SetOnDrop(&is_done);
            work()
        };
        rayon::join(work, || wait(pool.current_num_threads() - 1, &is_done)).0
    }
}

/// Lets so many threads do what they can until all is done.
fn wait(threads: usize, is_done: &AtomicBool) {
    if threads > 1 {
        rayon::join(|| wait(1, is_done), || wait(threads - 1, is_done));
        return;
    }
    let mut tries = 0;
    while !is_done.load(Ordering::Relaxed) {
        match rayon::yield_now() {
            Some(Yield::Executed) => tries = 0,
            _ if tries < SPINS => {
                tries += 1;
                std::hint::spin_loop();
            }
            _ => std::thread::yield_now(),
        }
    }
}

/// Tells those that wait, even after a panic.
struct SetOnDrop<'a>(&'a AtomicBool);

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
