//! Which file a path leads to, whatever its spelling.

use std::{
    collections::BTreeMap,
    fs,
    path::{Component, Path, PathBuf},
    time::SystemTime,
};

use super::destination::follow_links;

/// Values by file, in which a file is found under any of its names: another spelling, a symbolic link, or a
/// hard link. It need not exist; a file that does not is known by its place. File names that differ in case
/// alone are different files where the file system says so.
#[derive(Clone, Debug)]
pub struct FileMap<T> {
    by_place: BTreeMap<PathBuf, T>,
    /// The files that exist, with their places. Hard links of a file have its stamp, and few other files do:
    /// those alone are opened to compare them, for a sequence may have more files than a process may open.
    by_stamp: BTreeMap<Stamp, Vec<(PathBuf, T)>>,
}

/// Length and time of the last change.
type Stamp = (u64, Option<SystemTime>);

impl<T: Clone> FileMap<T> {
    /// Gives the file that a path leads to now a value. Devices and folders are left out: they are not
    /// replaced, and two outputs may go to `/dev/null`.
    pub fn insert(&mut self, path: &Path, value: T) {
        let Some((place, stamp)) = locate(path) else { return };
        if let Some(stamp) = stamp {
            let same = self.by_stamp.entry(stamp).or_default();
            same.retain(|(other, _)| *other != place);
            same.push((place.clone(), value.clone()));
        }
        self.by_place.insert(place, value);
    }

    /// The value of the file that a path leads to now.
    #[must_use]
    pub fn get(&self, path: &Path) -> Option<&T> {
        let (place, stamp) = locate(path)?;
        let is_same = |(other, _): &&(PathBuf, T)| same_file::is_same_file(other, &place).unwrap_or(false);
        let linked = || self.by_stamp.get(&stamp?)?.iter().find(is_same).map(|(_, value)| value);
        self.by_place.get(&place).or_else(linked)
    }
}

impl<T> FileMap<T> {
    /// Without any file.
    #[must_use]
    pub const fn new() -> Self {
        Self { by_place: BTreeMap::new(), by_stamp: BTreeMap::new() }
    }
}

impl<T> Default for FileMap<T> {
    fn default() -> Self {
        Self::new()
    }
}

/// The place of a file and, if it exists, its stamp; none for what is no regular file.
fn locate(path: &Path) -> Option<(PathBuf, Option<Stamp>)> {
    let end = follow_links(path).unwrap_or_else(|_| path.to_path_buf());
    let metadata = fs::metadata(&end).ok();
    let is_regular = metadata.as_ref().is_none_or(fs::Metadata::is_file);
    is_regular.then(|| (place_of(&end), metadata.map(|m| (m.len(), m.modified().ok()))))
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

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn same(a: &Path, b: &Path) -> bool {
        let finds = |a: &Path, b: &Path| {
            let mut map = FileMap::default();
            map.insert(a, ());
            map.get(b).is_some()
        };
        assert_eq!(finds(a, b), finds(b, a));
        finds(a, b)
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
