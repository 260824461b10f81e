//! Why a program or a run could not go on, on one line.

use cloth_io::{FileError, one_line};

/// The longest error (characters): what a hostile file or argument says must not fill the terminal.
const MAX_LENGTH: usize = 600;

/// Why a program or a run could not go on, on one line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct Failure {
    text: String,
    is_of_machine: bool,
}

impl Failure {
    /// A failure in words, which are put on one line.
    #[must_use]
    pub fn new(text: impl AsRef<str>) -> Self {
        Self { text: one_line(text.as_ref(), MAX_LENGTH), is_of_machine: false }
    }

    /// Whether the machine is to blame: a disk that is full, a permission, memory. The same work may succeed
    /// elsewhere, or later.
    #[must_use]
    pub fn is_of_machine(&self) -> bool {
        self.is_of_machine
    }
}

impl From<FileError> for Failure {
    fn from(error: FileError) -> Self {
        Self { is_of_machine: error.is_of_machine(), ..Self::new(error.to_string()) }
    }
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
