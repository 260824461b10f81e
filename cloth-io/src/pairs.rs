//! Lists of vertices and of vertex pairs as text: numbers, counted from 0, pairs two a line; `#` starts a
//! comment.

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

/// Reads numbers of vertices, such as those of pins, any number a line, in the order of the file.
///
/// # Errors
/// If the file cannot be read, or has a word that is no number of a vertex: the error names the line.
pub fn read_vertices(path: &Path) -> Result<Vec<u32>, FileError> {
    let bytes = read_file(path)?;
    let mut vertices = Vec::new();
    for (i, line) in String::from_utf8_lossy(&bytes).lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default();
        for word in line.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty()) {
            vertices.push(word.parse().map_err(|_| {
                let text = format!("{} is not the number of a vertex, counted from 0", quoted(word));
                FileError::at_line(path, i + 1, text)
            })?);
        }
    }
    Ok(vertices)
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

    #[test]
    fn reads_vertices_and_names_the_line_of_what_is_none() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("pins.txt");
        fs::write(&path, "# waist\r\n0 5, 12 # front\r\n\r\n7").unwrap();
        assert_eq!(read_vertices(&path), Ok(vec![0, 5, 12, 7]));
        for bad in ["0\nx", "0\n-1", "0\n1.5"] {
            fs::write(&path, bad).unwrap();
            assert_eq!(read_vertices(&path).unwrap_err().line, Some(2), "{bad}");
        }
    }
}
