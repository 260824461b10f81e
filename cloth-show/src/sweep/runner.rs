//! A shard of a sweep: its runs side by side, each simulated, judged and committed.

use std::any::Any;
use std::collections::BTreeMap;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use cloth_io::FileError;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::commit::SweepFolder;
use super::plan::Sweep;
use super::{RowKey, Shard};
use crate::run::{Prepared, Run, SimulationReport};
use crate::{Failure, Interrupt};

/// Errors of the machine, one behind the other, after which a shard is left: the next would fail as well.
const MOST_ERRORS: u64 = 3;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// Everything held that has to.
    Clean,
    /// It came to its end, and has intersections, or is deeper in a body than it may be.
    NotClean,
    /// Twice an error of its scene: nothing could be built of it, or a step was refused.
    Failed,
}

/// How many runs of a shard ended how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ShardCounts {
    /// Committed now.
    pub committed: u64,
    /// Committed before, or by another process.
    pub present: u64,
    /// Of all of these those that are not clean, and those that failed.
    pub not_clean: u64,
    /// See `not_clean`.
    pub failed: u64,
    /// Neither.
    pub undone: u64,
}

/// Which part of a sweep is run, where to, and how.
#[derive(Clone, Copy, Debug)]
pub struct ShardOptions<'a> {
    /// The folder of the sweep.
    pub out: &'a Path,
    /// The part.
    pub shard: Shard,
    /// Runs at a time, each on one thread.
    pub jobs: usize,
    /// A request to stop, polled between frames.
    pub interrupt: Interrupt,
}

/// A line of the manifest.
#[derive(Serialize)]
struct Row<'a> {
    #[serde(flatten)]
    key: RowKey,
    parameters: BTreeMap<&'a str, toml::Value>,
    outcome: Outcome,
    verdict: String,
    report: Option<Value>,
    files: BTreeMap<String, FileFigures>,
}

/// A file of a run. Its length is compared whenever the run is read; the checksum is for those who copy it.
#[derive(Serialize)]
struct FileFigures {
    bytes: u64,
    crc32: String,
}

/// What a try has found.
struct Found {
    outcome: Outcome,
    verdict: String,
    report: Option<Value>,
}

/// What became of a run without an error of the machine.
enum End {
    /// It has a row: now, or, if it `is_present`, before or by another process.
    Committed { outcome: Outcome, is_present: bool },
    /// It was begun before or has failed once, and is not committed; others come first.
    Begun,
    /// A stop was requested.
    Stopped,
}

/// Runs what is not committed yet of a shard. `on_end` is called whenever a run has ended, with a sentence if
/// that was an error of the machine; the log has it too.
///
/// # Errors
/// If the folder is that of another sweep or cannot be written to.
pub fn run_shard(
    sweep: &Sweep,
    options: &ShardOptions<'_>,
    on_end: &(dyn Fn(Option<&str>) + Sync),
) -> Result<ShardCounts, FileError> {
    let ShardOptions { out, shard, jobs, interrupt } = *options;
    let folder = SweepFolder::open(out, sweep, shard)?;
    let (counts, begun) = (Mutex::new(ShardCounts::default()), Mutex::new(Vec::new()));
    let (next, errors) = (AtomicU64::new(0), AtomicU64::new(0));
    let all = shard.count_of(sweep.count());
    let is_over = || errors.load(Ordering::Relaxed) >= MOST_ERRORS || interrupt.is_requested();
    let run = |number: u64, is_last: bool| match run_one(&folder, sweep, number, interrupt, is_last) {
        Ok(End::Stopped) => {}
        Ok(End::Begun) => lock(&begun).push(number),
        Ok(End::Committed { outcome, is_present }) => {
            errors.store(0, Ordering::Relaxed);
            lock(&counts).add(outcome, is_present);
            on_end(None);
        }
        Err(error) => {
            errors.fetch_add(1, Ordering::Relaxed);
            let text = format!("run {number}: {error}");
            folder.log(&text);
            on_end(Some(&text));
        }
    };
    // What was begun before comes last: a run that kills its process keeps none of the others waiting.
    let work = || {
        while !is_over() {
            let place = next.fetch_add(1, Ordering::Relaxed);
            if place >= all {
                break;
            }
            run(shard.nth(place), false);
        }
        while !is_over() {
            let Some(number) = lock(&begun).pop() else { break };
            run(number, true);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..jobs.max(1) {
            // With fewer threads than were asked for, the others do the work.
            let _ = std::thread::Builder::new().spawn_scoped(scope, work);
        }
        work();
    });
    let counts = *lock(&counts);
    Ok(ShardCounts { undone: all - counts.committed - counts.present, ..counts })
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing panics while it is locked.
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs a run until it is committed; an error is one of the machine.
fn run_one(
    folder: &SweepFolder<'_>,
    sweep: &Sweep,
    number: u64,
    interrupt: Interrupt,
    is_last: bool,
) -> Result<End, Failure> {
    loop {
        if let Some(row) = folder.committed(number)? {
            return Ok(End::Committed { outcome: Outcome::of_row(&row), is_present: true });
        }
        let left = folder.leftovers(number)?;
        if !is_last && left.iter().any(|path| path.is_dir()) {
            return Ok(End::Begun);
        }
        let mut part = folder.begin(number)?;
        let tried = catch_unwind(AssertUnwindSafe(|| simulate(sweep, number, part.path(), interrupt)));
        let tried = tried.unwrap_or_else(|panic| Err(Failure::new(panic_in_words(panic.as_ref()))));
        if !part.path().exists() {
            // Removed by another process, which has committed the run; or by a person.
            match folder.committed(number)? {
                Some(_) => continue,
                None => return Err(vanished(part.path()).into()),
            }
        }
        let mut found = match tried {
            Ok(None) => return Ok(End::Stopped),
            Ok(Some(found)) => found,
            Err(error) if error.is_of_machine() => return Err(error),
            Err(error) => Found { outcome: Outcome::Failed, verdict: error.to_string(), report: None },
        };
        found.verdict = sweep.without_folders(&found.verdict, part.path());
        if found.outcome == Outcome::Failed {
            // What it wrote until then is of no use.
            drop(part);
            if !folder.try_failed(number, &found.verdict)? {
                // Later, when what is wrong may have passed.
                return Ok(End::Begun);
            }
            part = folder.begin(number)?;
        }
        let outcome = found.outcome;
        let row = row(sweep, number, found, part.path())? + "\n";
        match folder.commit(number, part, &row, &left) {
            Ok(is_mine) => return Ok(End::Committed { outcome, is_present: !is_mine }),
            // Another process may have been faster.
            Err(error) if folder.committed(number)?.is_none() => return Err(error.into()),
            Err(_) => {}
        }
    }
}

/// Simulates a run and writes its files to a folder; none if it was interrupted.
fn simulate(sweep: &Sweep, number: u64, part: &Path, interrupt: Interrupt) -> Result<Option<Found>, Failure> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let pool = pool.map_err(|e| FileError::io(part, "start a thread", &std::io::Error::other(e)))?;
    pool.install(|| {
        let scene = sweep.scene(number)?;
        let (caches, files) = sweep.caches(&scene, part)?;
        let prepared = Prepared::build(&scene, &sweep.source, sweep.spec.limits(), &files)?;
        let mut caches = caches.start(&prepared)?;
        let mut run = Run::new(prepared)?;
        while run.advance(interrupt)?.is_some() {
            caches.push(&run.prepared, &files)?;
        }
        if run.record.interrupted {
            return Ok(None);
        }
        caches.finish(&files)?;
        let mut report = run.report();
        report.run.failures.iter_mut().for_each(|failure| *failure = sweep.without_folders(failure, part));
        let outcome = match (&run.record.broken, report.run.pass) {
            (Some(_), _) => Outcome::Failed,
            (None, true) => Outcome::Clean,
            (None, false) => Outcome::NotClean,
        };
        let verdict = run.record.broken.clone().unwrap_or_else(|| report.verdict());
        // `outcome` says that it failed, or that it is only not clean.
        let verdict = verdict.strip_prefix("failed: ").unwrap_or(&verdict).to_owned();
        Ok(Some(Found { outcome, verdict, report: Some(figures(&report)) }))
    })
}

/// The figures of a run without those of single frames, and without what depends on the machine.
fn figures(report: &SimulationReport) -> Value {
    const LEFT_OUT: &str = "schema_version threads notes complete interrupted planned_frames ms_per_frame \
                            stage_ms gate_share frame_hashes per_frame cut_options pass";
    // A structure of numbers and texts, which are JSON.
    let mut figures = serde_json::to_value(report).unwrap_or_default();
    for key in LEFT_OUT.split_whitespace() {
        figures.as_object_mut().map(|figures| figures.remove(key));
    }
    // Of the motion of a rigid body its end.
    for body in figures.pointer_mut("/rigid_bodies").and_then(Value::as_array_mut).into_iter().flatten() {
        for (_, figure) in body.as_object_mut().into_iter().flatten() {
            if let Some(last) = figure.as_array_mut().and_then(Vec::pop) {
                *figure = last;
            }
        }
    }
    figures
}

/// The line of a run, whose files are in a folder.
fn row(sweep: &Sweep, number: u64, found: Found, part: &Path) -> Result<String, FileError> {
    let figures = |path: &Path| {
        let bytes = fs::read(path).map_err(|e| FileError::io(path, "read", &e))?;
        let crc32 = format!("{:08x}", crc32fast::hash(&bytes));
        Ok(FileFigures { bytes: bytes.len() as u64, crc32 })
    };
    let entries = fs::read_dir(part).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let entries = entries.map_err(|e| FileError::io(part, "read", &e))?;
    let named = |entry: &fs::DirEntry| {
        Ok((entry.file_name().to_string_lossy().into_owned(), figures(&entry.path())?))
    };
    let files = entries.iter().map(named).collect::<Result<_, FileError>>()?;
    let Found { outcome, verdict, report } = found;
    let parameters = sweep.parameters(number).into_iter().collect();
    let row = Row { key: sweep.key(number), parameters, outcome, verdict, report, files };
    let text = serde_json::to_string(&row);
    text.map_err(|e| FileError::new(&sweep.path, format!("cannot be written as JSON: {e}")))
}

/// The error for a folder of a run that is gone before it was committed.
fn vanished(part: &Path) -> FileError {
    FileError::io(
        part,
        "go on with the run, whose folder was removed",
        &std::io::Error::other("call it again"),
    )
}

/// What a panic says; it is an error of the scene that led to it.
fn panic_in_words(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or_default();
    format!("the program panicked, please report it: {text}")
}

impl Outcome {
    /// That of a row.
    fn of_row(row: &str) -> Self {
        #[derive(Deserialize)]
        struct Known {
            outcome: Outcome,
        }
        serde_json::from_str::<Known>(row).map_or(Self::Failed, |known| known.outcome)
    }
}

impl ShardCounts {
    fn add(&mut self, outcome: Outcome, is_present: bool) {
        *if is_present { &mut self.present } else { &mut self.committed } += 1;
        match outcome {
            Outcome::Clean => {}
            Outcome::NotClean => self.not_clean += 1,
            Outcome::Failed => self.failed += 1,
        }
    }
}
