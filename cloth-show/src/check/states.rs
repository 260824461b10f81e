//! Judges every state by exact signs, and the motions between them: as many at once as there are threads, in
//! memory for as many.

use std::sync::Arc;

use cloth_certify::{BodySurface, Deepest, KindCounts, PenetrationFinder, Roles};
use cloth_contacts::intersect::{IntersectionKind, Intersections};
use cloth_io::FileError;
use nalgebra::Point3;
use rayon::prelude::*;
use serde::Serialize;

use super::ensemble::Ensemble;
use super::hints::{BoundsReport, UnweldedSeams};
use super::pass_through::PassThroughReport;
use super::report::FrameReport;
use super::seams::{SeamCounts, read_seams};
use super::state::{Judged, JudgedMotion, JudgedState, OutfitFigures, StateJudge};
use super::{CheckEvent, CheckOptions, PreparedMesh, StateCounts};

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

/// Judges all states of an ensemble, and the motions between them. It ends at an interrupt, and with a state
/// of which only a part could be checked.
///
/// The work is done by the threads of the rayon pool that it is called in.
///
/// # Errors
/// If a state cannot be read or judged, or if an interrupt came before the first was.
pub(super) fn judge_states(
    ensemble: &mut Ensemble<'_>,
    options: &CheckOptions,
    on_event: &mut dyn FnMut(CheckEvent),
) -> Result<Tally, FileError> {
    let seams = options.stitches.as_ref().map(|stitches| {
        // Of garments and bodies, the stitches are those of the first garment.
        let own = &ensemble.mesh.vertex_map[..ensemble.parts[0].subject.mesh.positions.len()];
        read_seams(&stitches.file, stitches.distance, own, ensemble.mesh.sources.len())
    });
    let seams = seams.transpose()?;
    let cuts = cut_states(ensemble, &options.cuts).map_err(|e| ensemble.refuse(e))?;
    // What is judged stays as it is while further states are read.
    let (mesh, roles) = (Arc::clone(&ensemble.mesh), ensemble.roles.clone());
    let judged = Judged { options, mesh: &mesh, roles: roles.as_ref(), seams: seams.as_ref() };
    let mut judges: Vec<StateJudge> = Vec::new();
    let count = threads().min(ensemble.state_count);
    let mut tally = Tally::default();
    let mut next = read_some(ensemble, 0, count)?;
    judges.resize_with(count, StateJudge::default);
    if let (Some(roles), Some(first)) = (&roles, next.first()) {
        // What bodies are does not depend on the state that a judge sees first.
        let mut inside = PenetrationFinder::new(roles, mesh.topology.faces());
        inside.describe(first);
        judges.iter_mut().for_each(|judge| judge.inside = Some(inside.clone()));
    }
    while !next.is_empty() && tally.goes_on(options) {
        let first = tally.judged;
        let after = first + next.len();
        let (states, read) = match judges.len() {
            1 => (judge_one(&mut judges[0], &judged, next, on_event), read_some(ensemble, after, 1)),
            many => {
                rayon::join(|| judge_many(&mut judges, &judged, next), || read_some(ensemble, after, many))
            }
        };
        let states: Vec<JudgedState> = until_interrupt(states).map_err(|e| ensemble.refuse(e))?;
        let motions = judge_motions(&mut judges, &judged, tally.last.as_ref(), &states, |k| {
            !options.frames_only && !cuts.contains(&(first + k))
        });
        for (state, motion) in states.into_iter().zip(motions.map_err(|e| ensemble.refuse(e))?) {
            if tally.stopped_after.is_some() {
                break;
            }
            let place = (ensemble.frame_number(tally.judged), cuts.contains(&tally.judged));
            tally.add(&judged, place, state, motion);
            on_event(CheckEvent::States(tally.judged));
        }
        next = read?;
    }
    tally.bodies = judges.first().map(StateJudge::bodies).unwrap_or_default();
    if tally.judged == 0 {
        return Err(ensemble.refuse("interrupted before its first state was judged"));
    }
    Ok(tally)
}

/// The threads of the pool in which it is called.
fn threads() -> usize {
    if rayon::current_thread_index().is_some() { rayon::current_num_threads() } else { 1 }
}

/// Reads up to so many states.
fn read_some(
    ensemble: &mut Ensemble<'_>,
    first: usize,
    most: usize,
) -> Result<Vec<Vec<Point3<f64>>>, FileError> {
    let end = ensemble.state_count.min(first + most);
    (first..end).map(|state| ensemble.read(state)).collect()
}

type JudgedResults = Vec<Result<Option<JudgedState>, String>>;

fn judge_one(
    judge: &mut StateJudge,
    judged: &Judged<'_>,
    states: Vec<Vec<Point3<f64>>>,
    on_event: &mut dyn FnMut(CheckEvent),
) -> JudgedResults {
    states.into_iter().map(|positions| judge.judge(judged, positions, on_event)).collect()
}

/// Judges states side by side; of one that takes long nothing is said.
fn judge_many(
    judges: &mut [StateJudge],
    judged: &Judged<'_>,
    states: Vec<Vec<Point3<f64>>>,
) -> JudgedResults {
    let each = judges.par_iter_mut().zip(states);
    each.map(|(judge, positions)| judge.judge(judged, positions, &mut |_| {})).collect()
}

/// The states before the first that an interrupt kept from being judged.
fn until_interrupt(states: JudgedResults) -> Result<Vec<JudgedState>, String> {
    states.into_iter().map_while(Result::transpose).collect()
}

/// Judges the motion to each of some states, the first of which comes after `before`, where `is_wanted`.
fn judge_motions(
    judges: &mut [StateJudge],
    judged: &Judged<'_>,
    before: Option<&JudgedState>,
    states: &[JudgedState],
    is_wanted: impl Fn(usize) -> bool + Sync,
) -> Result<Vec<Option<JudgedMotion>>, String> {
    let judge = |(k, judge): (usize, &mut StateJudge)| {
        let before = if k == 0 { before } else { states.get(k - 1) };
        // Of a state that has too many pairs, its motion has more.
        let ends =
            before.zip(states.get(k)).filter(|(_, after)| after.stopped_after.is_none() && is_wanted(k));
        ends.map(|(before, after)| judge.judge_motion(judged, [before, after])).transpose()
    };
    let judges = &mut judges[..states.len()];
    if judges.len() < 2 {
        return judges.iter_mut().enumerate().map(judge).collect();
    }
    judges.par_iter_mut().enumerate().map(judge).collect()
}

/// The states that a cut leads to: those that the files name, and those of these frames. The error is a
/// sentence.
fn cut_states(ensemble: &Ensemble<'_>, frames: &[f64]) -> Result<Vec<usize>, String> {
    let numbers: Vec<f64> = (0..ensemble.state_count).map_while(|k| ensemble.frame_number(k)).collect();
    let mut states: Vec<usize> =
        ensemble.parts.iter().flat_map(|part| part.subject.cuts().iter().copied()).collect();
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

/// What was found in all states.
#[derive(Default)]
pub(super) struct Tally {
    /// States that were judged.
    pub(super) judged: usize,
    pub(super) frames: Vec<FrameReport>,
    /// Of each frame of garments and bodies.
    pub(super) outfits: Vec<OutfitFrame>,
    pub(super) worst: Option<WorstState>,
    pub(super) between: Option<PassThroughReport>,
    /// Most faces that were left out of a state.
    pub(super) left_out: usize,
    /// Pairs of triangles after which the check of the last state was stopped, if it was.
    pub(super) stopped_after: Option<u64>,
    /// What is known of the surfaces of bodies.
    pub(super) bodies: Vec<BodySurface>,
    last: Option<JudgedState>,
}

/// Garments and bodies in a frame.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct OutfitFrame {
    pub(super) intersections: KindCounts,
    pub(super) folds: KindCounts,
    /// In the motion to it; none if that was not judged.
    pub(super) crossings: Option<KindCounts>,
    pub(super) vertices_inside: usize,
    pub(super) deepest_vertex: Option<Deepest>,
    pub(super) deepest_face: Option<Deepest>,
    pub(super) share_inside: f64,
}

impl OutfitFrame {
    fn new(figures: &OutfitFigures, motion: Option<&JudgedMotion>) -> Self {
        let OutfitFigures { intersections, folds, penetration } = figures;
        Self {
            intersections: *intersections,
            folds: *folds,
            crossings: motion.and_then(|motion| motion.kinds),
            vertices_inside: penetration.vertices.len(),
            deepest_vertex: penetration.deepest_vertex,
            deepest_face: penetration.deepest_face,
            // Areas beyond all numbers have no share.
            share_inside: Some(penetration.share_inside()).filter(|share| share.is_finite()).unwrap_or(0.0),
        }
    }

    /// What is worse comes later.
    fn rank(&self) -> [usize; 3] {
        let meets = self.intersections.with_cloth() + self.vertices_inside;
        [meets, self.folds.with_cloth(), self.crossings.map_or(0, |c| c.with_cloth())]
    }
}

/// The state with the most intersections, then faces on others, then flat folds.
#[derive(Default)]
pub(super) struct WorstState {
    pub(super) counts: StateCounts,
    pub(super) seams: Option<SeamCounts>,
    pub(super) examples: Vec<Example>,
    /// The first faces that lie on others, with the faces that they lie on.
    pub(super) doubled_examples: Vec<[u32; 2]>,
    /// The edges of the first flat folds.
    pub(super) fold_examples: Vec<[u32; 2]>,
    /// The number of the state, and its seams that are not welded.
    pub(super) unwelded: Option<(usize, UnweldedSeams)>,
    /// Its place among the states.
    pub(super) state: usize,
    outfit: Option<OutfitFrame>,
}

impl WorstState {
    fn rank(&self) -> [usize; 4] {
        if let Some(outfit) = &self.outfit {
            let [meets, folds, crossings] = outfit.rank();
            return [meets, folds, crossings, 0];
        }
        let StateCounts { intersections, doubled_faces, flat_folds, .. } = self.counts;
        [intersections, doubled_faces, flat_folds, self.seams.map_or(0, |s| s.raw_intersections)]
    }
}

impl Tally {
    fn goes_on(&self, options: &CheckOptions) -> bool {
        self.stopped_after.is_none() && !options.interrupt.is_requested()
    }

    /// Adds a state, whose number in its sequence is `number` and which a cut may lead to.
    fn add(
        &mut self,
        judged: &Judged<'_>,
        (number, is_cut): (Option<f64>, bool),
        state: JudgedState,
        motion: Option<JudgedMotion>,
    ) {
        let (options, mesh) = (judged.options, state.mesh(judged));
        self.left_out = self.left_out.max(mesh.left_out);
        self.stopped_after = state.stopped_after;
        if let Some(motion) = &motion {
            let of_motion = motion.mesh(judged, &state);
            self.between.get_or_insert_default().add(&motion.impacts, of_motion, options.examples);
        }
        let outfit = state.outfit.as_ref().map(|figures| OutfitFrame::new(figures, motion.as_ref()));
        let (counts, seams) = (state.counts, state.seams);
        let mut worst = WorstState { counts, seams, state: self.judged, outfit, ..WorstState::default() };
        self.outfits.extend(worst.outfit);
        if self.worst.as_ref().is_none_or(|known| worst.rank() > known.rank()) {
            let most = options.examples;
            let examples = |has_cloth| examples_of(&state.found, mesh, judged.roles, has_cloth);
            worst.examples = examples(true).chain(examples(false)).take(most).collect();
            worst.doubled_examples = judged.mesh.faces_of_file(&state.doubled).take(most).collect();
            worst.fold_examples = mesh.edges_of_file(&state.found.flat_folds).take(most).collect();
            worst.unwelded = unwelded_seams(&state, mesh).map(|seams| (self.judged, seams));
            self.worst = Some(worst);
        }
        let impacts = motion.map(|motion| motion.impacts.count());
        self.frames.extend(number.map(|frame| FrameReport { frame, counts, seams, impacts, is_cut }));
        self.last = Some(state);
        self.judged += 1;
    }
}

fn unwelded_seams(state: &JudgedState, mesh: &PreparedMesh) -> Option<UnweldedSeams> {
    let bounds = BoundsReport::of_faces(state.positions(), mesh.topology.faces())?.bounds();
    UnweldedSeams::find(&state.found, state.positions(), &mesh.topology, &bounds)
}

/// The intersections with cloth in them, or the others. Those of a mesh alone are all of cloth.
pub(super) fn examples_of(
    found: &Intersections,
    mesh: &PreparedMesh,
    roles: Option<&Roles>,
    has_cloth: bool,
) -> impl Iterator<Item = Example> {
    let topology = &mesh.topology;
    let is_wanted = move |&[e, f]: &[u32; 2]| {
        let [a, b] = [topology.edges()[e as usize][0], topology.faces()[f as usize][0]];
        roles.is_none_or(|roles| roles.kind(a, b).has_cloth()) == has_cloth
    };
    let named = move |(&[e, f], &kind): (&[u32; 2], &IntersectionKind)| Example {
        edge: topology.edges()[e as usize].map(|v| mesh.sources[v as usize]),
        face: mesh.face_ids[f as usize],
        proper: kind == IntersectionKind::Proper,
    };
    found.edge_faces.iter().zip(&found.kinds).filter(move |(pair, _)| is_wanted(pair)).map(named)
}
