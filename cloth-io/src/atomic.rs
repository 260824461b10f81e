//! Files that appear whole or not at all: written under a temporary name, then renamed.
//!
//! The temporary file lies in the folder of the final one, because a rename is atomic only within one file
//! system. A run that is killed leaves at worst a file `.name.*.part`, never half a file under the final name.
//! Nothing here forces the disk's own cache out: the promise is about processes, not about power cuts.

use std::{
    ffi::OsString,
    fs,
    io::{self, BufWriter, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use tempfile::NamedTempFile;

use crate::FileError;

/// A file under construction; it takes its final name in [`AtomicFile::finish`] and vanishes if dropped before.
#[derive(Debug)]
pub struct AtomicFile {
    path: PathBuf,
    writer: BufWriter<NamedTempFile>,
}

impl AtomicFile {
    /// Starts a file that will be called `path`; its folder must exist.
    ///
    /// # Errors
    /// If the path names no file, or the folder cannot be written to.
    pub fn create(path: &Path) -> Result<Self, FileError> {
        let name = path.file_name().ok_or_else(|| FileError::new(path, "names no file; give a file name"))?;
        let folder = match path.parent() {
            Some(p) if !p.as_os_str().is_empty() => p,
            _ => Path::new("."),
        };
        if path.is_dir() {
            return Err(FileError::new(path, "is a folder; give a file name"));
        }
        let mut prefix = OsString::from(".");
        prefix.push(name);
        prefix.push(".");
        let mut builder = tempfile::Builder::new();
        builder.prefix(&prefix).suffix(".part");
        share_as_usual(&mut builder);
        let file = builder.tempfile_in(folder).map_err(|e| {
            FileError::new(path, format!("cannot write in {}: {e}; does the folder exist?", folder.display()))
        })?;
        Ok(Self { path: path.to_path_buf(), writer: BufWriter::with_capacity(1 << 16, file) })
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
        let Self { path, writer } = self;
        let file = writer.into_inner().map_err(|e| FileError::io(&path, "write", e.error()))?;
        file.persist(&path).map_err(|e| FileError::io(&path, "rename into place", &e.error))?;
        Ok(())
    }
}

impl Write for AtomicFile {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        self.writer.write(buf)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

impl Seek for AtomicFile {
    fn seek(&mut self, pos: SeekFrom) -> io::Result<u64> {
        self.writer.seek(pos)
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

/// Gives the file the permissions of any new file; temporary ones are private otherwise, and stay so when renamed.
#[cfg(unix)]
fn share_as_usual(builder: &mut tempfile::Builder<'_, '_>) {
    use std::os::unix::fs::PermissionsExt;
    builder.permissions(fs::Permissions::from_mode(0o666));
}

#[cfg(not(unix))]
fn share_as_usual(_: &mut tempfile::Builder<'_, '_>) {
    let _ = fs::metadata;
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
