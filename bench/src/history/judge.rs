//! Where a series of records changed: by instruction counts first, which no load of the machine changes, by
//! paired wall time second.
//!
//! A record is compared with the median of those before it, back to the last change. It differs if it leaves
//! a margin about that median: a fixed share that is known to be noise, or some standard deviations of the
//! records themselves, whichever is larger: four for a count, two for a paired time, whose whole interval
//! must leave the margin as well. The absolute time of a frame is never judged: it depends on the machine's
//! load.

use super::{Paired, Record};

/// Share by which counted instructions may differ without a change: addresses and the branches of `memcpy`
/// differ between runs.
const INSTRUCTIONS_MARGIN: f64 = 0.01;
/// Share by which an interval of paired times may miss the median without a change.
const PAIRED_MARGIN: f64 = 0.02;
/// Standard deviations that are noise of a value without an interval, and of one whose interval is judged as
/// well.
const COUNT_DEVIATIONS: f64 = 4.0;
const PAIRED_DEVIATIONS: f64 = 2.0;
/// Records that a record is compared with, at most.
const WINDOW: usize = 9;
/// Records from which their spread is known.
const SPREAD_KNOWN: usize = 5;
/// The standard deviation of a normal distribution over its median absolute deviation.
const SIGMA_OVER_MAD: f64 = 1.4826;

/// What shows a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// Counted instructions, on whatever machine.
    Instructions,
    /// Wall time against a peer in the same runs, on the same machine.
    PairedTime,
}

/// A change of a series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    /// Index of the first record after it.
    pub at: usize,
    /// What shows the change.
    pub evidence: Evidence,
    /// New over old: more than 1 is a regression.
    pub ratio: f64,
}

/// A value with its interval, both ends of which equal it where it is exact, and what is noise about the
/// median of those before.
#[derive(Clone, Copy)]
struct Measured {
    low: f64,
    value: f64,
    high: f64,
    margin: f64,
    deviations: f64,
}

/// The changes of a series: records of one id, in the order of the runs.
#[must_use]
pub fn changes(series: &[&Record]) -> Vec<Change> {
    let mut found: Vec<Change> = Vec::new();
    for at in 1..series.len() {
        let start = found.last().map_or(0, |change| change.at);
        let (before, now) = (&series[start..at], series[at]);
        let change = by_instructions(before, now).or_else(|| by_paired_time(before, now));
        found.extend(change.map(|(evidence, ratio)| Change { at, evidence, ratio }));
    }
    found
}

/// Instructions against those of the same compiler for the same vector instructions.
fn by_instructions(before: &[&Record], now: &Record) -> Option<(Evidence, f64)> {
    let value = now.instructions?;
    let (margin, deviations) = (INSTRUCTIONS_MARGIN, COUNT_DEVIATIONS);
    let measured = Measured { low: value, value, high: value, margin, deviations };
    let same = |r: &&&Record| r.toolchain == now.toolchain && r.instruction_set == now.instruction_set;
    let known = before.iter().filter(same).filter_map(|r| r.instructions);
    Some((Evidence::Instructions, changed(known.collect(), measured)?))
}

/// Paired times against those of the same machine with the same peer: the peer with the narrowest interval
/// that has a past.
fn by_paired_time(before: &[&Record], now: &Record) -> Option<(Evidence, f64)> {
    let past = |peer: &str| -> Vec<f64> {
        let same = before.iter().filter(|r| r.machine == now.machine);
        same.flat_map(|r| &r.paired).filter(|p| p.peer == peer).map(|p| p.ratio).collect()
    };
    let with_past = now.paired.iter().filter(|p| !past(&p.peer).is_empty());
    let Paired { peer, ratio: value, low, high } =
        with_past.min_by(|a, b| (a.high / a.low).total_cmp(&(b.high / b.low)))?;
    let (margin, deviations) = (PAIRED_MARGIN, PAIRED_DEVIATIONS);
    let measured = Measured { low: *low, value: *value, high: *high, margin, deviations };
    Some((Evidence::PairedTime, changed(past(peer), measured)?))
}

/// The ratio of a value to the median of the last values before it, if it leaves the margin.
fn changed(mut before: Vec<f64>, now: Measured) -> Option<f64> {
    before.drain(..before.len().saturating_sub(WINDOW));
    let middle = median(before.clone())?;
    let spread = match before.len() >= SPREAD_KNOWN {
        true => SIGMA_OVER_MAD * median(before.iter().map(|v| (v - middle).abs()).collect())? / middle,
        false => 0.0,
    };
    let margin = now.margin.max(now.deviations * spread);
    let is_changed = now.low > middle * (1.0 + margin) || now.high < middle / (1.0 + margin);
    (is_changed && middle > 0.0).then(|| now.value / middle)
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let (low, high) = (values.get(values.len().checked_sub(1)? / 2)?, values.get(values.len() / 2)?);
    Some(0.5 * (low + high))
}
