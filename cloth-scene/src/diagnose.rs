//! Turns what the TOML reader says of a scene file into one line with line and column, the key and the fix.

use std::path::Path;

use cloth_io::{FileError, quoted};
use toml::de::DeTable;

use crate::source::GarmentEntry;

/// The error for a scene file whose text is `text`.
pub(crate) fn diagnose(path: &Path, text: &str, error: toml::de::Error) -> FileError {
    let (line, column) = error.span().and_then(|span| line_and_column(text, span.start)).unzip();
    let message = error.message().to_owned();
    let problem = explain(&message, &place(error));
    FileError { line, column, ..FileError::new(path, problem) }
}

/// Line and column of an entry of a list of a garment, or of its group if it has one; `None` if the text is
/// no longer that of the scene.
pub(crate) fn position(text: &str, at: &GarmentEntry) -> Option<(usize, usize)> {
    let scene = DeTable::parse(text).ok()?;
    let garment = scene.get_ref().get("garment")?.get_ref().get(at.garment)?;
    let entry = garment.get_ref().get(at.list)?.get_ref().get(at.entry)?;
    let group = entry.get_ref().as_table().and_then(|table| table.get("group"));
    line_and_column(text, group.unwrap_or(entry).span().start)
}

/// Line and column, counted from 1, of a place in a text.
fn line_and_column(text: &str, place: usize) -> Option<(usize, usize)> {
    let before = text.get(..place)?;
    let column = 1 + before.chars().rev().take_while(|&c| c != '\n').count();
    Some((1 + before.matches('\n').count(), column))
}

/// The dotted key that the error is about, or the table for an unknown key; empty at the top.
fn place(mut error: toml::de::Error) -> String {
    // The keys are printed only where the input is not.
    error.set_input(None);
    let text = error.to_string();
    let last = text.trim_end().lines().last().unwrap_or_default();
    last.strip_prefix("in `").and_then(|k| k.strip_suffix('`')).unwrap_or_default().to_owned()
}

fn explain(message: &str, place: &str) -> String {
    let table = if place.is_empty() { "at the top".to_owned() } else { format!("in [{place}]") };
    let mut names = message.split('`').skip(1).step_by(2);
    if message.starts_with("unknown field `") {
        let key = names.next().unwrap_or_default();
        return format!("unknown key {} {table}; {}", quoted(key), suggest(key, names.collect()));
    }
    if message.starts_with("unknown variant `") {
        let word = names.next().unwrap_or_default();
        return format!("unknown word {} for `{place}`; {}", quoted(word), suggest(word, names.collect()));
    }
    if message.starts_with("missing field `") {
        return format!("missing key `{}` {table}; add it", names.next().unwrap_or_default());
    }
    match (place, message) {
        ("", _) => message.to_owned(),
        (_, m) if ["must", "of this kind"].iter().any(|w| m.starts_with(w)) => format!("`{place}` {message}"),
        _ => format!("`{place}`: {message}"),
    }
}

/// The known name nearest to `word`, or all of them if none is near.
fn suggest(word: &str, known: Vec<&str>) -> String {
    // A bounded word keeps the comparison short whatever the file holds.
    let word: String = word.chars().take(64).collect();
    let nearest = known.iter().map(|k| (strsim::osa_distance(&word, k), *k)).min_by_key(|n| n.0);
    match nearest {
        Some((distance, name)) if distance <= name.len().div_ceil(3).max(2) => {
            format!("did you mean `{name}`?")
        }
        _ => format!("known are: {}", known.join(", ")),
    }
}
