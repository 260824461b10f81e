//! The measuring: every contender in every scene, each run in a process of its own.
//!
//! ```text
//! plan      what is run, in which order          record    the file of a run, to resume a benchmark
//! worker    the process of a run                 process   starts, stops and counts it
//! judge     recorded states -> quality           assemble  runs -> results, ratios and growth
//! machine   where and when
//! ```
//!
//! Runs are interleaved: each round runs all contenders of a scene one after the other (A B C, A B C), so
//! that a change in the load of the machine meets all of them. A run records its positions outside the timed
//! section; the parent judges them when the run is through.

mod assemble;
mod judge;
mod machine;
mod plan;
mod process;
mod record;
mod worker;

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::schema::BenchReport;

pub use judge::{Verdict, judge};
pub(crate) use machine::{load_average, provenance};
pub use plan::{Job, Plan};
pub use record::{RunRecord, Store};
pub use worker::{WorkerArguments, work};

/// Ends the benchmark after the run in progress, once it is set.
pub static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Time limit of a run under callgrind, which is some fifty times as slow: so long that the frames decide,
/// not the load of the machine.
const COUNT_LIMIT: Duration = Duration::from_secs(1200);

/// Measures all scenes of a plan and returns the report.
///
/// # Errors
/// If a file cannot be written, a process cannot be started, or states cannot be judged. What a contender
/// does wrong is part of the report.
pub fn scenes(plan: &Plan, store: &Store) -> Result<BenchReport, String> {
    let load_at_start = machine::load_average();
    let started = Instant::now();
    // Once, so that a commit meanwhile does not divide the runs.
    let stamp = plan.stamp();
    let mut records = if plan.resume { store.read(&stamp)? } else { store.clear()? };
    let mut ended_early = false;
    let jobs = plan.jobs();
    for (k, job) in jobs.iter().enumerate() {
        if records.iter().any(|r| r.job == *job) {
            continue;
        }
        if INTERRUPTED.load(Ordering::Relaxed) || started.elapsed() > plan.budget {
            ended_early = true;
            break;
        }
        let Some(mut record) = measure(plan, store, job, &records)? else {
            ended_early = true;
            break;
        };
        record.stamp.clone_from(&stamp);
        eprintln!("[{}/{}] {}", k + 1, jobs.len(), record.summary());
        store.write(&record)?;
        records.push(record);
    }
    ended_early |= !count_instructions(plan, store, &mut records, started)?;
    let provenance = machine::provenance(&plan.note, load_at_start);
    Ok(assemble::report(plan, &records, provenance, ended_early))
}

/// Runs and judges one job; none if the benchmark was interrupted meanwhile.
fn measure(plan: &Plan, store: &Store, job: &Job, known: &[RunRecord]) -> Result<Option<RunRecord>, String> {
    let states = store.states();
    let arguments = WorkerArguments {
        job: job.clone(),
        frames: plan.frames_of(job)?,
        limit: plan.limit,
        states: states.clone(),
    };
    let mut record = process::run(&arguments)?;
    if INTERRUPTED.load(Ordering::Relaxed) {
        return Ok(None);
    }
    if !record.frames.is_empty() {
        let hash = judge::hash(&states).map_err(|e| file_error(&states, &e))?;
        let same = known.iter().find(|r| r.job.is_same_cell(job) && r.states_hash == Some(hash));
        record.states_hash = Some(hash);
        record.verdict = match same {
            Some(same) => same.verdict.clone(),
            None => {
                let verdict = judge(job, &states, record.frames.len(), plan.judge_limit);
                Some(verdict.map_err(|e| format!("{job}: {e}"))?)
            }
        };
    }
    Ok(Some(record))
}

/// Counts the instructions of the runs for which the plan asks it: last, since no load changes them and a
/// slow library takes minutes under callgrind; the contenders in the order of the plan. Returns whether all
/// of them were counted or failed to be.
fn count_instructions(
    plan: &Plan,
    store: &Store,
    records: &mut [RunRecord],
    started: Instant,
) -> Result<bool, String> {
    for contender in &plan.contenders {
        let uncounted = |r: &&mut RunRecord| {
            r.job.contender == *contender && r.instructions_per_frame.is_none() && !r.frames.is_empty()
        };
        for record in records.iter_mut().filter(uncounted) {
            let job = &record.job;
            let Some(frames) = plan.counted_frames_of(job)? else { continue };
            if INTERRUPTED.load(Ordering::Relaxed) || started.elapsed() > plan.budget {
                return Ok(false);
            }
            eprintln!("{job}: counting instructions");
            let states = store.counted_states();
            let arguments = WorkerArguments { job: job.clone(), frames, limit: COUNT_LIMIT, states };
            match process::count(&arguments) {
                Ok(count) => record.instructions_per_frame = Some(count),
                Err(reason) => eprintln!("{job}: instructions are not counted: {reason}"),
            }
            store.write(record)?;
        }
    }
    Ok(true)
}

fn file_error(path: &Path, cause: &std::io::Error) -> String {
    format!("{}: {cause}", path.display())
}

/// Seconds as the command line gives them.
#[must_use]
pub fn seconds(value: f64) -> Duration {
    Duration::try_from_secs_f64(value).unwrap_or(Duration::MAX)
}
