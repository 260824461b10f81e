//! The one place where files are opened to be read.
//!
//! Every reader goes through it, so that three promises hold for all formats. What has been opened is known
//! ([`input_at`]), and a program can refuse to write over it. Only regular files are read: a device, a pipe
//! or a FIFO may never end, and opening a FIFO may never return. No more than [`set_max_input`] bytes of a
//! file are held in memory.

use std::{
    fs::{self, File, FileType},
    io::{self, Read},
    path::{Path, PathBuf},
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use crate::{FileError, FileMap};

/// The most bytes of a file that are read unless [`set_max_input`] says otherwise: 4 GiB.
pub const DEFAULT_MAX_INPUT: u64 = 4 << 30;

static MAX_INPUT: AtomicU64 = AtomicU64::new(DEFAULT_MAX_INPUT);

/// What this process has opened, with the paths that named it.
static OPENED: Mutex<FileMap<PathBuf>> = Mutex::new(FileMap::new());

/// Sets the most bytes that are read of one file, for the whole process.
///
/// What is larger is refused. A point cache, of which one frame at a time is in memory, may be larger; a
/// frame of it may not.
pub fn set_max_input(bytes: u64) {
    MAX_INPUT.store(bytes, Ordering::Relaxed);
}

/// The input that a path leads to now, by the path under which it was opened: through links, hard links and
/// other spellings; none if this process has not opened it.
#[must_use]
pub fn input_at(path: &Path) -> Option<PathBuf> {
    opened().get(path).cloned()
}

/// Reads a whole file.
///
/// # Errors
/// If it cannot be read, is not a regular file, or is larger than [`set_max_input`] allows.
pub fn read_file(path: &Path) -> Result<Vec<u8>, FileError> {
    let file = open(path)?;
    let length = file.metadata().map_or(0, |metadata| metadata.len());
    check_size(path, length)?;
    // The length is a hint alone: a file may grow, and those of /proc state none.
    let limit = MAX_INPUT.load(Ordering::Relaxed);
    let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or(0));
    file.take(limit.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(|e| FileError::io(path, "read", &e))?;
    check_size(path, bytes.len() as u64)?;
    Ok(bytes)
}

/// Opens a file of which parts are read.
///
/// # Errors
/// If it cannot be opened or is not a regular file.
pub(crate) fn open(path: &Path) -> Result<File, FileError> {
    let refuse = |e: io::Error| FileError::io(path, "read", &e);
    // Before it is opened: the opening of a FIFO waits for who writes to it.
    if let Some(kind) = unreadable(fs::metadata(path).map_err(refuse)?.file_type()) {
        return Err(FileError::new(
            path,
            format!("is {kind}, not a regular file; save its content as a file"),
        ));
    }
    let file = File::open(path).map_err(refuse)?;
    register(path);
    Ok(file)
}

/// Counts a file as an input although it is not opened yet: one that belongs to a document that was read.
pub(crate) fn register(path: &Path) {
    opened().insert(path, path.to_path_buf());
}

/// Refuses to hold so many bytes of a file.
///
/// # Errors
/// If they are more than [`set_max_input`] allows.
pub(crate) fn check_size(path: &Path, bytes: u64) -> Result<(), FileError> {
    let limit = MAX_INPUT.load(Ordering::Relaxed);
    if bytes <= limit {
        return Ok(());
    }
    Err(FileError::new(
        path,
        format!("has more than {limit} bytes; raise --max-input to read it all the same"),
    ))
}

fn opened() -> MutexGuard<'static, FileMap<PathBuf>> {
    // A panic elsewhere leaves the map whole.
    OPENED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What is not a file that can be read to its end, in words.
fn unreadable(kind: FileType) -> Option<&'static str> {
    if kind.is_file() {
        return None;
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if kind.is_fifo() {
            return Some("a pipe");
        } else if kind.is_socket() {
            return Some("a socket");
        } else if kind.is_char_device() || kind.is_block_device() {
            return Some("a device");
        }
    }
    Some(if kind.is_dir() { "a folder" } else { "no file" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_opened_is_known_under_other_names() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        fs::write(at("a.obj"), "v").unwrap();
        fs::hard_link(at("a.obj"), at("A.OBJ")).unwrap();
        assert_eq!(input_at(&at("a.obj")), None);
        assert_eq!(read_file(&at("./a.obj")).unwrap(), b"v");
        for name in ["a.obj", "none/../a.obj", "A.OBJ"] {
            assert_eq!(input_at(&at(name)), Some(at("./a.obj")), "{name}");
        }
        assert_eq!(input_at(&at("b.obj")), None);
    }

    #[cfg(unix)]
    #[test]
    fn reads_neither_devices_nor_folders() {
        let problem = |path: &str| read_file(Path::new(path)).unwrap_err().problem;
        assert!(problem("/dev/zero").contains("is a device"), "{}", problem("/dev/zero"));
        assert!(problem("/tmp").contains("is a folder"), "{}", problem("/tmp"));
    }
}
