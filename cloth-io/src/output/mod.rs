//! What is written, and where: regular files are replaced whole, streams are written through, nothing else is
//! touched.
//!
//! ```text
//! path --destination--> regular file   a temporary file next to it, renamed over it at the end
//!                       stream         a terminal, /dev/null, /dev/stdout: written as it comes
//!                       anything else  a folder, FIFO, socket, block device: refused
//! ```
//!
//! Symbolic links are followed first, so that a link stays a link and its target is what changes.

mod atomic;
mod destination;
mod identity;
mod spool;

pub use atomic::{AtomicFile, remove_temporary_files, write_atomically};
pub use identity::FileMap;
pub(crate) use spool::Spool;
