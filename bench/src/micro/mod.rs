//! Single geometric queries of this project and of the libraries for them: time and wrong answers.
//!
//! ```text
//! kernels       closest points, segment against triangle, orientation     inputs   their inputs
//! ccd           continuous collision detection of two primitives
//! broad_phases  overlapping boxes and near points of a crumpled sheet
//! ```
//!
//! Every implementation gets the same inputs, whose coordinates are exact in the precision of all, and is
//! compared with a reference implementation in `f64` or in integers. Times are means over all inputs,
//! repeated.

mod broad_phases;
mod ccd;
mod inputs;
mod kernels;

use std::hint::black_box;
use std::time::Instant;

use cloth_measure::statistics::sorted;

use crate::schema::{BenchReport, CallTimes};

/// How much is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// Queries of a kernel, and of a set for CCD.
    pub queries: usize,
    /// Repetitions of a measurement.
    pub repetitions: usize,
    /// Vertices along a side of the sheet for broad phases.
    pub side: usize,
    /// Frames after which it is crumpled.
    pub frames: usize,
}

impl Effort {
    /// For a whole benchmark.
    pub const FULL: Self = Self { queries: 4096, repetitions: 15, side: 128, frames: 50 };
    /// For `--quick`.
    pub const QUICK: Self = Self { queries: 1024, repetitions: 7, side: 48, frames: 40 };
}

/// Measures all queries and adds them to a report.
///
/// # Errors
/// If the crumpled sheet cannot be simulated.
pub fn measure(report: &mut BenchReport, effort: Effort) -> Result<(), String> {
    report.kernels = kernels::all(effort);
    report.ccd = ccd::all(effort);
    report.broad_phases = broad_phases::all(effort)?;
    Ok(())
}

/// Time of a call: the mean over the inputs, for each repetition; one more goes before that is not counted.
fn time_calls<I, R>(inputs: &[I], repetitions: usize, mut call: impl FnMut(&I) -> R) -> CallTimes {
    let mut once = || {
        for input in inputs {
            black_box(call(black_box(input)));
        }
    };
    once();
    let seconds = repeated(repetitions, once);
    let [median, low, high] =
        [seconds.len() / 2, 0, seconds.len() - 1].map(|k| 1e9 * seconds[k] / inputs.len().max(1) as f64);
    CallTimes { median, low, high }
}

/// Median of some times (ms) of an operation.
fn time_ms(repetitions: usize, operation: impl FnMut()) -> f64 {
    let seconds = repeated(repetitions, operation);
    1e3 * seconds[seconds.len() / 2]
}

/// Times (s) of an operation, one at least, the shortest first.
fn repeated(repetitions: usize, mut operation: impl FnMut()) -> Vec<f64> {
    let once = |_| {
        let start = Instant::now();
        operation();
        start.elapsed().as_secs_f64()
    };
    sorted((0..repetitions.max(1)).map(once).collect())
}

#[cfg(test)]
mod tests;
