//! A report and a history that are made up, of the shape of real ones, for tests of everything that reads
//! reports.

use crate::history::{Record, records};
use crate::schema::{BenchReport, PUSH_VERSION, PushReport, PushResult};

/// Two sides of three scenes with five contenders, of which some are stopped, fail, intersect or are
/// undecided. It is a file that stays as it is: adding a field keeps the version of the format, so that
/// reports without the field must still be read, and so does leaving one out: it has results of single
/// queries, which are ignored.
pub(crate) fn report() -> BenchReport {
    serde_json::from_str(include_str!("fixture.json")).expect("a report of this version")
}

/// Two contenders in two cases, of which one crosses in one; and one that has run in one case alone.
pub(crate) fn pushes() -> PushReport {
    let result = |contender: &str, case: &str, crossings: usize| PushResult {
        contender: contender.into(),
        own: contender == "cloth-certify",
        method: format!("the method of {contender}"),
        case: case.into(),
        steps: 1000,
        first_crossing: (crossings > 0).then_some(9),
        crossings,
        kept_apart: (case == "tangential").then_some(0.984),
        kept_at_contact: (case == "tangential").then_some(if crossings > 0 { 0.25 } else { 0.971 }),
        ms_per_step: Some(0.125),
        ..PushResult::default()
    };
    let results = vec![
        result("cloth-certify", "constant", 0),
        result("cloth-certify", "tangential", 0),
        result("planes", "constant", 0),
        result("planes", "tangential", 412),
        result("<python>", "constant", 0),
    ];
    PushReport { push_version: PUSH_VERSION, provenance: report().provenance, results }
}

/// Twelve runs of the report: instructions with a little noise, and 5 % more of them in `pile` from the
/// eighth on.
pub(crate) fn history() -> Vec<Record> {
    let run = |k: usize| {
        let mut found = records(&report());
        found.retain(|record| record.own);
        for (at, record) in found.iter_mut().enumerate() {
            record.date_utc = format!("2026-11-{:02}T08:00:00Z", k + 1);
            record.commit = Some(format!("{:07x}", 0x0a1_b2c3_usize + 77_777 * k));
            let noise = 1.0 + 0.0005 * ((7 * k + 3 * at) % 5) as f64;
            let slower = if k >= 7 && record.id.starts_with("pile") { 1.05 } else { 1.0 };
            record.instructions = record.instructions.map(|n| n * noise * slower);
        }
        found
    };
    (0..12).flat_map(run).collect()
}
