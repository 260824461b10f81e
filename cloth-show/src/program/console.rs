//! What a program says: results on standard output, errors and progress on standard error.
//!
//! On a terminal long work shows a bar; elsewhere it writes a plain line every 5 s, so that a log stays
//! readable. A reader that has gone away (`cloth check ... | head`) is no reason to stop or to panic; a
//! result that cannot be written is an error of the run ([`out_error`]).

use std::fmt::Display;
use std::io::{ErrorKind, IsTerminal, Write};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

pub use cloth_scene::words::{count, counted};
use indicatif::{ProgressBar, ProgressStyle};

/// How often a line says how far the work is, without a terminal.
const LINE_EVERY: Duration = Duration::from_secs(5);

/// Why standard output took less than was written to it.
static OUT_ERROR: OnceLock<String> = OnceLock::new();

/// Writes a text to standard output.
pub fn out(text: impl Display) {
    see(write!(std::io::stdout().lock(), "{text}"));
}

/// Writes texts to standard output, each on a line.
pub fn lines(texts: impl IntoIterator<Item: Display>) {
    texts.into_iter().for_each(|text| out(format!("{text}\n")));
}

/// Why standard output has not taken everything, if it has not and its reader is still there.
pub fn out_error() -> Option<&'static str> {
    see(std::io::stdout().lock().flush());
    OUT_ERROR.get().map(String::as_str)
}

/// Keeps the first error of standard output.
pub fn see(written: std::io::Result<()>) {
    if let Some(error) = written.err().filter(|e| e.kind() != ErrorKind::BrokenPipe) {
        let _ = OUT_ERROR.set(error.to_string());
    }
}

/// Writes an error, one line, to standard error.
pub fn error(error: impl Display) {
    let _ = writeln!(std::io::stderr().lock(), "{}: {error}", super::program().name);
}

/// Writes a line about the run to standard error.
pub fn note(text: impl Display) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// A piece of work that takes this many times the median of those before it is said to wait.
const LONG_PIECE: f64 = 100.0;

/// How far some work has come, told by a thread of its own until it is dropped.
pub struct Progress {
    pace: Arc<Mutex<Pace>>,
    bar: Option<ProgressBar>,
    _ended: Sender<()>,
}

/// The pieces that are done.
struct Pace {
    done: usize,
    /// When the present piece began, and how long those before it took (s).
    since: Instant,
    seconds: Vec<f64>,
}

impl Progress {
    /// Starts to report `total` pieces of work, each a `unit`.
    pub fn start(what: impl Into<String>, unit: &'static str, total: usize) -> Self {
        Self::start_with(what, unit, total, String::new)
    }

    /// The same, and says of a piece that takes long what it waits for: `the gate`.
    pub fn start_with(
        what: impl Into<String>,
        unit: &'static str,
        total: usize,
        waits_for: impl Fn() -> String + Send + 'static,
    ) -> Self {
        let what = what.into();
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new(total as u64);
            let style = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} {eta}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar.set_message(what.clone());
            bar
        });
        let start = Instant::now();
        let pace = Arc::new(Mutex::new(Pace { done: 0, since: start, seconds: Vec::new() }));
        let (sender, ended) = channel::<()>();
        let (seen, shown) = (Arc::clone(&pace), bar.clone());
        let tell = move || {
            while ended.recv_timeout(LINE_EVERY) == Err(RecvTimeoutError::Timeout) {
                let pace = seen.lock().unwrap_or_else(PoisonError::into_inner);
                let waiting = pace.waiting(pace.since.elapsed(), unit, &waits_for);
                match (&shown, waiting) {
                    (Some(bar), waiting) => bar.set_message(format!("{what}{}", waiting.unwrap_or_default())),
                    (None, Some(waiting)) => {
                        note(format!("{what}: {unit} {} of {total}{waiting}", pace.done));
                    }
                    (None, None) => note(line(&what, unit, [pace.done, total], start.elapsed())),
                }
            }
        };
        // Without this thread there are no lines, and the work goes on.
        drop(std::thread::Builder::new().name("progress".into()).spawn(tell));
        Self { pace, bar, _ended: sender }
    }

    /// Reports that `done` pieces are done.
    pub fn done(&mut self, done: usize) {
        let mut pace = self.pace.lock().unwrap_or_else(PoisonError::into_inner);
        let seconds = pace.since.elapsed().as_secs_f64();
        pace.seconds.push(seconds);
        (pace.done, pace.since) = (done, Instant::now());
        self.bar.iter().for_each(|bar| bar.set_position(done as u64));
    }
}

impl Pace {
    /// What the present piece waits for, if it takes far longer than those before it.
    fn waiting(&self, elapsed: Duration, unit: &str, waits_for: impl Fn() -> String) -> Option<String> {
        let mut sorted = self.seconds.clone();
        sorted.sort_by(f64::total_cmp);
        let median = *sorted.get(sorted.len() / 2)?;
        let what = Some(waits_for()).filter(|what| !what.is_empty())?;
        let times = elapsed.as_secs_f64() / median.max(1e-6);
        (times > LONG_PIECE).then(|| {
            format!(
                ", waits for {what}: this {unit} takes {} times the median, {} s so far",
                count(times as usize),
                elapsed.as_secs()
            )
        })
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
        self.bar.iter().for_each(ProgressBar::finish_and_clear);
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
    #[test]
    fn a_piece_a_hundred_times_the_median_says_what_it_waits_for() {
        let pace = Pace { done: 3, since: Instant::now(), seconds: vec![0.02, 0.03, 9.0] };
        let after =
            |seconds, what: &str| pace.waiting(Duration::from_secs_f64(seconds), "frame", || what.to_owned());
        assert_eq!(after(2.9, "the gate"), None);
        let waits = ", waits for the gate: this frame takes 200 times the median, 6 s so far";
        assert_eq!(after(6.0001, "the gate").as_deref(), Some(waits));
        assert_eq!(after(60.0, ""), None, "work that has no stages");
        let first = Pace { done: 0, since: Instant::now(), seconds: Vec::new() };
        assert_eq!(first.waiting(Duration::from_secs(60), "frame", || "the gate".to_owned()), None);
    }
}
