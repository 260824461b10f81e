//! Query files, out: what is written reads back as it was.

use std::io::{self, Write};
use std::path::Path;

use super::QueryFile;
use super::rational::to_quotient;
use crate::{FileError, write_atomically};

/// Writes a query file, with labels if there are any; a negative zero becomes a positive one.
///
/// # Errors
/// If there are not as many labels as queries, a coordinate is not finite, or the file cannot be written.
pub fn write_queries(path: &Path, file: &QueryFile) -> Result<(), FileError> {
    let (queries, labels) = (&file.queries, file.labels.as_deref());
    if labels.is_some_and(|labels| labels.len() != queries.len()) {
        return Err(FileError::new(path, "cannot be written: there are not as many labels as queries"));
    }
    let corners =
        || queries.iter().enumerate().flat_map(|(i, q)| q.t0.iter().chain(&q.t1).map(move |p| (i, p)));
    if let Some((i, _)) = corners().find(|(_, p)| !p.iter().all(|c| c.is_finite())) {
        return Err(FileError::new(
            path,
            format!("cannot be written: query {i} has a coordinate that is not finite"),
        ));
    }
    write_atomically(path, |w| {
        for (i, point) in corners() {
            let words: Vec<String> = point.iter().filter_map(|&c| to_quotient(c)).flatten().collect();
            write_row(w, &words.join(","), labels.map(|labels| labels[i]))?;
        }
        Ok(())
    })
}

fn write_row(w: &mut dyn Write, coordinates: &str, label: Option<bool>) -> io::Result<()> {
    match label {
        Some(label) => writeln!(w, "{coordinates},{}", u8::from(label)),
        None => writeln!(w, "{coordinates}"),
    }
}
