//! The input of github-action-benchmark's tool `customSmallerIsBetter`: an array of named values with units.
//!
//! Its README (<https://github.com/benchmark-action/github-action-benchmark>, "Custom benchmark") documents
//! `name`, `unit` and `value` as required and `range` and `extra` as optional text; the type is
//! `BenchmarkResult` in its `src/extract.ts`. A test holds this file to it.

use serde::Serialize;

use super::bencher::name;
use crate::history::{Record, Time};

/// An entry.
#[derive(Debug, PartialEq, Serialize)]
struct Entry {
    name: String,
    unit: &'static str,
    value: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<String>,
    extra: String,
}

/// The records as such an array, indented: times, instructions and counts of faults, of which less is better
/// in all.
///
/// # Errors
/// If they cannot be written as JSON.
pub(super) fn action(records: &[Record]) -> serde_json::Result<String> {
    let entries: Vec<Entry> = records.iter().flat_map(entries).filter(|e| e.value.is_finite()).collect();
    Ok(serde_json::to_string_pretty(&entries)? + "\n")
}

fn entries(record: &Record) -> Vec<Entry> {
    let extra = format!(
        "commit {}\nmachine {}\n{}",
        record.commit.as_deref().unwrap_or("unknown"),
        record.machine,
        record.toolchain
    );
    let entry = |what: &str, unit, value: f64, range| Entry {
        name: format!("{} {what}", name(record)),
        unit,
        value,
        range,
        extra: extra.clone(),
    };
    let time = record
        .time
        .as_ref()
        .map(|t| entry("time", if t.unit == "ms" { "ms" } else { "ns" }, t.value, range(t)));
    let instructions = record.instructions.map(|n| entry("instructions", "instructions", n, None));
    let count = |what: &str, n: Option<u64>| n.map(|n| entry(what, "count", n as f64, None));
    [
        time,
        instructions,
        count("intersections", record.intersections_max),
        count("wrong answers", record.wrong),
        record.stretch_p99.map(|s| entry("stretch p99", "%", 100.0 * s, None)),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Half the range of the repetitions, as the action shows it.
fn range(time: &Time) -> Option<String> {
    Some(format!("\u{b1} {}", super::number::human(0.5 * (time.high? - time.low?))))
}
