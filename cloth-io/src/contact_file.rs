//! Contact sets that were computed once, as text: which vertex is kept from which face of another layer.
//!
//! ```text
//! cloth-contacts 1               magic word and version
//! fingerprint 8c0f5e1d22b7a913   of the meshes and layers that it was computed for, 16 hex digits
//! pairs 2                        how many lines follow
//! 0 412 0.0115                   vertex, face, distance (m)
//! 1 412 0.0114
//! ```
//!
//! Vertices and faces are counted from 0 over all cloths in their order. The file does not contain the
//! meshes: a program that reads it compares the fingerprint with that of its own meshes.

use std::io::Write;
use std::path::Path;

use crate::error::quoted;
use crate::{FileError, read_file, write_atomically};

/// The version that is written, and the only one that is read.
const VERSION: u32 = 1;

/// What a contact file holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContactFile {
    /// Identifies the meshes and layers for which it was computed.
    pub fingerprint: u64,
    /// Vertex, face, and their distance (m).
    pub pairs: Vec<(u32, u32, f32)>,
}

impl ContactFile {
    /// Reads a contact file.
    ///
    /// # Errors
    /// If the file cannot be read, is none, is of another version, or if a line or the number of pairs is
    /// wrong: the error names the line.
    pub fn read(path: &Path) -> Result<Self, FileError> {
        let bytes = read_file(path)?;
        let text = String::from_utf8_lossy(&bytes);
        let mut lines = text.lines();
        let mut header = |line: usize, word: &str, wish: &str| {
            let text = lines.next().unwrap_or_default();
            text.strip_prefix(word).and_then(|rest| rest.strip_prefix(' ')).ok_or_else(|| {
                let problem = format!("{} is not `{word} {wish}`; recompute the contacts", quoted(text));
                FileError::at_line(path, line, problem)
            })
        };
        let version = header(1, "cloth-contacts", "1")?;
        if version.parse() != Ok(VERSION) {
            let problem = format!("version {} is not known; recompute the contacts", quoted(version));
            return Err(FileError::at_line(path, 1, problem));
        }
        let wrong = |line, text: &str, what| {
            FileError::at_line(
                path,
                line,
                format!("{} is not a {what}; recompute the contacts", quoted(text)),
            )
        };
        let text = header(2, "fingerprint", "and 16 hex digits")?;
        let whole = text.len() == 16 && text.bytes().all(|b| b.is_ascii_hexdigit());
        let fingerprint = u64::from_str_radix(text, 16).ok().filter(|_| whole);
        let fingerprint = fingerprint.ok_or_else(|| wrong(2, text, "number of 16 hex digits"))?;
        let text = header(3, "pairs", "and their number")?;
        let count: usize = text.parse().map_err(|_| wrong(3, text, "number of pairs"))?;
        let pairs: Vec<_> = lines
            .enumerate()
            .map(|(i, line)| {
                pair(line).ok_or_else(|| wrong(i + 4, line, "vertex, face and distance in metres"))
            })
            .collect::<Result<_, _>>()?;
        if pairs.len() != count {
            let problem = format!(
                "{} pairs follow, not the {count} of line 3: the file is cut off; recompute it",
                pairs.len()
            );
            return Err(FileError::new(path, problem));
        }
        Ok(Self { fingerprint, pairs })
    }

    /// Writes the file, which appears whole or not at all. Distances are written so that they read back bit
    /// for bit.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), FileError> {
        write_atomically(path, |to| {
            writeln!(to, "cloth-contacts {VERSION}")?;
            writeln!(to, "fingerprint {:016x}", self.fingerprint)?;
            writeln!(to, "pairs {}", self.pairs.len())?;
            self.pairs
                .iter()
                .try_for_each(|(vertex, face, distance)| writeln!(to, "{vertex} {face} {distance}"))
        })
    }
}

fn pair(line: &str) -> Option<(u32, u32, f32)> {
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    let [vertex, face, distance] = words[..] else { return None };
    let distance: f32 = distance.parse().ok()?;
    (distance.is_finite() && distance >= 0.0).then_some((vertex.parse().ok()?, face.parse().ok()?, distance))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn file() -> ContactFile {
        let pairs = vec![(0, 412, 0.1 + f32::EPSILON), (7, 0, 0.0), (u32::MAX, 3, f32::MIN_POSITIVE)];
        ContactFile { fingerprint: 0x00c0_ffee, pairs }
    }

    #[test]
    fn reads_back_what_it_wrote_bit_for_bit() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("skirt.contacts");
        for file in [file(), ContactFile::default()] {
            file.write(&path).unwrap();
            assert_eq!(ContactFile::read(&path), Ok(file));
        }
    }

    #[test]
    fn names_the_line_of_what_is_wrong() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("skirt.contacts");
        file().write(&path).unwrap();
        let good = fs::read_to_string(&path).unwrap();
        for (from, to, line) in [
            ("cloth-contacts 1", "cloth-contacts 2", Some(1)),
            ("cloth-contacts 1", "v 0 1 2", Some(1)),
            ("fingerprint 0", "fingerprint g", Some(2)),
            ("fingerprint 00", "fingerprint +", Some(2)),
            ("pairs 3", "pairs many", Some(3)),
            ("pairs 3", "pairs 4", None),
            ("7 0 0", "7 0", Some(5)),
            ("7 0 0", "7 0 NaN", Some(5)),
            ("7 0 0", "7 0 -1", Some(5)),
            ("7 0 0", "-7 0 0", Some(5)),
        ] {
            assert!(good.contains(from), "{from}");
            fs::write(&path, good.replacen(from, to, 1)).unwrap();
            let error = ContactFile::read(&path).unwrap_err();
            assert_eq!(error.line, line, "{error}");
            assert!(error.to_string().contains("recompute"), "{error}");
        }
        assert!(ContactFile::read(&dir.path().join("none")).unwrap_err().problem.starts_with("cannot read"));
    }
}
