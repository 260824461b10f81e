//! Single geometric queries: time and answers.

use cloth_measure::chart::{Bar, Bars};
use cloth_measure::table::{Cell, Column, Table, numbers, words};

use super::{Block, distinct};
use crate::report::number::{count, human, slug};
use crate::schema::{BenchReport, KernelResult};

const COLUMNS: [Column; 7] = [
    words("implementation", "implementation"),
    numbers("ns a query", "ns_median"),
    numbers("fastest and slowest repetition", "ns_range"),
    numbers("queries", "queries"),
    numbers("wrong", "wrong"),
    numbers("largest error", "largest_error_m"),
    words("compared with", "checked_against"),
];

/// A chart and a table for each kernel and kind of input.
pub(in crate::report) fn kernels(report: &BenchReport) -> Vec<Block> {
    let mut blocks = Vec::new();
    for (kernel, input) in distinct(&report.kernels, |r| (r.kernel.as_str(), r.input.as_str())) {
        let same = |r: &&KernelResult| r.kernel == kernel && r.input == input;
        let mut results: Vec<&KernelResult> = report.kernels.iter().filter(same).collect();
        results.sort_by(|a, b| median(a).total_cmp(&median(b)));
        let measured = results.iter().filter(|r| r.ns.is_some());
        let bars = Bars {
            title: format!("{kernel}, {input} inputs"),
            description: format!("Time of a query of {kernel} on {input} inputs; shorter is faster."),
            label: "ns a query (median)".into(),
            bars: measured.map(|r| Bar { name: r.contender.clone(), parts: vec![median(r)] }).collect(),
            parts: vec![],
        };
        let table = table(&bars.title, &results);
        let file = format!("kernel-{}.csv", slug(&format!("{kernel} {input}")));
        blocks.push(Block { chart: bars.figure(&table, &file), title: bars.title, table });
    }
    blocks
}

fn median(r: &KernelResult) -> f64 {
    r.ns.map_or(f64::INFINITY, |ns| ns.median)
}

fn table(title: &str, results: &[&KernelResult]) -> Table {
    let row = |r: &&KernelResult| {
        vec![
            Cell::words(format!("{} {}", r.contender, r.version)),
            Cell::value(r.ns.map(|ns| ns.median), |&ns| human(ns)),
            Cell::words(r.ns.map_or(String::new(), |ns| format!("{} to {}", human(ns.low), human(ns.high)))),
            Cell::value(Some(r.queries as u64), |&n| count(n)),
            Cell::value(Some(r.wrong), |&n| count(n)).marked((r.wrong > 0).then_some("bad")),
            Cell::value(r.largest_error_m, |&m| format!("{m:.1e} m")),
            Cell::words(&r.checked_against),
        ]
    };
    Table {
        caption: format!(
            "{title}. Wrong: answers that differ by more than the rounding of the result's type, or in sign."
        ),
        columns: COLUMNS.to_vec(),
        rows: results.iter().map(row).collect(),
    }
}
