//! The history: which results changed, and how the cost of each scene went.

use cloth_geom::sorted_unique;
use cloth_measure::chart::{Axis, Plot, Point, Scale, Series};
use cloth_measure::table::{Cell, Table, numbers, words};
use maud::{Markup, html};

use super::distinct;
use super::number::{human, millions, percent};
use crate::history::{Change, Evidence, Record, Section, changes};

/// Characters of a commit that are shown.
const SHORT: usize = 7;

/// The records of one result, in the order of the runs.
struct Line<'a> {
    id: &'a str,
    records: Vec<&'a Record>,
    changes: Vec<Change>,
}

impl<'a> Line<'a> {
    /// A part of the id of a scene: its name, its side, the contender, its threads.
    fn part(&self, k: usize) -> &'a str {
        self.id.split('/').nth(k).unwrap_or_default()
    }
}

/// What changed, and charts of this project's results in scenes.
pub(super) fn history(records: &[Record]) -> Markup {
    let lines: Vec<Line<'_>> = distinct(records, |r| (r.section, r.id.as_str()))
        .into_iter()
        .map(|(section, id)| {
            let records: Vec<&Record> =
                records.iter().filter(|r| r.section == section && r.id == id && r.own).collect();
            Line { id, changes: changes(&records), records }
        })
        .filter(|line| !line.records.is_empty())
        .collect();
    let table = changed(&lines);
    let charts = charts(&lines);
    html! {
        @if table.rows() == 0 {
            p.note { "No result has changed over the recorded runs by more than its noise." }
        } @else { (table.html()) }
        div.charts { @for chart in &charts { (chart) } }
    }
}

fn changed(lines: &[Line<'_>]) -> Table {
    let rows = lines.iter().flat_map(|line| line.changes.iter().map(|change| row(line, change)));
    let caption = "Changes: counted instructions against the median of the runs before, with the same \
                   compiler, and where they did not change, paired wall time on the same machine whose whole \
                   interval leaves it. Times alone are not judged.";
    Table::new(caption, rows)
}

fn row(line: &Line<'_>, change: &Change) -> Vec<Cell> {
    let record = line.records[change.at];
    let (word, class, sign) = match change.ratio > 1.0 {
        true => ("regression", "bad", "+"),
        false => ("improvement", "ok", ""),
    };
    let evidence = match change.evidence {
        Evidence::Instructions => "instructions",
        Evidence::PairedTime => "paired time",
    };
    vec![
        words("result", line.id),
        words("change", word).marked(Some(class)),
        numbers("new over old", change.ratio, |r: f64| format!("{sign}{}", percent(r - 1.0))),
        words("evidence", evidence),
        words("first seen at", commit(record)),
        words("date", &record.date_utc),
    ]
}

/// The commit of a record, shortened, with a star where files differed from it.
fn commit(record: &Record) -> String {
    let commit = record.commit.as_deref().unwrap_or("unknown");
    let short: String = commit.chars().take(SHORT).collect();
    format!("{short}{}", if record.dirty { "*" } else { "" })
}

/// A chart for each scene: cost of each own result at the largest side, relative to its first record.
fn charts(lines: &[Line<'_>]) -> Vec<Markup> {
    let scenes: Vec<&Line<'_>> =
        lines.iter().filter(|line| line.records[0].section == Section::Scene).collect();
    let all: Vec<&Record> = scenes.iter().flat_map(|line| line.records.iter().copied()).collect();
    let runs = sorted_unique(all.iter().map(|r| r.date_utc.as_str()));
    if runs.len() < 2 {
        return vec![];
    }
    let mut charts = Vec::new();
    for name in distinct(&scenes, |line| line.part(0)) {
        let all_sides: Vec<&Line<'_>> = scenes.iter().copied().filter(|line| line.part(0) == name).collect();
        let largest = all_sides.iter().filter_map(|line| line.part(1).parse::<u32>().ok()).max();
        let shown = all_sides.iter().filter(|line| line.part(1).parse().ok() == largest);
        let commits = runs
            .iter()
            .map(|run| all.iter().find(|r| r.date_utc == **run).map_or(String::new(), |r| commit(r)));
        let series = shown.enumerate().map(|(k, line)| Series {
            name: format!("{}, side {}", line.part(2), line.part(1)),
            marker: k,
            points: points(line, &runs),
            joined: true,
        });
        let plot = Plot {
            title: format!("{name}: cost relative to the first run"),
            description: format!(
                "Instructions, or paired time where none were counted, of {name} by run; a ring marks a \
                 regression."
            ),
            x: Axis { names: Some(commits.collect()), ..Axis::new("commit", Scale::Linear) },
            y: Axis::new("relative cost", Scale::Fitted),
            series: series.collect(),
        };
        charts.push(plot.figure(&data(name, &all_sides)));
    }
    charts
}

/// What a record cost: instructions, or paired time where none were counted.
fn cost(record: &Record) -> Option<f64> {
    record.instructions.or_else(|| record.paired.first().map(|p| p.ratio))
}

fn points(line: &Line<'_>, runs: &[&str]) -> Vec<Point> {
    let Some(first) = line.records.iter().find_map(|r| cost(r)) else { return vec![] };
    let point = |(at, record): (usize, &&Record)| {
        let run = runs.iter().position(|run| *run == record.date_utc)?;
        let stressed = line.changes.iter().any(|c| c.at == at && c.ratio > 1.0);
        Some(Point { stressed, ..Point::new(run as f64, cost(record)? / first) })
    };
    line.records.iter().enumerate().filter_map(point).collect()
}

fn data(name: &str, lines: &[&Line<'_>]) -> Table {
    let row = |r: &&Record| {
        let (peer, ratio) = r.paired.first().map(|p| (p.peer.as_str(), p.ratio)).unzip();
        vec![
            words("result", &r.id),
            words("commit", commit(r)),
            words("date", &r.date_utc),
            numbers("instructions a frame", r.instructions, millions),
            numbers("ms a frame", r.time.as_ref().map(|t| t.value), human),
            numbers("time over the peer's", ratio, human),
            words("peer", peer.unwrap_or_default()),
        ]
    };
    Table::new(format!("{name}: what was recorded."), lines.iter().flat_map(|line| &line.records).map(row))
}
