//! What methods made of all candidates of a motion, as JSON and as a table.

use std::fmt::Write;

use serde::Serialize;

use super::known::KnownPairs;
use super::stream::Tally;
use crate::args::CcdArgs;
use crate::commands::ccd::method::Method;
use crate::commands::ccd::stages::Stages;
use crate::commands::motion::Frames;
use crate::console::{count, counted};
use crate::json;

/// The whole run.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct CandidatesReport {
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
    pub(super) pass: bool,
}

/// One method.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct MethodReport {
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
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Hits {
    vertex_face: usize,
    edge_edge: usize,
}

/// Times of one pass, without reading the frames.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Seconds {
    total: f64,
    /// Boxes, tree and visits.
    broad_phase: f64,
    /// Queries put together and answered.
    ccd: f64,
}

impl MethodReport {
    pub(super) fn new(method: Method, tally: Tally, known: &KnownPairs) -> Self {
        let false_negatives = known.hits() - tally.known_hits;
        let [total, ccd] = [tally.total, tally.ccd].map(|time| time.as_secs_f64());
        let wrong = false_negatives + if method.claims_exact_verdicts() { tally.false_positives } else { 0 };
        let [vertex_face, edge_edge] = tally.hits;
        Self {
            method: method.name(),
            hits: Hits { vertex_face, edge_edge },
            known: known.len(),
            positives: known.hits(),
            false_negatives,
            false_positives: tally.false_positives,
            seconds: Seconds { total, broad_phase: total - ccd, ccd },
            ns_mean: 1e9 * ccd / tally.candidates.max(1) as f64,
            stages: tally.stages,
            pass: wrong == 0,
        }
    }
}

impl CandidatesReport {
    pub(super) fn new(
        args: &CcdArgs,
        frames: &Frames,
        [vertex_face, edge_edge]: [usize; 2],
        threads: usize,
        methods: Vec<MethodReport>,
    ) -> Self {
        let [vertices, edges, faces] = frames.counts();
        Self {
            schema_version: json::SCHEMA_VERSION,
            frames: args.frames.iter().flatten().map(|path| path.display().to_string()).collect(),
            vertices,
            edges,
            faces,
            vertex_face,
            edge_edge,
            threads,
            interrupted: false,
            pass: methods.iter().all(|method| method.pass),
            methods,
        }
    }

    /// Says that a signal ended the run early.
    pub(super) fn interrupt(&mut self) {
        self.interrupted = true;
        self.pass = false;
    }

    /// The table, each line ended.
    pub(super) fn text(&self) -> String {
        let [v, e, f] = [self.vertices, self.edges, self.faces].map(count);
        let candidates = [self.vertex_face, self.edge_edge].map(count);
        let mut text = format!(
            "{v} vertices, {e} edges, {f} faces; candidates: {} vertex-face, {} edge-edge; {}\n",
            candidates[0],
            candidates[1],
            counted(self.threads, "thread")
        );
        let _ = writeln!(
            text,
            "{:<10}{:>13}{:>11}{:>10}{:>8}{:>8}{:>10}{:>14}{:>10}{:>10}",
            "method",
            "vertex-face",
            "edge-edge",
            "known",
            "missed",
            "false",
            "total s",
            "broad phase s",
            "ccd s",
            "ns a pair"
        );
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
