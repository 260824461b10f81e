//! Recordings of runs: every state that a player shows, packed as small as its precision permits.
//!
//! ```text
//! layout   what does not change while a run goes on: cloths, colliders, view
//! packer   states -> bytes: steps of 0.2 mm, predicted from the states before, deflated
//! ```
//!
//! A recording keeps up to 30 states a second of simulated time, the first and the last among them, and the
//! counts and times of every frame.

mod layout;
mod packer;

pub use layout::{ClothRange, ColliderShape, Layout, pose_numbers};

use cloth_solver::{Collider, StageTimes};
use nalgebra::Point3;
use packer::{PackedFaces, Packer, State};
use serde::Serialize;

use crate::report::CutFigures;

/// The shortest time (s) between two states, but for the last.
const INTERVAL: f64 = 1.0 / 30.0;

/// A run that can be played.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Recording {
    /// What was run, in a few words.
    pub label: String,
    /// How it is laid out.
    pub layout: Layout,
    /// Vertices of the surfaces of bodies; they follow those of the cloths.
    pub surface_vertices: usize,
    /// Faces of the cloths, and of the surfaces of bodies.
    pub faces: [usize; 2],
    /// Size of a step of a coordinate (m).
    pub step: f64,
    /// The frame of each state, 0 for the start.
    pub frames: Vec<usize>,
    /// The simulated time (s) of each state.
    pub times: Vec<f64>,
    /// Intersections at the start and after each frame.
    pub intersections: Vec<u64>,
    /// The cloths that were teleported.
    pub cuts: Vec<CutFigures>,
    /// Names of the stages.
    pub stages: [&'static str; 7],
    /// Time (ms) of each stage in each frame.
    pub stage_ms: Vec<[f32; 7]>,
    /// The states, packed as `packer.rs` describes them; in JSON as base64.
    #[serde(serialize_with = "base64_text")]
    pub data: Vec<u8>,
}

/// A state of a run, as the judge sees it.
#[derive(Clone, Copy, Debug)]
pub struct RecordedState<'a> {
    /// Simulated time (s).
    pub time: f64,
    /// Vertices of the cloths (m).
    pub cloths: &'a [Point3<f32>],
    /// Vertices of the surfaces of bodies (m).
    pub surfaces: &'a [Point3<f32>],
    /// The colliders of the layout, in its order.
    pub colliders: &'a [Collider],
    /// Intersections.
    pub intersections: u64,
    /// The faces of cloth that intersect anything.
    pub intersecting_faces: &'a [u32],
    /// The cuts of the run so far.
    pub cuts: &'a [CutFigures],
}

/// Records a run, state by state.
#[derive(Debug)]
pub struct Recorder {
    recording: Recording,
    packer: Packer,
    /// The last state, if it is not kept yet.
    pending: Option<(f64, State)>,
}

impl Recorder {
    /// A recorder of cloths with these faces, and of bodies whose surfaces have these faces, each counted
    /// from its own first vertex.
    #[must_use]
    pub fn new(layout: Layout, cloth_faces: &[[u32; 3]], surface_faces: &[[u32; 3]]) -> Self {
        let packer = Packer::new(PackedFaces { cloth: cloth_faces, surface: surface_faces });
        let recording = Recording {
            label: String::new(),
            layout,
            surface_vertices: 0,
            faces: [cloth_faces.len(), surface_faces.len()],
            step: packer::STEP,
            frames: Vec::new(),
            times: Vec::new(),
            intersections: Vec::new(),
            cuts: Vec::new(),
            stages: StageTimes::default().named().map(|(name, _)| name),
            stage_ms: Vec::new(),
            data: Vec::new(),
        };
        Self { recording, packer, pending: None }
    }

    /// Records the start, and then the state after each frame with the times of its stages.
    pub fn record(&mut self, state: &RecordedState<'_>, times: Option<&StageTimes>) {
        let recording = &mut self.recording;
        recording.intersections.push(state.intersections);
        recording.cuts.extend_from_slice(state.cuts.get(recording.cuts.len()..).unwrap_or_default());
        recording.stage_ms.extend(times.map(|times| times.named().map(|(_, time)| time.as_secs_f32() * 1e3)));
        recording.surface_vertices = state.surfaces.len();
        let due = recording.times.last().is_none_or(|last| state.time > last + (1.0 - 1e-3) * INTERVAL);
        self.pending = Some((state.time, State::new(state)));
        if due {
            self.keep();
        }
    }

    /// The recording, the last state included.
    #[must_use]
    pub fn finish(mut self, label: impl Into<String>) -> Recording {
        self.keep();
        Recording { label: label.into(), data: self.packer.finish(), ..self.recording }
    }

    fn keep(&mut self) {
        if let Some((time, state)) = self.pending.take() {
            self.recording.frames.push(self.recording.intersections.len() - 1);
            // Half a microsecond is nothing to see, and takes fewer digits.
            self.recording.times.push((time * 1e6).round() / 1e6);
            self.packer.push(&state);
        }
    }
}

fn base64_text<S: serde::Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    use base64::{Engine as _, engine::general_purpose::STANDARD};
    serializer.serialize_str(&STANDARD.encode(bytes))
}

#[cfg(test)]
mod tests;
