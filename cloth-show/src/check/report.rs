//! What `cloth check` found, as JSON and as a short block of text for each mesh.

use cloth_geom::{Problem, ProblemKind};
use cloth_io::FileError;
use serde::Serialize;

use super::ensemble::Ensemble;
use super::hints::{BoundsReport, weld_hint};
use super::pass_through::PassThroughReport;
use super::prepare::is_many;
use super::seams::SeamCounts;
use super::states::{Example, Tally, judge_states};
use super::{CheckEvent, CheckOptions, StateCounts, Subject};
use cloth_scene::words::{count, counted};

/// Of the JSON that reports are written in. Adding a field keeps it; a changed meaning raises it.
pub const SCHEMA_VERSION: u32 = 3;

/// Examples listed for one kind of problem.
const MAX_PLACES: usize = 8;

/// One mesh; for a sequence, the figures are those of the worst frame.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StatesReport {
    pub(super) path: String,
    /// Whether nothing was found: no state has an intersection, a flat fold or a face on another, no pair
    /// crosses between states, and at most 1 % of the faces were left out.
    pub(super) clean: bool,
    /// Whether flat folds and faces on others were allowed, and do not count.
    pub(super) allow_folds: bool,
    /// Whether any number of faces was allowed to be left out.
    pub(super) allow_left_out: bool,
    pub(super) vertices: usize,
    pub(super) triangles: usize,
    /// Parts of the mesh that share no vertex.
    pub(super) pieces: usize,
    /// Faces that were not checked: they are no triangles, or welding made them degenerate.
    pub(super) left_out_faces: usize,
    /// Bounding box (m) of the mesh as read, or of the first frame of a sequence; none without finite
    /// positions.
    pub(super) bounds: Option<BoundsReport>,
    #[serde(flatten)]
    pub(super) counts: StateCounts,
    /// Seams in the worst frame; none unless stitches were declared.
    pub(super) seams: Option<SeamCounts>,
    /// The frames that a cut leads to, as the file or the options say: the motion to them was not judged.
    pub(super) cuts: Vec<f64>,
    /// Between the frames; none if there is one state or if that was not asked for.
    pub(super) impacts: Option<PassThroughReport>,
    pub(super) examples: Vec<Example>,
    /// Faces of the worst frame that lie on others, each with the face that it lies on.
    pub(super) doubled_examples: Vec<[u32; 2]>,
    /// Edges of the worst frame on which faces lie flat on each other, each by its vertices.
    pub(super) fold_examples: Vec<[u32; 2]>,
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
    /// Pairs that crossed in the motion from the previous frame; none for the first frame, after a cut, or if
    /// motion was not checked.
    pub(super) impacts: Option<usize>,
    /// Whether a cut leads to it.
    #[serde(skip)]
    pub(super) is_cut: bool,
}

/// The frames that a cut leads to.
pub(super) fn cut_frames(frames: &[FrameReport]) -> Vec<f64> {
    frames.iter().filter(|frame| frame.is_cut).map(|frame| frame.frame).collect()
}

/// Frames by their numbers.
pub(super) fn frames_in_words(frames: &[f64]) -> String {
    let most = frames.iter().take(MAX_PLACES).map(f64::to_string).collect::<Vec<_>>().join(", ");
    let more = if frames.len() > MAX_PLACES { ", ..." } else { "" };
    let noun = if frames.len() == 1 { "frame" } else { "frames" };
    format!("{noun} {most}{more}")
}

/// The same of cuts, as a clause; empty without any.
pub(super) fn teleports_in_words(cuts: &[f64]) -> String {
    if cuts.is_empty() { String::new() } else { format!(", teleported at {}", frames_in_words(cuts)) }
}

/// The first frame whose motion has a crossing, as a clause.
pub(super) fn first_crossing_motion(frames: &[FrameReport]) -> String {
    let first = frames.iter().find(|frame| frame.impacts.is_some_and(|n| n > 0));
    first.map_or(String::new(), |frame| format!(" in the motion to frame {}", frame.frame))
}

/// A line of a block: a label, and what there is.
pub(super) type Line = (String, String);

/// A block of lines, each ended, that begins with a verdict.
pub(super) fn block(name: &str, verdict: &str, lines: Vec<Line>) -> String {
    let lines = lines.into_iter().map(|(label, value)| format!("  {label:<34}{value}\n"));
    std::iter::once(format!("{name}: {verdict}\n")).chain(lines).collect()
}

/// What was not checked, and the first notes.
pub(super) fn closing_lines(stopped_after: Option<u64>, unchecked: usize, notes: &[String]) -> Vec<Line> {
    let stopped = |pairs| format!("after {} pairs of triangles; there may be more", count(pairs as usize));
    let more = notes.len().saturating_sub(MAX_PLACES);
    let stopped = stopped_after.map(|pairs| ("stopped", stopped(pairs)));
    let unchecked = (unchecked > 0).then(|| ("not checked", counted(unchecked, "state")));
    let notes = notes.iter().take(MAX_PLACES).map(|note| ("note", note.clone()));
    let more = (more > 0).then(|| ("note", format!("{more} more, see --json")));
    let lines = stopped.into_iter().chain(unchecked).chain(notes).chain(more);
    lines.map(|(label, value)| (label.to_owned(), value)).collect()
}

/// All problems of one kind.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct ProblemReport {
    /// In words, in the plural.
    pub(super) kind: &'static str,
    /// The same for their number.
    #[serde(skip)]
    pub(super) words: &'static str,
    pub(super) count: usize,
    /// The vertices, faces or edges of the first ones.
    pub(super) examples: Vec<String>,
    /// The first one as a sentence.
    pub(super) first: String,
}

impl ProblemReport {
    /// How many there are, and the first.
    pub(super) fn in_words(&self) -> String {
        let more = if self.count > self.examples.len() { ", ..." } else { "" };
        format!("{} {}: {}{more}", count(self.count), self.words, self.examples.join(", "))
    }
}

/// Problems by kind, in the order in which they are found.
pub(super) fn problem_reports(problems: &[Problem]) -> Vec<ProblemReport> {
    let same_kind = problems.chunk_by(|a, b| a.kind() == b.kind());
    let report = |same: &[Problem]| ProblemReport {
        kind: in_words(same[0].kind(), 2),
        words: in_words(same[0].kind(), same.len()),
        count: same.len(),
        examples: same.iter().take(MAX_PLACES).map(place).collect(),
        first: same[0].to_string(),
    };
    same_kind.map(report).collect()
}

/// So many problems of a kind, in words.
fn in_words(kind: ProblemKind, count: usize) -> &'static str {
    let (one, more) = match kind {
        ProblemKind::NonFinitePosition => ("position that is not finite", "positions that are not finite"),
        ProblemKind::IndexOutOfRange => {
            ("face with a vertex out of range", "faces with a vertex out of range")
        }
        ProblemKind::RepeatedVertex => ("face that uses a vertex twice", "faces that use a vertex twice"),
        ProblemKind::ZeroArea => ("face of exactly zero area", "faces of exactly zero area"),
        ProblemKind::DuplicateFace => ("doubled face", "doubled faces"),
        ProblemKind::NonManifoldEdge => ("edge of more than two faces", "edges of more than two faces"),
        ProblemKind::NonManifoldVertex => ("non-manifold vertex", "non-manifold vertices"),
        ProblemKind::InconsistentWinding => {
            ("edge between faces of opposite winding", "edges between faces of opposite winding")
        }
        ProblemKind::UnreferencedVertex => ("vertex of no face", "vertices of no face"),
    };
    if count == 1 { one } else { more }
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

/// Judges every state of a subject by exact signs, and the motions between them; the worst state is the first
/// of those with the most intersections, then faces on others, then flat folds. It ends at an interrupt, and
/// with a state of which only a part could be checked.
///
/// The work is done by the threads of the rayon pool that it is called in, a state by each.
///
/// # Errors
/// If a state cannot be read or judged, or if an interrupt came before the first was.
pub fn check_states(
    subject: &mut Subject,
    options: &CheckOptions,
    on_event: &mut dyn FnMut(CheckEvent),
) -> Result<StatesReport, FileError> {
    let mut ensemble = Ensemble::alone(subject, options.weld)?;
    let tally = judge_states(&mut ensemble, options, on_event)?;
    Ok(StatesReport::new(&mut ensemble, tally, options))
}

impl StatesReport {
    fn new(ensemble: &mut Ensemble<'_>, tally: Tally, options: &CheckOptions) -> Self {
        let faces = ensemble.mesh.face_ids.len();
        let unchecked_states = ensemble.state_count - tally.judged;
        let part = &mut ensemble.parts[0];
        let worst = tally.worst.unwrap_or_default();
        let subject = &mut *part.subject;
        let mut notes = subject.notes.clone();
        notes.extend(subject.states_in_words());
        notes.append(&mut part.notes);
        let bounds = BoundsReport::of_faces(&subject.mesh.positions, &subject.mesh.faces);
        notes.extend(bounds.and_then(|bounds| bounds.unit_hint()));
        notes.extend(worst.unwelded.and_then(|seams| weld_hint(subject, faces, seams)));
        let mut report = Self {
            clean: false,
            allow_folds: options.allow_folds,
            allow_left_out: options.allow_left_out,
            left_out_faces: tally.left_out,
            path: subject.path.display().to_string(),
            vertices: subject.mesh.positions.len(),
            triangles: subject.mesh.faces.len(),
            pieces: part.pieces,
            bounds,
            counts: worst.counts,
            seams: worst.seams,
            cuts: cut_frames(&tally.frames),
            impacts: tally.between,
            examples: worst.examples,
            doubled_examples: worst.doubled_examples,
            fold_examples: worst.fold_examples,
            problems: problem_reports(&part.problems),
            notes,
            frames: tally.frames,
            stopped_after_pairs: tally.stopped_after,
            unchecked_states,
        };
        report.clean = report.finds_nothing();
        report
    }

    /// Whether no signal kept a state from being judged.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.unchecked_states == 0 || self.stopped_after_pairs.is_some()
    }

    /// The mesh, as it was named.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Whether no state has an intersection, a flat fold or a face on another, no pair crosses between
    /// states, and at most 1 % of the faces were left out; without what the options allow.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.clean
    }

    /// The same, found anew from the figures.
    pub(super) fn finds_nothing(&self) -> bool {
        self.is_clean_state(&self.counts) && self.pass_throughs() == 0 && !self.leaves_out_many()
    }

    fn is_clean_state(&self, counts: &StateCounts) -> bool {
        if self.allow_folds { counts.intersections == 0 } else { counts.is_clean() }
    }

    fn leaves_out_many(&self) -> bool {
        !self.allow_left_out && is_many(self.left_out_faces, self.triangles)
    }

    /// A block of lines, each ended: the verdict, the figures, and the first examples, problems and notes.
    #[must_use]
    pub fn text(&self) -> String {
        let mut lines: Vec<Line> = Vec::new();
        let mut line = |label: &str, value: String| lines.push((label.to_owned(), value));
        line("vertices", count(self.vertices));
        line("triangles", count(self.triangles));
        line("pieces", count(self.pieces));
        if self.left_out_faces > 0 {
            line("left out of the check", counted(self.left_out_faces, "face"));
        }
        if let Some(bounds) = &self.bounds {
            line("bounds", bounds.in_words());
        }
        let c = &self.counts;
        line("intersections (edge and face)", count(c.intersections));
        self.seams.iter().flat_map(SeamCounts::lines).for_each(|(label, value)| line(label, value));
        line("intersecting triangle pairs", count(c.intersecting_triangle_pairs));
        line("touching or coplanar pairs", count(c.touching_triangle_pairs));
        line("pairs that share a vertex", count(c.triangle_pairs_sharing_a_vertex));
        line("flat folds", count(c.flat_folds));
        line("faces that lie on others", count(c.doubled_faces));
        if !self.frames.is_empty() {
            line("pass-through between frames", self.between());
        }
        if !self.cuts.is_empty() {
            line("cuts", format!("{}: no motion leads there, none was checked", frames_in_words(&self.cuts)));
        }
        for Example { edge: [a, b], face, proper } in &self.examples {
            let verb = if *proper { "crosses" } else { "touches" };
            line("for example", format!("edge {a}-{b} {verb} face {face}"));
        }
        for [face, first] in &self.doubled_examples {
            line("for example", format!("face {face} lies on face {first}"));
        }
        for [a, b] in &self.fold_examples {
            line("for example", format!("two faces lie flat on each other at edge {a}-{b}"));
        }
        for crossing in self.impacts.iter().flat_map(|i| &i.examples) {
            line("for example", format!("{crossing}{}", first_crossing_motion(&self.frames)));
        }
        for problem in &self.problems {
            line("problem", problem.in_words());
        }
        lines.extend(closing_lines(self.stopped_after_pairs, self.unchecked_states, &self.notes));
        block(&self.path, &self.verdict(), lines)
    }

    fn pass_throughs(&self) -> usize {
        self.impacts.as_ref().map_or(0, |i| i.pass_throughs)
    }

    /// The verdict in words, as the block begins: `clean` if and only if nothing was found.
    #[must_use]
    pub fn verdict(&self) -> String {
        let mut found = Vec::new();
        if self.leaves_out_many() {
            found.push(format!(
                "{} of {} left out of the check; --allow-left-out accepts that",
                count(self.left_out_faces),
                counted(self.triangles, "face")
            ));
        }
        let is_clean = self.is_clean_state(&self.counts);
        match self.frames.len() {
            _ if is_clean && self.pass_throughs() == 0 && !found.is_empty() => {}
            0 if is_clean => found.push("clean".to_owned()),
            0 => found.push(self.state_in_words()),
            frames if is_clean => found.push(self.clean_frames_in_words(frames)),
            frames => found.push(self.frames_in_words(frames)),
        }
        found.join("; ")
    }

    /// What is wrong with the worst state.
    fn state_in_words(&self) -> String {
        let intersections = self.counts.intersections;
        let at_least = if self.stopped_after_pairs.is_some() { "at least " } else { "" };
        let mut found = Vec::new();
        if intersections > 0 {
            found.push(format!("{at_least}{}", counted(intersections, "intersection")));
        }
        if !self.allow_folds {
            found.extend(self.counts.folds_in_words(self.triangles, "--remove-doubled"));
        }
        found.join("; ")
    }

    fn clean_frames_in_words(&self, frames: usize) -> String {
        if self.pass_throughs() == 0 {
            return format!("clean in {}{}", counted(frames, "frame"), teleports_in_words(&self.cuts));
        }
        let (frame, pairs) = self.worst_crossing_frame();
        format!(
            "clean in {}, but not between them: {} crossed in the motion to frame {frame}{}",
            counted(frames, "frame"),
            counted(pairs, "pair"),
            self.total_crossings()
        )
    }

    fn frames_in_words(&self, frames: usize) -> String {
        let intersect = self.counts.intersections > 0;
        let is_counted = |counts: &StateCounts| match intersect {
            true => counts.intersections > 0,
            false => !self.is_clean_state(counts),
        };
        let with = self.frames.iter().filter(|f| is_counted(&f.counts)).count();
        let worst = self.frames.iter().find(|f| f.counts == self.counts).map_or(0.0, |f| f.frame);
        format!(
            "{} of {} {}; the worst is frame {worst} with {}",
            count(with),
            counted(frames, "frame"),
            if intersect { "intersect" } else { "not clean" },
            self.state_in_words()
        )
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

    fn report(counts: StateCounts, frames: Vec<FrameReport>) -> StatesReport {
        StatesReport {
            path: "a".into(),
            clean: false,
            allow_folds: false,
            allow_left_out: false,
            vertices: 300,
            triangles: 484,
            pieces: 1,
            left_out_faces: 0,
            bounds: None,
            counts,
            cuts: vec![],
            impacts: None,
            seams: None,
            examples: vec![],
            doubled_examples: vec![],
            fold_examples: vec![],
            problems: vec![],
            notes: vec![],
            frames,
            stopped_after_pairs: None,
            unchecked_states: 0,
        }
    }

    fn frame(frame: f64, counts: StateCounts) -> FrameReport {
        FrameReport { frame, counts, impacts: None, seams: None, is_cut: false }
    }

    #[test]
    fn says_which_frame_is_the_worst() {
        let with = |intersections| StateCounts { intersections, ..StateCounts::default() };
        let five = report(with(5), vec![frame(3.0, with(0)), frame(4.0, with(5)), frame(5.0, with(5))]);
        assert_eq!(five.verdict(), "2 of 3 frames intersect; the worst is frame 4 with 5 intersections");
        let folded = StateCounts { flat_folds: 1, ..StateCounts::default() };
        let mut folds = report(folded, vec![frame(3.0, with(0)), frame(4.0, folded)]);
        assert_eq!(folds.verdict(), "1 of 2 frames not clean; the worst is frame 4 with 1 flat fold");
        folds.allow_folds = true;
        assert_eq!(folds.verdict(), "clean in 2 frames");
    }

    #[test]
    fn names_folds_and_doubled_faces_unless_they_are_allowed() {
        let doubled_faces = |doubled_faces| StateCounts { doubled_faces, ..StateCounts::default() };
        let verdict = |counts| report(counts, vec![]).verdict();
        let said = "242 of 484 faces lie on others: a doubled mesh; --remove-doubled writes one side";
        assert_eq!(verdict(doubled_faces(242)), said);
        let said = "1 of 484 faces lies on another: doubled faces; --remove-doubled writes each once";
        assert_eq!(verdict(doubled_faces(1)), said);
        let all = StateCounts { intersections: 2, flat_folds: 3, ..doubled_faces(242) };
        assert!(verdict(all).starts_with("2 intersections; 3 flat folds; 242 of 484 faces lie on others"));
        let mut allowed = report(all, vec![]);
        allowed.allow_folds = true;
        assert_eq!((allowed.verdict().as_str(), allowed.finds_nothing()), ("2 intersections", false));
        allowed.counts.intersections = 0;
        assert_eq!((allowed.verdict().as_str(), allowed.finds_nothing()), ("clean", true));
    }

    #[test]
    fn a_check_that_left_out_many_faces_is_not_clean() {
        let mut empty = report(StateCounts::default(), vec![]);
        empty.left_out_faces = 4;
        assert_eq!((empty.verdict().as_str(), empty.finds_nothing()), ("clean", true));
        empty.left_out_faces = 5;
        let said = "5 of 484 faces left out of the check; --allow-left-out accepts that";
        assert_eq!((empty.verdict().as_str(), empty.finds_nothing()), (said, false));
        empty.allow_left_out = true;
        assert_eq!((empty.verdict().as_str(), empty.finds_nothing()), ("clean", true));
    }
}
