//! What methods made of query files, as JSON and as a table.

use std::fmt::Write;

use cloth_show::check::SCHEMA_VERSION;
use cloth_show::program::console::{count, counted};
use serde::Serialize;

use super::evaluate::{Evaluation, Nanoseconds, SlowQuery};
use super::figures::{Fault, Figures};

/// The whole run.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(super) struct CcdReport {
    schema_version: u32,
    /// How often each query was timed.
    repeat: u32,
    files: Vec<FileReport>,
    /// Each method over all files.
    methods: Vec<TotalReport>,
    /// Whether a signal ended the run early: files and methods that had not been asked to the end are left
    /// out.
    interrupted: bool,
    /// Whether every method kept its word.
    pub(super) pass: bool,
}

/// One method on one file.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(super) struct FileReport {
    pub(super) path: String,
    pub(super) kind: &'static str,
    pub(super) method: &'static str,
    /// Where the labels stand.
    pub(super) labels: String,
    /// Where the bounds of the times come from; none if times were not judged.
    pub(super) times: Option<String>,
    #[serde(flatten)]
    pub(super) figures: Figures,
    pub(super) ns: Nanoseconds,
    pub(super) slowest: Vec<SlowQuery>,
    /// The first answers that break the method's word.
    pub(super) faults: Vec<FaultReport>,
    pub(super) pass: bool,
}

/// A wrong answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub(super) struct FaultReport {
    /// The number of the query in its file, counted from 0.
    pub(super) query: usize,
    pub(super) fault: Fault,
}

/// One method over all files.
#[derive(Debug, Serialize, schemars::JsonSchema)]
struct TotalReport {
    method: &'static str,
    files: usize,
    #[serde(flatten)]
    figures: Figures,
    ns: Nanoseconds,
    pass: bool,
}

impl CcdReport {
    pub(super) fn new(repeat: u32, judged: Vec<Evaluation>, interrupted: bool) -> Self {
        let mut methods: Vec<TotalReport> = Vec::new();
        for name in judged.iter().map(|one| one.method.name()) {
            if methods.iter().all(|method| method.method != name) {
                methods.push(TotalReport::new(name, &judged));
            }
        }
        Self {
            schema_version: SCHEMA_VERSION,
            repeat,
            interrupted,
            pass: !interrupted && methods.iter().all(|method| method.pass),
            files: judged.into_iter().map(|one| one.report).collect(),
            methods,
        }
    }

    /// The table, each line ended.
    pub(super) fn text(&self) -> String {
        let mut text = HEADER.to_owned();
        for file in &self.files {
            let _ =
                writeln!(text, "{}  {}", line(file.method, file.kind, &file.figures, &file.ns), file.path);
        }
        text.push('\n');
        for total in &self.methods {
            let files = counted(total.files, "file");
            let _ = writeln!(text, "{}  {files}", line(total.method, "all", &total.figures, &total.ns));
        }
        if self.interrupted {
            text.push_str("Interrupted: not every method has been asked about every file.\n");
        }
        for total in &self.methods {
            if let Some(stages) = total.figures.stages.text() {
                let _ = writeln!(text, "{}: {stages}", total.method);
            }
        }
        for file in &self.files {
            for FaultReport { query, fault } in &file.faults {
                let _ = writeln!(text, "{}: query {query}: {} {}", file.path, file.method, fault.in_words());
            }
        }
        text
    }
}

impl TotalReport {
    fn new(method: &'static str, judged: &[Evaluation]) -> Self {
        let own = || judged.iter().filter(|one| one.method.name() == method);
        let mut figures = Figures::default();
        own().for_each(|one| figures.sum(&one.report.figures));
        let ns: Vec<u64> = own().flat_map(|one| one.ns.iter().copied()).collect();
        let pass = own().all(|one| one.report.pass);
        Self { method, files: own().count(), figures, ns: Nanoseconds::from_times(&ns), pass }
    }
}

/// The head of the table.
const HEADER: &str = "method    kind         queries collide  missed   false  late  outside\
    \x20   mean us     p50 us     p99 us     max us\n";

fn line(method: &str, kind: &str, f: &Figures, ns: &Nanoseconds) -> String {
    let or_dash = |n: Option<usize>| n.map_or_else(|| "-".to_owned(), count);
    let us = |ns: f64| format!("{:.3}", ns / 1e3);
    let [p50, p99, max] = [ns.p50, ns.p99, ns.max].map(|ns| us(ns as f64));
    format!(
        "{method:<10}{kind:<12}{:>8}{:>8}{:>8}{:>8}{:>6}{:>9}{:>11}{p50:>11}{p99:>11}{max:>11}",
        count(f.queries),
        count(f.positives),
        count(f.false_negatives),
        count(f.false_positives),
        or_dash(f.late_toi),
        or_dash(f.outside_enclosure),
        us(ns.mean)
    )
}
