//! Broad phases: time to build, update and query, and whether the pairs are the right ones.

use cloth_measure::chart::{Bar, Bars};
use cloth_measure::table::{Cell, Column, Table, numbers, words};

use super::{Block, distinct};
use crate::report::number::{count, human, slug};
use crate::schema::{BenchReport, BroadPhaseResult};

const COLUMNS: [Column; 8] = [
    words("structure", "structure"),
    numbers("build ms", "build_ms"),
    numbers("refit ms", "refit_ms"),
    numbers("query ms", "query_ms"),
    numbers("items", "items"),
    numbers("pairs", "pairs"),
    numbers("missing", "missing"),
    numbers("extra", "extra"),
];

/// A chart and a table for each input and question.
pub(in crate::report) fn broad_phases(report: &BenchReport) -> Vec<Block> {
    let mut blocks = Vec::new();
    for (input, question, items) in
        distinct(&report.broad_phases, |r| (r.input.as_str(), r.question.as_str(), r.items))
    {
        let same = |r: &&BroadPhaseResult| r.input == input && r.question == question && r.items == items;
        let mut results: Vec<&BroadPhaseResult> = report.broad_phases.iter().filter(same).collect();
        results.sort_by(|a, b| step(a).total_cmp(&step(b)));
        let title = format!("{input}: {} {question}", count(items as u64));
        let bar =
            |r: &&BroadPhaseResult| Bar { name: r.contender.clone(), parts: vec![update(r), r.query_ms] };
        let bars = Bars {
            title: title.clone(),
            description: format!("Time of one update and one query on {title}; shorter is faster."),
            label: "ms".into(),
            bars: results.iter().map(bar).collect(),
            parts: ["update: refit, or build where there is none", "query"].map(String::from).to_vec(),
        };
        let table = table(&title, &results);
        let file = format!("broad-phase-{}-{items}.csv", slug(&format!("{input} {question}")));
        blocks.push(Block { title, chart: bars.figure(&table, &file), table });
    }
    blocks
}

/// Time to follow boxes that moved (ms).
fn update(r: &BroadPhaseResult) -> f64 {
    r.refit_ms.unwrap_or(r.build_ms)
}

/// Time of one update and one query (ms).
fn step(r: &BroadPhaseResult) -> f64 {
    update(r) + r.query_ms
}

fn table(title: &str, results: &[&BroadPhaseResult]) -> Table {
    let number = |n: u64| Cell::value(Some(n), |&n| count(n));
    let fault = |n: u64| number(n).marked((n > 0).then_some("bad"));
    let row = |r: &&BroadPhaseResult| {
        vec![
            Cell::words(format!("{} {}", r.contender, r.version)),
            Cell::value(Some(r.build_ms), |&ms| human(ms)),
            Cell::value(r.refit_ms, |&ms| human(ms)),
            Cell::value(Some(r.query_ms), |&ms| human(ms)),
            number(r.items as u64),
            number(r.pairs),
            fault(r.missing),
            fault(r.extra),
        ]
    };
    Table {
        caption: format!(
            "{title}, fastest update and query first. Missing and extra: pairs that differ from the exact set."
        ),
        columns: COLUMNS.to_vec(),
        rows: results.iter().map(row).collect(),
    }
}
