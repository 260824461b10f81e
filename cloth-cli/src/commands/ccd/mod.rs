//! `cloth ccd`: whether methods of continuous collision detection are right about queries with known answers,
//! and how fast.

mod candidates;
mod evaluate;
mod figures;
mod method;
mod queries;
mod report;

use std::path::{Path, PathBuf};

use cloth_io::queries::default_label_file;
use cloth_show::program::interrupt::INTERRUPT;
use cloth_show::program::{Failure, RunFiles, Status, console, json};

use super::motion::Frames;
use crate::args::CcdArgs;
use evaluate::{Session, evaluate};
use method::Method;
use queries::{Batch, enclose, expand, read_files, read_rebuilt};
use report::CcdReport;

/// Judges the methods that were asked for.
pub(crate) fn run(args: &CcdArgs) -> Result<Status, Failure> {
    let files = files(args)?;
    let methods = Method::parse(&args.method, args.toi.is_some())?;
    if args.candidates {
        return candidates::run(args, &methods, &files);
    }
    let (mut batches, paths) = read(args)?;
    if let Some(toi) = &args.toi {
        enclose(&mut batches, &paths, toi)?;
    }
    let queries: usize = batches.iter().map(|batch| batch.queries.len()).sum();
    let progress = console::Progress::start("ccd", "query", queries * methods.len());
    let mut session = Session { repeat: args.repeat, progress, done: 0 };
    let mut judged = Vec::new();
    for batch in &batches {
        judged.extend(evaluate(batch, &methods, &mut session)?);
    }
    drop(session);
    let interrupted = INTERRUPT.is_requested();
    let report = CcdReport::new(args.repeat, judged, interrupted);
    console::out(report.text());
    json::write(args.json.as_deref(), &report, &files)?;
    Ok(Status::of_run(report.pass, interrupted))
}

/// The schema of `--json`.
pub(crate) fn schema() -> schemars::Schema {
    json::schema::<CcdReport>()
}

/// The schema of `--json` with `--candidates`.
pub(crate) fn candidates_schema() -> schemars::Schema {
    candidates::schema()
}

/// The batches of query files, or of frames and lists of pairs; with the paths that say their scenes.
fn read(args: &CcdArgs) -> Result<(Vec<Batch>, Vec<PathBuf>), Failure> {
    let Some(frames) = read_frames(args)? else { return read_files(args) };
    if args.boxes.is_empty() {
        return Err(Failure::new(
            "--frames requires pairs to query; pass --boxes FILE, or --candidates for all",
        ));
    }
    let rebuilt = read_rebuilt(&frames, &args.boxes, &args.labels)?;
    Ok((rebuilt.into_iter().map(|(_, batch)| batch).collect(), args.boxes.clone()))
}

/// The frames of the command line, if there are any.
fn read_frames(args: &CcdArgs) -> Result<Option<Frames>, Failure> {
    match args.frames.as_deref() {
        Some([start, end]) => Frames::read(start, end).map(Some),
        _ => Ok(None),
    }
}

/// The files of a run, checked.
fn files(args: &CcdArgs) -> Result<RunFiles, Failure> {
    let mut files = RunFiles::default();
    let queries = expand(&args.queries)?;
    files.reads_all(&queries, "QUERIES");
    files.reads_all(args.frames.iter().flatten(), "--frames");
    files.reads_all(&args.boxes, "--boxes");
    files.reads_all(&args.labels, "--labels");
    let beside: Vec<PathBuf> =
        queries.iter().chain(&args.boxes).map(|path| default_label_file(path)).collect();
    files.reads_all(beside.iter().filter(|path| path.is_file()), "labels");
    args.toi.iter().for_each(|toi| times(toi, &mut files));
    files.writes_json(args.json.as_deref())?;
    Ok(files)
}

/// A file of times, or all that a folder may hold of them.
fn times(toi: &Path, files: &mut RunFiles) {
    files.reads(toi, "--toi");
    let inside = std::fs::read_dir(toi).into_iter().flatten().flatten();
    inside.for_each(|entry| files.reads(&entry.path(), "--toi"));
}
