//! The seams that Codim-IPC writes into its OBJ files: `stitch a b c r`, vertices counted from 0, with
//! `a = (1 - r) b + r c`.

use std::path::Path;

use super::statements::statements;
use crate::{FileError, read_file};

/// A vertex that is sewn to a point of an edge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StitchRecord {
    /// The vertex.
    pub vertex: u32,
    /// The ends of the edge.
    pub edge: [u32; 2],
    /// Where on the edge, in [0, 1].
    pub ratio: f64,
}

/// Reads the `stitch` records of an OBJ file, in its order; none if it has none.
///
/// Vertices are counted from 0, unlike those of faces; whether the mesh has them is for the caller to say.
///
/// # Errors
/// If the file cannot be read, or a record does not hold three vertices and a ratio: the error names the
/// line.
pub fn read_stitches(path: &Path) -> Result<Vec<StitchRecord>, FileError> {
    let bytes = read_file(path)?;
    let text = String::from_utf8_lossy(&bytes);
    let records = statements(&text).filter(|statement| statement.keyword() == "stitch");
    let read = records.map(|statement| {
        let words: Vec<&str> = statement.words().collect();
        record(&words).ok_or_else(|| {
            let text = "a stitch needs a vertex, the two ends of an edge and a ratio in [0, 1], \
                        such as `stitch 56 37 704 0.25`";
            FileError::at_line(path, statement.line, text)
        })
    });
    read.collect()
}

fn record(words: &[&str]) -> Option<StitchRecord> {
    let &[a, b, c, r] = words else { return None };
    let [vertex, from, to] = [a, b, c].map(|word| word.parse::<u32>().ok());
    let ratio = r.parse::<f64>().ok().filter(|r| (0.0..=1.0).contains(r))?;
    Some(StitchRecord { vertex: vertex?, edge: [from?, to?], ratio })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn reads_seams_between_other_statements_and_names_the_line_that_is_none() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("dress.obj");
        fs::write(&path, "v 0 0 0\nstitch 56 37 704 0.000000e+000 # hem\r\nf 1 2 3\nstitch 1 2 2 1\n")
            .unwrap();
        let seams = read_stitches(&path).unwrap();
        let expected = [(56, [37, 704], 0.0), (1, [2, 2], 1.0)];
        assert_eq!(seams, expected.map(|(vertex, edge, ratio)| StitchRecord { vertex, edge, ratio }));
        for bad in ["1 2 3", "1 2 3 1.5", "1 2 3 nan", "-1 2 3 0", "1 2 3 0 4"] {
            fs::write(&path, format!("v 0 0 0\nstitch {bad}\n")).unwrap();
            assert_eq!(read_stitches(&path).unwrap_err().line, Some(2), "{bad}");
        }
    }
}
