#![doc = include_str!("../README.md")]
#![allow(non_camel_case_types, reason = "names of types and constants are those of C")]
#![allow(
    clippy::missing_safety_doc,
    reason = "the header states the rules of pointers once, for all functions"
)]
#![allow(clippy::too_many_arguments, reason = "C passes arrays as pointers and counts")]

mod certifier;
mod handle;
mod judge;
mod memory;
mod mesh;
mod outfit;
mod simulation;
mod status;
mod threads;

use std::ffi::c_char;

pub use certifier::*;
pub use judge::*;
pub use mesh::*;
pub use outfit::*;
pub use simulation::*;
pub use status::{CLOTH_ERROR_TEXT_SIZE, cloth_error, cloth_status};
pub use threads::{CLOTH_MAX_THREADS, cloth_threads, cloth_threads_create, cloth_threads_destroy};

/// The version of the library, as in "0.1.0". The text is static.
#[unsafe(no_mangle)]
pub extern "C" fn cloth_version() -> *const c_char {
    const VERSION: &std::ffi::CStr =
        match std::ffi::CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
            Ok(version) => version,
            Err(_) => panic!("a version holds no 0"),
        };
    VERSION.as_ptr()
}
