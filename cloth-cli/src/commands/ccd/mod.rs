//! `cloth ccd`: whether methods of continuous collision detection are right about queries with known answers,
//! and how fast.

mod batch;
mod candidates;
mod enclose;
mod evaluate;
mod figures;
mod files;
mod inputs;
mod method;
mod rebuilt;
mod report;
mod stages;
mod timing;

use std::path::PathBuf;

use super::motion::Frames;
use crate::args::CcdArgs;
use crate::failure::{Failure, Status};
use crate::interrupt::INTERRUPT;
use crate::{console, json};
use batch::Batch;
use evaluate::{Session, evaluate};
use method::Method;
use report::CcdReport;

/// Judges the methods that were asked for.
pub(crate) fn run(args: &CcdArgs) -> Result<Status, Failure> {
    let files = inputs::files(args)?;
    let methods = Method::parse(&args.method, args.toi.is_some())?;
    if args.candidates {
        return candidates::run(args, &methods, &files);
    }
    let (mut batches, paths) = read(args)?;
    if let Some(toi) = &args.toi {
        enclose::enclose(&mut batches, &paths, toi)?;
    }
    let queries: usize = batches.iter().map(|batch| batch.queries.len()).sum();
    let progress = console::Progress::start("ccd", queries * methods.len());
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
#[cfg(feature = "schema")]
pub(crate) fn schema() -> schemars::Schema {
    json::schema::<CcdReport>()
}

/// The schema of `--json` with `--candidates`.
#[cfg(feature = "schema")]
pub(crate) fn candidates_schema() -> schemars::Schema {
    candidates::schema()
}

/// The batches of query files, or of frames and lists of pairs; with the paths that say their scenes.
fn read(args: &CcdArgs) -> Result<(Vec<Batch>, Vec<PathBuf>), Failure> {
    let Some(frames) = read_frames(args)? else { return files::read(args) };
    if args.boxes.is_empty() {
        return Err(Failure::new(
            "--frames requires pairs to query; pass --boxes FILE, or --candidates for all",
        ));
    }
    Ok((rebuilt::read(&frames, &args.boxes, &args.labels)?, args.boxes.clone()))
}

/// The frames of the command line, if there are any.
fn read_frames(args: &CcdArgs) -> Result<Option<Frames>, Failure> {
    match args.frames.as_deref() {
        Some([start, end]) => Frames::read(start, end).map(Some),
        _ => Ok(None),
    }
}
