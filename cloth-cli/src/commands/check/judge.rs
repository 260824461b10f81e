//! Judges every state of a subject by exact signs, and the ways between them.

use cloth_broadphase::ParryBvh;
use cloth_contacts::intersect::{Checker, Intersections, Kind};
use cloth_io::FileError;
use serde::Serialize;

use super::between::Between;
use super::report::{FrameReport, StatesReport, problem_reports};
use crate::args::CheckArgs;
use crate::commands::meshes::{Sound, Subject};
use crate::console::Progress;
use crate::counts::Counts;

/// One intersection, in the numbers of the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Example {
    /// The vertices of the edge.
    pub(super) edge: [u32; 2],
    /// The face that it meets.
    pub(super) face: u32,
    /// Whether it crosses the inside of the face; otherwise it touches it or lies in its plane.
    pub(super) proper: bool,
}

/// Judges a subject; its worst state is the first of those with the most intersections.
pub(super) fn judge(subject: &mut Subject, args: &CheckArgs) -> Result<StatesReport, FileError> {
    let path = subject.path.clone();
    let refuse = |text: String| FileError::new(&path, text);
    let sound = Sound::of(&subject.mesh, args.common.weld).map_err(refuse)?;
    let mut progress = Progress::start(format!("check {}", path.display()), subject.state_count());
    let mut checker = Checker::<ParryBvh>::default();
    let mut between = Between::naming(args.examples);
    let mut frames = Vec::new();
    let mut worst: Option<(Counts, Vec<Example>)> = None;
    for state in 0..subject.state_count() {
        let positions = sound.positions(&subject.read(state)?);
        let found = checker.check(&positions, &sound.topology).map_err(|e| refuse(e.to_string()))?;
        let counts = Counts::of(&found, &sound.topology);
        if worst.as_ref().is_none_or(|(w, _)| counts.intersections > w.intersections) {
            worst = Some((counts, examples_of(&found, &sound, args.examples)));
        }
        let impacts = if args.frames_only { Ok(None) } else { between.show(positions, &sound) };
        let impacts = impacts.map_err(|e| refuse(e.to_string()))?;
        let frame = subject.frame_number(state);
        frames.extend(frame.map(|frame| FrameReport { frame, counts, impacts }));
        progress.done(state + 1);
    }
    let (counts, examples) = worst.unwrap_or_default();
    let mut notes = subject.notes.clone();
    notes.extend(sound.notes);
    Ok(StatesReport {
        path: path.display().to_string(),
        vertices: subject.mesh.positions.len(),
        triangles: subject.mesh.faces.len(),
        counts,
        impacts: between.found(),
        examples,
        problems: problem_reports(&sound.problems),
        notes,
        frames,
    })
}

fn examples_of(found: &Intersections, sound: &Sound, most: usize) -> Vec<Example> {
    let named = |(&[e, f], &kind): (&[u32; 2], &Kind)| Example {
        edge: sound.topology.edges()[e as usize].map(|v| sound.sources[v as usize]),
        face: sound.face_ids[f as usize],
        proper: kind == Kind::Proper,
    };
    found.edge_faces.iter().zip(&found.kinds).take(most).map(named).collect()
}
