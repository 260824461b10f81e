//! All results as one CSV table: a row for each, with the figures that its section has.

use serde::Serialize;

use crate::history::Record;

/// A row; what a section does not have is empty.
#[derive(Serialize)]
struct Row<'a> {
    section: &'static str,
    id: &'a str,
    own: bool,
    version: &'a str,
    time: Option<f64>,
    time_low: Option<f64>,
    time_high: Option<f64>,
    time_unit: &'a str,
    instructions: Option<f64>,
    intersections_max: Option<u64>,
    stretch_p99: Option<f64>,
    wrong: Option<u64>,
    frames_done: Option<usize>,
    frames_wanted: Option<usize>,
    commit: &'a str,
    machine: &'a str,
    date_utc: &'a str,
}

/// The records as CSV (RFC 4180), with a head.
///
/// # Errors
/// If they cannot be written.
pub(super) fn csv(records: &[Record]) -> Result<String, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for record in records {
        writer.serialize(row(record))?;
    }
    let bytes = writer.into_inner().map_err(csv::IntoInnerError::into_error)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn row(record: &Record) -> Row<'_> {
    let time = record.time.as_ref();
    Row {
        section: record.section.name(),
        id: &record.id,
        own: record.own,
        version: &record.version,
        time: time.map(|t| t.value),
        time_low: time.and_then(|t| t.low),
        time_high: time.and_then(|t| t.high),
        time_unit: time.map_or("", |t| t.unit.as_str()),
        instructions: record.instructions,
        intersections_max: record.intersections_max,
        stretch_p99: record.stretch_p99,
        wrong: record.wrong,
        frames_done: record.frames.map(|[done, _]| done),
        frames_wanted: record.frames.map(|[_, wanted]| wanted),
        commit: record.commit.as_deref().unwrap_or_default(),
        machine: &record.machine,
        date_utc: &record.date_utc,
    }
}
