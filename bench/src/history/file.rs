//! `bench/history/*.jsonl`: one file for each section, one record a line, in the order of the runs.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

use super::{RECORD_VERSION, Record, Section};

/// Why a history could not be read or continued.
#[derive(Debug, thiserror::Error)]
pub enum HistoryError {
    /// A file cannot be read or written.
    #[error("{}: {source}; name a folder that can be read and written", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// A line is not a record.
    #[error("{}:{line}: not a record of version {RECORD_VERSION}: {why}; correct or remove the line", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// Its number, counted from 1.
        line: usize,
        /// What is wrong with it.
        why: String,
    },
}

fn file_of(folder: &Path, section: Section) -> PathBuf {
    folder.join(format!("{}.jsonl", section.name()))
}

/// Appends records to the files of a folder, which is created if need be.
///
/// # Errors
/// If the folder or a file cannot be written, or a record cannot be written as JSON.
pub fn append(folder: &Path, records: &[Record]) -> Result<(), HistoryError> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source| HistoryError::File { path, source }
    };
    std::fs::create_dir_all(folder).map_err(failed(folder))?;
    for section in Section::ALL {
        let lines = records.iter().filter(|record| record.section == section);
        let lines: Result<Vec<String>, _> = lines.map(serde_json::to_string).collect();
        let path = file_of(folder, section);
        let lines = lines.map_err(|e| failed(&path)(std::io::Error::other(e)))?;
        if lines.is_empty() {
            continue;
        }
        let mut file = OpenOptions::new().create(true).append(true).open(&path).map_err(failed(&path))?;
        // In one call, so that a reader sees whole lines.
        file.write_all((lines.join("\n") + "\n").as_bytes()).map_err(failed(&path))?;
    }
    Ok(())
}

/// All records of a folder, those of each section in the order in which they were appended; none if the
/// folder does not exist.
///
/// # Errors
/// If a file cannot be read, or a line of it is not a record of this version.
pub fn read(folder: &Path) -> Result<Vec<Record>, HistoryError> {
    let mut records = Vec::new();
    for section in Section::ALL {
        let path = file_of(folder, section);
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => continue,
            Err(source) => return Err(HistoryError::File { path, source }),
        };
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let fault = |why: String| HistoryError::Line { path: path.clone(), line: number + 1, why };
            let record: Record = serde_json::from_str(line).map_err(|e| fault(e.to_string()))?;
            if record.record_version != RECORD_VERSION {
                return Err(fault(format!("it has version {}", record.record_version)));
            }
            records.push(record);
        }
    }
    Ok(records)
}
