//! Which file a path leads to, whatever its spelling.

use std::{
    collections::BTreeMap,
    fs,
    path::{Component, Path, PathBuf},
};

use super::destination::follow_links;

/// A file, known by its place and, on Unix, by device and inode: so two spellings of a path, a symbolic link
/// and a hard link are the same file as what they lead to. It need not exist. File names that differ in case
/// alone count as different files.
#[derive(Clone, Debug)]
pub struct FileId {
    place: PathBuf,
    inode: Option<(u64, u64)>,
    is_regular: bool,
}

impl FileId {
    /// The file that a path leads to now.
    #[must_use]
    pub fn from_path(path: &Path) -> Self {
        let end = follow_links(path).unwrap_or_else(|_| path.to_path_buf());
        let metadata = fs::metadata(&end).ok();
        Self {
            place: place_of(&end),
            inode: metadata.as_ref().and_then(inode_of),
            is_regular: metadata.is_none_or(|m| m.is_file()),
        }
    }

    /// Whether both are one regular file, or the same place where none is yet. Devices and folders are no
    /// such file: two outputs may go to `/dev/null`.
    #[must_use]
    pub fn is_same_file(&self, other: &Self) -> bool {
        let same_inode = self.inode.is_some() && self.inode == other.inode;
        self.is_regular && other.is_regular && (same_inode || self.place == other.place)
    }
}

/// Values by file, in which a file is found under any of its names.
#[derive(Clone, Debug)]
pub struct FileMap<T> {
    by_place: BTreeMap<PathBuf, T>,
    by_inode: BTreeMap<(u64, u64), T>,
}

impl<T: Clone> FileMap<T> {
    /// Gives a file a value; devices and folders are left out.
    pub fn insert(&mut self, file: &FileId, value: T) {
        if file.is_regular {
            self.by_place.insert(file.place.clone(), value.clone());
            file.inode.map(|inode| self.by_inode.insert(inode, value));
        }
    }

    /// The value of a file that is the same, see [`FileId::is_same_file`].
    #[must_use]
    pub fn get(&self, file: &FileId) -> Option<&T> {
        let by_inode = || file.inode.and_then(|inode| self.by_inode.get(&inode));
        self.by_place.get(&file.place).or_else(by_inode).filter(|_| file.is_regular)
    }
}

impl<T> Default for FileMap<T> {
    fn default() -> Self {
        Self { by_place: BTreeMap::new(), by_inode: BTreeMap::new() }
    }
}

/// An absolute path without links, `.` and `..`, as far as its folders exist; what is beyond is taken by its
/// names alone.
fn place_of(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    for ancestor in path.ancestors() {
        if let Ok(mut place) = fs::canonicalize(ancestor) {
            let names = path.strip_prefix(ancestor).unwrap_or(Path::new("")).components();
            names.for_each(|name| match name {
                Component::ParentDir => _ = place.pop(),
                Component::Normal(name) => place.push(name),
                _ => {}
            });
            return place;
        }
    }
    path
}

#[cfg(unix)]
fn inode_of(metadata: &fs::Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    Some((metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn inode_of(_: &fs::Metadata) -> Option<(u64, u64)> {
    None
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn same(a: &Path, b: &Path) -> bool {
        let (a, b) = (FileId::from_path(a), FileId::from_path(b));
        let mut map = FileMap::default();
        map.insert(&a, ());
        assert_eq!([b.is_same_file(&a), map.get(&b).is_some()], [a.is_same_file(&b); 2]);
        a.is_same_file(&b)
    }

    #[test]
    fn links_and_other_spellings_are_the_same_file() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        fs::create_dir(at("folder")).unwrap();
        fs::write(at("a"), "a").unwrap();
        fs::write(at("b"), "a").unwrap();
        symlink("a", at("soft")).unwrap();
        symlink(dir.path(), at("folder/up")).unwrap();
        fs::hard_link(at("a"), at("hard")).unwrap();
        for other in ["a", "./a", "folder/../a", "soft", "hard", "folder/up/a", "folder/up/soft"] {
            assert!(same(&at("a"), &at(other)), "{other}");
        }
        assert!(!same(&at("a"), &at("b")));
    }

    #[test]
    fn files_that_are_not_there_yet_are_known_by_their_place() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        symlink("new", at("dangling")).unwrap();
        symlink(dir.path(), at("up")).unwrap();
        for other in ["new", "dangling", "up/new", "none/../new"] {
            assert!(same(&at("new"), &at(other)), "{other}");
        }
        assert!(same(&at("no/folder/x"), &at("up/no/folder/../folder/x")));
        assert!(!same(&at("no/x"), &at("no/y")));
    }

    #[test]
    fn devices_and_folders_are_no_files_that_could_be_replaced() {
        assert!(!same(Path::new("/dev/null"), Path::new("/dev/null")));
        assert!(!same(Path::new("/tmp"), Path::new("/tmp")));
    }
}
