//! One error for every file: which file, which line, what is wrong, and how to fix it.
//!
//! It prints as a single line, whatever the file holds: text taken from a file is escaped and cut short.

use std::{
    fmt, io,
    path::{Path, PathBuf},
};

/// The longest message, in characters: a hostile file must not fill the terminal.
const MAX_MESSAGE: usize = 400;

/// Why a file could not be read or written; prints as `path:line:column: problem`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileError {
    /// The file.
    pub path: PathBuf,
    /// The line, counted from 1, where one is to blame.
    pub line: Option<usize>,
    /// The character of that line, counted from 1, where one is to blame.
    pub column: Option<usize>,
    /// What is wrong and how to fix it, on one line.
    pub problem: String,
    /// Of an error of the operating system its kind; none if the content of the file is to blame.
    pub kind: Option<io::ErrorKind>,
}

impl FileError {
    /// An error about a file as a whole.
    pub fn new(path: &Path, problem: impl AsRef<str>) -> Self {
        Self {
            path: path.to_path_buf(),
            line: None,
            column: None,
            problem: one_line(problem.as_ref(), MAX_MESSAGE),
            kind: None,
        }
    }

    /// An error about one line, counted from 1.
    pub fn at_line(path: &Path, line: usize, problem: impl AsRef<str>) -> Self {
        Self { line: Some(line), ..Self::new(path, problem) }
    }

    /// An error of the operating system; `doing` completes "cannot ...".
    #[must_use]
    pub fn io(path: &Path, doing: &str, error: &io::Error) -> Self {
        Self { kind: Some(error.kind()), ..Self::new(path, format!("cannot {doing}: {error}")) }
    }

    /// Whether the machine is to blame and not the file: a disk that is full or fails, a permission, memory, or
    /// a limit of this process. A file that is not there is none of these.
    #[must_use]
    pub fn is_of_machine(&self) -> bool {
        use io::ErrorKind::{
            InvalidData, InvalidFilename, InvalidInput, NotADirectory, NotFound, UnexpectedEof,
        };
        let of_file = [InvalidData, InvalidFilename, InvalidInput, NotADirectory, NotFound, UnexpectedEof];
        self.kind.is_some_and(|kind| !of_file.contains(&kind))
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", one_line(&self.path.display().to_string(), MAX_MESSAGE))?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
            if let Some(column) = self.column {
                write!(f, ":{column}")?;
            }
        }
        write!(f, ": {}", self.problem)
    }
}

impl std::error::Error for FileError {}

/// A text on one line of at most this many characters: white space becomes single blanks, control characters
/// are escaped, and the rest is cut.
#[must_use]
pub fn one_line(text: &str, most: usize) -> String {
    let joined = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut out = String::new();
    for (i, c) in joined.chars().enumerate() {
        if i >= most {
            out.push_str("...");
            break;
        }
        if c.is_control() { out.extend(c.escape_default()) } else { out.push(c) }
    }
    out
}

/// A word of a file, in backticks, cut short.
#[must_use]
pub fn quoted(word: &str) -> String {
    let short: String = word.chars().take(40).collect();
    format!("`{short}{}`", if short.len() < word.len() { "..." } else { "" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_one_line_that_names_the_file_and_the_place() {
        let e = FileError::at_line(Path::new("a.obj"), 7, "first\n\tsecond \u{7}");
        assert_eq!(e.to_string(), "a.obj:7: first second \\u{7}");
    }

    #[test]
    fn a_full_disk_is_of_the_machine_and_no_missing_file() {
        let of = |kind: io::ErrorKind| FileError::io(Path::new("a"), "read", &kind.into()).is_of_machine();
        assert!(of(io::ErrorKind::StorageFull) && of(io::ErrorKind::PermissionDenied));
        assert!(!of(io::ErrorKind::NotFound) && !FileError::new(Path::new("a"), "x").is_of_machine());
    }

    #[test]
    fn cuts_what_a_hostile_file_makes_long() {
        let e = FileError::new(Path::new("a"), "x".repeat(100_000));
        assert!(e.to_string().len() < MAX_MESSAGE + 20);
        assert_eq!(quoted(&"y".repeat(50)), format!("`{}...`", "y".repeat(40)));
    }
}
