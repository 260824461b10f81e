//! The clock that stage times are read from, and which stage goes on.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Returns the time since some fixed moment. Only differences count, and no result depends on them.
pub type Clock = fn() -> Duration;

/// The monotonic clock of the system; none on bare `wasm32`, which has no clock: there every time is zero.
pub(crate) const SYSTEM: Clock = system;

#[cfg(not(all(target_arch = "wasm32", target_os = "unknown")))]
fn system() -> Duration {
    use std::sync::OnceLock;
    use std::time::Instant;

    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed()
}

#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
fn system() -> Duration {
    Duration::ZERO
}

/// The stages of a substep, in their order.
const STAGES: [&str; 7] = ["animate", "predict", "detect", "recover", "solve", "gate", "update"];

/// Which stage a simulation is in, for another thread to read while it steps: what a long frame waits for.
#[derive(Clone, Debug, Default)]
pub struct StageSign(Arc<AtomicUsize>);

impl StageSign {
    /// The name of the stage, as [`StageTimes::named`](crate::StageTimes::named) has it; between two steps
    /// the last one.
    #[must_use]
    pub fn stage(&self) -> &'static str {
        STAGES[self.0.load(Ordering::Relaxed).min(STAGES.len() - 1)]
    }
}

/// Measures the times of consecutive stages.
pub(crate) struct StopWatch<'a> {
    clock: Clock,
    last: Duration,
    /// The number of the stage that goes on.
    stage: usize,
    sign: &'a StageSign,
}

impl<'a> StopWatch<'a> {
    pub(crate) fn new(clock: Clock, sign: &'a StageSign) -> Self {
        sign.0.store(0, Ordering::Relaxed);
        Self { clock, last: clock(), stage: 0, sign }
    }

    /// Adds the time since the last lap, with which the next stage begins. A caller's clock may run
    /// backwards; that counts as no time.
    pub(crate) fn lap(&mut self, total: &mut Duration) {
        let now = (self.clock)();
        *total += now.saturating_sub(self.last);
        self.last = now;
        self.stage += 1;
        self.sign.0.store(self.stage, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::StageTimes;

    #[test]
    fn the_sign_names_the_stage_that_goes_on() {
        let (sign, mut total) = (StageSign::default(), Duration::ZERO);
        let mut watch = StopWatch::new(|| Duration::ZERO, &sign);
        for (name, _) in StageTimes::default().named() {
            assert_eq!(sign.stage(), name);
            watch.lap(&mut total);
        }
        assert_eq!(sign.stage(), "update", "behind the last one");
    }
}
