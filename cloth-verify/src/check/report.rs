//! What `cloth check` found, as JSON and as a short block of text for each mesh.

use std::fmt::Write;

use cloth_geom::{Problem, ProblemKind};
use serde::Serialize;

use super::StateCounts;
use super::hints::BoundsReport;
use super::pass_through::PassThroughReport;
use super::seams::SeamCounts;
use super::states::Example;
use cloth_scene::words::{count, counted};

/// Of the JSON that reports are written in. Adding a field keeps it; a changed meaning raises it.
pub const SCHEMA_VERSION: u32 = 2;

/// Examples listed for one kind of problem.
const MAX_PLACES: usize = 8;

/// One mesh; for a sequence, the figures are those of the worst frame.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StatesReport {
    pub(super) path: String,
    pub(super) vertices: usize,
    pub(super) triangles: usize,
    /// Bounding box (m) of the mesh as read, or of the first frame of a sequence; none without finite
    /// positions.
    pub(super) bounds: Option<BoundsReport>,
    #[serde(flatten)]
    pub(super) counts: StateCounts,
    /// Seams in the worst frame; none unless stitches were declared.
    pub(super) seams: Option<SeamCounts>,
    /// Between the frames; none if there is one state or if that was not asked for.
    pub(super) impacts: Option<PassThroughReport>,
    pub(super) examples: Vec<Example>,
    pub(super) problems: Vec<ProblemReport>,
    pub(super) notes: Vec<String>,
    /// Each frame of a sequence or cache; empty for a mesh alone.
    pub(super) frames: Vec<FrameReport>,
    /// Pairs of triangles after which the check of the last state was stopped, because there were too many of
    /// them or of intersections: its figures are lower bounds then.
    pub(super) stopped_after_pairs: Option<u64>,
    /// States left unchecked because of a signal, or because the check of a state was stopped.
    pub(super) unchecked_states: usize,
}

/// One frame.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct FrameReport {
    /// Its number, as the sequence or the cache counts.
    pub(super) frame: f64,
    #[serde(flatten)]
    pub(super) counts: StateCounts,
    /// Seams; none unless stitches were declared.
    pub(super) seams: Option<SeamCounts>,
    /// Pairs that crossed in the motion from the previous frame; none for the first frame, or if motion was
    /// not checked.
    pub(super) impacts: Option<usize>,
}

/// All problems of one kind.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct ProblemReport {
    /// In words.
    pub(super) kind: &'static str,
    pub(super) count: usize,
    /// The vertices, faces or edges of the first ones.
    pub(super) examples: Vec<String>,
    /// The first one as a sentence.
    pub(super) first: String,
}

/// Problems by kind, in the order in which they are found.
pub(super) fn problem_reports(problems: &[Problem]) -> Vec<ProblemReport> {
    let same_kind = problems.chunk_by(|a, b| a.kind() == b.kind());
    let report = |same: &[Problem]| ProblemReport {
        kind: kind_in_words(same[0].kind()),
        count: same.len(),
        examples: same.iter().take(MAX_PLACES).map(place).collect(),
        first: same[0].to_string(),
    };
    same_kind.map(report).collect()
}

fn kind_in_words(kind: ProblemKind) -> &'static str {
    match kind {
        ProblemKind::NonFinitePosition => "positions that are not finite",
        ProblemKind::IndexOutOfRange => "faces with a vertex out of range",
        ProblemKind::RepeatedVertex => "faces that use a vertex twice",
        ProblemKind::ZeroArea => "faces of exactly zero area",
        ProblemKind::DuplicateFace => "doubled faces",
        ProblemKind::NonManifoldEdge => "edges of more than two faces",
        ProblemKind::NonManifoldVertex => "non-manifold vertices",
        ProblemKind::InconsistentWinding => "edges between faces of opposite winding",
        ProblemKind::UnreferencedVertex => "vertices of no face",
    }
}

fn place(problem: &Problem) -> String {
    match problem {
        Problem::NonFinitePosition { vertex }
        | Problem::NonManifoldVertex { vertex, .. }
        | Problem::UnreferencedVertex { vertex } => vertex.to_string(),
        Problem::IndexOutOfRange { face, .. }
        | Problem::RepeatedVertex { face, .. }
        | Problem::ZeroArea { face }
        | Problem::DuplicateFace { face, .. } => face.to_string(),
        Problem::NonManifoldEdge { edge: [a, b], .. } | Problem::InconsistentWinding { edge: [a, b], .. } => {
            format!("{a}-{b}")
        }
        // A problem without a place of its own is described whole.
        other => other.to_string(),
    }
}

impl StatesReport {
    /// Whether no state has an intersection and no pair crosses between states.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.counts.intersections == 0 && self.pass_throughs() == 0
    }

    /// A block of lines, each ended: the verdict, the figures, and the first examples, problems and notes.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = format!("{}: {}\n", self.path, self.verdict());
        let mut line = |label: &str, value: String| {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "  {label:<34}{value}");
        };
        line("vertices", count(self.vertices));
        line("triangles", count(self.triangles));
        if let Some(bounds) = &self.bounds {
            line("bounds", bounds.in_words());
        }
        let c = &self.counts;
        line("intersections (edge and face)", count(c.intersections));
        if let Some(SeamCounts { declared, closed, distance, raw_intersections: raw }) = self.seams {
            line("closed seams", format!("{} of {}, within {distance}", count(closed), count(declared)));
            line("intersections with those at seams", count(raw));
        }
        line("intersecting triangle pairs", count(c.intersecting_triangle_pairs));
        line("touching or coplanar pairs", count(c.touching_triangle_pairs));
        line("pairs that share a vertex", count(c.triangle_pairs_sharing_a_vertex));
        line("flat folds", count(c.flat_folds));
        if !self.frames.is_empty() {
            line("pass-through between frames", self.between());
        }
        for Example { edge: [a, b], face, proper } in &self.examples {
            let verb = if *proper { "crosses" } else { "touches" };
            line("for example", format!("edge {a}-{b} {verb} face {face}"));
        }
        for crossing in self.impacts.iter().flat_map(|i| &i.examples) {
            line("for example", format!("{crossing}{}", self.first_crossing_frame()));
        }
        for problem in &self.problems {
            let more = if problem.count > problem.examples.len() { ", ..." } else { "" };
            line(
                "problem",
                format!("{} {}: {}{more}", count(problem.count), problem.kind, problem.examples.join(", ")),
            );
        }
        if let Some(pairs) = self.stopped_after_pairs {
            line("stopped", format!("after {} pairs of triangles; there may be more", count(pairs as usize)));
        }
        if self.unchecked_states > 0 {
            line("not checked", counted(self.unchecked_states, "state"));
        }
        for note in self.notes.iter().take(MAX_PLACES) {
            line("note", note.clone());
        }
        if self.notes.len() > MAX_PLACES {
            line("note", format!("{} more, see --json", self.notes.len() - MAX_PLACES));
        }
        text
    }

    fn pass_throughs(&self) -> usize {
        self.impacts.as_ref().map_or(0, |i| i.pass_throughs)
    }

    /// The verdict in words, as the block begins.
    #[must_use]
    pub fn verdict(&self) -> String {
        let with = self.frames.iter().filter(|f| f.counts.intersections > 0).count();
        match (self.frames.len(), self.counts.intersections) {
            (0, 0) => "clean".to_owned(),
            (0, n) if self.stopped_after_pairs.is_some() => {
                format!("at least {}", counted(n, "intersection"))
            }
            (0, n) => counted(n, "intersection"),
            (n, 0) if self.pass_throughs() > 0 => {
                let (frame, pairs) = self.worst_crossing_frame();
                format!(
                    "clean in {}, but not between them: {} crossed in the motion to frame {frame}{}",
                    counted(n, "frame"),
                    counted(pairs, "pair"),
                    self.total_crossings()
                )
            }
            (n, 0) => format!("clean in {}", counted(n, "frame")),
            (n, _) => {
                let worst = self.frames.iter().find(|f| f.counts == self.counts).map_or(0.0, |f| f.frame);
                let found = counted(self.counts.intersections, "intersection");
                let all = counted(n, "frame");
                format!("{} of {all} intersect; the worst is frame {worst} with {found}", count(with))
            }
        }
    }

    fn between(&self) -> String {
        match &self.impacts {
            None => "not checked".to_owned(),
            Some(PassThroughReport { pass_throughs: 0, .. }) => "0".to_owned(),
            Some(i) => format!(
                "{}, in the motion to {}",
                counted(i.pass_throughs, "pair"),
                counted(i.frames_with, "frame")
            ),
        }
    }

    /// The frame whose motion has the most crossings (the first of several), and their number.
    fn worst_crossing_frame(&self) -> (f64, usize) {
        let frames = self.frames.iter().map(|f| (f.frame, f.impacts.unwrap_or(0)));
        frames.fold((0.0, 0), |worst, frame| if frame.1 > worst.1 { frame } else { worst })
    }

    /// The total of crossings as a clause; empty if one frame has all of them.
    fn total_crossings(&self) -> String {
        match &self.impacts {
            Some(i) if i.frames_with > 1 => {
                format!(
                    ", {} in total in the motion to {} frames",
                    count(i.pass_throughs),
                    count(i.frames_with)
                )
            }
            _ => String::new(),
        }
    }

    /// The first frame whose motion has a crossing, as a clause.
    fn first_crossing_frame(&self) -> String {
        let first = self.frames.iter().find(|f| f.impacts.is_some_and(|n| n > 0));
        first.map_or(String::new(), |f| format!(" in the motion to frame {}", f.frame))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_the_first_places_of_each_kind() {
        let unused = (0..20).map(|vertex| Problem::UnreferencedVertex { vertex });
        let mut problems = vec![Problem::ZeroArea { face: 7 }];
        problems.extend(unused);
        let reports = problem_reports(&problems);
        assert_eq!((reports[0].count, reports[0].examples.clone()), (1, vec!["7".to_owned()]));
        assert_eq!((reports[1].count, reports[1].examples.len()), (20, MAX_PLACES));
    }

    #[test]
    fn says_which_frame_is_the_worst() {
        let frame = |frame: f64, intersections| FrameReport {
            frame,
            counts: StateCounts { intersections, ..StateCounts::default() },
            impacts: None,
            seams: None,
        };
        let report = StatesReport {
            path: "a".into(),
            vertices: 3,
            triangles: 1,
            bounds: None,
            counts: StateCounts { intersections: 5, ..StateCounts::default() },
            impacts: None,
            seams: None,
            examples: vec![],
            problems: vec![],
            notes: vec![],
            frames: vec![frame(3.0, 0), frame(4.0, 5), frame(5.0, 5)],
            stopped_after_pairs: None,
            unchecked_states: 0,
        };
        assert_eq!(report.verdict(), "2 of 3 frames intersect; the worst is frame 4 with 5 intersections");
    }
}
