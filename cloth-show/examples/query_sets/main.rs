//! Judges methods of continuous collision detection on query files with known answers, and times them.
//!
//! `cargo run --release -p cloth-show --example query_sets -- QUERIES... [--method M] [--toi FOLDER]` prints
//! JSON. QUERIES are files of the public query sets, or folders that are searched for them
//! ([`cloth_io::queries`]). Their kind stands in the path (`edge-edge`, `vertex-face`, `..ee.csv`,
//! `..vf.csv`), their labels in column 7 or in `SCENE/mma_bool/227ee_mma_bool.json` for
//! `SCENE/queries/227ee.csv`. FOLDER has bounds of the exact times, a file for each scene and kind; `filtered`
//! is asked for exact times then. M is `exact`, `filtered` (default), `inclusion`, `additive` or `all`, of
//! which `exact` judges the times of the others without FOLDER. Exit status: 0 every method keeps its word, 1
//! one does not, 2 a file or an argument is refused.

mod read;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::error::Error;
use std::ffi::OsString;
use std::hint::black_box;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use cloth_ccd::{Additive, Ccd, CcdError, Filtered, Inclusion, Query, Reference, Stage, Toi};
use cloth_show::check::SCHEMA_VERSION;
use cloth_show::report::Provenance;
use serde::Serialize;
use serde_json::{Value, json};

use read::{Batch, Times, read_batches};

const USAGE: &str =
    "usage: query_sets QUERIES... [--method exact|filtered|inclusion|additive|all] [--toi FOLDER]";

/// Calls for a query, of which the shortest counts: what disturbs a call only ever makes it longer.
const REPEAT: u32 = 5;

/// Faults, and slowest queries, of a method in a file that are named.
const NAMED: usize = 10;

/// Faults by their keys in the JSON.
const FALSE_NEGATIVE: &str = "false_negatives";
const FALSE_POSITIVE: &str = "false_positives";

/// When the primitives touch, and which stage decided, of a method that has any.
type Answer = (Option<Toi>, Option<Stage>);

/// Asks a method.
type Ask = Box<dyn Fn(&Query) -> Result<Answer, CcdError>>;

/// What a method makes of a file, and the times that it gives.
type Judged = (FileReport, Vec<Option<Toi>>);

/// A method, and what it claims of its answers: no false positives, times that are exact to the last bit.
struct Method {
    name: &'static str,
    has_exact_verdicts: bool,
    has_exact_times: bool,
    ask: Ask,
}

impl Method {
    fn new(name: &'static str, is_exact: bool, method: impl Ccd + 'static) -> Self {
        let ask = Box::new(move |query: &Query| Ok((method.impact(query, 0.0)?, None)));
        Self { name, has_exact_verdicts: is_exact, has_exact_times: is_exact, ask }
    }

    /// All methods; `tight` asks for exact times, of those that can.
    fn all(tight: bool) -> [Self; 4] {
        let filtered = if tight { Filtered::tight() } else { Filtered::default() };
        let decide = move |query: &Query| filtered.decide(query).map(|d| (d.impact, Some(d.stage)));
        [
            Self::new("exact", true, Reference),
            Self {
                name: "filtered",
                has_exact_verdicts: true,
                has_exact_times: tight,
                ask: Box::new(decide),
            },
            Self::new("inclusion", false, Inclusion::default()),
            Self::new("additive", false, Additive::default()),
        ]
    }

    /// The answer to a query, and the shortest time of some calls (ns), with that of reading the clock.
    fn timed(&self, query: &Query, repeat: u32) -> Result<(Answer, u64), CcdError> {
        let call = || {
            let start = Instant::now();
            let answer = black_box((self.ask)(black_box(query)));
            let ns = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
            answer.map(|answer| (answer, ns))
        };
        let (answer, mut least) = call()?;
        for _ in 1..repeat {
            least = least.min(call()?.1);
        }
        Ok((answer, least))
    }
}

/// Counts over queries, by their keys in the JSON; `null` is what could not be judged.
#[derive(Debug, Default, Serialize)]
struct Figures {
    #[serde(flatten)]
    counts: BTreeMap<&'static str, Option<usize>>,
    /// Answers by the stage that gave them; empty for methods without stages.
    stages: BTreeMap<&'static str, usize>,
}

impl Figures {
    /// No query yet; `exactly` if a time must lie between its bounds.
    fn start(are_times_known: bool, exactly: bool) -> Self {
        let times = are_times_known.then_some(0);
        let always = ["queries", "positives", FALSE_NEGATIVE, FALSE_POSITIVE].map(|key| (key, Some(0)));
        let timed = ["toi_checked", "late_toi", "short_gap"].map(|key| (key, times));
        let outside = ("outside_enclosure", exactly.then_some(0));
        Self { counts: always.into_iter().chain(timed).chain([outside]).collect(), stages: BTreeMap::new() }
    }

    fn count(&mut self, key: &'static str) {
        *self.counts.entry(key).or_default().get_or_insert(0) += 1;
    }

    fn count_stage(&mut self, decided: Stage) {
        for stage in Stage::ALL {
            *self.stages.entry(stage.name()).or_default() += usize::from(stage == decided);
        }
    }

    fn sum(&mut self, other: &Self) {
        for (&key, &own) in &other.counts {
            let total = self.counts.entry(key).or_default();
            *total = total.map_or(own, |total| Some(total + own.unwrap_or(0)));
        }
        for (&stage, n) in &other.stages {
            *self.stages.entry(stage).or_default() += n;
        }
    }
}

/// What is wrong with an answer to a query with this label and these bounds of its time.
fn faults(impact: Option<Toi>, label: bool, bounds: Option<[f64; 2]>, exactly: bool) -> Vec<&'static str> {
    match (label, impact, bounds) {
        (true, None, _) => vec![FALSE_NEGATIVE],
        (false, Some(_), _) => vec![FALSE_POSITIVE],
        (true, Some(Toi { time, gap }), Some([low, high])) => {
            // Comparisons that a NaN fails. `low` is an f64, so the rounded sum is below it only if the true
            // one is.
            let inside = !exactly || (low..=high).contains(&time);
            [("late_toi", time <= high), ("short_gap", time + gap >= low), ("outside_enclosure", inside)]
                .into_iter()
                .filter_map(|(fault, is_right)| (!is_right).then_some(fault))
                .collect()
        }
        _ => Vec::new(),
    }
}

/// One method on one file.
#[derive(Debug, Serialize)]
struct FileReport {
    path: String,
    kind: &'static str,
    method: &'static str,
    labels: String,
    times: Option<String>,
    #[serde(flatten)]
    figures: Figures,
    ns: Value,
    slowest: Vec<Value>,
    /// The first answers that break the method's word.
    faults: Vec<Value>,
    pass: bool,
    #[serde(skip)]
    all_ns: Vec<u64>,
}

/// Judges the answers of a method to a file.
fn judge(
    batch: &Batch,
    method: &Method,
    known: Option<&Times>,
    repeat: u32,
) -> Result<Judged, Box<dyn Error>> {
    let exactly = method.has_exact_times && known.is_some_and(|times| times.are_enclosures);
    let mut figures = Figures::start(known.is_some(), exactly);
    let (mut broken, mut all_ns, mut impacts) = (Vec::new(), Vec::new(), Vec::new());
    for (i, (query, &label)) in batch.queries.iter().zip(&batch.labels).enumerate() {
        let ((impact, stage), ns) =
            method.timed(query, repeat).map_err(|e| format!("{}: query {i}: {e}", batch.path.display()))?;
        let bounds = known.and_then(|times| times.bounds.get(i).copied().flatten());
        figures.count("queries");
        stage.into_iter().for_each(|stage| figures.count_stage(stage));
        if label {
            figures.count("positives");
        }
        if label && impact.is_some() && bounds.is_some() {
            figures.count("toi_checked");
        }
        for fault in faults(impact, label, bounds, exactly) {
            figures.count(fault);
            if method.has_exact_verdicts || fault != FALSE_POSITIVE {
                broken.push(json!({"query": i, "fault": fault.trim_end_matches('s')}));
            }
        }
        all_ns.push(ns);
        impacts.push(impact);
    }
    let pass = broken.is_empty();
    broken.truncate(NAMED);
    let report = FileReport {
        path: batch.path.display().to_string(),
        kind: batch.scene.kind.name(),
        method: method.name,
        labels: batch.labels_from.clone(),
        times: known.map(|times| times.origin.clone()),
        figures,
        ns: nanoseconds(&all_ns),
        slowest: slowest(&all_ns),
        faults: broken,
        pass,
        all_ns,
    };
    Ok((report, impacts))
}

/// Mean and percentiles; no more than half of the queries take longer than `p50`.
fn nanoseconds(times: &[u64]) -> Value {
    let mut sorted = times.to_vec();
    sorted.sort_unstable();
    let rank = |share: f64| {
        let rank = (share * sorted.len() as f64).ceil() as usize;
        sorted.get(rank.saturating_sub(1)).copied().unwrap_or(0)
    };
    let sum: f64 = sorted.iter().map(|&ns| ns as f64).sum();
    let mean = sum / sorted.len().max(1) as f64;
    json!({"mean": mean, "p50": rank(0.5), "p99": rank(0.99), "max": rank(1.0)})
}

/// The slowest queries by their numbers, the slowest first; of equal ones the first.
fn slowest(times: &[u64]) -> Vec<Value> {
    let mut all: Vec<(usize, u64)> = times.iter().copied().enumerate().collect();
    all.sort_by_key(|&(_, ns)| std::cmp::Reverse(ns));
    all.iter().take(NAMED).map(|(query, ns)| json!({"query": query, "ns": ns})).collect()
}

/// A method over all files.
fn total(method: &Method, files: &[FileReport]) -> Result<Value, serde_json::Error> {
    let own: Vec<&FileReport> = files.iter().filter(|file| file.method == method.name).collect();
    let (mut figures, mut all_ns) = (Figures::default(), Vec::new());
    for file in &own {
        figures.sum(&file.figures);
        all_ns.extend_from_slice(&file.all_ns);
    }
    let mut total = serde_json::to_value(figures)?;
    total["method"] = method.name.into();
    total["files"] = own.len().into();
    total["ns"] = nanoseconds(&all_ns);
    total["pass"] = own.iter().all(|file| file.pass).into();
    Ok(total)
}

/// The JSON of a command line, and whether every method kept its word.
fn run(words: impl IntoIterator<Item = OsString>, repeat: u32) -> Result<(Value, bool), Box<dyn Error>> {
    let (mut queries, mut chosen, mut toi) = (Vec::new(), "filtered".to_owned(), None);
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        match word.to_str() {
            Some("--method") => chosen = words.next().ok_or(USAGE)?.to_string_lossy().into_owned(),
            Some("--toi") => toi = Some(PathBuf::from(words.next().ok_or(USAGE)?)),
            Some(option) if option.starts_with('-') => Err(format!("unknown option {option}; {USAGE}"))?,
            _ => queries.push(PathBuf::from(word)),
        }
    }
    let mut methods = Vec::from(Method::all(toi.is_some()));
    methods.retain(|method| chosen == "all" || chosen == method.name);
    if queries.is_empty() || methods.is_empty() {
        return Err(format!("no files, or no method `{chosen}`; {USAGE}").into());
    }
    let mut files = Vec::new();
    for batch in read_batches(&queries, toi.as_deref())? {
        let mut exact = None;
        for method in &methods {
            let (report, impacts) = judge(&batch, method, batch.times.as_ref().or(exact.as_ref()), repeat)?;
            files.push(report);
            exact = exact.or_else(|| method.has_exact_times.then(|| Times::by_exact_method(&impacts)));
        }
    }
    let pass = files.iter().all(|file| file.pass);
    let totals = methods.iter().map(|method| total(method, &files)).collect::<Result<Vec<_>, _>>()?;
    let report = json!({
        "schema_version": SCHEMA_VERSION, "repeat": repeat, "files": files, "methods": totals,
        // A signal ends the program without a report.
        "interrupted": false, "pass": pass,
        "provenance": Provenance::of_this_run(env!("CARGO_PKG_VERSION"), None),
    });
    Ok((report, pass))
}

fn main() -> ExitCode {
    let printed = run(std::env::args_os().skip(1), REPEAT)
        .and_then(|(report, pass)| Ok(writeln!(std::io::stdout().lock(), "{report:#}").map(|()| pass)?));
    match printed {
        Ok(pass) => ExitCode::from(u8::from(!pass)),
        Err(error) => {
            eprintln!("query_sets: {error}");
            ExitCode::from(2)
        }
    }
}
