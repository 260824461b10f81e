//! The threads that a step runs on.

use std::sync::Arc;

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::BuildError;

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
}
