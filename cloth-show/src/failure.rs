//! Why a program or a run could not go on, on one line.

use std::fmt;

use cloth_io::FileError;

/// The longest error (characters): what a hostile file or argument says must not fill the terminal.
const MAX_LENGTH: usize = 600;

/// Why a program or a run could not go on, on one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    text: String,
    is_of_machine: bool,
}

impl Failure {
    /// A failure in words, which are put on one line.
    #[must_use]
    pub fn new(text: impl AsRef<str>) -> Self {
        Self { text: one_line(text.as_ref()), is_of_machine: false }
    }

    /// Whether the machine is to blame: a disk that is full, a permission, memory. The same work may succeed
    /// elsewhere, or later.
    #[must_use]
    pub fn is_of_machine(&self) -> bool {
        self.is_of_machine
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl From<FileError> for Failure {
    fn from(error: FileError) -> Self {
        Self { is_of_machine: error.is_of_machine(), ..Self::new(error.to_string()) }
    }
}

/// White space becomes single blanks, control characters are escaped, and the rest is cut.
fn one_line(text: &str) -> String {
    let joined = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut line = String::new();
    for (i, c) in joined.chars().enumerate() {
        if i >= MAX_LENGTH {
            line.push_str("...");
            break;
        }
        if c.is_control() { line.extend(c.escape_default()) } else { line.push(c) }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_one_line_whatever_it_contains() {
        assert_eq!(Failure::new("a\n  b\u{7}").to_string(), "a b\\u{7}");
        assert!(Failure::new("x".repeat(100_000)).to_string().len() <= MAX_LENGTH + 3);
    }
}
