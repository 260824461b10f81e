//! What `cloth pairs` found, as JSON and as a table.

use std::fmt::Write;

use serde::Serialize;

use super::motion::MotionBoxes;
use crate::args::PairsArgs;
use crate::console::count;
use crate::json;

/// The whole run.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct PairsReport {
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
    pub(super) pass: bool,
}

/// One method.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct MethodReport {
    pub(super) method: &'static str,
    pub(super) vertex_face: u64,
    pub(super) edge_edge: u64,
    /// Expected pairs that were not found; none if nothing was expected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) missing: Option<usize>,
    pub(super) ms: Milliseconds,
}

/// Times, edges and faces together; the shortest of the runs.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Milliseconds {
    /// From nothing, over the boxes at the start.
    pub(super) build: f64,
    /// From the boxes at the start to those of the motion, or a build where a method has no refit.
    pub(super) refit: f64,
    /// Both kinds of pairs, visited and counted, not stored.
    pub(super) query: f64,
    /// The vertices with the tree of the faces.
    pub(super) query_vertex_face: f64,
    /// The edges with each other.
    pub(super) query_edge_edge: f64,
}

impl PairsReport {
    pub(super) fn new(
        args: &PairsArgs,
        motion: &MotionBoxes,
        expected: usize,
        methods: Vec<MethodReport>,
        interrupted: bool,
    ) -> Self {
        let [vertices, edges, faces] = motion.counts();
        let same = methods.windows(2).all(|m| counts(&m[0]) == counts(&m[1]));
        Self {
            schema_version: json::SCHEMA_VERSION,
            start: args.start.display().to_string(),
            end: args.end.display().to_string(),
            inflate: args.inflate,
            vertices,
            edges,
            faces,
            expected,
            interrupted,
            pass: !interrupted && same && methods.iter().all(|m| m.missing.unwrap_or(0) == 0),
            methods,
        }
    }

    /// The table, each line ended.
    pub(super) fn text(&self) -> String {
        let [v, e, f] = [self.vertices, self.edges, self.faces].map(count);
        let mut text =
            format!("{v} vertices, {e} edges, {f} faces; {} pairs expected\n", count(self.expected));
        let header = ["method", "vertex-face", "edge-edge", "missing", "build ms", "refit ms", "query ms"];
        let _ = writeln!(
            text,
            "{:<16}{:>12}{:>12}{:>9}{:>10}{:>10}{:>10}   (vertex-face + edge-edge)",
            header[0], header[1], header[2], header[3], header[4], header[5], header[6]
        );
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

fn counts(method: &MethodReport) -> (u64, u64) {
    (method.vertex_face, method.edge_edge)
}
