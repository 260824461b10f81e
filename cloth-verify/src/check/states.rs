//! Judges every state of a subject by exact signs, and the motions between them.

use cloth_contacts::intersect::{Checker, IntersectionKind, Intersections, Seams};
use cloth_io::FileError;
use nalgebra::Point3;
use serde::Serialize;

use super::hints::{BoundsReport, UnweldedSeams, welded_state};
use super::monitor::CheckMonitor;
use super::pass_through::PassThroughObserver;
use super::report::{FrameReport, StatesReport, problem_reports};
use super::seams::{SeamCounts, read_seams};
use super::{CheckEvent, CheckOptions, PreparedMesh, StateCounts, Subject};
use cloth_scene::words::count;

/// One intersection, in the numbers of the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Example {
    /// The vertices of the edge.
    pub edge: [u32; 2],
    /// The face that it meets.
    pub face: u32,
    /// Whether it crosses the inside of the face; otherwise it touches it or lies in its plane.
    pub proper: bool,
}

/// Judges every state of a subject by exact signs, and the motions between them; the worst state is the first
/// of those with the most intersections, then faces on others, then flat folds. It ends at an interrupt, and
/// with a state of which only a part could be checked.
///
/// The work is done by the threads of the rayon pool that it is called in.
///
/// # Errors
/// If a state cannot be read or judged, or if an interrupt came before the first was.
pub fn check_states(
    subject: &mut Subject,
    options: &CheckOptions,
    on_event: &mut dyn FnMut(CheckEvent),
) -> Result<StatesReport, FileError> {
    let path = subject.path.clone();
    let refuse = |text: String| FileError::new(&path, text);
    let sound = PreparedMesh::new(&subject.mesh, options.weld).map_err(refuse)?;
    let seams = options.stitches.as_ref();
    let seams = seams.map(|stitches| read_seams(&stitches.file, stitches.distance, &sound)).transpose()?;
    let cuts = cut_states(subject, &options.cuts).map_err(refuse)?;
    let mut states = JudgedStates::new(options, seams);
    while states.goes_on() && states.judged < subject.state_count() {
        let positions = sound.positions(&subject.read(states.judged)?);
        let number = subject.frame_number(states.judged);
        let is_cut = cuts.contains(&states.judged);
        states.judge(positions, (number, is_cut), &sound, on_event).map_err(refuse)?;
        on_event(CheckEvent::States(states.judged));
    }
    if states.judged == 0 {
        return Err(refuse("interrupted before its first state was judged".to_owned()));
    }
    let mut notes = subject.notes.clone();
    notes.extend(subject.states_in_words());
    notes.extend(sound.notes.iter().cloned());
    let bounds = BoundsReport::of_faces(&subject.mesh.positions, &subject.mesh.faces);
    notes.extend(bounds.and_then(|bounds| bounds.unit_hint()));
    notes.extend(states.unwelded.and_then(|seams| weld_hint(subject, sound.face_ids.len(), seams)));
    let WorstState { counts, seams, examples, doubled_examples, fold_examples, .. } =
        states.worst.unwrap_or_default();
    let mut report = StatesReport {
        clean: false,
        allow_folds: options.allow_folds,
        allow_left_out: options.allow_left_out,
        left_out_faces: states.left_out,
        path: path.display().to_string(),
        vertices: subject.mesh.positions.len(),
        triangles: subject.mesh.faces.len(),
        bounds,
        counts,
        seams,
        cuts: states.frames.iter().filter(|frame| frame.is_cut).map(|frame| frame.frame).collect(),
        impacts: states.between.found(),
        examples,
        doubled_examples,
        fold_examples,
        problems: problem_reports(&sound.problems),
        notes,
        frames: states.frames,
        stopped_after_pairs: states.stopped_after_pairs,
        unchecked_states: subject.state_count() - states.judged,
    };
    report.clean = report.finds_nothing();
    Ok(report)
}

/// The states that a cut leads to: those that the file names, and those of these frames. The error is a
/// sentence.
fn cut_states(subject: &Subject, frames: &[f64]) -> Result<Vec<usize>, String> {
    let numbers: Vec<f64> = (0..subject.state_count()).map_while(|k| subject.frame_number(k)).collect();
    let mut states = subject.cuts().to_vec();
    for frame in frames {
        let state = numbers.iter().position(|number| number == frame);
        match (state, numbers.first(), numbers.last()) {
            (Some(0), ..) => return Err(format!("--cut {frame}: nothing leads to the first frame")),
            (Some(state), ..) => states.push(state),
            (None, Some(first), Some(last)) => {
                return Err(format!(
                    "--cut {frame}: there is no frame {frame}; frames are {first} to {last}"
                ));
            }
            (None, ..) => return Err(format!("--cut {frame}: it is a mesh alone, without frames")),
        }
    }
    Ok(states)
}

/// The state with the most intersections, then faces on others, then flat folds.
#[derive(Default)]
struct WorstState {
    counts: StateCounts,
    seams: Option<SeamCounts>,
    examples: Vec<Example>,
    /// The first faces that lie on others, with the faces that they lie on.
    doubled_examples: Vec<[u32; 2]>,
    /// The edges of the first flat folds.
    fold_examples: Vec<[u32; 2]>,
}

impl WorstState {
    fn rank(&self) -> [usize; 4] {
        let StateCounts { intersections, doubled_faces, flat_folds, .. } = self.counts;
        [intersections, doubled_faces, flat_folds, self.seams.map_or(0, |s| s.raw_intersections)]
    }
}

/// The states of a subject that were judged.
struct JudgedStates<'a> {
    options: &'a CheckOptions,
    checker: Checker,
    between: PassThroughObserver,
    frames: Vec<FrameReport>,
    worst: Option<WorstState>,
    /// Without the faces that lie on others, the mesh of the last state; none if there were none.
    single: Option<PreparedMesh>,
    /// Most faces that were left out of a state.
    left_out: usize,
    /// Of the worst state, and its number.
    unwelded: Option<(usize, UnweldedSeams)>,
    seams: Option<Seams>,
    judged: usize,
    /// Pairs of triangles after which the check of the last state was stopped, if it was.
    stopped_after_pairs: Option<u64>,
}

impl<'a> JudgedStates<'a> {
    fn new(options: &'a CheckOptions, seams: Option<Seams>) -> Self {
        Self {
            options,
            checker: Checker::default(),
            between: PassThroughObserver::naming(options.examples),
            frames: Vec::new(),
            worst: None,
            single: None,
            left_out: 0,
            unwelded: None,
            seams,
            judged: 0,
            stopped_after_pairs: None,
        }
    }

    fn goes_on(&self) -> bool {
        self.stopped_after_pairs.is_none() && !self.options.interrupt.is_requested()
    }

    /// Judges the next state, whose number in its sequence is `number` and which a cut may lead to; a signal
    /// may keep it from that. The error is a sentence.
    fn judge(
        &mut self,
        positions: Vec<Point3<f64>>,
        (number, is_cut): (Option<f64>, bool),
        sound: &PreparedMesh,
        on_event: &mut dyn FnMut(CheckEvent),
    ) -> Result<(), String> {
        let mut monitor = CheckMonitor::new(self.options.max_pairs, self.options.interrupt);
        let see = |progress| monitor.see(progress, on_event);
        let (doubled, single) = sound.without_doubled(&positions)?;
        let before = std::mem::replace(&mut self.single, single);
        let mesh = self.single.as_ref().unwrap_or(sound);
        let checked = self.checker.check_with_progress(&positions, &mesh.topology, see);
        let checked = checked.map_err(|e| e.to_string())?;
        let is_complete = checked.is_complete();
        if !is_complete && self.options.interrupt.is_requested() {
            return Ok(());
        }
        let found = checked.into_intersections();
        if !is_complete && found.is_clean() {
            let pairs = count(monitor.pairs as usize);
            return Err(format!(
                "has more than {pairs} pairs of triangles with overlapping boxes, and none so far \
                 intersects; raise --max-pairs for a verdict"
            ));
        }
        self.stopped_after_pairs = (!is_complete).then_some(monitor.pairs);
        let raw_intersections = found.count();
        let mut closed = self.seams.as_ref().map(|s| s.closed_in(&positions)).unwrap_or_default();
        let closed_count = closed.count();
        closed.join_doubled(&doubled, &positions, &sound.topology);
        let found = closed.leave_out(found, &mesh.topology);
        let counts = StateCounts { doubled_faces: doubled.len(), ..StateCounts::new(&found, &mesh.topology) };
        self.left_out = self.left_out.max(mesh.left_out);
        let seams = self.seams.as_ref().map(|seams| SeamCounts {
            declared: seams.count(),
            closed: closed_count,
            distance: seams.distance(),
            raw_intersections,
        });
        let mut state = WorstState { counts, seams, ..WorstState::default() };
        if self.worst.as_ref().is_none_or(|worst| state.rank() > worst.rank()) {
            self.unwelded = unwelded_seams(&found, &positions, mesh).map(|seams| (self.judged, seams));
            let most = self.options.examples;
            state.examples = examples_of(&found, mesh, most);
            state.doubled_examples = sound.faces_of_file(&doubled).take(most).collect();
            state.fold_examples = mesh.edges_of_file(&found.flat_folds).take(most).collect();
            self.worst = Some(state);
        }
        // Of a state that has too many pairs, its motion has more.
        let is_frame_alone = self.options.frames_only || !is_complete;
        // Where other faces lie on others than before, each is itself, and vertices that are joined meet.
        let faces = |mesh: &Option<PreparedMesh>| mesh.as_ref().map(|mesh| mesh.topology.faces().to_vec());
        let moved = if faces(&before) == faces(&self.single) { mesh } else { sound };
        let impacts = match (is_frame_alone, is_cut) {
            (true, _) => Ok(None),
            (false, true) => {
                self.between.cut(positions, closed);
                Ok(None)
            }
            (false, false) => self.between.check(positions, closed, moved),
        };
        let impacts = impacts.map_err(|e| e.to_string())?;
        self.frames.extend(number.map(|frame| FrameReport { frame, counts, seams, impacts, is_cut }));
        self.judged += 1;
        Ok(())
    }
}

fn unwelded_seams(
    found: &Intersections,
    positions: &[Point3<f64>],
    sound: &PreparedMesh,
) -> Option<UnweldedSeams> {
    let bounds = BoundsReport::of_faces(positions, sound.topology.faces())?.bounds();
    UnweldedSeams::find(found, positions, &sound.topology, &bounds)
}

/// Says which welding joins the seams of a state, of which so many faces are judged, if it does.
fn weld_hint(subject: &mut Subject, faces: usize, (state, seams): (usize, UnweldedSeams)) -> Option<String> {
    let positions = subject.read(state).ok()?;
    let welded = welded_state(&subject.mesh, &positions, seams.distance)?;
    seams.are_joined_in(&welded, faces).then(|| seams.hint(&format!("--weld {:e}", seams.distance)))
}

pub(super) fn examples_of(found: &Intersections, sound: &PreparedMesh, most: usize) -> Vec<Example> {
    let named = |(&[e, f], &kind): (&[u32; 2], &IntersectionKind)| Example {
        edge: sound.topology.edges()[e as usize].map(|v| sound.sources[v as usize]),
        face: sound.face_ids[f as usize],
        proper: kind == IntersectionKind::Proper,
    };
    found.edge_faces.iter().zip(&found.kinds).take(most).map(named).collect()
}
