//! What is left of a run that does not come to its end: the report so far, and its caches.
//!
//! ```text
//! frame --update--> report so far, caches --every half second--> a mesh of the last frame
//!                                         --every 5 s----------> --json, with `complete` false
//!                                         --a late signal------> both, with `interrupted` true
//! ```
//!
//! Frames of PC2, of arrays and of an OBJ sequence are in their files as soon as they are pushed. All of it
//! happens on a thread of its own: a frame, or the work after it, may take minutes.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use cloth_show::program::{Failure, RunFiles, console, interrupt, json};
use cloth_show::run::{Caches, Prepared, SimulationReport};

/// How often what is not in a file yet is looked for.
const TICK: Duration = Duration::from_millis(500);

/// How often the JSON is written anew.
const JSON_EVERY: Duration = Duration::from_secs(5);

/// A report is made anew when the last one is this many times older than the time it took: it is never far
/// behind the frames, and takes no more than a twentieth of the time.
const UPDATE_SHARE: u32 = 20;

/// What a run has so far.
pub(super) struct Interim {
    shared: Arc<Shared>,
    /// The thread ends when it is dropped.
    _tick: Sender<()>,
    next_update: Instant,
}

struct Shared {
    state: Mutex<State>,
    json: Option<PathBuf>,
    files: Arc<RunFiles>,
}

struct State {
    caches: Caches,
    /// None before the first frame, and once the run has written its own.
    report: Option<SimulationReport>,
    /// Whether the file of `--json` has that report, and when it was written.
    is_written: bool,
    written_at: Option<Instant>,
}

impl Interim {
    /// Begins with caches that have no frame yet. From now on a signal finds what this has.
    pub(super) fn start(caches: Caches, json: Option<&Path>, files: &Arc<RunFiles>) -> Self {
        let state = State { caches, report: None, is_written: true, written_at: None };
        let json = json.map(Path::to_path_buf);
        let shared = Arc::new(Shared { state: Mutex::new(state), json, files: Arc::clone(files) });
        let (sender, ended) = channel::<()>();
        let of_thread = Arc::clone(&shared);
        let tick = move || {
            while ended.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                of_thread.save();
            }
        };
        // Without this thread the run itself still writes everything at its end.
        drop(std::thread::Builder::new().name("interim".into()).spawn(tick));
        let of_signal = Arc::clone(&shared);
        interrupt::set_last_words(move || of_signal.end());
        Self { shared, _tick: sender, next_update: Instant::now() }
    }

    /// Appends the present state to the caches.
    pub(super) fn push(&mut self, prepared: &Prepared) -> Result<(), Failure> {
        self.shared.lock().caches.push(prepared, &self.shared.files)
    }

    /// Takes the report so far, if it is time for another.
    pub(super) fn update(&mut self, report: impl FnOnce() -> SimulationReport) {
        let start = Instant::now();
        if start < self.next_update {
            return;
        }
        let report = report();
        self.next_update = start + UPDATE_SHARE * start.elapsed();
        let mut state = self.shared.lock();
        (state.report, state.is_written) = (Some(report), false);
    }

    /// Gives the caches their names, with the frames that they have.
    pub(super) fn finish_caches(&self) -> Result<(), Failure> {
        self.shared.lock().finish_caches(&self.shared.files)
    }

    /// Writes the report of the whole run in the place of those so far.
    pub(super) fn finish(self, report: &SimulationReport) -> Result<(), Failure> {
        // Nothing takes its place from now on.
        self.shared.lock().report = None;
        json::write(self.shared.json.as_deref(), report, &self.shared.files)?;
        interrupt::clear_last_words();
        Ok(())
    }
}

impl Drop for Interim {
    /// Waits for what is being written, and lets nothing be written from now on.
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        (state.report, state.caches) = (None, Caches::default());
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        // A panic of the run ends the process; what it had is whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes what is not in a file yet. What fails here is tried again, and reported, at the end of the run.
    fn save(&self) {
        let mut state = self.lock();
        state.caches.save(&self.files);
        let is_due = state.written_at.is_none_or(|at| at.elapsed() >= JSON_EVERY);
        if let Some(report) = state.report.as_ref().filter(|_| is_due && !state.is_written) {
            let _ = json::write(self.json.as_deref(), report, &self.files);
            (state.is_written, state.written_at) = (true, Some(Instant::now()));
        }
    }

    /// Writes caches and report of a run that a signal ends in the middle of a frame.
    fn end(&self) {
        let mut state = self.lock();
        let caches = state.finish_caches(&self.files);
        let Some(mut report) = state.report.take() else {
            return nothing_to_report();
        };
        report.interrupt();
        let written = json::write(self.json.as_deref(), &report, &self.files);
        console::lines(&report.overstretch);
        console::out(report.text());
        [caches, written].into_iter().filter_map(Result::err).for_each(console::error);
    }
}

/// What a run says that a signal ends before it has a report, while its scene is built.
pub(super) fn nothing_to_report() {
    console::error("interrupted before the first frame: there is nothing to report");
}

impl State {
    fn finish_caches(&mut self, files: &RunFiles) -> Result<(), Failure> {
        std::mem::take(&mut self.caches).finish(files)
    }
}
