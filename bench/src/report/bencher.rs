//! Bencher Metric Format: a map from the name of a benchmark to its measures, each with a value and bounds.
//!
//! The format is documented at <https://bencher.dev/docs/reference/bencher-metric-format>, with a JSON schema
//! of draft 7, to which a test holds this file. Names of measures have at most 64 characters, those of
//! benchmarks at most 1,024.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::history::Record;

/// Characters that the name of a benchmark may have.
const LONGEST_NAME: usize = 1024;

/// A value with its bounds.
#[derive(Debug, PartialEq, Serialize)]
struct Metric {
    value: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    lower_value: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    upper_value: Option<f64>,
}

impl Metric {
    fn exact(value: f64) -> Self {
        Self { value, lower_value: None, upper_value: None }
    }
}

/// The records in Bencher Metric Format, indented.
///
/// # Errors
/// If they cannot be written as JSON.
pub(super) fn bencher(records: &[Record]) -> serde_json::Result<String> {
    let mut benchmarks: BTreeMap<String, BTreeMap<&str, Metric>> = BTreeMap::new();
    for record in records {
        let measures = measures(record);
        if !measures.is_empty() {
            benchmarks.insert(name(record), measures);
        }
    }
    Ok(serde_json::to_string_pretty(&benchmarks)? + "\n")
}

/// The name of a benchmark: section and id.
pub(super) fn name(record: &Record) -> String {
    format!("{}/{}", record.section.name(), record.id).chars().take(LONGEST_NAME).collect()
}

/// `latency` is the measure that Bencher knows, in nanoseconds.
fn measures(record: &Record) -> BTreeMap<&'static str, Metric> {
    let mut found = BTreeMap::new();
    if let Some(time) = &record.time {
        let scale = if time.unit == "ms" { 1e6 } else { 1.0 };
        let scaled = |value: Option<f64>| value.map(|v| scale * v);
        let metric = Metric {
            value: scale * time.value,
            lower_value: scaled(time.low),
            upper_value: scaled(time.high),
        };
        found.insert("latency", metric);
    }
    found.extend(record.instructions.map(|n| ("instructions", Metric::exact(n))));
    found.extend(record.intersections_max.map(|n| ("intersections", Metric::exact(n as f64))));
    found.extend(record.stretch_p99.map(|s| ("stretch-p99", Metric::exact(s))));
    found.extend(record.wrong.map(|n| ("wrong-answers", Metric::exact(n as f64))));
    found.extend(
        record
            .frames
            .map(|[done, wanted]| ("unfinished-frames", Metric::exact((wanted - done.min(wanted)) as f64))),
    );
    found.retain(|_, metric| metric.value.is_finite());
    found
}
