//! A report as files: JSON, formats of other tools, CSV, and a page.
//!
//! ```text
//! page      the page; sections: its parts; figure, table, chart: what they are made of
//! bencher   Bencher Metric Format;   action: github-action-benchmark;   flat: CSV
//! ```

mod action;
mod bencher;
mod chart;
mod figure;
mod flat;
mod markers;
mod number;
mod page;
mod sections;
mod style;
mod table;

#[cfg(test)]
mod tests;

use std::io::Write;
use std::path::Path;

use cloth_io::{FileError, write_atomically};

pub use chart::ChartError;

use crate::history::{self, Record};
use crate::schema::BenchReport;

/// Name of the JSON file in the directory of a report.
pub const JSON: &str = "bench.json";

/// Name of the page.
pub const PAGE: &str = "index.html";

/// The files in formats of other tools, and what each is.
pub const EXPORTS: [(&str, &str); 3] = [
    ("bencher.json", "Bencher Metric Format"),
    ("github-action-benchmark.json", "github-action-benchmark, customSmallerIsBetter"),
    ("bench.csv", "CSV"),
];

/// Why a report could not be written.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// A chart.
    #[error(transparent)]
    Chart(#[from] ChartError),
    /// A table.
    #[error("cannot write CSV: {0}")]
    Csv(#[from] csv::Error),
    /// A JSON file.
    #[error("cannot write JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// A file.
    #[error(transparent)]
    File(#[from] FileError),
}

/// What a page shows.
#[derive(Clone, Debug)]
pub struct Page<'a> {
    /// The run.
    pub report: &'a BenchReport,
    /// Records of earlier runs, and of this one if it was recorded.
    pub history: &'a [Record],
    /// Address of the page of `cloth verify`, relative to this one; none if there is none.
    pub verdict: Option<String>,
}

/// Writes a report without a history to a directory, which is created if need be.
///
/// # Errors
/// If something cannot be drawn or written.
pub fn write(report: &BenchReport, dir: &Path) -> Result<(), Fault> {
    write_with_history(report, &[], dir)
}

/// Writes a report with a history to a directory, which is created if need be. If the folder above holds the
/// page of `cloth verify`, the two link to each other.
///
/// # Errors
/// If something cannot be drawn or written.
pub fn write_with_history(report: &BenchReport, history: &[Record], dir: &Path) -> Result<(), Fault> {
    std::fs::create_dir_all(dir)
        .map_err(|e| FileError::new(dir, format!("cannot make the directory: {e}")))?;
    let above = dir.join("..").join("verify.json").is_file();
    let page = Page { report, history, verdict: above.then(|| format!("../{PAGE}")) };
    for (name, text) in files(&page)? {
        write_atomically(&dir.join(name), |w| w.write_all(text.as_bytes()))?;
    }
    Ok(())
}

/// All files with their names, the page last, so that who opens it finds the others.
fn files(page: &Page<'_>) -> Result<[(&'static str, String); 5], Fault> {
    let records = history::records(page.report);
    let [bencher, action, csv] = EXPORTS.map(|(name, _)| name);
    Ok([
        (JSON, serde_json::to_string_pretty(page.report)? + "\n"),
        (bencher, bencher::bencher(&records)?),
        (action, action::action(&records)?),
        (csv, flat::csv(&records)?),
        (PAGE, page::html(page)?),
    ])
}
