//! Results over the history of the project: a line of JSON for each result, appended by
//! `cargo xtask bench --record`.
//!
//! ```text
//! record   the line: what was measured, on which commit, machine and toolchain; a report -> its records
//! judge    a series of records -> where it got slower or faster, and by which evidence
//! ```
//!
//! `bench/history` has one file for each section, `*.jsonl`, with the lines in the order of the runs. Fields
//! that a line of an earlier revision has and this one does not know are ignored.

mod judge;
mod record;

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

pub use judge::{Change, Evidence, changes};
pub use record::{Paired, RECORD_VERSION, Record, Section, Time, push_records, records};

fn file_error(path: &Path, cause: &dyn std::fmt::Display) -> String {
    format!("{}: {cause}; name a folder that can be read and written", path.display())
}

fn file_of(folder: &Path, section: Section) -> PathBuf {
    folder.join(format!("{}.jsonl", section.name()))
}

/// Appends records to the files of a folder, which is created if need be.
///
/// # Errors
/// If the folder or a file cannot be written, or a record cannot be written as JSON.
pub fn append(folder: &Path, records: &[Record]) -> Result<(), String> {
    std::fs::create_dir_all(folder).map_err(|e| file_error(folder, &e))?;
    for section in Section::ALL {
        let lines = records.iter().filter(|record| record.section == section);
        let lines: Result<Vec<String>, _> = lines.map(serde_json::to_string).collect();
        let path = file_of(folder, section);
        let lines = lines.map_err(|e| file_error(&path, &e))?;
        if lines.is_empty() {
            continue;
        }
        let file = OpenOptions::new().create(true).append(true).open(&path);
        // In one call, so that a reader sees whole lines.
        let written = file.and_then(|mut file| file.write_all((lines.join("\n") + "\n").as_bytes()));
        written.map_err(|e| file_error(&path, &e))?;
    }
    Ok(())
}

/// All records of a folder, those of each section in the order in which they were appended; none if the
/// folder does not exist.
///
/// # Errors
/// If a file cannot be read, or a line of it is not a record of this version.
pub fn read(folder: &Path) -> Result<Vec<Record>, String> {
    let mut records = Vec::new();
    for section in Section::ALL {
        let path = file_of(folder, section);
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => continue,
            Err(e) => return Err(file_error(&path, &e)),
        };
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let fault = |why: String| {
                let (path, line) = (path.display(), number + 1);
                format!(
                    "{path}:{line}: not a record of version {RECORD_VERSION}: {why}; correct or remove the \
                     line"
                )
            };
            let record: Record = serde_json::from_str(line).map_err(|e| fault(e.to_string()))?;
            if record.record_version != RECORD_VERSION {
                return Err(fault(format!("it has version {}", record.record_version)));
            }
            records.push(record);
        }
    }
    Ok(records)
}

#[cfg(test)]
mod tests;
