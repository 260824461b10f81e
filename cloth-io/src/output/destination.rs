//! Where the path of an output leads: to a file that may be replaced, to a stream, or to what is refused.

use std::{
    fs,
    io::{self, ErrorKind},
    path::{Path, PathBuf},
};

use crate::FileError;

/// The most symbolic links that are followed, as on Linux.
const MAX_LINKS: usize = 40;

/// Where an output goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Destination {
    /// A regular file, or one that does not exist yet: no link itself.
    File(PathBuf),
    /// A terminal, `/dev/null`, `/dev/stdout` and the like: written through, never replaced.
    Stream(PathBuf),
}

impl Destination {
    /// Follows the links of a path.
    ///
    /// # Errors
    /// If it leads to a folder, a FIFO, a socket or a block device, or in a circle.
    pub(super) fn from_path(path: &Path) -> Result<Self, FileError> {
        if path.file_name().is_none() && !path.is_dir() {
            return Err(FileError::new(path, "names no file; give a file name"));
        }
        let end = follow_links(path).map_err(|e| FileError::io(path, "follow", &e))?;
        if is_descriptor(&end) {
            return Ok(Self::Stream(end));
        }
        let kind = match fs::symlink_metadata(&end) {
            Ok(metadata) => metadata.file_type(),
            Err(e) if e.kind() == ErrorKind::NotFound => return Ok(Self::File(end)),
            Err(e) => return Err(FileError::io(path, "write", &e)),
        };
        if kind.is_file() {
            Ok(Self::File(end))
        } else if kind.is_dir() {
            Err(FileError::new(path, "is a folder; give a file name"))
        } else if is_character_device(kind) {
            Ok(Self::Stream(end))
        } else {
            Err(FileError::new(
                path,
                "is not a regular file and is not replaced; name a file, or /dev/stdout",
            ))
        }
    }
}

/// Creates a temporary file in the folder of `target`, to which the path of an output leads.
///
/// # Errors
/// If nothing can be written there.
pub(super) fn create_in_folder<T>(
    path: &Path,
    target: &Path,
    create: impl FnOnce(&Path) -> io::Result<T>,
) -> Result<T, FileError> {
    let folder = target.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    create(folder).map_err(|e| {
        let folder = folder.display();
        let hint = if e.kind() == ErrorKind::NotFound { "; does the folder exist?" } else { "" };
        let problem = format!("cannot write in {folder}: {e}{hint}");
        FileError { kind: Some(e.kind()), ..FileError::new(path, problem) }
    })
}

/// The path without links at its end; it need not exist. Links among its folders are left to the system.
///
/// The names of open descriptors (`/dev/stdout`, `/dev/fd/3`) are not followed: where they lead is not theirs
/// to say, and a rename over that file would not reach the holder of the descriptor.
pub(super) fn follow_links(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_path_buf();
    for _ in 0..MAX_LINKS {
        if is_descriptor(&path) || !fs::symlink_metadata(&path).is_ok_and(|m| m.is_symlink()) {
            return Ok(path);
        }
        let target = fs::read_link(&path)?;
        // An absolute target takes the place of the folder.
        path = path.parent().unwrap_or(Path::new("")).join(target);
    }
    Err(io::Error::other(format!(
        "it is a chain of more than {MAX_LINKS} symbolic links; name the file itself"
    )))
}

/// Whether a path is the name of an open descriptor.
fn is_descriptor(path: &Path) -> bool {
    let is_number = |name: &std::ffi::OsStr| name.to_str().is_some_and(|n| n.parse::<u32>().is_ok());
    match (path.parent(), path.file_name()) {
        (Some(folder), Some(name)) if folder == Path::new("/dev/fd") => is_number(name),
        (Some(folder), Some(name)) if folder == Path::new("/proc/self/fd") => is_number(name),
        _ => ["/dev/stdout", "/dev/stderr"].map(Path::new).contains(&path),
    }
}

#[cfg(unix)]
fn is_character_device(kind: fs::FileType) -> bool {
    use std::os::unix::fs::FileTypeExt;
    kind.is_char_device()
}

#[cfg(not(unix))]
fn is_character_device(_: fs::FileType) -> bool {
    false
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::{fs::symlink, net::UnixListener};

    #[test]
    fn follows_links_to_their_end_also_where_nothing_is_yet() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        fs::create_dir(at("deep")).unwrap();
        symlink("deep/new.json", at("one")).unwrap();
        symlink(at("one"), at("two")).unwrap();
        assert_eq!(Destination::from_path(&at("two")), Ok(Destination::File(at("deep/new.json"))));
        fs::write(at("deep/new.json"), "x").unwrap();
        assert_eq!(Destination::from_path(&at("two")), Ok(Destination::File(at("deep/new.json"))));
    }

    #[test]
    fn refuses_a_circle_a_folder_and_a_socket() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        symlink("b", at("a")).unwrap();
        symlink("a", at("b")).unwrap();
        symlink(dir.path(), at("folder")).unwrap();
        let _socket = UnixListener::bind(at("socket")).unwrap();
        let problem = |name: &str| Destination::from_path(&at(name)).unwrap_err().problem;
        assert!(problem("a").contains("symbolic links"), "{}", problem("a"));
        assert!(problem("folder").contains("is a folder"));
        assert!(problem("socket").contains("not a regular file"));
        assert!(Destination::from_path(Path::new("")).is_err());
        assert!(Destination::from_path(Path::new("/")).unwrap_err().problem.contains("is a folder"));
    }

    #[test]
    fn devices_and_descriptors_are_streams() {
        for name in ["/dev/null", "/dev/full", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/2"] {
            assert!(matches!(Destination::from_path(Path::new(name)), Ok(Destination::Stream(_))), "{name}");
        }
        assert!(!is_descriptor(Path::new("/dev/fd/x")));
    }
}
