//! When two primitives first meet: a bound that is never late.

/// A conservative time of impact.
///
/// **Contract.** If the primitives meet at all (come within the distance that was asked for), they first do so at a time in
/// `[time, time + gap]`, the sum taken exactly. Up to `time`, that time itself left out, the motion is free; so a motion that is cut at
/// `time` has at most just arrived.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Toi {
    /// Share of the step in [0, 1], never later than the exact earliest time of impact.
    pub time: f64,
    /// How much later than `time` the exact one may at most be (share of the step); `1 - time` where the method cannot say.
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
