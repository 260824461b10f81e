//! Asks methods about every query of a batch, and judges and times their answers.

use std::hint::black_box;

use cloth_ccd::Toi;

use super::batch::{Batch, Labels, Times};
use super::figures::{Fault, Figures, TimesFrom, bounds_of};
use super::method::Method;
use super::report::{FaultReport, FileReport};
use super::timing::{Nanoseconds, shortest, slowest};
use crate::console::Progress;
use crate::failure::Failure;
use crate::interrupt::INTERRUPT;

/// The figures of a file, and the time that was found for each of its queries.
type EvaluationWithTimes = (Evaluation, Vec<Option<Toi>>);

/// Faults of one method in one file that are named.
const NAMED: usize = 10;

/// How far all batches have come, and how often each query is timed.
pub(super) struct Session {
    pub(super) repeat: u32,
    pub(super) progress: Progress,
    pub(super) done: usize,
}

/// What one method made of one batch.
pub(super) struct Evaluation {
    pub(super) report: FileReport,
    pub(super) method: Method,
    /// The time of each query.
    pub(super) ns: Vec<u64>,
}

/// Asks all methods about a batch, those that come before a signal. Where no file states the exact times,
/// those of the exact method do, if it is asked first.
pub(super) fn evaluate(
    batch: &Batch,
    methods: &[Method],
    session: &mut Session,
) -> Result<Vec<Evaluation>, Failure> {
    let labels = batch.labels.as_ref().ok_or_else(|| {
        let text = "has no labels: no seventh column, and no file where the public sets keep them; pass --labels \
                    or --toi";
        Failure::new(format!("{}: {text}", batch.path))
    })?;
    let mut known = Known { labels, times: batch.times.as_ref().map(KnownTimes::enclosures) };
    let mut judged = Vec::new();
    for &method in methods {
        let Some((one, impacts)) = evaluate_method(batch, method, &known, session)? else { break };
        judged.push(one);
        if known.times.is_none() && matches!(method, Method::Exact) {
            let bounds = impacts.into_iter().map(|impact| impact.map(bounds_of)).collect();
            known.times =
                Some(KnownTimes { bounds, from: TimesFrom::ExactMethod, origin: "method exact".to_owned() });
        }
    }
    Ok(judged)
}

/// What is known about the queries of a batch.
struct Known<'a> {
    labels: &'a Labels,
    times: Option<KnownTimes>,
}

/// Bounds of the time of each query that collides.
struct KnownTimes {
    bounds: Vec<Option<[f64; 2]>>,
    from: TimesFrom,
    /// The same in words.
    origin: String,
}

impl KnownTimes {
    fn enclosures(times: &Times) -> Self {
        let bounds = times.enclosures.iter().map(|enclosure| enclosure.times).collect();
        Self { bounds, from: TimesFrom::Enclosures, origin: times.origin.clone() }
    }
}

/// The answers of one method to one batch.
struct Answers {
    figures: Figures,
    faults: Vec<FaultReport>,
    ns: Vec<u64>,
    impacts: Vec<Option<Toi>>,
}

/// What one method makes of a batch; none if a signal comes before the last query.
fn evaluate_method(
    batch: &Batch,
    method: Method,
    known: &Known<'_>,
    session: &mut Session,
) -> Result<Option<EvaluationWithTimes>, Failure> {
    let answers = ask(batch, method, known, session)?;
    let Some(Answers { figures, mut faults, ns, impacts }) = answers else { return Ok(None) };
    faults.retain(|fault| method.claims_exact_verdicts() || fault.fault != Fault::FalsePositive);
    faults.truncate(NAMED);
    let report = FileReport {
        path: batch.path.clone(),
        kind: batch.kind,
        method: method.name(),
        labels: known.labels.origin.clone(),
        times: known.times.as_ref().map(|times| times.origin.clone()),
        figures,
        ns: Nanoseconds::from_times(&ns),
        slowest: slowest(&ns),
        faults,
        pass: figures.pass(method),
    };
    Ok(Some((Evaluation { report, method, ns }, impacts)))
}

/// Asks a method about every query; none if a signal comes before the last.
fn ask(
    batch: &Batch,
    method: Method,
    known: &Known<'_>,
    session: &mut Session,
) -> Result<Option<Answers>, Failure> {
    let times = known.times.as_ref();
    let figures = Figures::start(method, times.map(|times| times.from));
    let mut all = Answers { figures, faults: Vec::new(), ns: Vec::new(), impacts: Vec::new() };
    for (i, query) in batch.queries.iter().enumerate() {
        if INTERRUPT.is_requested() {
            return Ok(None);
        }
        let (answer, ns) = shortest(session.repeat, || method.answer(black_box(query)))
            .map_err(|e| Failure::new(format!("{}: query {i}: {e}", batch.path)))?;
        let bounds = times.and_then(|times| times.bounds[i]);
        let found = all.figures.add(&answer, known.labels.collides[i], bounds);
        all.faults.extend(found.into_iter().map(|fault| FaultReport { query: i, fault }));
        all.ns.push(ns);
        all.impacts.push(answer.impact);
        session.done += 1;
        session.progress.done(session.done);
    }
    Ok(Some(all))
}
