//! Continuous collision detection: time of a query against wrong answers.

use cloth_measure::chart::{Axis, Plot, Point, Scale, Series};
use cloth_measure::table::{Cell, Column, Table, numbers, words};

use super::{Block, distinct};
use crate::report::number::{count, human, slug};
use crate::schema::{BenchReport, CcdResult};

const COLUMNS: [Column; 8] = [
    words("method", "method"),
    numbers("ns a query", "ns_median"),
    numbers("fastest and slowest repetition", "ns_range"),
    numbers("queries", "queries"),
    numbers("collide", "positives"),
    numbers("missed", "false_negatives"),
    numbers("false", "false_positives"),
    numbers("late", "late"),
];

/// A chart and a table for each set of queries.
pub(in crate::report) fn ccd(report: &BenchReport) -> Vec<Block> {
    let methods = distinct(&report.ccd, |r| r.contender.as_str());
    let mut blocks = Vec::new();
    for input in distinct(&report.ccd, |r| r.input.as_str()) {
        let mut results: Vec<&CcdResult> = report.ccd.iter().filter(|r| r.input == input).collect();
        results.sort_by(|a, b| time(a).total_cmp(&time(b)));
        let applies = results.iter().filter(|r| r.unsupported.is_empty());
        let series = applies.map(|r| Series {
            name: r.contender.clone(),
            marker: methods.iter().position(|m| *m == r.contender).unwrap_or(0),
            points: vec![Point::new(r.ns.median, wrong(r) as f64)],
            joined: false,
        });
        let plot = Plot {
            title: input.to_owned(),
            description: format!(
                "Time of a query against wrong answers on {input}; left is faster, lower is better."
            ),
            x: Axis::new("ns a query (logarithmic)", Scale::Log),
            y: Axis::new("wrong answers", Scale::LogCount),
            series: series.collect(),
        };
        let table = table(input, &results);
        let chart = plot.figure(&table, &format!("ccd-{}.csv", slug(input)));
        blocks.push(Block { title: input.to_owned(), chart, table });
    }
    blocks
}

/// Time of a query (ns); those that do not apply come last.
fn time(r: &CcdResult) -> f64 {
    if r.unsupported.is_empty() { r.ns.median } else { f64::INFINITY }
}

/// Missed, invented and late collisions.
fn wrong(r: &CcdResult) -> u64 {
    r.false_negatives + r.false_positives + r.late
}

fn table(input: &str, results: &[&CcdResult]) -> Table {
    Table {
        caption: format!(
            "{input}. Missed: collisions that exact arithmetic finds and the method does not. False: collisions that do not exist, \
             allowed for conservative methods. Late: times of impact after the exact one."
        ),
        columns: COLUMNS.to_vec(),
        rows: results.iter().map(|r| row(r)).collect(),
    }
}

fn row(r: &CcdResult) -> Vec<Cell> {
    if !r.unsupported.is_empty() {
        let mut cells = vec![
            Cell::words(format!("{} {}: {}", r.contender, r.version, r.unsupported)).marked(Some("soft")),
        ];
        cells.resize_with(COLUMNS.len(), || Cell::value(None::<u64>, |_| String::new()));
        return cells;
    }
    let number = |n: u64| Cell::value(Some(n), |&n| count(n));
    let fault = |n: u64| number(n).marked((n > 0).then_some("bad"));
    vec![
        Cell::words(format!("{} {}", r.contender, r.version)),
        Cell::value(Some(r.ns.median), |&ns| human(ns)),
        Cell::words(format!("{} to {}", human(r.ns.low), human(r.ns.high))),
        number(r.queries as u64),
        number(r.positives as u64),
        fault(r.false_negatives),
        number(r.false_positives).marked((r.false_positives > 0).then_some("warn")),
        fault(r.late),
    ]
}
