//! How a call ends: a status, and a sentence in memory of the caller.

use std::any::Any;
use std::ffi::c_char;
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// How a call ended.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum cloth_status {
    /// As it should.
    CLOTH_OK = 0,
    /// A pointer is null that has to point to something.
    CLOTH_ERROR_NULL = 1,
    /// A handle is not one of this library, or of another kind than the call needs.
    CLOTH_ERROR_HANDLE = 2,
    /// A number, an index, a count or a name is refused; the text says which and why.
    CLOTH_ERROR_ARGUMENT = 3,
    /// A state has intersections where none are admitted.
    CLOTH_ERROR_TANGLED = 4,
    /// A step of a simulation failed and was undone.
    CLOTH_ERROR_STEP = 5,
    /// Bytes are not a snapshot, are damaged, or are of another simulation or version.
    CLOTH_ERROR_SNAPSHOT = 6,
    /// A buffer is too small for what may only be written as a whole. Nothing was written to it.
    CLOTH_ERROR_CAPACITY = 7,
    /// Another thread is using the handle.
    CLOTH_ERROR_BUSY = 8,
    /// A defect of this library. A handle that the call could change is of no use any more: destroy it.
    CLOTH_ERROR_INTERNAL = 9,
}

/// Bytes of the text of an error, with the 0 at its end.
pub const CLOTH_ERROR_TEXT_SIZE: usize = 512;

/// What went wrong, in memory of the caller. Every call writes it: after `CLOTH_OK` the text is empty.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cloth_error {
    /// What the call returned.
    pub status: cloth_status,
    /// A sentence in UTF-8 that ends with 0: what is wrong, where, and how to fix it. What does not fit is
    /// cut.
    pub text: [c_char; CLOTH_ERROR_TEXT_SIZE],
}

/// Why a call fails.
#[derive(Debug)]
pub(crate) struct Fault {
    status: cloth_status,
    text: String,
}

impl Fault {
    pub(crate) fn new(status: cloth_status, text: impl Display) -> Self {
        Self { status, text: text.to_string() }
    }

    pub(crate) fn argument(text: impl Display) -> Self {
        Self::new(cloth_status::CLOTH_ERROR_ARGUMENT, text)
    }

    /// The same of one of several.
    pub(crate) fn within(self, what: &str, index: usize) -> Self {
        Self { text: format!("{what} {index}: {}", self.text), ..self }
    }
}

/// Does the work of a call, and says how it ended. A panic ends here.
///
/// # Safety
/// `error` is null or points to memory for a `cloth_error` that nobody else uses.
pub(crate) unsafe fn run(error: *mut cloth_error, work: impl FnOnce() -> Result<(), Fault>) -> cloth_status {
    // What a panic leaves behind is behind a lock that it poisons, or is not used again.
    let outcome = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(internal(&*panic)));
    let (status, text) = match &outcome {
        Ok(()) => (cloth_status::CLOTH_OK, ""),
        Err(fault) => (fault.status, fault.text.as_str()),
    };
    if !error.is_null() && error.is_aligned() {
        // SAFETY: not null and aligned; the caller gives memory for it.
        unsafe { error.write(cloth_error { status, text: c_text(text) }) };
    }
    status
}

fn internal(panic: &(dyn Any + Send)) -> Fault {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("unknown");
    let text = format!("defect of this library, please report it with what led to it: {text}");
    Fault::new(cloth_status::CLOTH_ERROR_INTERNAL, text)
}

/// The text with a 0 at its end, cut between two characters.
fn c_text(text: &str) -> [c_char; CLOTH_ERROR_TEXT_SIZE] {
    let mut to = [0; CLOTH_ERROR_TEXT_SIZE];
    let end = text.floor_char_boundary(CLOTH_ERROR_TEXT_SIZE - 1);
    // A name of the caller may hold any character but 0, at which C would end.
    for (to, &byte) in to.iter_mut().zip(&text.as_bytes()[..end]) {
        *to = byte as c_char;
    }
    to
}

#[cfg(test)]
mod tests {
    use std::ffi::CStr;

    use super::*;

    /// Status and text of a call that ends so.
    fn ended(work: impl FnOnce() -> Result<(), Fault>) -> (cloth_status, String) {
        let mut error = cloth_error { status: cloth_status::CLOTH_ERROR_BUSY, text: [1; 512] };
        // SAFETY: the error is ours.
        let status = unsafe { run(&raw mut error, work) };
        assert_eq!(status, error.status);
        // SAFETY: a text ends with 0.
        let text = unsafe { CStr::from_ptr(error.text.as_ptr()) };
        (status, text.to_str().expect("UTF-8").to_owned())
    }

    #[test]
    fn a_panic_becomes_a_status_with_its_text() {
        let (status, text) = ended(|| panic!("vertex {}", 7));
        assert_eq!(status, cloth_status::CLOTH_ERROR_INTERNAL);
        assert!(text.ends_with("what led to it: vertex 7"), "{text}");
        let (_, text) = ended(|| panic!("plain"));
        assert!(text.ends_with("plain"), "{text}");
        // SAFETY: no error is asked for.
        let status = unsafe { run(std::ptr::null_mut(), || panic!("nobody listens")) };
        assert_eq!(status, cloth_status::CLOTH_ERROR_INTERNAL);
    }

    #[test]
    fn a_long_text_is_cut_between_two_characters() {
        let (status, text) = ended(|| Err(Fault::argument("ä".repeat(300))));
        assert_eq!((status, text), (cloth_status::CLOTH_ERROR_ARGUMENT, "ä".repeat(255)));
        assert_eq!(ended(|| Ok(())), (cloth_status::CLOTH_OK, String::new()));
    }
}
