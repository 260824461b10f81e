//! Single queries: a chart and a table for each set of inputs that kernels, methods of continuous collision
//! detection or broad phases were given.

use cloth_measure::chart::{Axis, Bar, Bars, Plot, Point, Scale, Series};
use cloth_measure::table::{Cell, Table, numbers, words};
use maud::{Markup, html};

use super::distinct;
use super::number::{count, human, slug};
use crate::schema::{BenchReport, BroadPhaseResult, CallTimes, CcdResult, KernelResult};

/// A table, and a chart of it.
pub(super) struct Block {
    pub(super) title: String,
    pub(super) table: Table,
    pub(super) chart: Markup,
}

/// Blocks below each other, in each the chart beside its table.
pub(super) fn blocks_html(blocks: &[Block]) -> Markup {
    html! { @for block in blocks { div.beside { (block.table.html()) (block.chart) } } }
}

/// A block for each set of results with the same key, which has the fastest first.
fn blocks<'a, T, K: PartialEq + Copy>(
    all: &'a [T],
    key: impl Fn(&'a T) -> K,
    time: impl Fn(&T) -> f64,
    block: impl Fn(K, &[&'a T]) -> Block,
) -> Vec<Block> {
    let block = |set| {
        let mut results: Vec<&T> = all.iter().filter(|r| key(r) == set).collect();
        results.sort_by(|a, b| time(a).total_cmp(&time(b)));
        block(set, &results)
    };
    distinct(all, &key).into_iter().map(block).collect()
}

/// The head of a row: an implementation with its version.
fn named(column: &'static str, contender: &str, version: &str) -> Cell {
    words(column, column, format!("{contender} {version}"))
}

/// Median and range of a time, and how many queries it was measured on.
fn times(ns: Option<CallTimes>, queries: usize) -> [Cell; 3] {
    let range = ns.map_or(String::new(), |ns| format!("{} to {}", human(ns.low), human(ns.high)));
    [
        numbers("ns a query", "ns_median", ns.map(|ns| ns.median), human),
        words("fastest and slowest repetition", "ns_range", range).numeric(),
        numbers("queries", "queries", queries as u64, count),
    ]
}

/// A count of what should not be, marked if there is any.
fn fault(name: &'static str, field: &'static str, n: u64) -> Cell {
    numbers(name, field, n, count).marked((n > 0).then_some("bad"))
}

/// Geometric queries by kernel and kind of input.
pub(super) fn kernels(report: &BenchReport) -> Vec<Block> {
    let time = |r: &KernelResult| r.ns.map_or(f64::INFINITY, |ns| ns.median);
    let row = |r: &&KernelResult| {
        let mut cells = vec![named("implementation", &r.contender, &r.version)];
        cells.extend(times(r.ns, r.queries));
        cells.extend([
            fault("wrong", "wrong", r.wrong),
            numbers("largest error", "largest_error_m", r.largest_error_m, |m: f64| format!("{m:.1e} m")),
            words("compared with", "checked_against", &r.checked_against),
        ]);
        cells
    };
    blocks(
        &report.kernels,
        |r| (r.kernel.as_str(), r.input.as_str()),
        time,
        |(kernel, input), results| {
            let bar = |r: &&KernelResult| Some(Bar { name: r.contender.clone(), parts: vec![r.ns?.median] });
            let bars = Bars {
                title: format!("{kernel}, {input} inputs"),
                description: format!("Time of a query of {kernel} on {input} inputs; shorter is faster."),
                label: "ns a query (median)".into(),
                bars: results.iter().filter_map(bar).collect(),
                parts: vec![],
            };
            let caption = format!(
                "{}. Wrong: answers that differ by more than the rounding of the result's type, or in sign.",
                bars.title
            );
            let table = Table::new(caption, results.iter().map(row));
            let file = format!("kernel-{}.csv", slug(&format!("{kernel} {input}")));
            Block { chart: bars.figure(&table, &file), title: bars.title, table }
        },
    )
}

/// Continuous collision detection by set of queries: time against wrong answers.
pub(super) fn ccd(report: &BenchReport) -> Vec<Block> {
    let methods = distinct(&report.ccd, |r| r.contender.as_str());
    // Those that do not apply come last.
    let time = |r: &CcdResult| if r.unsupported.is_empty() { r.ns.median } else { f64::INFINITY };
    let series = |r: &&CcdResult| Series {
        name: r.contender.clone(),
        marker: methods.iter().position(|m| *m == r.contender).unwrap_or(0),
        points: vec![Point::new(r.ns.median, (r.false_negatives + r.false_positives + r.late) as f64)],
        joined: false,
    };
    blocks(
        &report.ccd,
        |r| r.input.as_str(),
        time,
        |input, results| {
            let plot = Plot {
                title: input.to_owned(),
                description: format!(
                    "Time of a query against wrong answers on {input}; left is faster, lower is better."
                ),
                x: Axis::new("ns a query (logarithmic)", Scale::Log),
                y: Axis::new("wrong answers", Scale::LogCount),
                series: results.iter().filter(|r| r.unsupported.is_empty()).map(series).collect(),
            };
            let caption = format!(
                "{input}. Missed: collisions that exact arithmetic finds and the method does not. False: \
                 collisions that do not exist, allowed for conservative methods. Late: times of impact after \
                 the exact one."
            );
            let table = Table::new(caption, results.iter().map(|r| ccd_row(r)));
            let chart = plot.figure(&table, &format!("ccd-{}.csv", slug(input)));
            Block { title: plot.title, chart, table }
        },
    )
}

fn ccd_row(r: &CcdResult) -> Vec<Cell> {
    let mut cells = vec![named("method", &r.contender, &r.version)];
    cells.extend(times(Some(r.ns), r.queries));
    cells.extend([
        numbers("collide", "positives", r.positives as u64, count),
        fault("missed", "false_negatives", r.false_negatives),
        numbers("false", "false_positives", r.false_positives, count)
            .marked((r.false_positives > 0).then_some("warn")),
        fault("late", "late", r.late),
    ]);
    if !r.unsupported.is_empty() {
        let named = format!("{} {}: {}", r.contender, r.version, r.unsupported);
        cells[0] = words("method", "method", named).marked(Some("soft"));
        cells[1..].iter_mut().for_each(Cell::clear);
    }
    cells
}

/// Broad phases by input and question: time to build, update and query, and whether the pairs are the right
/// ones.
pub(super) fn broad_phases<'a>(report: &'a BenchReport) -> Vec<Block> {
    // Boxes that moved are followed by a refit, or by another build where there is none.
    let update = |r: &BroadPhaseResult| r.refit_ms.unwrap_or(r.build_ms);
    let row = |r: &&BroadPhaseResult| {
        vec![
            named("structure", &r.contender, &r.version),
            numbers("build ms", "build_ms", r.build_ms, human),
            numbers("refit ms", "refit_ms", r.refit_ms, human),
            numbers("query ms", "query_ms", r.query_ms, human),
            numbers("items", "items", r.items as u64, count),
            numbers("pairs", "pairs", r.pairs, count),
            fault("missing", "missing", r.missing),
            fault("extra", "extra", r.extra),
        ]
    };
    let all = &report.broad_phases;
    let key = |r: &'a BroadPhaseResult| (r.input.as_str(), r.question.as_str(), r.items);
    blocks(
        all,
        key,
        |r| update(r) + r.query_ms,
        |(input, question, items), results| {
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
            let caption = format!(
                "{title}, fastest update and query first. Missing and extra: pairs that differ from the \
                 exact set."
            );
            let table = Table::new(caption, results.iter().map(row));
            let file = format!("broad-phase-{}-{items}.csv", slug(&format!("{input} {question}")));
            Block { title, chart: bars.figure(&table, &file), table }
        },
    )
}
