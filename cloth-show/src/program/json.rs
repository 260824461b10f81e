//! Results as JSON files that appear whole or not at all.

use std::io::Write;
use std::path::Path;

use cloth_io::write_atomically;
use serde::Serialize;

use super::{Failure, RunFiles};
use crate::report::Provenance;

/// A report, and how it was made.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct WithProvenance<'a, T> {
    #[serde(flatten)]
    report: &'a T,
    provenance: Provenance,
}

/// The schema of a report of type `T` with its provenance, as [`write()`] writes them.
#[cfg(feature = "schema")]
#[must_use]
pub fn schema<T: schemars::JsonSchema + 'static>() -> schemars::Schema {
    super::schema::root::<WithProvenance<'static, T>>()
}

/// Program, machine, date and arguments of this run.
#[must_use]
pub fn provenance() -> Provenance {
    let super::Program { name: _, version, commit } = super::program();
    Provenance::of_this_run(version, commit.as_deref())
}

/// Writes a report, a structure, as indented JSON to the file of `--json`, if one is named, and says in it
/// how it was made.
///
/// # Errors
/// If the file is an input, or cannot be written.
pub fn write(path: Option<&Path>, report: &impl Serialize, files: &RunFiles) -> Result<(), Failure> {
    let made = WithProvenance { report, provenance: provenance() };
    path.map_or(Ok(()), |path| write_as("--json", path, &made, files))
}

/// Writes a value as indented JSON to a file, which is what `role` says to the run.
///
/// # Errors
/// As [`write()`].
pub fn write_as(role: &str, path: &Path, value: &impl Serialize, files: &RunFiles) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(value)
        .map_err(|e| Failure::new(format!("{}: cannot be written as JSON: {e}", path.display())))?;
    files.confirm(path, role)?;
    Ok(write_atomically(path, |w| writeln!(w, "{text}"))?)
}
