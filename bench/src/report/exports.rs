//! The records of a report in the formats of other tools. Tests hold each to its documentation.

use std::collections::BTreeMap;

use cloth_measure::table::{Cell, Table, words};
use serde::Serialize;

use super::number;
use crate::history::{Record, Time};

/// Characters that the name of a benchmark may have in Bencher Metric Format.
const LONGEST_NAME: usize = 1024;

/// The name of a benchmark: section and id.
fn name(record: &Record) -> String {
    format!("{}/{}", record.section.name(), record.id).chars().take(LONGEST_NAME).collect()
}

/// A value with its bounds.
#[derive(Debug, PartialEq, Serialize)]
struct Metric {
    value: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    lower_value: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    upper_value: Option<f64>,
}

/// Bencher Metric Format: a map from the name of a benchmark to its measures, each with a value and bounds.
///
/// The format is documented at <https://bencher.dev/docs/reference/bencher-metric-format>, with a JSON schema
/// of draft 7. Names of measures have at most 64 characters.
///
/// # Errors
/// If it cannot be written as JSON.
pub(super) fn bencher(records: &[Record]) -> serde_json::Result<String> {
    let named = records.iter().map(|record| (name(record), metrics(record)));
    let benchmarks: BTreeMap<_, _> = named.filter(|(_, metrics)| !metrics.is_empty()).collect();
    Ok(serde_json::to_string_pretty(&benchmarks)? + "\n")
}

/// Figures of which less is better: name, unit, how many units one is, value.
fn figures(record: &Record) -> [(&'static str, &'static str, f64, Option<f64>); 4] {
    [
        ("instructions", "instructions", 1.0, record.instructions),
        ("intersections", "count", 1.0, record.intersections_max.map(|n| n as f64)),
        ("wrong answers", "count", 1.0, record.wrong.map(|n| n as f64)),
        ("stretch p99", "%", 100.0, record.stretch_p99),
    ]
}

/// `latency` is the measure that Bencher knows, in nanoseconds.
fn metrics(record: &Record) -> BTreeMap<String, Metric> {
    let exact = |value| Metric { value, lower_value: None, upper_value: None };
    let latency = record.time.as_ref().map(|time| {
        let scale = if time.unit == "ms" { 1e6 } else { 1.0 };
        let [lower_value, upper_value] = [time.low, time.high].map(|value| value.map(|v| scale * v));
        Metric { value: scale * time.value, lower_value, upper_value }
    });
    let unfinished = record.frames.map(|[done, wanted]| wanted.saturating_sub(done) as f64);
    let others = figures(record).into_iter().chain([("unfinished frames", "count", 1.0, unfinished)]);
    let others = others.filter_map(|(name, _, _, value)| Some((name.replace(' ', "-"), exact(value?))));
    let all = latency.into_iter().map(|metric| ("latency".into(), metric)).chain(others);
    all.filter(|(_, metric)| metric.value.is_finite()).collect()
}

/// An entry of github-action-benchmark.
#[derive(Debug, PartialEq, Serialize)]
struct Entry {
    name: String,
    unit: &'static str,
    value: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<String>,
    extra: String,
}

/// The input of github-action-benchmark's tool `customSmallerIsBetter`: an array of named values with units.
/// Times, instructions and counts of faults, of which less is better in all.
///
/// Its README (<https://github.com/benchmark-action/github-action-benchmark>, "Custom benchmark") documents
/// `name`, `unit` and `value` as required and `range` and `extra` as optional text; the type is
/// `BenchmarkResult` in its module `extract`.
///
/// # Errors
/// If it cannot be written as JSON.
pub(super) fn action(records: &[Record]) -> serde_json::Result<String> {
    let entries: Vec<Entry> = records.iter().flat_map(entries).filter(|e| e.value.is_finite()).collect();
    Ok(serde_json::to_string_pretty(&entries)? + "\n")
}

fn entries(record: &Record) -> Vec<Entry> {
    let commit = record.commit.as_deref().unwrap_or("unknown");
    let extra = format!("commit {commit}\nmachine {}\n{}", record.machine, record.toolchain);
    let time = record.time.as_ref();
    let unit = if time.is_some_and(|t| t.unit == "ms") { "ms" } else { "ns" };
    let values = [("time", unit, 1.0, time.map(|t| t.value))].into_iter().chain(figures(record));
    let entry = |(what, unit, scale, value): (&str, _, f64, Option<f64>)| {
        let range = time.filter(|_| what == "time").and_then(range);
        Some(Entry {
            name: format!("{} {what}", name(record)),
            unit,
            value: scale * value?,
            range,
            extra: extra.clone(),
        })
    };
    values.filter_map(entry).collect()
}

/// Half the range of the repetitions, as the action shows it.
fn range(time: &Time) -> Option<String> {
    Some(format!("\u{b1} {}", number::human(0.5 * (time.high? - time.low?))))
}

/// All results as one CSV table (RFC 4180): a row for each, with the figures that its section has.
pub(super) fn csv(records: &[Record]) -> String {
    fn value<T: ToString>(field: &'static str, value: Option<T>) -> Cell {
        words(field, field, value.map_or(String::new(), |value| value.to_string()))
    }
    let row = |r: &Record| {
        let time = r.time.as_ref();
        vec![
            words("section", "section", r.section.name()),
            words("id", "id", &r.id),
            value("own", Some(r.own)),
            words("version", "version", &r.version),
            value("time", time.map(|t| t.value)),
            value("time_low", time.and_then(|t| t.low)),
            value("time_high", time.and_then(|t| t.high)),
            value("time_unit", time.map(|t| t.unit.as_str())),
            value("instructions", r.instructions),
            value("intersections_max", r.intersections_max),
            value("stretch_p99", r.stretch_p99),
            value("wrong", r.wrong),
            value("frames_done", r.frames.map(|[done, _]| done)),
            value("frames_wanted", r.frames.map(|[_, wanted]| wanted)),
            value("commit", r.commit.as_deref()),
            words("machine", "machine", &r.machine),
            words("date_utc", "date_utc", &r.date_utc),
        ]
    };
    Table::new("", records.iter().map(row)).csv()
}
