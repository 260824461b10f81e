//! The temporary files of this process, so that one that is ended in the middle can remove them first.
//!
//! A temporary file is removed when its writer is dropped. Nothing is dropped when a process exits at once,
//! as it does on a second signal: so their names are also kept here.

use std::{
    collections::BTreeSet,
    ffi::OsString,
    fs,
    io::{self, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

use tempfile::NamedTempFile;

static TEMPORARY_FILES: Mutex<TemporaryFiles> =
    Mutex::new(TemporaryFiles { paths: BTreeSet::new(), closed: false });

struct TemporaryFiles {
    paths: BTreeSet<PathBuf>,
    /// Whether the process is about to exit: nothing is created any more.
    closed: bool,
}

fn temporary_files() -> MutexGuard<'static, TemporaryFiles> {
    // A panic elsewhere leaves the set of paths complete.
    TEMPORARY_FILES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes every temporary file of this process, and lets none be created from now on: to be called right
/// before an exit that drops nothing. Files that have their final name are not touched.
pub fn remove_temporary_files() {
    let mut temporary_files = temporary_files();
    temporary_files.closed = true;
    for path in std::mem::take(&mut temporary_files.paths) {
        // One that has just been renamed or dropped is not there, and need not be.
        let _ = fs::remove_file(path);
    }
}

/// A file under a temporary name; removed when dropped.
#[derive(Debug)]
pub(super) struct Temporary {
    file: Option<NamedTempFile>,
}

impl Temporary {
    /// Creates `.NAME.*.part` in the folder of `path`, whose file name is NAME.
    pub(super) fn next_to(path: &Path) -> io::Result<Self> {
        let folder = folder_of(path);
        let mut prefix = OsString::from(".");
        prefix.push(path.file_name().unwrap_or_default());
        prefix.push(".");
        let mut builder = tempfile::Builder::new();
        builder.prefix(&prefix).suffix(".part");
        set_default_permissions(&mut builder);
        let mut temporary_files = temporary_files();
        if temporary_files.closed {
            return Err(io::Error::other("the process is ending"));
        }
        let file = builder.tempfile_in(folder)?;
        temporary_files.paths.insert(file.path().to_path_buf());
        Ok(Self { file: Some(file) })
    }

    /// Gives it its final name, replacing an older file.
    pub(super) fn persist(mut self, path: &Path) -> io::Result<()> {
        let Some(file) = self.file.take() else { return Ok(()) };
        let mut temporary_files = temporary_files();
        if temporary_files.closed {
            return Err(io::Error::other("the process is ending"));
        }
        temporary_files.paths.remove(file.path());
        // A failure drops the file, which removes it.
        file.persist(path).map(drop).map_err(|e| e.error)
    }

    fn file(&mut self) -> io::Result<&mut NamedTempFile> {
        self.file.as_mut().ok_or_else(|| io::Error::other("the file is closed"))
    }
}

/// The folder of a file, `.` where its path has none.
pub(super) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if let Some(file) = self.file.take() {
            temporary_files().paths.remove(file.path());
        }
    }
}

impl Write for Temporary {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        self.file()?.write(buf)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file()?.flush()
    }
}

impl Seek for Temporary {
    fn seek(&mut self, pos: SeekFrom) -> io::Result<u64> {
        self.file()?.seek(pos)
    }
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
