//! The text files of the repository, as rules read them.

use std::collections::BTreeMap;
use std::path::Path;

/// What is generated or installed, not written: these paths (in a worktree `.git` is a file), and directories
/// of these names.
const SKIPPED: [&str; 5] = [".git", "report", "bench/results", "web/cloth-web/pkg", "web/dist"];
const BUILT: [&str; 2] = ["target", "node_modules"];

/// The files of the repository by their path from the root, with forward slashes.
pub(super) struct Tree(BTreeMap<String, String>);

impl Tree {
    /// Reads every file below a directory; what is not UTF-8 (pictures) has no text.
    pub(super) fn read(root: &Path) -> Self {
        let mut files = BTreeMap::new();
        let mut pending = vec![(root.to_path_buf(), String::new())];
        while let Some((directory, prefix)) = pending.pop() {
            for entry in std::fs::read_dir(&directory).into_iter().flatten().flatten() {
                let name = entry.file_name().to_string_lossy().into_owned();
                let path = format!("{prefix}{name}");
                match entry.file_type() {
                    _ if SKIPPED.contains(&path.as_str()) => {}
                    Ok(kind) if kind.is_dir() && !BUILT.contains(&name.as_str()) => {
                        pending.push((entry.path(), format!("{path}/")));
                    }
                    Ok(kind) if kind.is_file() => {
                        files.insert(path, std::fs::read_to_string(entry.path()).unwrap_or_default());
                    }
                    _ => {}
                }
            }
        }
        Self(files)
    }

    /// The files whose paths begin with a text.
    pub(super) fn below(&self, start: &str) -> impl Iterator<Item = (&str, &str)> {
        let files = self.0.iter().filter(move |(path, _)| path.starts_with(start));
        files.map(|(path, text)| (path.as_str(), text.as_str()))
    }
}

#[cfg(test)]
impl Tree {
    /// A tree given as a list, for tests of rules.
    pub(super) fn from_texts(files: &[(&str, &str)]) -> Self {
        Self(files.iter().map(|&(path, text)| (path.into(), text.into())).collect())
    }

    /// The text of a file, empty without it.
    pub(super) fn text(&self, path: &str) -> &str {
        self.0.get(path).map_or("", String::as_str)
    }

    /// Whether a path is generated or installed, so that no tree has it.
    pub(super) fn is_built(path: &str) -> bool {
        SKIPPED.iter().any(|directory| format!("{path}/").starts_with(&format!("{directory}/")))
            || path.split('/').any(|name| BUILT.contains(&name))
    }

    pub(super) fn has(&self, path: &str) -> bool {
        self.0.contains_key(path)
    }

    pub(super) fn has_file_below(&self, directory: &str) -> bool {
        self.0.keys().any(|p| p.starts_with(directory))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_this_file_and_skips_what_is_built() {
        let tree = Tree::read(crate::commands::root());
        assert!(tree.has("xtask/src/tidy/tree.rs"));
        assert!(!tree.has_file_below("target/") && !tree.has_file_below(".git/"));
    }
}
