//! Results as JSON files that appear whole or not at all.

use std::io::Write;
use std::path::Path;

use cloth_io::write_atomically;
use cloth_verify::report::Provenance;
use serde::Serialize;

use crate::failure::Failure;
use crate::files::RunFiles;

/// Of the JSON that `ccd`, `check`, `cull`, `pairs` and `untangle` write.
pub(crate) use cloth_verify::check::SCHEMA_VERSION;

/// A report, and how it was made.
#[derive(Serialize, schemars::JsonSchema)]
struct WithProvenance<'a, T> {
    #[serde(flatten)]
    report: &'a T,
    provenance: Provenance,
}

/// The schema of a report of type `T` with its provenance, as [`write()`] writes them.
pub(crate) fn schema<T: schemars::JsonSchema + 'static>() -> schemars::Schema {
    crate::schema::root::<WithProvenance<'static, T>>()
}

/// Program, machine, date and arguments of this run.
pub(crate) fn provenance() -> Provenance {
    let commit = Some(env!("CLOTH_COMMIT")).filter(|commit| !commit.is_empty());
    Provenance::of_this_run(env!("CARGO_PKG_VERSION"), commit)
}

/// Writes a report, a structure, as indented JSON to the file of `--json`, if one is named, and says in it
/// how it was made.
pub(crate) fn write(path: Option<&Path>, report: &impl Serialize, files: &RunFiles) -> Result<(), Failure> {
    let made = WithProvenance { report, provenance: provenance() };
    path.map_or(Ok(()), |path| write_as("--json", path, &made, files))
}

/// Writes a value as indented JSON to a file, which is what `role` says to the run.
pub(crate) fn write_as(
    role: &str,
    path: &Path,
    value: &impl Serialize,
    files: &RunFiles,
) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(value)
        .map_err(|e| Failure::new(format!("{}: cannot be written as JSON: {e}", path.display())))?;
    files.confirm(path, role)?;
    Ok(write_atomically(path, |w| writeln!(w, "{text}"))?)
}
