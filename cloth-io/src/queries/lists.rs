//! The JSON lists that accompany query files: labels, and pairs of primitives.

use std::path::Path;

use serde::de::DeserializeOwned;

use crate::{FileError, read_file};

/// Reads labels: a JSON array of `true` (collides) and `false`, in the order of the queries.
///
/// # Errors
/// If the file cannot be read, or is no such array.
pub fn read_labels(path: &Path) -> Result<Vec<bool>, FileError> {
    read_list(path, "of labels such as [true, false]")
}

/// Reads pairs of primitives: a JSON array of `[i, j]`, in the numbers of the file.
///
/// # Errors
/// If the file cannot be read, or is no such array.
pub fn read_pair_ids(path: &Path) -> Result<Vec<[u64; 2]>, FileError> {
    read_list(path, "of pairs such as [[3, 70], [5, 81]]")
}

fn read_list<T: DeserializeOwned>(path: &Path, what: &str) -> Result<Vec<T>, FileError> {
    let bytes = read_file(path)?;
    serde_json::from_slice(&bytes)
        .map_err(|e| FileError::new(path, format!("is not a JSON array {what}: {e}")))
}
