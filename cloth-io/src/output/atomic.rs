//! Files that appear whole or not at all: written under a temporary name, then renamed.
//!
//! The temporary file lies in the folder of the final one, because a rename is atomic only within one file
//! system. A run that is killed leaves at worst a file `.name.*.part`, never half a file under the final
//! name; one that is asked to end removes that as well ([`remove_temporary_files`]). Nothing here forces the
//! disk's own cache out: the promise is about processes, not about power cuts.

use std::{
    collections::BTreeSet,
    ffi::OsString,
    fs::{self, File, OpenOptions},
    io::{self, BufWriter, ErrorKind, Seek, SeekFrom, Stderr, Stdout, Write},
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

use tempfile::NamedTempFile;

use super::destination::{Destination, create_in_folder};
use crate::FileError;

/// Bytes that are gathered before they are written.
const BUFFER: usize = 1 << 16;

/// A file under construction; it takes its final name in [`AtomicFile::finish`] and vanishes if dropped
/// before.
///
/// A symbolic link is followed and stays: its target is replaced. Where the path leads to a character device
/// or an open descriptor (`/dev/null`, `/dev/stdout`), what is written goes there at once, and nothing is
/// replaced; a stream whose reader has gone away takes everything and keeps nothing.
#[derive(Debug)]
pub struct AtomicFile {
    path: PathBuf,
    sink: Sink,
}

/// Where the bytes go.
#[derive(Debug)]
enum Sink {
    /// To a file that takes the place of `target`, which is no link.
    File { target: PathBuf, writer: BufWriter<NamedTempFile>, name: TemporaryName },
    /// To a device or a descriptor.
    Device(BufWriter<File>),
    /// To that of this process, so that its own lines and these come in their order.
    Stdout(BufWriter<Stdout>),
    /// To that of this process.
    Stderr(BufWriter<Stderr>),
}

impl AtomicFile {
    /// Starts a file that will be called `path`; its folder must exist.
    ///
    /// # Errors
    /// If the path names no file, leads to what is neither a regular file nor a stream (a folder, FIFO,
    /// socket or block device), or cannot be written to.
    pub fn create(path: &Path) -> Result<Self, FileError> {
        let sink = match Destination::from_path(path)? {
            Destination::File(target) => {
                let create = |folder: &Path| create_temporary(folder, &target);
                let (file, name) = create_in_folder(path, &target, create)?;
                Sink::File { writer: buffered(file), name, target }
            }
            Destination::Stream(target) => {
                Sink::stream(&target).map_err(|e| FileError::io(path, "open", &e))?
            }
        };
        Ok(Self { path: path.to_path_buf(), sink })
    }

    /// The final path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes what is buffered and gives the file its final name, replacing an older file.
    ///
    /// # Errors
    /// If the disk is full, or the final name cannot be taken.
    pub fn finish(self) -> Result<(), FileError> {
        self.take_name(true)
    }

    /// The same, but an older file stays as it is.
    ///
    /// # Errors
    /// If there is one, and those of [`AtomicFile::finish`].
    pub fn finish_new(self) -> Result<(), FileError> {
        self.take_name(false)
    }

    fn take_name(mut self, replaces: bool) -> Result<(), FileError> {
        self.flush().map_err(|e| FileError::io(&self.path, "write", &e))?;
        let Self { path, sink: Sink::File { target, writer, name } } = self else { return Ok(()) };
        let file = writer.into_inner().map_err(|e| FileError::io(&path, "write", e.error()))?;
        // What stands there now may be another than when the file was started.
        if Destination::from_path(&target)? != Destination::File(target.clone()) {
            return Err(FileError::new(&path, "has become a link or a device; nothing was written"));
        }
        name.rename(file, &target, replaces).map_err(|e| FileError::io(&path, "rename into place", &e))
    }

    /// Checks that parts that have been written can be written again, as the head of a cache is.
    pub(crate) fn check_seekable(&mut self) -> Result<(), FileError> {
        let found = self.stream_position();
        let text = "is a stream, which takes no cache; name a file";
        found.map(drop).map_err(|_| FileError::new(&self.path, text))
    }
}

impl Sink {
    /// Opens a stream, which is written through: what it takes in cannot be taken back.
    fn stream(path: &Path) -> io::Result<Self> {
        Ok(match path.to_str() {
            Some("/dev/stdout" | "/dev/fd/1" | "/proc/self/fd/1") => Self::Stdout(buffered(io::stdout())),
            Some("/dev/stderr" | "/dev/fd/2" | "/proc/self/fd/2") => Self::Stderr(buffered(io::stderr())),
            // Appending: a descriptor may stand for a file that holds something already.
            _ => Self::Device(buffered(OpenOptions::new().append(true).open(path)?)),
        })
    }

    /// Whether an error says that the reader of a stream has gone away (`--json /dev/stdout | head`).
    fn is_closed(&self, error: &io::Error) -> bool {
        !matches!(self, Self::File { .. }) && error.kind() == ErrorKind::BrokenPipe
    }

    fn writer(&mut self) -> &mut dyn Write {
        match self {
            Self::File { writer, .. } => writer,
            Self::Device(writer) => writer,
            Self::Stdout(writer) => writer,
            Self::Stderr(writer) => writer,
        }
    }
}

fn buffered<W: Write>(writer: W) -> BufWriter<W> {
    BufWriter::with_capacity(BUFFER, writer)
}

impl Write for AtomicFile {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        match self.sink.writer().write(buf) {
            Err(e) if self.sink.is_closed(&e) => Ok(buf.len()),
            written => written,
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self.sink.writer().flush() {
            Err(e) if self.sink.is_closed(&e) => Ok(()),
            flushed => flushed,
        }
    }
}

impl Seek for AtomicFile {
    fn seek(&mut self, pos: SeekFrom) -> io::Result<u64> {
        match &mut self.sink {
            Sink::File { writer, .. } => writer.seek(pos),
            Sink::Device(writer) => writer.seek(pos),
            Sink::Stdout(_) | Sink::Stderr(_) => {
                Err(io::Error::new(ErrorKind::NotSeekable, "a stream is not seekable; name a file"))
            }
        }
    }
}

/// Writes a whole file by `write`; on any error the old file, if there was one, stays as it was.
///
/// # Errors
/// Those of [`AtomicFile`], and those of `write`.
pub fn write_atomically(
    path: &Path,
    write: impl FnOnce(&mut AtomicFile) -> io::Result<()>,
) -> Result<(), FileError> {
    let mut file = AtomicFile::create(path)?;
    write(&mut file).map_err(|e| FileError::io(path, "write", &e))?;
    file.finish()
}

/// The temporary files of this process. Each is removed when its writer is dropped, but nothing is dropped
/// when a process exits at once, as it does on a second signal.
static TEMPORARY_FILES: Mutex<TemporaryFiles> =
    Mutex::new(TemporaryFiles { paths: BTreeSet::new(), closed: false });

struct TemporaryFiles {
    paths: BTreeSet<PathBuf>,
    /// Whether the process is about to exit: nothing is created or renamed any more.
    closed: bool,
}

impl TemporaryFiles {
    fn lock() -> MutexGuard<'static, Self> {
        // A panic elsewhere leaves the set of paths complete.
        TEMPORARY_FILES.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn check_open(&self) -> io::Result<()> {
        if self.closed { Err(io::Error::other("the process is ending")) } else { Ok(()) }
    }
}

/// Removes every temporary file of this process, and lets none be created from now on: to be called right
/// before an exit that drops nothing. Files that have their final name are not touched.
pub fn remove_temporary_files() {
    let mut all = TemporaryFiles::lock();
    all.closed = true;
    for path in std::mem::take(&mut all.paths) {
        // One that has just been renamed or dropped is not there, and need not be.
        let _ = fs::remove_file(path);
    }
}

/// An entry of the temporary files of this process; forgotten when dropped.
#[derive(Debug)]
struct TemporaryName(PathBuf);

impl TemporaryName {
    /// Gives the file its final name, where it may replace an older file or not; a failure removes it.
    fn rename(self, file: NamedTempFile, target: &Path, replaces: bool) -> io::Result<()> {
        let all = TemporaryFiles::lock();
        all.check_open()?;
        let renamed = if replaces { file.persist(target) } else { file.persist_noclobber(target) };
        let renamed = renamed.map(drop).map_err(|e| e.error);
        // Before `self`, which locks it again.
        drop(all);
        renamed
    }
}

impl Drop for TemporaryName {
    fn drop(&mut self) {
        TemporaryFiles::lock().paths.remove(&self.0);
    }
}

/// Creates `.NAME.*.part` in a folder, where NAME is the file name of `target`.
fn create_temporary(folder: &Path, target: &Path) -> io::Result<(NamedTempFile, TemporaryName)> {
    let mut prefix = OsString::from(".");
    prefix.push(target.file_name().unwrap_or_default());
    prefix.push(".");
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix).suffix(".part");
    set_default_permissions(&mut builder);
    let mut all = TemporaryFiles::lock();
    all.check_open()?;
    let file = builder.tempfile_in(folder)?;
    all.paths.insert(file.path().to_path_buf());
    let name = TemporaryName(file.path().to_path_buf());
    Ok((file, name))
}

/// Gives the file the permissions of any new file; temporary ones are private otherwise, and stay so when
/// renamed.
#[cfg(unix)]
fn set_default_permissions(builder: &mut tempfile::Builder<'_, '_>) {
    use std::os::unix::fs::PermissionsExt;
    builder.permissions(fs::Permissions::from_mode(0o666));
}

#[cfg(not(unix))]
fn set_default_permissions(_: &mut tempfile::Builder<'_, '_>) {}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{ffi::OsString, fs};

    fn names_in(folder: &Path) -> Vec<OsString> {
        let mut names: Vec<_> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name()).collect();
        names.sort();
        names
    }

    #[test]
    fn has_no_final_name_before_it_is_finished() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.json");
        let mut file = AtomicFile::create(&path).unwrap();
        file.write_all(b"half").unwrap();
        assert!(!path.exists());
        file.finish().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"half");
        assert_eq!(names_in(dir.path()), ["a.json"]);
    }

    #[test]
    fn keeps_the_old_file_when_writing_fails() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.json");
        fs::write(&path, b"old").unwrap();
        let failed = write_atomically(&path, |w| {
            w.write_all(b"new")?;
            Err(io::Error::other("broken"))
        });
        assert_eq!(failed.unwrap_err().problem, "cannot write: broken");
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(names_in(dir.path()), ["a.json"]);
    }

    #[test]
    fn finish_new_replaces_no_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.json");
        let write = |text: &str| {
            let mut file = AtomicFile::create(&path).unwrap();
            file.write_all(text.as_bytes()).unwrap();
            file.finish_new()
        };
        assert_eq!(write("old"), Ok(()));
        assert_eq!(write("new").unwrap_err().kind, Some(ErrorKind::AlreadyExists));
        assert_eq!((fs::read(&path).unwrap(), names_in(dir.path()).len()), (b"old".to_vec(), 1));
    }

    #[test]
    fn names_the_folder_that_does_not_exist() {
        let dir = tempfile::tempdir().unwrap();
        let error = AtomicFile::create(&dir.path().join("no/a.json")).unwrap_err();
        assert!(error.problem.contains("does the folder exist?"), "{error}");
        assert!(AtomicFile::create(dir.path()).unwrap_err().problem.contains("is a folder"));
    }

    #[cfg(unix)]
    #[test]
    fn gives_the_permissions_of_an_ordinary_file() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("plain"), b"").unwrap();
        write_atomically(&dir.path().join("ours"), |w| w.write_all(b"x")).unwrap();
        let mode = |n: &str| fs::metadata(dir.path().join(n)).unwrap().permissions().mode();
        assert_eq!(mode("ours"), mode("plain"));
    }

    #[cfg(unix)]
    #[test]
    fn writes_to_the_target_of_a_link_and_leaves_the_link() {
        use std::os::unix::fs::symlink;
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        fs::create_dir(at("far")).unwrap();
        symlink("far/target", at("link")).unwrap();
        for text in ["new", "newer"] {
            write_atomically(&at("link"), |w| w.write_all(text.as_bytes())).unwrap();
            assert_eq!(fs::read_to_string(at("far/target")).unwrap(), text);
            assert!(fs::symlink_metadata(at("link")).unwrap().is_symlink());
            assert_eq!((names_in(&at("far")), names_in(dir.path()).len()), (vec!["target".into()], 2));
        }
    }

    #[cfg(unix)]
    #[test]
    fn does_not_replace_what_has_become_a_link_meanwhile() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        fs::write(at("input"), "input").unwrap();
        let mut file = AtomicFile::create(&at("out")).unwrap();
        file.write_all(b"new").unwrap();
        std::os::unix::fs::symlink("input", at("out")).unwrap();
        assert!(file.finish().unwrap_err().problem.contains("has become a link"));
        assert_eq!(fs::read_to_string(at("input")).unwrap(), "input");
        assert_eq!(names_in(dir.path()), ["input", "out"]);
    }

    /// A device in a folder of our own. Only root can make one, and only root could replace that of the
    /// system, should this test fail.
    #[cfg(unix)]
    fn device(folder: &Path, name: &str, minor: &str) -> PathBuf {
        let own = folder.join(name);
        let made = std::process::Command::new("mknod").arg(&own).args(["c", "1", minor]).output();
        let is_made = made.is_ok_and(|made| made.status.success());
        if is_made && OpenOptions::new().write(true).open(&own).is_ok() {
            own
        } else {
            Path::new("/dev").join(name)
        }
    }

    #[cfg(unix)]
    #[test]
    fn writes_through_a_device_and_reports_that_it_is_full() {
        use std::os::unix::fs::FileTypeExt;
        let dir = tempfile::tempdir().unwrap();
        let is_device = |path: &Path| fs::metadata(path).unwrap().file_type().is_char_device();
        let (null, full) = (device(dir.path(), "null", "3"), device(dir.path(), "full", "7"));
        assert_eq!(write_atomically(&null, |w| w.write_all(b"x")), Ok(()));
        let error = write_atomically(&full, |w| w.write_all(b"x")).unwrap_err().to_string();
        assert!(error.contains("full: cannot write: No space left"), "{error}");
        assert!(is_device(&null) && is_device(&full));
    }
}
