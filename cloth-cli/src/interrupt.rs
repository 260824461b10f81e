//! SIGINT and SIGTERM: the first asks the run to stop and to report what it has, a second one ends it at
//! once.
//!
//! Either way no temporary file stays. Elsewhere than on Unix nothing is caught: Ctrl-C ends the command as
//! the system does.

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use cloth_verify::Interrupt;

static REQUESTED: AtomicBool = AtomicBool::new(false);
static SIGNAL: AtomicU8 = AtomicU8::new(0);

/// What long loops of the command poll.
pub(crate) const INTERRUPT: Interrupt = Interrupt::from_flag(&REQUESTED);

/// Exit status of a run that was interrupted, as shells have it: 128 and the number of the signal, 130 or 143.
pub(crate) fn exit_status() -> u8 {
    128 + SIGNAL.load(Ordering::Relaxed)
}

/// Starts to listen. Where that fails, signals end the command as they always do.
#[cfg(unix)]
pub(crate) fn listen() {
    use signal_hook::consts::{SIGINT, SIGTERM};
    let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGINT, SIGTERM]) else { return };
    let listener = move || {
        for signal in signals.forever() {
            let number = u8::try_from(signal).unwrap_or(0);
            SIGNAL.store(number, Ordering::Relaxed);
            if REQUESTED.swap(true, Ordering::Relaxed) {
                cloth_io::remove_temporary_files();
                std::process::exit(i32::from(exit_status()));
            }
            crate::console::error(
                "interrupted; the report so far will be written, a second signal ends at once",
            );
        }
    };
    // A machine that has no room for this thread has none for any work either.
    drop(std::thread::Builder::new().name("signals".into()).spawn(listener));
}

#[cfg(not(unix))]
pub(crate) fn listen() {}
