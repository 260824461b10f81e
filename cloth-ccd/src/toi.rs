//! When two primitives first meet: a bound that is never late.

/// A conservative time of impact.
///
/// **Contract.** If the primitives collide (come within the query distance), they first do so at a time in
/// `[time, time + gap]`, where the sum is taken exactly. Before `time` the motion is collision-free; a motion
/// that is truncated at `time` at most touches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Toi {
    /// Share of the step in [0, 1], never later than the exact earliest time of impact.
    pub time: f64,
    /// Upper bound on the exact time minus `time` (share of the step); `1 - time` if the method gives none.
    pub gap: f64,
}

impl Toi {
    /// A time that is exact.
    #[must_use]
    pub fn exact(time: f64) -> Self {
        Self { time, gap: 0.0 }
    }

    /// Somewhere between two times, both included.
    #[must_use]
    pub fn between(low: f64, high: f64) -> Self {
        let gap = high - low;
        // The difference is exact where the two are within a factor of two of each other (Sterbenz).
        Self { time: low, gap: if low >= 0.5 * high { gap } else { gap.next_up() } }
    }

    /// A time from which on nothing is known.
    #[must_use]
    pub fn no_earlier_than(time: f64) -> Self {
        Self::between(time, 1.0)
    }
}
