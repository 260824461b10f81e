//! What the command says: results on standard output, errors and progress on standard error.
//!
//! On a terminal long work shows a bar; elsewhere it writes a plain line every 5 s, so that a log stays
//! readable. A reader that has gone away (`cloth check ... | head`) is no reason to stop or to panic; a
//! result that cannot be written is an error of the run ([`out_error`]).

use std::fmt::Display;
use std::io::{ErrorKind, IsTerminal, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

pub(crate) use cloth_scene::words::{count, counted};
use indicatif::{ProgressBar, ProgressStyle};

/// How often a line says how far the work is, without a terminal.
const LINE_EVERY: Duration = Duration::from_secs(5);

/// Why standard output took less than was written to it.
static OUT_ERROR: OnceLock<String> = OnceLock::new();

/// Writes a text to standard output.
pub(crate) fn out(text: impl Display) {
    see(write!(std::io::stdout().lock(), "{text}"));
}

/// Why standard output has not taken everything, if it has not and its reader is still there.
pub(crate) fn out_error() -> Option<&'static str> {
    see(std::io::stdout().lock().flush());
    OUT_ERROR.get().map(String::as_str)
}

/// Keeps the first error of standard output.
pub(crate) fn see(written: std::io::Result<()>) {
    if let Some(error) = written.err().filter(|e| e.kind() != ErrorKind::BrokenPipe) {
        let _ = OUT_ERROR.set(error.to_string());
    }
}

/// Writes an error, one line, to standard error.
pub(crate) fn error(error: impl Display) {
    let _ = writeln!(std::io::stderr().lock(), "cloth: {error}");
}

/// Writes a line about the run to standard error.
pub(crate) fn note(text: impl Display) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// How far some work has come.
pub(crate) struct Progress {
    shown: Shown,
}

enum Shown {
    Bar(ProgressBar),
    /// The pieces that are done, for a thread that writes the lines until the sender is dropped.
    Lines(Arc<AtomicUsize>, Option<Sender<()>>),
}

impl Progress {
    /// Starts to report `total` pieces of work, each a `unit`.
    pub(crate) fn start(what: impl Into<String>, unit: &'static str, total: usize) -> Self {
        let what = what.into();
        let shown = if std::io::stderr().is_terminal() {
            let bar = ProgressBar::new(total as u64);
            let style = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} {eta}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar.set_message(what);
            Shown::Bar(bar)
        } else {
            let done = Arc::new(AtomicUsize::new(0));
            let (sender, ended) = channel::<()>();
            let (start, seen) = (Instant::now(), Arc::clone(&done));
            let write_lines = move || {
                while ended.recv_timeout(LINE_EVERY) == Err(RecvTimeoutError::Timeout) {
                    let done = seen.load(Ordering::Relaxed);
                    note(line(&what, unit, [done, total], start.elapsed()));
                }
            };
            // Without this thread there are no lines, and the work goes on.
            drop(std::thread::Builder::new().name("progress".into()).spawn(write_lines));
            Shown::Lines(done, Some(sender))
        };
        Self { shown }
    }

    /// Reports that `done` pieces are done.
    pub(crate) fn done(&mut self, done: usize) {
        match &self.shown {
            Shown::Bar(bar) => bar.set_position(done as u64),
            Shown::Lines(seen, _) => seen.store(done, Ordering::Relaxed),
        }
    }
}

/// How far the work is, the time of a piece, and the time that is left if the others take as long.
fn line(what: &str, unit: &str, [done, total]: [usize; 2], elapsed: Duration) -> String {
    if done == 0 {
        return format!("{what}: {unit} 0 of {total}, {} s so far", elapsed.as_secs());
    }
    let each = elapsed.as_secs_f64() / done as f64;
    let left = (each * total.saturating_sub(done) as f64).ceil() as u64;
    let left = match left {
        0..120 => format!("{left} s"),
        120..7200 => format!("{} min", left.div_ceil(60)),
        _ => format!("{} h", left.div_ceil(3600)),
    };
    format!("{what}: {unit} {done} of {total}, {each:.3} s a {unit}, {left} left")
}

impl Drop for Progress {
    fn drop(&mut self) {
        match &mut self.shown {
            Shown::Bar(bar) => bar.finish_and_clear(),
            Shown::Lines(_, sender) => drop(sender.take()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_frame_seconds_a_frame_and_time_left() {
        let after = |done, total, seconds| line("cape", "frame", [done, total], Duration::from_secs(seconds));
        assert_eq!(after(0, 180, 7), "cape: frame 0 of 180, 7 s so far");
        assert_eq!(after(4, 180, 10), "cape: frame 4 of 180, 2.500 s a frame, 8 min left");
        assert_eq!(after(170, 180, 85), "cape: frame 170 of 180, 0.500 s a frame, 5 s left");
        assert_eq!(after(1, 9000, 10), "cape: frame 1 of 9000, 10.000 s a frame, 25 h left");
    }
}
