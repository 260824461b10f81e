//! `cloth pairs`: what each broad phase finds over one real motion, and how long it takes.

use std::fmt::Write;
use std::time::Instant;

use cloth_broadphase::{BoxesError, BroadPhase};
use cloth_show::check::SCHEMA_VERSION;
use cloth_show::choice::{BroadPhaseChoice, WithBroadPhase};
use cloth_show::program::console::{self, count};
use cloth_show::program::interrupt::INTERRUPT;
use cloth_show::program::{Failure, RunFiles, Status, json};
use serde::Serialize;

use super::motion::{Frames, KnownPairs, SweptBoxes, read_pairs};
use crate::args::PairsArgs;

/// Edges above which `all` leaves out brute force: 20,000 take a second.
const QUADRATIC_LIMIT: usize = 20_000;

/// The head of the table.
const HEADER: &str = "method           vertex-face   edge-edge  missing  build ms  refit ms  query ms\
    \x20  (vertex-face + edge-edge)\n";

/// The whole run.
#[derive(Debug, Serialize, schemars::JsonSchema)]
struct PairsReport {
    schema_version: u32,
    start: String,
    end: String,
    inflate: f64,
    vertices: usize,
    edges: usize,
    faces: usize,
    /// Pairs that must be found.
    expected: usize,
    methods: Vec<MethodReport>,
    /// Whether a signal ended the run before the other methods.
    interrupted: bool,
    /// Whether all methods found the same numbers and missed nothing.
    pass: bool,
}

/// One method.
#[derive(Debug, Serialize, schemars::JsonSchema)]
struct MethodReport {
    method: &'static str,
    vertex_face: u64,
    edge_edge: u64,
    /// Expected pairs that were not found; none if nothing was expected.
    #[serde(skip_serializing_if = "Option::is_none")]
    missing: Option<usize>,
    ms: Milliseconds,
}

/// Times, edges and faces together; the shortest of the runs.
#[derive(Debug, Serialize, schemars::JsonSchema)]
struct Milliseconds {
    /// From nothing, over the boxes at the start.
    build: f64,
    /// From the boxes at the start to those of the motion, or a build where a method has no refit.
    refit: f64,
    /// Both kinds of pairs, visited and counted, not stored.
    query: f64,
    /// The vertices with the tree of the faces.
    query_vertex_face: f64,
    /// The edges with each other.
    query_edge_edge: f64,
}

/// Measures the methods that were asked for and prints what each found.
pub(crate) fn run(args: &PairsArgs) -> Result<Status, Failure> {
    let files = files(args)?;
    let frames = Frames::read(&args.start, &args.end)?;
    let large =
        |e: BoxesError| Failure::new(format!("{}: {e} (--inflate may be too large)", args.end.display()));
    let at_start = frames.at_start(args.inflate).map_err(large)?;
    let swept = frames.swept(args.inflate).map_err(large)?;
    let [vertices, edges, faces] = frames.counts();
    let choices = methods(&args.method, edges)?;
    let mut expected = Vec::new();
    for path in &args.expect {
        expected.extend(read_pairs(path, frames.counts())?.into_iter().map(|pair| (pair, true)));
    }
    let expected = KnownPairs::new(expected).map_err(Failure::new)?;
    let mut progress = console::Progress::start("pairs", "method", choices.len());
    let mut methods = Vec::new();
    for method in choices.into_iter().take_while(|_| !INTERRUPT.is_requested()) {
        let measure = Measure {
            method: method.name(),
            frames: &frames,
            at_start: &at_start,
            swept: &swept,
            expected: &expected,
            repeat: args.repeat,
        };
        methods.push(method.with(measure));
        progress.done(methods.len());
    }
    drop(progress);
    let interrupted = INTERRUPT.is_requested();
    let counts = |m: &MethodReport| (m.vertex_face, m.edge_edge);
    let same = methods.windows(2).all(|m| counts(&m[0]) == counts(&m[1]));
    let report = PairsReport {
        schema_version: SCHEMA_VERSION,
        start: args.start.display().to_string(),
        end: args.end.display().to_string(),
        inflate: args.inflate,
        vertices,
        edges,
        faces,
        expected: expected.len(),
        interrupted,
        pass: !interrupted && same && methods.iter().all(|m| m.missing.unwrap_or(0) == 0),
        methods,
    };
    console::out(report.text());
    json::write(args.json.as_deref(), &report, &files)?;
    Ok(Status::of_run(report.pass, interrupted))
}

/// The schema of `--json`.
pub(crate) fn schema() -> schemars::Schema {
    json::schema::<PairsReport>()
}

/// What the run reads and writes, checked.
fn files(args: &PairsArgs) -> Result<RunFiles, Failure> {
    let mut files = RunFiles::default();
    files.reads(&args.start, "--start");
    files.reads(&args.end, "--end");
    files.reads_all(&args.expect, "--expect");
    files.writes_json(args.json.as_deref())?;
    Ok(files)
}

/// The methods of a word.
fn methods(word: &str, edges: usize) -> Result<Vec<BroadPhaseChoice>, Failure> {
    if word == "all" {
        let bearable = |choice: &BroadPhaseChoice| !choice.is_quadratic() || edges <= QUADRATIC_LIMIT;
        return Ok(BroadPhaseChoice::ALL.into_iter().filter(bearable).collect());
    }
    let one = word.parse::<BroadPhaseChoice>();
    one.map(|choice| vec![choice]).map_err(|e| Failure::new(format!("--method: {e}, or all")))
}

/// What to do with a broad phase.
struct Measure<'a> {
    method: &'static str,
    frames: &'a Frames,
    at_start: &'a SweptBoxes,
    swept: &'a SweptBoxes,
    expected: &'a KnownPairs,
    repeat: u32,
}

impl WithBroadPhase for Measure<'_> {
    type Output = MethodReport;

    fn call<B: BroadPhase>(self) -> MethodReport {
        let Self { method, frames, at_start, swept, expected, repeat } = self;
        let (mut edges, mut faces) = (B::default(), B::default());
        let build = best(repeat, || {
            (edges, faces) = (B::default(), B::default());
            edges.update(&at_start.edges);
            faces.update(&at_start.faces);
        });
        let refit = best(repeat, || {
            edges.update(&swept.edges);
            faces.update(&swept.faces);
        });
        let (mut edge_edge, mut vertex_face) = (0, 0);
        let query_edge_edge = best(repeat, || {
            edge_edge = 0;
            edges.visit_self_pairs(&frames.edge_edge(), &mut |_, _| edge_edge += 1);
        });
        let query_vertex_face = best(repeat, || {
            vertex_face = 0;
            faces.visit_pairs_with(&swept.points, &frames.face_vertex(), &mut |_, _| vertex_face += 1);
        });
        let missing = || expected.missing(|visit| frames.visit_pairs([&faces, &edges], &swept.points, visit));
        let query = query_edge_edge + query_vertex_face;
        MethodReport {
            method,
            vertex_face,
            edge_edge,
            missing: (expected.len() > 0).then(missing),
            ms: Milliseconds { build, refit, query, query_vertex_face, query_edge_edge },
        }
    }
}

/// The shortest time (ms) of some runs: what disturbs a run only ever makes it longer.
fn best(repeat: u32, mut run: impl FnMut()) -> f64 {
    let mut shortest = f64::INFINITY;
    for done in 0..repeat {
        // Once is enough to say what was found.
        if done > 0 && INTERRUPT.is_requested() {
            break;
        }
        let start = Instant::now();
        run();
        shortest = shortest.min(start.elapsed().as_secs_f64() * 1e3);
    }
    shortest
}

impl PairsReport {
    /// The table, each line ended.
    fn text(&self) -> String {
        let [v, e, f] = [self.vertices, self.edges, self.faces].map(count);
        let mut text =
            format!("{v} vertices, {e} edges, {f} faces; {} pairs expected\n", count(self.expected));
        text.push_str(HEADER);
        for m in &self.methods {
            let missing = m.missing.map_or_else(|| "-".into(), count);
            let ms = &m.ms;
            let _ = writeln!(
                text,
                "{:<16}{:>12}{:>12}{missing:>9}{:>10.1}{:>10.1}{:>10.1}   {:.1} + {:.1}",
                m.method,
                count(m.vertex_face as usize),
                count(m.edge_edge as usize),
                ms.build,
                ms.refit,
                ms.query,
                ms.query_vertex_face,
                ms.query_edge_edge
            );
        }
        if self.interrupted {
            text.push_str("Interrupted: the other methods have not been asked.\n");
        } else if !self.pass {
            text.push_str("The methods disagree, or expected pairs are missing.\n");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_methods_leave_out_brute_force_where_it_takes_minutes() {
        let all = |edges| methods("all", edges).unwrap();
        assert_eq!(all(100), BroadPhaseChoice::ALL);
        assert!(!all(100_000).contains(&BroadPhaseChoice::BruteForce));
        assert_eq!(methods("brute-force", 100_000), Ok(vec![BroadPhaseChoice::BruteForce]));
        assert!(methods("octree", 1).unwrap_err().to_string().contains("octree"));
    }
}
