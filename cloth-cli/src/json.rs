//! Results as JSON files that appear whole or not at all.

use std::io::Write;
use std::path::Path;

use cloth_io::{AtomicFile, write_atomically};
use serde::Serialize;

use crate::failure::Failure;

/// Of the JSON that `ccd`, `check`, `cull` and `pairs` write. Adding a field keeps it; a changed meaning raises it.
pub(crate) const SCHEMA_VERSION: u32 = 1;

/// Makes sure that a file can be written there, so that a long run does not fail at its end.
pub(crate) fn check_place(path: Option<&Path>) -> Result<(), Failure> {
    // Dropped before it is finished, it leaves nothing behind.
    path.map_or(Ok(()), |path| AtomicFile::create(path).map(drop).map_err(Failure::from))
}

/// Writes a value as indented JSON, if a file is named.
pub(crate) fn write(path: Option<&Path>, value: &impl Serialize) -> Result<(), Failure> {
    let Some(path) = path else { return Ok(()) };
    let text = serde_json::to_string_pretty(value)
        .map_err(|e| Failure::new(format!("{}: cannot be written as JSON: {e}", path.display())))?;
    Ok(write_atomically(path, |w| writeln!(w, "{text}"))?)
}
