//! Rows: their key, which says what run of which plan they describe, and the file that they are written to.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};

use cloth_io::FileError;
use serde::{Deserialize, Serialize};

/// How every row begins.
const BEGIN: &str = r#"{"kind":""#;

/// What a row is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A random scene of `cloth-verify --fuzz`.
    Campaign,
    /// A mesh of `cloth check`.
    Check,
    /// A run of a sweep.
    Sweep,
}

/// The first keys of a row. A row flattens it in first place, and is written without white space.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowKey {
    /// What the row is about.
    pub kind: Kind,
    /// The plan, as [`plan_id`] names it. Rows of one plan can be merged.
    pub plan: String,
    /// The run, from 0.
    pub number: u64,
    /// How many runs the plan has, of all shards together.
    pub of: u64,
}

impl RowKey {
    /// Divides a row, a line without its end, into its key and what follows it, from the comma on.
    ///
    /// # Errors
    /// What is wrong, if it is no row.
    pub fn split(line: &str) -> Result<(Self, &str), String> {
        let key: Self = serde_json::from_str(line).map_err(|e| e.to_string())?;
        match line.strip_prefix(&key.text()).filter(|rest| rest.starts_with(',')) {
            Some(_) if key.number >= key.of => Err(format!("number {} of {} rows", key.number, key.of)),
            Some(rest) => Ok((key, rest)),
            None => Err("it does not begin with kind, plan, number and of, without white space".into()),
        }
    }

    /// The row that has this key, and what follows that of another.
    #[must_use]
    pub fn join(&self, rest: &str) -> String {
        self.text() + rest
    }

    /// How a row with this key begins.
    fn text(&self) -> String {
        // Texts and numbers are JSON.
        let mut text = serde_json::to_string(self).unwrap_or_default();
        text.pop();
        text
    }
}

/// A file that rows are written to, each at once, so that those that are there stay if the program is killed.
#[derive(Debug)]
pub struct RowFile {
    path: PathBuf,
    file: File,
}

impl RowFile {
    /// Opens a file, and keeps what is in it or not; it need not be there. No other process writes rows to it
    /// meanwhile, where the file system has locks.
    ///
    /// # Errors
    /// If it cannot be written, or another process writes to it.
    pub fn open(path: &Path, keeps: bool) -> Result<Self, FileError> {
        // Before it is opened: the opening of a FIFO waits for who reads it.
        if std::fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
            return Err(FileError::new(path, "is no regular file; name another for the rows"));
        }
        let file = OpenOptions::new().create(true).append(true).open(path);
        let file = file.map_err(|e| FileError::io(path, "write", &e))?;
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            return Err(FileError::new(
                path,
                "is written by another process; give every shard a file of its own",
            ));
        }
        if !keeps {
            file.set_len(0).map_err(|e| FileError::io(path, "write", &e))?;
        }
        Ok(Self { path: path.to_path_buf(), file })
    }

    /// Writes a row.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&mut self, row: &str) -> Result<(), FileError> {
        let written = self.file.write_all(format!("{row}\n").as_bytes());
        written.map_err(|e| FileError::io(&self.path, "write", &e))
    }
}

/// A name for all that rows depend on: eight hexadecimal digits, the CRC-32 of a text that says it.
#[must_use]
pub fn plan_id(text: &str) -> String {
    format!("{:08x}", crc32fast::hash(text.as_bytes()))
}

/// Whether a line that was cut short by a kill may have been a row.
#[must_use]
pub fn is_begun(line: &[u8]) -> bool {
    let shared = line.len().min(BEGIN.len());
    line[..shared] == BEGIN.as_bytes()[..shared]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Serialize)]
    struct Row {
        #[serde(flatten)]
        key: RowKey,
        verdict: &'static str,
    }

    const LINE: &str = r#"{"kind":"check","plan":"cbf43926","number":3,"of":9,"verdict":"clean"}"#;

    #[test]
    fn a_row_begins_with_its_key_and_is_divided_after_it() {
        let key = RowKey { kind: Kind::Check, plan: plan_id("123456789"), number: 3, of: 9 };
        let row = Row { key: key.clone(), verdict: "clean" };
        assert_eq!(serde_json::to_string(&row).unwrap(), LINE);
        let (found, rest) = RowKey::split(LINE).unwrap();
        assert_eq!((&found, rest), (&key, r#","verdict":"clean"}"#));
        assert_eq!(key.join(rest), LINE);
    }

    #[test]
    fn what_is_no_row_is_refused() {
        for (from, to) in [
            (",\"of\":9", ""),
            (",\"of\":9", ",\"of\":3"),
            ("\"number\":3", "\"number\": 3"),
            ("\"number\":3", "\"number\":-3"),
            ("\"number\":3", "\"number\":3,\"number\":3"),
            ("check", "chess"),
            (",\"verdict\":\"clean\"", ""),
            ("}", ""),
            ("}", "} x"),
        ] {
            assert!(RowKey::split(&LINE.replace(from, to)).is_err(), "{from} -> {to}");
        }
    }

    #[test]
    fn a_line_that_was_cut_short_is_known_by_its_beginning() {
        assert!((0..LINE.len()).all(|end| is_begun(&LINE.as_bytes()[..end])));
        assert!(!is_begun(b"precious") && !is_begun(b"{\"name\""));
    }
}
