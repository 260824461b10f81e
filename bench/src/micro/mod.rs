//! Single geometric queries of this project and of the libraries for them.

use crate::schema::BenchReport;

/// Tables of what a report holds of them, for the terminal.
#[must_use]
pub fn tables(_report: &BenchReport) -> String {
    String::new()
}
