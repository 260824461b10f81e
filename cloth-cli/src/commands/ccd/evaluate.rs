//! Asks methods about every query of a batch, and judges and times their answers.

use std::hint::black_box;
use std::time::Instant;

use cloth_ccd::Toi;
use cloth_show::program::Failure;
use cloth_show::program::console::Progress;
use cloth_show::program::interrupt::INTERRUPT;
use serde::Serialize;

use super::figures::{Fault, Figures, TimesFrom, bounds_of};
use super::method::Method;
use super::queries::{Batch, Times};
use super::report::{FaultReport, FileReport};

/// Faults, and slowest queries, of one method in one file that are named.
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
    /// What it says of each query.
    impacts: Vec<Option<Toi>>,
}

/// Asks all methods about a batch, those that come before a signal. Where no file states the exact times,
/// those of the exact method do, if it is asked first.
pub(super) fn evaluate(
    batch: &Batch,
    methods: &[Method],
    session: &mut Session,
) -> Result<Vec<Evaluation>, Failure> {
    let (mut judged, mut exact) = (Vec::new(), None);
    for &method in methods {
        let known = batch.times.as_ref().or(exact.as_ref());
        let Some(one) = evaluate_method(batch, method, known, session)? else { break };
        if matches!(method, Method::Exact) {
            let bounds = one.impacts.iter().map(|impact| impact.map(bounds_of)).collect();
            exact = Some(Times { bounds, from: TimesFrom::ExactMethod, origin: "method exact".to_owned() });
        }
        judged.push(one);
    }
    Ok(judged)
}

/// What one method makes of a batch; none if a signal comes before the last query.
fn evaluate_method(
    batch: &Batch,
    method: Method,
    known: Option<&Times>,
    session: &mut Session,
) -> Result<Option<Evaluation>, Failure> {
    let labels = batch.labels.as_ref().ok_or_else(|| {
        let text = "has no labels: no seventh column, and no file where the public sets keep them; pass \
                    --labels or --toi";
        Failure::new(format!("{}: {text}", batch.path))
    })?;
    let mut figures = Figures::start(method, known.map(|times| times.from));
    let (mut faults, mut all_ns, mut impacts) = (Vec::new(), Vec::new(), Vec::new());
    for (i, query) in batch.queries.iter().enumerate() {
        if INTERRUPT.is_requested() {
            return Ok(None);
        }
        let (answer, ns) = shortest(session.repeat, || method.answer(black_box(query)))
            .map_err(|e| Failure::new(format!("{}: query {i}: {e}", batch.path)))?;
        let found = figures.add(&answer, labels.collides[i], known.and_then(|times| times.bounds[i]));
        faults.extend(found.into_iter().map(|fault| FaultReport { query: i, fault }));
        all_ns.push(ns);
        impacts.push(answer.impact);
        session.done += 1;
        session.progress.done(session.done);
    }
    faults.retain(|fault| method.claims_exact_verdicts() || fault.fault != Fault::FalsePositive);
    faults.truncate(NAMED);
    let report = FileReport {
        path: batch.path.clone(),
        kind: batch.kind,
        method: method.name(),
        labels: labels.origin.clone(),
        times: known.map(|times| times.origin.clone()),
        figures,
        ns: Nanoseconds::from_times(&all_ns),
        slowest: slowest(&all_ns),
        faults,
        pass: figures.pass(method),
    };
    Ok(Some(Evaluation { report, method, ns: all_ns, impacts }))
}

/// Nanoseconds a query.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub(super) struct Nanoseconds {
    pub(super) mean: f64,
    /// No more than half of the queries take longer.
    pub(super) p50: u64,
    /// No more than a hundredth of the queries take longer.
    pub(super) p99: u64,
    pub(super) max: u64,
}

/// One of the slowest queries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub(super) struct SlowQuery {
    /// Its number in its file, counted from 0.
    pub(super) query: usize,
    pub(super) ns: u64,
}

/// The answer of a call, and the shortest time (ns) of several: what disturbs a call only ever makes it
/// longer. Nothing is subtracted for reading the clock.
fn shortest<T, E>(repeat: u32, mut call: impl FnMut() -> Result<T, E>) -> Result<(T, u64), E> {
    first_and_least(repeat, || {
        let start = Instant::now();
        let answer = black_box(call());
        let ns = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
        answer.map(|answer| (answer, ns))
    })
}

/// The first of several answers, and the least of their times (ns).
fn first_and_least<T, E>(repeat: u32, mut timed: impl FnMut() -> Result<(T, u64), E>) -> Result<(T, u64), E> {
    let (answer, mut least) = timed()?;
    for _ in 1..repeat {
        least = least.min(timed()?.1);
    }
    Ok((answer, least))
}

impl Nanoseconds {
    /// Of these times; all zero without any.
    pub(super) fn from_times(times: &[u64]) -> Self {
        let mut sorted = times.to_vec();
        sorted.sort_unstable();
        let rank = |share: f64| {
            let rank = (share * sorted.len() as f64).ceil() as usize;
            sorted.get(rank.saturating_sub(1)).copied().unwrap_or(0)
        };
        let sum: f64 = sorted.iter().map(|&ns| ns as f64).sum();
        Self { mean: sum / sorted.len().max(1) as f64, p50: rank(0.5), p99: rank(0.99), max: rank(1.0) }
    }
}

/// The slowest queries, the slowest first; of equal ones the first.
fn slowest(times: &[u64]) -> Vec<SlowQuery> {
    let mut all: Vec<SlowQuery> =
        times.iter().enumerate().map(|(query, &ns)| SlowQuery { query, ns }).collect();
    all.sort_by_key(|slow| std::cmp::Reverse(slow.ns));
    all.truncate(NAMED);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_the_least_that_enough_queries_do_not_exceed() {
        let times: Vec<u64> = (1..=200).rev().collect();
        assert_eq!(
            Nanoseconds::from_times(&times),
            Nanoseconds { mean: 100.5, p50: 100, p99: 198, max: 200 }
        );
        assert_eq!(Nanoseconds::from_times(&[7]), Nanoseconds { mean: 7.0, p50: 7, p99: 7, max: 7 });
        assert_eq!(Nanoseconds::from_times(&[]), Nanoseconds { mean: 0.0, p50: 0, p99: 0, max: 0 });
    }

    #[test]
    fn names_the_slowest_queries_by_their_number() {
        let mut times = vec![1; 20];
        (times[3], times[17]) = (9, 12);
        let named = slowest(&times);
        assert_eq!(
            named[..3],
            [SlowQuery { query: 17, ns: 12 }, SlowQuery { query: 3, ns: 9 }, SlowQuery { query: 0, ns: 1 }]
        );
        assert_eq!(named.len(), NAMED);
    }

    #[test]
    fn repeats_the_query_and_keeps_the_first_answer_and_shortest_time() {
        let mut calls = 0;
        let timed = shortest(3, || {
            calls += 1;
            Ok::<_, ()>(calls)
        });
        assert_eq!((timed.map(|(answer, _)| answer), calls), (Ok(1), 3));
        let mut times = [40, 7, 9, 40].into_iter();
        let timed = first_and_least(4, || times.next().map(|ns| (calls + ns, ns)).ok_or("once too often"));
        assert_eq!(timed, Ok((3 + 40, 7)));
        assert_eq!(shortest(3, || Err::<(), _>("no")), Err("no"));
    }
}
