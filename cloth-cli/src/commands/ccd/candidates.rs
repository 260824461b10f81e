//! `cloth ccd --candidates`: all pairs of a motion whose boxes overlap go straight into the methods.
//!
//! They go a chunk at a time: nothing is stored but the chunk, and the clock of the method is not the broad
//! phase's.

use std::fmt::Write;
use std::time::{Duration, Instant};

use cloth_broadphase::{BlockTree, BroadPhase};
use cloth_show::check::SCHEMA_VERSION;
use cloth_show::program::console::{self, Progress, count, counted};
use cloth_show::program::interrupt::INTERRUPT;
use cloth_show::program::{Failure, RunFiles, Status, json};
use rayon::prelude::*;
use serde::Serialize;

use super::method::{Method, Stages};
use super::queries::{query_of, read_rebuilt};
use super::read_frames;
use crate::args::CcdArgs;
use crate::commands::motion::{Frames, KnownPairs, Pair};

/// Candidates of a chunk: so many that reading the clock twice a chunk costs nothing.
const CHUNK: usize = 1 << 14;

/// Candidates that a thread takes at once.
const PIECE: usize = 1 << 8;

/// The whole run.
#[derive(Debug, Serialize, schemars::JsonSchema)]
struct CandidatesReport {
    schema_version: u32,
    frames: Vec<String>,
    vertices: usize,
    edges: usize,
    faces: usize,
    /// Candidates of a vertex and a face.
    vertex_face: usize,
    /// Candidates of two edges.
    edge_edge: usize,
    threads: usize,
    methods: Vec<MethodReport>,
    /// Whether a signal ended the run early: methods that had not been given all candidates are left out.
    interrupted: bool,
    /// Whether every known collision was found, and nothing else by those that claim to be exact.
    pass: bool,
}

/// One method.
#[derive(Debug, Serialize, schemars::JsonSchema)]
struct MethodReport {
    method: &'static str,
    hits: Hits,
    /// Pairs whose answer is known; the next three count among them.
    known: usize,
    positives: usize,
    false_negatives: usize,
    false_positives: usize,
    seconds: Seconds,
    /// Of the method alone, for a candidate (wall clock over all threads).
    ns_mean: f64,
    stages: Stages,
    pass: bool,
}

/// Collisions by kind.
#[derive(Debug, Default, Serialize, schemars::JsonSchema)]
struct Hits {
    vertex_face: usize,
    edge_edge: usize,
}

/// Times of one pass, without reading the frames.
#[derive(Debug, Serialize, schemars::JsonSchema)]
struct Seconds {
    total: f64,
    /// Boxes, tree and visits.
    broad_phase: f64,
    /// Queries put together and answered.
    ccd: f64,
}

/// The head of the table.
const HEADER: &str = "method      vertex-face  edge-edge     known  missed   false   total s\
    \x20broad phase s     ccd s ns a pair\n";

/// Runs each method over all candidates.
pub(super) fn run(args: &CcdArgs, methods: &[Method], files: &RunFiles) -> Result<Status, Failure> {
    let frames = read_frames(args)?.ok_or_else(|| Failure::new("--candidates wants --frames T0 T1"))?;
    let known = read_known(&frames, args)?;
    let paths: Vec<String> = args.frames.iter().flatten().map(|path| path.display().to_string()).collect();
    let visit = |visit: &mut dyn FnMut(Pair)| -> Result<(), Failure> {
        let boxes = frames.swept(0.0).map_err(|e| Failure::new(format!("{}: {e}", paths[1])))?;
        let (mut faces, mut edges) = (BlockTree::default(), BlockTree::default());
        faces.update(&boxes.faces);
        edges.update(&boxes.edges);
        frames.visit_pairs([&faces, &edges], &boxes.points, visit);
        Ok(())
    };
    let mut counts = Hits::default();
    visit(&mut |pair| counts.add(pair))?;
    let threads = usize::from(args.threads.unwrap_or(1));
    let pool = || {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.map_err(|e| Failure::new(format!("cannot start {threads} threads: {e}; use fewer")))
    };
    let pool = (threads > 1).then(pool).transpose()?;
    let all = counts.vertex_face + counts.edge_edge;
    let mut progress = Progress::start("ccd", "candidate", all * methods.len());
    let mut found = Vec::new();
    for (i, &method) in methods.iter().enumerate() {
        let subject = KnownMotion { frames: &frames, known: &known, pool: pool.as_ref() };
        let report = subject.feed(method, visit, |done| progress.done(i * all + done))?;
        if INTERRUPT.is_requested() {
            break;
        }
        found.push(report);
    }
    drop(progress);
    let interrupted = INTERRUPT.is_requested();
    let [vertices, edges, faces] = frames.counts();
    let report = CandidatesReport {
        schema_version: SCHEMA_VERSION,
        frames: paths,
        vertices,
        edges,
        faces,
        vertex_face: counts.vertex_face,
        edge_edge: counts.edge_edge,
        threads,
        interrupted,
        pass: !interrupted && found.iter().all(|method| method.pass),
        methods: found,
    };
    console::out(report.text());
    json::write(args.json.as_deref(), &report, files)?;
    Ok(Status::of_run(report.pass, interrupted))
}

/// The schema of `--json`.
pub(super) fn schema() -> schemars::Schema {
    json::schema::<CandidatesReport>()
}

/// Reads the lists of pairs and labels of the command line, if there are any.
fn read_known(frames: &Frames, args: &CcdArgs) -> Result<KnownPairs, Failure> {
    let mut known = Vec::new();
    for (pairs, batch) in read_rebuilt(frames, &args.boxes, &args.labels)? {
        let labels = batch.labels.ok_or_else(|| {
            let text =
                "has no labels, and there is no label file in the place of the public sets; pass --labels";
            Failure::new(format!("{}: {text}", batch.path))
        })?;
        known.extend(pairs.into_iter().zip(labels.collides));
    }
    KnownPairs::new(known).map_err(|text| Failure::new(format!("--boxes: {text}")))
}

/// What every method is asked about, and the threads that ask.
struct KnownMotion<'a> {
    frames: &'a Frames,
    known: &'a KnownPairs,
    pool: Option<&'a rayon::ThreadPool>,
}

impl KnownMotion<'_> {
    /// What a method makes of the candidates that `visit` passes on, until a signal; `report` receives the
    /// number of finished ones.
    fn feed(
        &self,
        method: Method,
        visit: impl FnOnce(&mut dyn FnMut(Pair)) -> Result<(), Failure>,
        mut report: impl FnMut(usize),
    ) -> Result<MethodReport, Failure> {
        let start = Instant::now();
        let (mut hits, mut stages, mut candidates, mut time) =
            (Hits::default(), Stages::default(), 0, Duration::ZERO);
        let (mut known_hits, mut false_positives, mut failed) = (0, 0, None);
        let mut flush = |chunk: &mut Vec<Pair>| {
            if failed.is_some() || INTERRUPT.is_requested() {
                return chunk.clear();
            }
            let start = Instant::now();
            let pieces = self.ask(method, chunk);
            time += start.elapsed();
            match pieces {
                Err(failure) => failed = Some(failure),
                Ok(pieces) => pieces.into_iter().for_each(|(pairs, own)| {
                    stages.sum(&own);
                    for pair in pairs {
                        hits.add(pair);
                        let label = self.known.find(pair).map(|(_, collides)| collides);
                        known_hits += usize::from(label == Some(true));
                        false_positives += usize::from(label == Some(false));
                    }
                }),
            }
            candidates += chunk.len();
            chunk.clear();
            report(candidates);
        };
        let mut chunk = Vec::with_capacity(CHUNK);
        visit(&mut |pair| {
            chunk.push(pair);
            if chunk.len() == CHUNK {
                flush(&mut chunk);
            }
        })?;
        flush(&mut chunk);
        if let Some(failure) = failed {
            return Err(failure);
        }
        let false_negatives = self.known.hits() - known_hits;
        let [total, ccd] = [start.elapsed(), time].map(|time| time.as_secs_f64());
        let wrong = false_negatives + if method.claims_exact_verdicts() { false_positives } else { 0 };
        Ok(MethodReport {
            method: method.name(),
            hits,
            known: self.known.len(),
            positives: self.known.hits(),
            false_negatives,
            false_positives,
            seconds: Seconds { total, broad_phase: total - ccd, ccd },
            ns_mean: 1e9 * ccd / candidates.max(1) as f64,
            stages,
            pass: wrong == 0,
        })
    }

    /// The answers of a method to a chunk, piece by piece.
    fn ask(&self, method: Method, chunk: &[Pair]) -> Result<Vec<Piece>, Failure> {
        let ask = |pairs| piece(self.frames, method, pairs);
        match self.pool {
            None => chunk.chunks(PIECE).map(ask).collect(),
            Some(pool) => pool.install(|| chunk.par_chunks(PIECE).map(ask).collect()),
        }
    }
}

/// The candidates that a method calls collisions, and the stages that decided.
type Piece = (Vec<Pair>, Stages);

/// What a method makes of a piece of a chunk.
fn piece(frames: &Frames, method: Method, pairs: &[Pair]) -> Result<Piece, Failure> {
    let (mut hits, mut stages) = (Vec::new(), Stages::default());
    for &pair in pairs {
        let answer = method.answer(&query_of(frames, pair));
        let answer = answer.map_err(|e| Failure::new(format!("candidate {pair}: {e}")))?;
        stages.add(answer.stage);
        if answer.impact.is_some() {
            hits.push(pair);
        }
    }
    Ok((hits, stages))
}

impl Hits {
    fn add(&mut self, pair: Pair) {
        match pair {
            Pair::FaceVertex(_) => self.vertex_face += 1,
            Pair::EdgeEdge(_) => self.edge_edge += 1,
        }
    }
}

impl CandidatesReport {
    /// The table, each line ended.
    fn text(&self) -> String {
        let counts = [self.vertices, self.edges, self.faces, self.vertex_face, self.edge_edge];
        let ([v, e, f, vf, ee], threads) = (counts.map(count), counted(self.threads, "thread"));
        let mut text = format!(
            "{v} vertices, {e} edges, {f} faces; candidates: {vf} vertex-face, {ee} edge-edge; {threads}\n"
        );
        text.push_str(HEADER);
        for m in &self.methods {
            let or_dash = |n: usize| if m.known > 0 { count(n) } else { "-".to_owned() };
            let _ = writeln!(
                text,
                "{:<10}{:>13}{:>11}{:>10}{:>8}{:>8}{:>10.3}{:>14.3}{:>10.3}{:>10.1}",
                m.method,
                count(m.hits.vertex_face),
                count(m.hits.edge_edge),
                or_dash(m.known),
                or_dash(m.false_negatives),
                or_dash(m.false_positives),
                m.seconds.total,
                m.seconds.broad_phase,
                m.seconds.ccd,
                m.ns_mean
            );
        }
        for m in &self.methods {
            if let Some(stages) = m.stages.text() {
                let _ = writeln!(text, "{}: {stages}", m.method);
            }
        }
        if self.interrupted {
            text.push_str("Interrupted: not every method has been given all candidates.\n");
        }
        text
    }
}
