//! Files that appear whole or not at all: written under a temporary name, then renamed.
//!
//! The temporary file lies in the folder of the final one, because a rename is atomic only within one file
//! system. A run that is killed leaves at worst a file `.name.*.part`, never half a file under the final
//! name; one that is asked to end removes that as well ([`crate::remove_temporary_files`]). Nothing here
//! forces the disk's own cache out: the promise is about processes, not about power cuts.

use std::{
    io::{self, BufWriter, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use super::{
    destination::Destination,
    stream::Stream,
    temporary::{Temporary, folder_of},
};
use crate::FileError;

/// Bytes that are gathered before they are written.
const BUFFER: usize = 1 << 16;

/// A file under construction; it takes its final name in [`AtomicFile::finish`] and vanishes if dropped
/// before.
///
/// A symbolic link is followed and stays: its target is replaced. Where the path leads to a character device
/// or an open descriptor (`/dev/null`, `/dev/stdout`), what is written goes there at once, and nothing is
/// replaced.
#[derive(Debug)]
pub struct AtomicFile {
    path: PathBuf,
    sink: Sink,
}

#[derive(Debug)]
enum Sink {
    /// A file that takes the place of this path, which is no link.
    File(PathBuf, BufWriter<Temporary>),
    Stream(BufWriter<Stream>),
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
                let folder = folder_of(&target).display().to_string();
                let temporary = Temporary::next_to(&target).map_err(|e| {
                    FileError::new(path, format!("cannot write in {folder}: {e}; does the folder exist?"))
                })?;
                Sink::File(target, BufWriter::with_capacity(BUFFER, temporary))
            }
            Destination::Stream(target) => {
                let stream = Stream::open(&target).map_err(|e| FileError::io(path, "open", &e))?;
                Sink::Stream(BufWriter::with_capacity(BUFFER, stream))
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
        let Self { path, sink } = self;
        match sink {
            Sink::Stream(mut writer) => writer.flush().map_err(|e| FileError::io(&path, "write", &e)),
            Sink::File(target, writer) => {
                let file = writer.into_inner().map_err(|e| FileError::io(&path, "write", e.error()))?;
                // What stands there now may be another than when the file was started.
                match Destination::from_path(&target)? {
                    Destination::File(end) if end == target => {}
                    _ => {
                        return Err(FileError::new(
                            &path,
                            "has become a link or a device; nothing was written",
                        ));
                    }
                }
                file.persist(&target).map_err(|e| FileError::io(&path, "rename into place", &e))
            }
        }
    }

    /// Checks that parts that have been written can be written again, as the head of a cache is.
    pub(crate) fn check_seekable(&mut self) -> Result<(), FileError> {
        let found = self.stream_position();
        let text = "is a stream, which takes no cache; name a file";
        found.map(drop).map_err(|_| FileError::new(&self.path, text))
    }
}

impl Write for AtomicFile {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        match &mut self.sink {
            Sink::File(_, writer) => writer.write(buf),
            Sink::Stream(writer) => writer.write(buf),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.sink {
            Sink::File(_, writer) => writer.flush(),
            Sink::Stream(writer) => writer.flush(),
        }
    }
}

impl Seek for AtomicFile {
    fn seek(&mut self, pos: SeekFrom) -> io::Result<u64> {
        match &mut self.sink {
            Sink::File(_, writer) => writer.seek(pos),
            Sink::Stream(writer) => writer.seek(pos),
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
        if is_made && fs::OpenOptions::new().write(true).open(&own).is_ok() {
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
