//! A value that one call at a time has, also while its work goes on in the background.

use std::ops::{Deref, DerefMut};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use pyo3::prelude::*;

use crate::pool;

/// A value, or nothing while a call has it. The lock is never held during work: a thread that waits for parts
/// of a step may begin with the work of another call, which would wait for it forever.
pub(crate) struct Slot<T> {
    value: Mutex<Option<Box<T>>>,
    is_back: Condvar,
}

/// The value of a slot, which gets it back when this is dropped.
pub(crate) struct Taken<T> {
    /// `None` only while it is dropped.
    value: Option<Box<T>>,
    slot: Arc<Slot<T>>,
}

impl<T: Send + 'static> Slot<T> {
    pub(crate) fn new(value: T) -> Arc<Self> {
        Arc::new(Self { value: Mutex::new(Some(Box::new(value))), is_back: Condvar::new() })
    }

    /// Takes the value. The interpreter is released while it waits: the call that has the value may need it.
    pub(crate) fn take(self: &Arc<Self>, py: Python<'_>) -> Taken<T> {
        let value = py.detach(|| {
            let value = self.value.lock().unwrap_or_else(PoisonError::into_inner);
            let is_away = |value: &mut Option<Box<T>>| value.is_none();
            self.is_back.wait_while(value, is_away).unwrap_or_else(PoisonError::into_inner).take()
        });
        Taken { value, slot: Arc::clone(self) }
    }

    /// Works on the value on the threads. After a signal its exception is raised at once, and the slot gets
    /// the value back when the work has seen the flag.
    pub(crate) fn run<R: Send + 'static>(
        self: &Arc<Self>,
        py: Python<'_>,
        work: impl FnOnce(&mut T, &AtomicBool) -> R + Send + 'static,
    ) -> PyResult<R> {
        let mut taken = self.take(py);
        pool::run_interruptible(py, move |stop| work(&mut taken, stop))
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
        *self.slot.value.lock().unwrap_or_else(PoisonError::into_inner) = self.value.take();
        self.slot.is_back.notify_one();
    }
}
