//! The one place where files are opened to be read.
//!
//! Every reader goes through it, so that three promises hold for all formats. What has been opened is known
//! ([`input_at`]), and a program can refuse to write over it. Only regular files are read: a device, a pipe
//! or a FIFO may never end, and opening a FIFO may never return. No more than [`set_max_input`] bytes of a
//! file are held in memory.
//!
//! A program without a file system, as in a browser, provides the bytes of files ([`provide_file`]). They are
//! found before the file system is asked.

use std::{
    collections::BTreeMap,
    fmt::Debug,
    fs::{self, File, FileType},
    io::{self, Cursor, ErrorKind, Read, Seek, SeekFrom},
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use crate::{FileError, FileMap, format::split_prim};

/// The most bytes of a file that are read unless [`set_max_input`] says otherwise: 4 GiB.
pub const DEFAULT_MAX_INPUT: u64 = 4 << 30;

static MAX_INPUT: AtomicU64 = AtomicU64::new(DEFAULT_MAX_INPUT);

/// What this process has opened, with the paths that named it.
static OPENED: Mutex<FileMap<PathBuf>> = Mutex::new(FileMap::new());

/// The files that are held in memory, by their paths as given.
static PROVIDED: Mutex<BTreeMap<PathBuf, FileBytes>> = Mutex::new(BTreeMap::new());

/// The bytes of a provided file, shared by all who read it.
#[derive(Clone, Debug)]
pub(crate) struct FileBytes(Arc<Vec<u8>>);

impl AsRef<[u8]> for FileBytes {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

/// What is read from: an open file, or one in memory.
pub(crate) trait Input: Read + Seek + Debug + Send + Sync {}

impl<T: Read + Seek + Debug + Send + Sync> Input for T {}

/// An open file, or one in memory.
pub(crate) type Source = Box<dyn Input>;

/// How many bytes it has; it stands at its start then.
pub(crate) fn length(source: &mut Source) -> io::Result<u64> {
    let length = source.seek(SeekFrom::End(0))?;
    source.rewind().map(|()| length)
}

/// Provides a file: whatever is read from this path is read from these bytes, for the whole process. They are
/// not copied. Paths are compared as they are spelled.
pub fn provide_file(path: impl Into<PathBuf>, bytes: Vec<u8>) {
    provided().insert(path.into(), FileBytes(Arc::new(bytes)));
}

/// Forgets all files of [`provide_file`]; one that is open keeps its bytes.
pub fn forget_files() {
    provided().clear();
}

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
    let mut file = open(path)?;
    let length = length(&mut file).unwrap_or(0);
    check_size(path, length)?;
    // The length is a hint alone: a file may grow, and those of /proc state none.
    let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or(0));
    read_limited(file, &mut bytes).map_err(|e| FileError::io(path, "read", &e))?;
    check_size(path, bytes.len() as u64)?;
    Ok(bytes)
}

/// Reads one byte more than are allowed, at most.
fn read_limited(from: impl Read, bytes: &mut Vec<u8>) -> io::Result<usize> {
    from.take(MAX_INPUT.load(Ordering::Relaxed).saturating_add(1)).read_to_end(bytes)
}

/// Opens a file of which parts are read.
///
/// # Errors
/// If it cannot be opened or is not a regular file.
pub(crate) fn open(path: &Path) -> Result<Source, FileError> {
    let (path, _) = split_prim(path);
    if let Some(bytes) = provided().get(path) {
        return Ok(Box::new(Cursor::new(bytes.clone())));
    }
    let refuse = |e: io::Error| match e.kind() {
        // There is no file system.
        ErrorKind::Unsupported => FileError::new(path, "is not among the files that were given; add it"),
        _ => FileError::io(path, "read", &e),
    };
    // Before it is opened: the opening of a FIFO waits for who writes to it.
    if let Some(kind) = unreadable(fs::metadata(path).map_err(refuse)?.file_type()) {
        return Err(FileError::new(
            path,
            format!("is {kind}, not a regular file; save its content as a file"),
        ));
    }
    let file = File::open(path).map_err(refuse)?;
    register(path);
    Ok(Box::new(file))
}

/// What is in a folder: the files that were provided for it, or else those of the file system. No folder is
/// the working directory.
///
/// # Errors
/// If it cannot be read.
pub(crate) fn list_folder(folder: &Path) -> Result<Vec<PathBuf>, FileError> {
    let is_in = |path: &&PathBuf| path.parent() == Some(folder);
    let files: Vec<PathBuf> = provided().keys().filter(is_in).cloned().collect();
    if !files.is_empty() {
        return Ok(files);
    }
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let refuse = |e: io::Error| FileError::io(folder, "read the folder", &e);
    let entries = fs::read_dir(folder).map_err(refuse)?;
    entries.map(|entry| Ok(entry.map_err(refuse)?.path())).collect()
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
    let problem = format!("has more than {limit} bytes; raise --max-input to read it all the same");
    Err(FileError { kind: Some(ErrorKind::FileTooLarge), ..FileError::new(path, problem) })
}

fn provided() -> MutexGuard<'static, BTreeMap<PathBuf, FileBytes>> {
    PROVIDED.lock().unwrap_or_else(PoisonError::into_inner)
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

    #[test]
    fn provided_bytes_are_found_before_the_file_system() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.obj");
        fs::write(&path, "disk").unwrap();
        provide_file(&path, b"memory".to_vec());
        assert_eq!(read_file(&path).unwrap(), b"memory");
        assert_eq!(input_at(&path), None, "the file of that name may be written");
        assert_eq!(list_folder(dir.path()).unwrap(), std::slice::from_ref(&path));
        let mut file = open(&path).unwrap();
        assert_eq!((length(&mut file).unwrap(), file.seek(SeekFrom::Start(3)).unwrap()), (6, 3));
        forget_files();
        let mut rest = String::new();
        file.read_to_string(&mut rest).unwrap();
        assert_eq!(rest, "ory", "an open file keeps its bytes");
        assert_eq!(read_file(&path).unwrap(), b"disk");
    }

    #[cfg(unix)]
    #[test]
    fn reads_neither_devices_nor_folders() {
        let problem = |path: &str| read_file(Path::new(path)).unwrap_err().problem;
        assert!(problem("/dev/zero").contains("is a device"), "{}", problem("/dev/zero"));
        assert!(problem("/tmp").contains("is a folder"), "{}", problem("/tmp"));
    }
}
