//! SIGINT and SIGTERM: the run is asked to stop and to report what it has; if it has not ended shortly after,
//! what it has kept for this case is written, and the process ends.
//!
//! ```text
//! signal ---> flag that long loops poll ---> the run ends by itself, with its report
//!        \-> 1.3 s later: last words (the report of what was finished), exit status 130 or 143
//! ```
//!
//! So the answer does not depend on how often the work looks at the flag: a scene that takes a minute to
//! build ends as soon as a frame does. Further signals within a second count as the first one, for `timeout`
//! of the GNU tools sends two; a later one ends the wait. No temporary file stays. Elsewhere than on Unix
//! nothing is caught: Ctrl-C ends a program as the system does.

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::Interrupt;

static REQUESTED: AtomicBool = AtomicBool::new(false);
static SIGNAL: AtomicU8 = AtomicU8::new(0);
static LAST_WORDS: Mutex<Option<Box<dyn FnOnce() + Send>>> = Mutex::new(None);

/// What long loops of a program poll.
pub const INTERRUPT: Interrupt = Interrupt::from_flag(&REQUESTED);

/// Exit status of a run that was interrupted, as shells have it: 128 and the number of the signal, 130 or
/// 143.
pub fn exit_status() -> u8 {
    128 + SIGNAL.load(Ordering::Relaxed)
}

/// Sets what is done right before the process ends, should the run not end by itself after a signal; it takes
/// the place of what was set before. It must not wait for work that may take long.
pub fn set_last_words(words: impl FnOnce() + Send + 'static) {
    *last_words() = Some(Box::new(words));
}

/// Forgets the last words: the run has reported by itself.
pub fn clear_last_words() {
    *last_words() = None;
}

fn last_words() -> MutexGuard<'static, Option<Box<dyn FnOnce() + Send>>> {
    LAST_WORDS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts to listen. Where that fails, signals end the program as they always do.
#[cfg(unix)]
pub fn listen() {
    use signal_hook::consts::{SIGINT, SIGTERM};
    let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGINT, SIGTERM]) else { return };
    let listener = move || {
        let mut first = None;
        for signal in signals.forever() {
            let Some(start) = first else {
                first = Some(std::time::Instant::now());
                SIGNAL.store(u8::try_from(signal).unwrap_or(0), Ordering::Relaxed);
                REQUESTED.store(true, Ordering::Relaxed);
                deadline::start();
                super::console::error("interrupted; the report so far is written within 2 s");
                continue;
            };
            if start.elapsed() >= deadline::REPEATS {
                deadline::end();
            }
        }
    };
    // A machine that has no room for this thread has none for any work either.
    drop(std::thread::Builder::new().name("signals".into()).spawn(listener));
}

#[cfg(not(unix))]
pub fn listen() {}

/// What happens if the run does not end by itself.
#[cfg(unix)]
mod deadline {
    use std::sync::mpsc::channel;
    use std::time::Duration;

    /// How long the run has to end by itself, and how long its last words may take; 2 s are promised.
    const PATIENCE: Duration = Duration::from_millis(1300);
    const WORDS: Duration = Duration::from_millis(500);
    const _: () = assert!(PATIENCE.as_millis() + WORDS.as_millis() < 2000);

    /// Signals within this time of the first one are the same request.
    pub(super) const REPEATS: Duration = Duration::from_secs(1);

    pub(super) fn start() {
        let wait = || {
            std::thread::sleep(PATIENCE);
            end();
        };
        // Without this thread the run still ends by itself, or at another signal.
        drop(std::thread::Builder::new().name("deadline".into()).spawn(wait));
    }

    /// Ends the process.
    pub(super) fn end() -> ! {
        if let Some(words) = super::last_words().take() {
            let (sender, said) = channel();
            // On a thread of its own: a panic there, or a disk that does not answer, must not keep the
            // process.
            let spoken = std::thread::Builder::new().spawn(move || {
                words();
                let _ = sender.send(());
            });
            if spoken.is_ok() {
                let _ = said.recv_timeout(WORDS);
            }
        }
        cloth_io::remove_temporary_files();
        std::process::exit(i32::from(super::exit_status()));
    }
}
