//! A stream that is written through: what it takes in cannot be taken back.

use std::{
    fs::{File, OpenOptions},
    io::{self, ErrorKind, Seek, SeekFrom, Stderr, Stdout, Write},
    path::Path,
};

/// An open stream.
#[derive(Debug)]
pub(super) enum Stream {
    /// That of this process, so that its own lines and these come in their order.
    Stdout(Stdout),
    /// That of this process.
    Stderr(Stderr),
    /// Any other.
    File(File),
}

impl Stream {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        match path.to_str() {
            Some("/dev/stdout" | "/dev/fd/1" | "/proc/self/fd/1") => Ok(Self::Stdout(io::stdout())),
            Some("/dev/stderr" | "/dev/fd/2" | "/proc/self/fd/2") => Ok(Self::Stderr(io::stderr())),
            // Appending: a descriptor may stand for a file that holds something already.
            _ => Ok(Self::File(OpenOptions::new().append(true).open(path)?)),
        }
    }
}

impl Write for Stream {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        match self {
            Self::Stdout(to) => to.write(buf),
            Self::Stderr(to) => to.write(buf),
            Self::File(to) => to.write(buf),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Stdout(to) => to.flush(),
            Self::Stderr(to) => to.flush(),
            Self::File(to) => to.flush(),
        }
    }
}

impl Seek for Stream {
    fn seek(&mut self, pos: SeekFrom) -> io::Result<u64> {
        match self {
            Self::File(to) => to.seek(pos),
            Self::Stdout(_) | Self::Stderr(_) => {
                Err(io::Error::new(ErrorKind::NotSeekable, "a stream is not seekable; name a file"))
            }
        }
    }
}
