//! A report as files.

use std::io;
use std::path::Path;

use crate::schema::BenchReport;

/// Name of the JSON file in the directory of a report.
pub const JSON: &str = "bench.json";

/// Writes a report to a directory, which is created if need be.
///
/// # Errors
/// The directory or a file cannot be written.
pub fn write(report: &BenchReport, dir: &Path) -> io::Result<()> {
    std::fs::create_dir_all(dir)?;
    let text = serde_json::to_string_pretty(report).map_err(io::Error::other)?;
    std::fs::write(dir.join(JSON), text + "\n")
}
