//! `cloth ccd --candidates`: all pairs of a motion whose boxes overlap go straight into the methods.

mod known;
mod report;
mod stream;

use cloth_broadphase::{BlockTree, BroadPhase};

use super::method::Method;
use super::{read_frames, rebuilt};
use crate::args::CcdArgs;
use crate::commands::motion::{Frames, Pair};
use crate::console::Progress;
use crate::failure::{Failure, Status};
use crate::files::RunFiles;
use crate::interrupt::INTERRUPT;
use crate::{console, json};
use known::KnownPairs;
use report::{CandidatesReport, MethodReport};
use stream::Stream;

/// Runs each method over all candidates.
pub(super) fn run(args: &CcdArgs, methods: &[Method], files: &RunFiles) -> Result<Status, Failure> {
    let frames = read_frames(args)?.ok_or_else(|| Failure::new("--candidates wants --frames T0 T1"))?;
    let known = KnownPairs::read(&frames, args)?;
    let end = args.frames.iter().flatten().nth(1).map_or_else(String::new, |path| path.display().to_string());
    let threads = usize::from(args.threads.unwrap_or(1));
    let mut counts = [0; 2];
    visit(&frames, &end, &mut |pair| counts[usize::from(matches!(pair, Pair::EdgeEdge(_)))] += 1)?;
    let mut progress = Progress::start("ccd", counts.iter().sum::<usize>() * methods.len());
    let mut found = Vec::new();
    for (i, &method) in methods.iter().enumerate() {
        let done_before = i * counts.iter().sum::<usize>();
        let report = |done| progress.done(done_before + done);
        let mut stream = Stream::start(&frames, method, &known, threads, report)?;
        visit(&frames, &end, &mut |pair| stream.push(pair))?;
        let tally = stream.finish()?;
        if INTERRUPT.is_requested() {
            break;
        }
        found.push(MethodReport::new(method, tally, &known));
    }
    drop(progress);
    let interrupted = INTERRUPT.is_requested();
    let mut report = CandidatesReport::new(args, &frames, counts, threads, found);
    if interrupted {
        report.interrupt();
    }
    console::out(report.text());
    json::write(args.json.as_deref(), &report, files)?;
    Ok(Status::of_run(report.pass, interrupted))
}

/// The schema of `--json`.
#[cfg(feature = "schema")]
pub(super) fn schema() -> schemars::Schema {
    json::schema::<CandidatesReport>()
}

/// Visits every pair whose boxes overlap and that shares no vertex: of a vertex and a face first, then of
/// edges.
fn visit(frames: &Frames, end: &str, visit: &mut impl FnMut(Pair)) -> Result<(), Failure> {
    let boxes = frames.swept(0.0).map_err(|e| Failure::new(format!("{end}: {e}")))?;
    let (mut faces, mut edges) = (BlockTree::default(), BlockTree::default());
    faces.update(&boxes.faces);
    faces.visit_pairs_with(&boxes.points, &frames.face_vertex(), &mut |f, v| visit(Pair::FaceVertex([f, v])));
    edges.update(&boxes.edges);
    edges.visit_self_pairs(&frames.edge_edge(), &mut |a, b| visit(Pair::EdgeEdge([a, b])));
    Ok(())
}
