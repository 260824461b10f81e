//! Results over the history of the project: a line of JSON for each result, appended by
//! `cargo xtask bench --record`.
//!
//! ```text
//! record   the line: what was measured, on which commit, machine and toolchain; a report -> its records
//! file     bench/history/*.jsonl: read and append
//! judge    a series of records -> where it got slower or faster, and by which evidence
//! ```

mod file;
mod judge;
mod record;

pub use file::{append, read};
pub use judge::{Change, Evidence, changes};
pub use record::{Paired, RECORD_VERSION, Record, Section, Time, records};

#[cfg(test)]
mod tests;
