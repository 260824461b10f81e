//! Lists of vertex pairs as text: two numbers a line, counted from 0; `#` starts a comment.

use std::path::Path;

use crate::{FileError, error::quoted, read_file};

/// Reads pairs of different vertices, such as stitches, in the order of the file.
///
/// # Errors
/// If the file cannot be read, or a line does not hold two different vertex numbers: the error names the
/// line.
pub fn read_pairs(path: &Path) -> Result<Vec<[u32; 2]>, FileError> {
    let bytes = read_file(path)?;
    let mut pairs = Vec::new();
    for (i, line) in String::from_utf8_lossy(&bytes).lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default();
        let words: Vec<&str> = line.split_whitespace().collect();
        let numbers: Vec<Option<u32>> = words.iter().map(|w| w.parse().ok()).collect();
        match numbers[..] {
            [] => {}
            [Some(a), Some(b)] if a != b => pairs.push([a, b]),
            _ => {
                let text = format!(
                    "{} is not a pair; write two different vertices such as `12 40`",
                    quoted(line.trim())
                );
                return Err(FileError::at_line(path, i + 1, text));
            }
        }
    }
    Ok(pairs)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn reads_pairs_and_names_the_line_that_is_none() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("seam.txt");
        fs::write(&path, "# seam\r\n0 5 # hem\r\n\r\n7\t3").unwrap();
        assert_eq!(read_pairs(&path), Ok(vec![[0, 5], [7, 3]]));
        for bad in ["0 1\n2 2", "0 1\n2", "0 1\n2 3 4", "0 1\n-1 2"] {
            fs::write(&path, bad).unwrap();
            assert_eq!(read_pairs(&path).unwrap_err().line, Some(2), "{bad}");
        }
    }
}
