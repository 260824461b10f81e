//! Rules on files: how long they are, which ones a crate must have, which words they must not hold.

use std::collections::BTreeMap;
use std::path::Path;

/// Longest source file, in lines, its tests included. Past this a second question hides in it.
const MAX_LINES: usize = 400;

/// What is generated, not written: these paths (in a worktree `.git` is a file), and directories named as
/// [`BUILT`].
const SKIPPED: [&str; 3] = [".git", "report", "bench/results"];
const BUILT: &str = "target";

/// The text files of the repository by their path from the root, with forward slashes.
pub(super) struct Tree(BTreeMap<String, String>);

impl Tree {
    /// Reads every text file below a directory; what is not UTF-8 (pictures) or cannot be read is left out.
    pub(super) fn read(root: &Path) -> Self {
        let mut files = BTreeMap::new();
        let mut pending = vec![(root.to_path_buf(), String::new())];
        while let Some((directory, prefix)) = pending.pop() {
            for entry in std::fs::read_dir(&directory).into_iter().flatten().flatten() {
                let name = entry.file_name().to_string_lossy().into_owned();
                let path = format!("{prefix}{name}");
                match entry.file_type() {
                    _ if SKIPPED.contains(&path.as_str()) => {}
                    Ok(kind) if kind.is_dir() && name != BUILT => {
                        pending.push((entry.path(), format!("{path}/")));
                    }
                    Ok(kind) if kind.is_file() => {
                        files.extend(std::fs::read_to_string(entry.path()).ok().map(|text| (path, text)));
                    }
                    _ => {}
                }
            }
        }
        Self(files)
    }

    /// A tree given as a list, for tests of rules.
    #[cfg(test)]
    pub(super) fn from_texts(files: &[(&str, &str)]) -> Self {
        Self(files.iter().map(|&(path, text)| (path.into(), text.into())).collect())
    }

    /// The text of a file.
    pub(super) fn text(&self, path: &str) -> Option<String> {
        self.0.get(path).cloned()
    }

    /// The files below a directory, given with its slash.
    pub(super) fn below(&self, directory: &str) -> impl Iterator<Item = (&str, &str)> {
        let files = self.0.iter().filter(move |(path, _)| path.starts_with(directory));
        files.map(|(path, text)| (path.as_str(), text.as_str()))
    }

    /// The Rust files and their text, by path.
    pub(super) fn sources(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().filter(|(path, _)| path.ends_with(".rs")).map(|(path, text)| (&**path, &**text))
    }

    fn has(&self, path: &str) -> bool {
        self.0.contains_key(path)
    }

    fn has_file_below(&self, directory: &str) -> bool {
        self.0.keys().any(|p| p.starts_with(directory))
    }
}

/// Complaints about source files past [`MAX_LINES`]. No file is excepted.
pub(super) fn too_long(tree: &Tree) -> Vec<String> {
    let source = tree.0.iter().filter(|(path, _)| path.contains("/src/") && path.ends_with(".rs"));
    source
        .map(|(path, text)| (path, text.lines().count()))
        .filter(|&(_, lines)| lines > MAX_LINES)
        .map(|(path, lines)| {
            format!("{path} has {lines} lines, more than {MAX_LINES}: find its second question")
        })
        .collect()
}

/// Complaints about crates without a README.md or without examples.
pub(super) fn incomplete_crates(tree: &Tree, crates: &[String]) -> Vec<String> {
    let mut complaints = Vec::new();
    for name in crates {
        if !tree.has(&format!("{name}/README.md")) {
            complaints.push(format!("{name} has no README.md"));
        }
        if !tree.has_file_below(&format!("{name}/examples/")) {
            complaints.push(format!("{name} has no file in examples/"));
        }
    }
    complaints
}

/// Complaints about words that only mean something on one machine.
pub(super) fn machine_paths(tree: &Tree) -> Vec<String> {
    // Put together here, so that this file does not hold what it searches for.
    let forbidden = ["work", "tmp", "home", "root"].map(|directory| format!("/{directory}/"));
    let mut complaints = Vec::new();
    for (path, text) in &tree.0 {
        for (number, line) in text.lines().enumerate() {
            let found = forbidden.iter().find(|word| is_absolute_in(line, word));
            complaints.extend(found.map(|word| format!("{path}:{} names {word}", number + 1)));
        }
    }
    complaints
}

/// Whether a path starts with `word` in a line: `/x/` counts, `a/x/` and `../x/` do not.
fn is_absolute_in(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || "._-})".contains(c))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_first_line_too_many() {
        let (fits, long) = ("x\n".repeat(MAX_LINES), "x\n".repeat(MAX_LINES + 1));
        assert!(too_long(&Tree::from_texts(&[("a/src/b.rs", &fits)])).is_empty());
        assert_eq!(too_long(&Tree::from_texts(&[("a/src/c/b.rs", &long)])).len(), 1);
        assert!(too_long(&Tree::from_texts(&[("a/tests/b.rs", &long), ("a/src/b.txt", &long)])).is_empty());
    }

    #[test]
    fn finds_a_crate_without_readme_or_examples() {
        let names = ["a".to_string()];
        assert_eq!(incomplete_crates(&Tree::from_texts(&[]), &names).len(), 2);
        assert_eq!(incomplete_crates(&Tree::from_texts(&[("a/README.md", "")]), &names).len(), 1);
        assert!(
            incomplete_crates(&Tree::from_texts(&[("a/README.md", ""), ("a/examples/x.rs", "")]), &names)
                .is_empty()
        );
    }

    #[test]
    fn finds_an_absolute_path_but_not_a_relative_one() {
        let absolute = format!("see \"/{}/x\"", "tmp");
        let relative = format!("see ../{0}/x and a/{0}/x", "tmp");
        assert_eq!(machine_paths(&Tree::from_texts(&[("a", &absolute)])), [format!("a:1 names /{}/", "tmp")]);
        assert!(machine_paths(&Tree::from_texts(&[("a", &relative)])).is_empty());
    }

    #[test]
    fn reads_this_file_and_skips_what_is_built() {
        let tree = Tree::read(crate::commands::root());
        assert!(tree.has("xtask/src/tidy/files.rs"));
        assert!(!tree.has_file_below("target/") && !tree.has_file_below(".git/"));
    }
}
