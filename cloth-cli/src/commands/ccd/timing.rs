//! Times of single queries, and what they come to.

use std::hint::black_box;
use std::time::Instant;

use serde::Serialize;

/// Queries that are named as the slowest.
const NAMED: usize = 10;

/// Nanoseconds a query.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Nanoseconds {
    pub(super) mean: f64,
    /// No more than half of the queries take longer.
    pub(super) p50: u64,
    /// No more than a hundredth of the queries take longer.
    pub(super) p99: u64,
    pub(super) max: u64,
}

/// One of the slowest queries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct SlowQuery {
    /// Its number in its file, counted from 0.
    pub(super) query: usize,
    pub(super) ns: u64,
}

/// The answer of a call, and the shortest time (ns) of several: what disturbs a call only ever makes it
/// longer. Nothing is subtracted for reading the clock.
pub(super) fn shortest<T, E>(repeat: u32, mut call: impl FnMut() -> Result<T, E>) -> Result<(T, u64), E> {
    let mut timed = || {
        let start = Instant::now();
        let answer = black_box(call());
        let ns = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
        answer.map(|answer| (answer, ns))
    };
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
pub(super) fn slowest(times: &[u64]) -> Vec<SlowQuery> {
    let mut all: Vec<SlowQuery> =
        times.iter().enumerate().map(|(query, &ns)| SlowQuery { query, ns }).collect();
    all.sort_by_key(|slow| std::cmp::Reverse(slow.ns));
    all.truncate(NAMED);
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

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
        let mut calls = 0;
        let slow = Duration::from_millis(40);
        // SlowQuery at first and at last; between them one call at least is not held up by other work on the
        // machine.
        let timed = shortest(22, || {
            calls += 1;
            if calls == 1 || calls == 22 {
                std::thread::sleep(slow);
            }
            Ok::<_, ()>(())
        });
        assert!(timed.is_ok_and(|((), ns)| u128::from(ns) < slow.as_nanos()));
        assert_eq!(shortest(3, || Err::<(), _>("no")), Err("no"));
    }
}
