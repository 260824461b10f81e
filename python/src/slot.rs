//! A value that one call at a time has, also while its work goes on in the background.

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, Thread};

use pyo3::prelude::*;

use crate::{errors, pool};

/// A value, or nothing while a call has it. The lock is never held during work: a thread that waits for parts
/// of a step may begin with the work of another call, which would wait for it forever.
///
/// A process that is forked has one thread, and no other will ever give back what it had. So the processes of
/// the lock and of the value are known, and a call in another one is an error instead of a wait without end.
pub(crate) struct Slot<T> {
    /// The process that has locked the state, for moments only; 0 while none has.
    locked_by: AtomicU32,
    state: Mutex<State<T>>,
}

struct State<T> {
    value: Option<Box<T>>,
    /// The process of the call that has the value, if one has.
    taken_by: u32,
    /// Threads that wait for it.
    waiting: Vec<Thread>,
}

/// The value of a slot, which gets it back when this is dropped.
pub(crate) struct Taken<T> {
    /// `None` only while it is dropped.
    value: Option<Box<T>>,
    slot: Arc<Slot<T>>,
}

/// Why a value is not to be had: another process has it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lost;

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "another thread was in a call of this object when the process was forked, so its state is lost \
             here; make it anew, or fork while no call runs",
        )
    }
}

impl<T> Slot<T> {
    pub(crate) fn new(value: T) -> Arc<Self> {
        let state = State { value: Some(Box::new(value)), taken_by: 0, waiting: Vec::new() };
        Arc::new(Self { locked_by: AtomicU32::new(0), state: Mutex::new(state) })
    }

    /// Takes the value, with the interpreter or without it.
    pub(crate) fn take_detached(self: &Arc<Self>) -> Result<Taken<T>, Lost> {
        loop {
            if let Some(value) = self.try_take()? {
                return Ok(Taken { value: Some(value), slot: Arc::clone(self) });
            }
            thread::park();
        }
    }

    /// Takes the value. The interpreter is released while it waits: the call that has the value may need it.
    pub(crate) fn take(self: &Arc<Self>, py: Python<'_>) -> PyResult<Taken<T>>
    where
        T: Send,
    {
        let taken = match self.try_take() {
            Ok(Some(value)) => Ok(Taken { value: Some(value), slot: Arc::clone(self) }),
            Ok(None) => py.detach(|| self.take_detached()),
            Err(lost) => Err(lost),
        };
        taken.map_err(|lost| errors::raise(py, "ClothError", lost))
    }

    /// The value, if no call has it. Otherwise this thread will be woken when it is back.
    fn try_take(&self) -> Result<Option<Box<T>>, Lost> {
        let process = std::process::id();
        self.with_state(|state| match state.value.take() {
            Some(value) => {
                state.taken_by = process;
                Ok(Some(value))
            }
            None if state.taken_by != process => Err(Lost),
            None => {
                state.waiting.push(thread::current());
                Ok(None)
            }
        })?
    }

    fn with_state<R>(&self, act: impl FnOnce(&mut State<T>) -> R) -> Result<R, Lost> {
        let process = std::process::id();
        while let Err(other) =
            self.locked_by.compare_exchange_weak(0, process, Ordering::Acquire, Ordering::Relaxed)
        {
            if other != 0 && other != process {
                return Err(Lost);
            }
            thread::yield_now();
        }
        let result = act(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner));
        self.locked_by.store(0, Ordering::Release);
        Ok(result)
    }
}

impl<T: Send + 'static> Taken<T> {
    /// Works on the value on the threads, and gives it back with the result. After a signal its exception is
    /// raised at once, and the slot gets the value back when the work has seen the flag.
    pub(crate) fn run<R: Send + 'static>(
        mut self,
        py: Python<'_>,
        work: impl FnOnce(&mut T, &AtomicBool) -> R + Send + 'static,
    ) -> PyResult<(Self, R)> {
        pool::run_interruptible(py, move |stop| {
            let result = work(&mut self, stop);
            (self, result)
        })
    }
}

impl<T> Deref for Taken<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.value.as_ref().expect("only `drop` takes it")
    }
}

impl<T> DerefMut for Taken<T> {
    fn deref_mut(&mut self) -> &mut T {
        self.value.as_mut().expect("only `drop` takes it")
    }
}

impl<T> Drop for Taken<T> {
    fn drop(&mut self) {
        let value = self.value.take();
        let waiting = self.slot.with_state(|state| {
            state.value = value;
            std::mem::take(&mut state.waiting)
        });
        // Nobody waits for what another process has.
        waiting.unwrap_or_default().iter().for_each(Thread::unpark);
    }
}
