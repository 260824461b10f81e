//! Bytes of an output that something has to stand before which is known at the end alone.
//!
//! They lie in a file without a name, in the folder of the output: there the space is that the output needs,
//! and nothing is left of it however the process ends. While the output is written it takes that space twice.

use std::{
    fs::File,
    io::{self, BufWriter, Seek, Write},
    path::{Path, PathBuf},
};

use super::destination::{Destination, create_in_folder};
use crate::FileError;

/// Bytes that wait for their output.
#[derive(Debug)]
pub(crate) struct Spool {
    /// That of the output.
    path: PathBuf,
    file: BufWriter<File>,
}

impl Spool {
    /// Starts without any bytes, for an output of this path.
    ///
    /// # Errors
    /// Those of [`AtomicFile::create`](crate::AtomicFile::create).
    pub(crate) fn create(path: &Path) -> Result<Self, FileError> {
        let file = match Destination::from_path(path)? {
            Destination::File(target) => {
                create_in_folder(path, &target, |folder| tempfile::tempfile_in(folder))?
            }
            Destination::Stream(_) => tempfile::tempfile().map_err(|e| FileError::io(path, "write", &e))?,
        };
        Ok(Self { path: path.to_path_buf(), file: BufWriter::new(file) })
    }

    /// The path of the output.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Appends bytes.
    ///
    /// # Errors
    /// If the disk is full.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<(), FileError> {
        self.file.write_all(bytes).map_err(|e| FileError::io(&self.path, "write", &e))
    }

    /// Copies all bytes.
    ///
    /// # Errors
    /// If they cannot be read or written.
    pub(crate) fn copy_to(&mut self, to: &mut impl Write) -> io::Result<()> {
        // Writes what is buffered.
        self.file.rewind()?;
        io::copy(self.file.get_mut(), to).map(drop)
    }
}
