//! The clock that stage times are read from.

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

/// Measures the times of consecutive stages.
pub(crate) struct StopWatch {
    clock: Clock,
    last: Duration,
}

impl StopWatch {
    pub(crate) fn new(clock: Clock) -> Self {
        Self { clock, last: clock() }
    }

    /// Adds the time since the last lap. A caller's clock may run backwards; that counts as no time.
    pub(crate) fn lap(&mut self, total: &mut Duration) {
        let now = (self.clock)();
        *total += now.saturating_sub(self.last);
        self.last = now;
    }
}
