//! The JSON of a verify run, field by field. Adding a field keeps [`SCHEMA_VERSION`]; a changed meaning
//! raises it.

use super::{Audit, Certification, Figure, Provenance};
use cloth_geom::lanes;
use cloth_scene::words::counted;
use cloth_solver::{ByParts, Cut};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Of the JSON that [`VerifyReport`] writes.
pub const SCHEMA_VERSION: u32 = 4;

/// A verify run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct VerifyReport {
    /// [`SCHEMA_VERSION`] when it was written.
    pub schema_version: u32,
    /// Program, machine, date and arguments; none in old reports, and where nobody has said it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Provenance>,
    /// Threads the simulation was allowed; times are comparable only at the same number.
    pub threads: usize,
    /// The widest vector instructions that are used (`avx512`, `avx2`, `sse2`, `neon`, `simd128` or
    /// `scalar`); empty in old reports.
    #[serde(default)]
    pub instruction_set: String,
    /// Whether every scenario passed, and there was one.
    pub pass: bool,
    /// Whether the run was ended early: the last scenario has the frames until then, later ones are left out.
    #[serde(default)]
    pub interrupted: bool,
    /// One entry for each scenario, size, broad phase and gate setting that ran.
    pub scenarios: Vec<ScenarioReport>,
}

impl VerifyReport {
    /// The report of scenarios that ran on some number of threads. A run of nothing does not pass: it proves
    /// nothing.
    #[must_use]
    pub fn new(threads: usize, scenarios: Vec<ScenarioReport>) -> Self {
        let pass = !scenarios.is_empty() && scenarios.iter().all(|s| s.pass);
        Self {
            schema_version: SCHEMA_VERSION,
            provenance: None,
            threads,
            instruction_set: lanes::level_name(lanes::level()).into(),
            pass,
            interrupted: false,
            scenarios,
        }
    }

    /// Says that the run was ended early, which proves nothing either.
    pub fn interrupt(&mut self) {
        self.interrupted = true;
        self.pass = false;
    }
}

/// One scenario: what it was, what was found, whether that was expected.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ScenarioReport {
    /// Name of the scenario, as `--scenario` takes it.
    pub name: String,
    /// `small`, `medium` or `large`.
    pub size: String,
    /// The broad phase, as `--broadphase` takes it.
    pub broadphase: String,
    /// Whether the gate was on.
    pub gate: bool,
    /// How cloth collides with itself: `full`, `particles` or `off`; empty if nothing could be built.
    #[serde(default)]
    pub self_collision: String,
    /// The elastic model, as `--model` takes it; empty if nothing could be built.
    #[serde(default)]
    pub elastic_model: String,
    /// Which faces make contacts with colliders: `off`, `auto` or `on`.
    pub face_contacts: String,
    /// Particles, over all cloths.
    pub particles: usize,
    /// Triangles, over all cloths.
    pub triangles: usize,
    /// Frames simulated; each was checked exactly, as was the start.
    pub frames: usize,
    /// Substeps a frame.
    pub substeps: usize,
    /// Duration of a frame (s).
    pub dt_s: Figure,
    /// Twice the particle radius and the static collision radius (m).
    pub thickness_m: Figure,
    /// Coefficient of friction against colliders, the greatest of them.
    pub friction: Figure,
    /// Coefficient of friction between cloth.
    pub friction_cloth: Figure,
    /// Pairs of an edge and a face that share no vertex and have a point in common.
    pub intersections: Intersections,
    /// Intersections of the start and of the last state, by what intersects. The figures above leave out
    /// bodies that intersect themselves.
    #[serde(default)]
    pub start: IntersectionsByParts,
    /// See `start`.
    #[serde(default, rename = "final")]
    pub end: IntersectionsByParts,
    /// The face pairs behind them.
    pub intersecting_triangle_pairs: Peak,
    /// Faces that share an edge and lie flat on each other: no intersection, and reported apart.
    pub flat_folds: Peak,
    /// What the gate made of it.
    #[serde(flatten)]
    pub certification: Certification,
    /// What an auditor found on the path of the substeps; none if the run was not audited.
    #[serde(default)]
    pub audit: Option<Audit>,
    /// The cloths that were teleported, and when: the motion to such a frame begins where that took them.
    #[serde(default)]
    pub cuts: Vec<CutFigures>,
    /// What touched on the straight chords between frames; none if it was not observed.
    pub frame_chords: Option<FrameChords>,
    /// Contacts a detection.
    pub contacts: Contacts,
    /// Change of length against the rest shape.
    pub stretch: Stretch,
    /// Greatest depth of any point of a face below the surface of a collider after any substep (m), 0 if none
    /// was inside; never too small, and at most 0.1 mm and 1 % too large.
    pub deepest_penetration_m: Figure,
    /// The face where that was; none if no face was inside a collider.
    #[serde(default)]
    pub deepest_face: Option<DeepestFace>,
    /// Greatest depth of a vertex inside a collider over all frames (m), 0 if none was inside.
    #[serde(default)]
    pub deepest_vertex_m: Figure,
    /// Time of a frame, judging left out.
    pub ms_per_frame: MsPerFrame,
    /// Mean time a frame by stage (ms); `character`, which is no part of the time of a frame, is that of
    /// posing a character and its skin.
    pub stage_ms: BTreeMap<String, Figure>,
    /// Crossings of cloth by the axes of guarded colliders; none if no collider is guarded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub axis_crossings: Option<AxisCrossings>,
    /// The rigid bodies, in the order of the scene.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rigid_bodies: Vec<RigidBodyFigures>,
    /// Cloth against the skin of the character that wears it; none without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skin: Option<SkinContact>,
    /// How many of its cases hold; none if it has no cases.
    pub cases: Option<Cases>,
    /// The cells that lost a vertex to the wrong side, case and name.
    #[serde(default)]
    pub failed_cells: Vec<String>,
    /// Hash of the last state: 16 hex digits, see [`hex`].
    pub state_hash: String,
    /// Hash of the state after each frame.
    pub frame_hashes: Vec<String>,
    /// The same scene without what it is meant to test.
    pub control: Control,
    /// Intersections of the same scene with self-collision and without the gate; none if it was not run so.
    #[serde(default)]
    pub ungated: Option<Intersections>,
    /// Intersections of the same scene with layers without order; none for scenes that have no such layers.
    pub without_layer_order: Option<Intersections>,
    /// Figures of each frame.
    pub per_frame: PerFrame,
    /// Whether every expectation of the scenario and of its control, if it has one, held.
    pub pass: bool,
    /// Each expectation that did not hold, as a sentence with its figures.
    pub failures: Vec<String>,
}

/// Intersections of one state by what intersects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct IntersectionsByParts {
    /// A cloth with itself.
    pub cloth_with_itself: u64,
    /// A cloth with another.
    pub cloth_with_cloth: u64,
    /// A cloth with a body.
    pub cloth_with_body: u64,
    /// A body with itself or with another, which nothing resolves.
    pub body_with_itself: u64,
}

impl From<ByParts<usize>> for IntersectionsByParts {
    fn from(counts: ByParts<usize>) -> Self {
        let ByParts { cloth_with_itself, cloth_with_cloth, cloth_with_body, body_with_itself } = counts;
        let [cloth_with_itself, cloth_with_cloth, cloth_with_body, body_with_itself] =
            [cloth_with_itself, cloth_with_cloth, cloth_with_body, body_with_itself].map(|n| n as u64);
        Self { cloth_with_itself, cloth_with_cloth, cloth_with_body, body_with_itself }
    }
}

/// The face that stood deepest in a collider.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DeepestFace {
    /// Its cloth, if that has a name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cloth: Option<String>,
    /// Its number, from 0: in its cloth if that is named, else among the faces of all cloths.
    pub face: usize,
    /// Its corners: the numbers of the file if its cloth is named, else those of all cloths; from 0.
    #[serde(default)]
    pub vertices: Vec<u32>,
    /// The number of the collider, from 0.
    pub collider: usize,
    /// The name of the body whose collider it is, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// The frame, from 1.
    pub frame: usize,
}

impl From<crate::invariants::DeepFace> for DeepestFace {
    fn from(found: crate::invariants::DeepFace) -> Self {
        let crate::invariants::DeepFace { depth: _, face, corners, collider, frame } = found;
        Self { cloth: None, face, vertices: corners.to_vec(), collider, body: None, frame }
    }
}

/// Intersections over a sequence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Intersections {
    /// At the start.
    pub initial: u64,
    /// In the worst frame.
    pub max: u64,
    /// In the last frame.
    #[serde(rename = "final")]
    pub last: u64,
    /// Number of frames that have any.
    pub frames_with: u64,
}

impl Intersections {
    /// From the number at the start and those after each frame.
    #[must_use]
    pub fn from_frames(initial: u64, frames: &[u64]) -> Self {
        let Peak { max, last } = Peak::from_frames(initial, frames);
        Self { initial, max, last, frames_with: frames.iter().filter(|&&n| n > 0).count() as u64 }
    }
}

/// A count over a sequence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Peak {
    /// In the worst frame, the start included.
    pub max: u64,
    /// In the last frame.
    #[serde(rename = "final")]
    pub last: u64,
}

impl Peak {
    /// From the number at the start and those after each frame.
    #[must_use]
    pub fn from_frames(initial: u64, frames: &[u64]) -> Self {
        let max = frames.iter().copied().fold(initial, u64::max);
        Self { max, last: frames.last().copied().unwrap_or(initial) }
    }
}

/// A cloth that was teleported at the start of a frame, because what it is fixed to was cut.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CutFigures {
    /// The frame, from 1: the cloth is elsewhere in it than in the one before.
    pub frame: usize,
    /// The number of the cloth, from 0.
    pub cloth: usize,
    /// Its name, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// How far what it is fixed to went (m).
    pub metres: Figure,
    /// By which angle that turned (degrees).
    pub degrees: Figure,
}

impl CutFigures {
    /// A cut in the step to a frame.
    #[must_use]
    pub fn new(frame: usize, cut: &Cut) -> Self {
        let [metres, degrees] = [cut.metres, cut.degrees].map(|figure| f64::from(figure).into());
        Self { frame, cloth: cut.cloth.index(), name: None, metres, degrees }
    }

    /// The frames of cuts in words, each once, at most eight: `frame 4`, `frames 4 and 9`; empty without any.
    #[must_use]
    pub fn frames_in_words(cuts: &[Self]) -> String {
        const MOST: usize = 8;
        let frames = Self::frames(cuts);
        let words: Vec<String> = frames.iter().take(MOST).map(usize::to_string).collect();
        match (&words[..], frames.len().saturating_sub(MOST)) {
            ([], _) => String::new(),
            ([one], _) => format!("frame {one}"),
            ([first @ .., last], 0) => format!("frames {} and {last}", first.join(", ")),
            (_, more) => format!("frames {} and {}", words.join(", "), counted(more, "other")),
        }
    }

    /// The frames of cuts, each once, ascending.
    #[must_use]
    pub fn frames(cuts: &[Self]) -> Vec<usize> {
        let mut frames: Vec<usize> = cuts.iter().map(|cut| cut.frame).collect();
        frames.sort_unstable();
        frames.dedup();
        frames
    }
}

/// What touches on the straight chords between frames, by exact continuous collision detection.
///
/// Counted are pairs of a vertex and a face, or of two edges, that share no vertex and touch when every
/// vertex moves on the chord from one frame to the next, the start included, and after a cut from where that
/// took it: cloth that crosses cloth, and cloth that only touches. Nothing moves on a chord. Within a frame
/// the substeps move on a broken line, so a pair may be counted whose substeps went around each other, and
/// one be missed that went through and came back within a frame. The path of the substeps is what [`Audit`]
/// judges.
///
/// The figure worth reading is that of a run whose every frame is clean: such a run looks right wherever it
/// is checked, and 0 here says that no layer jumped over another from frame to frame either. Where frames
/// intersect, the layers go in and out again, and both are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FrameChords {
    /// Pairs of primitives that touch, summed over the frames.
    pub pairs: u64,
    /// Number of frames with any on the chord to them.
    pub frames_with: u64,
}

/// Contacts a detection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Contacts {
    /// Mean.
    pub mean: Figure,
    /// Greatest.
    pub max: u64,
}

/// Change of length against the rest shape, relative to it: 0.01 is 1 %. Over all frames; `null` where no
/// edge is measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Stretch {
    /// 99th percentile along warp and weft.
    pub p99: Figure,
    /// Greatest along warp and weft.
    pub max: Figure,
    /// 99th percentile along diagonals, where cloth is soft.
    pub diagonal_p99: Figure,
    /// Greatest along diagonals.
    pub diagonal_max: Figure,
}

/// Time of a frame (ms).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MsPerFrame {
    /// Median.
    pub median: Figure,
    /// 95th percentile.
    pub p95: Figure,
}

impl MsPerFrame {
    /// From the times of the frames (ms), by nearest rank; not finite without frames.
    #[must_use]
    pub fn from_frames(frames: &[f64]) -> Self {
        let mut sorted = frames.to_vec();
        sorted.sort_by(f64::total_cmp);
        let rank = |part: f64| {
            let rank = (part * sorted.len() as f64).ceil() as usize;
            Figure::from(sorted.get(rank.saturating_sub(1)).copied())
        };
        Self { median: rank(0.5), p95: rank(0.95) }
    }
}

/// The same scene with self collision, gate and layers off, or with the scenario's own control.
///
/// A scenario whose control is clean proves nothing: its cloth would not have met itself anyway.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Control {
    /// What was switched off; empty if no control was run.
    pub name: String,
    /// Why the scenario has no control under the elastic model of the run; none if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub absence: Option<String>,
    /// Intersections in its worst frame.
    pub max_intersections: u64,
    /// Intersections in its last frame.
    pub final_intersections: u64,
    /// Whether it must intersect for the scenario to pass; a control that must stretch instead need not.
    pub expected_to_intersect: bool,
    /// 99th percentile of its stretch along warp and weft, in its worst frame.
    pub stretch_p99: Figure,
    /// How many of the cases hold with it; none if there are no cases.
    pub cases: Option<Cases>,
}

impl Control {
    /// Whether there was a control.
    #[must_use]
    pub fn was_run(&self) -> bool {
        !self.name.is_empty()
    }
}

/// Cloth against the skin of the character that wears it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SkinContact {
    /// As what the character collides: `proxies`, `skin` or `both`.
    pub body: String,
    /// Pairs of an edge and a face, one of cloth and one of skin, that have a point in common.
    pub cloth_skin: Intersections,
    /// Depth (m) of the deepest vertex of cloth below the skin, over all frames.
    pub deepest_m: Figure,
    /// The same in the last frame.
    pub last_deepest_m: Figure,
    /// The same over all frames of the control; none if it was not measured there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control_deepest_m: Option<Figure>,
}

/// A rigid body over a run; lists have the start and then every frame.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RigidBodyFigures {
    /// Its name in a scene file; none if it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Mass (kg).
    pub mass_kg: Figure,
    /// Least exact distance (m) of the surface of a ball from any face of cloth after any substep, negative
    /// inside; none for other shapes.
    pub least_distance_m: Figure,
    /// Place of the centre (m).
    pub centre_m: Vec<[f64; 3]>,
    /// Rotation from the frame of the shape, in which a capsule lies along y and a box along the axes:
    /// quaternions x, y, z, w.
    #[serde(default)]
    pub rotation_xyzw: Vec<[f64; 4]>,
    /// Velocity of the centre (m/s).
    pub velocity_m_s: Vec<[f64; 3]>,
    /// Angular velocity (rad/s).
    pub angular_velocity_rad_s: Vec<[f64; 3]>,
    /// Impulse (N s) of the cloth in the frame.
    pub impulse_n_s: Vec<[f64; 3]>,
    /// Kinetic and potential energy (J); the latter is 0 at height 0.
    pub energy_j: Vec<f64>,
}

/// Pairs of the axis of a guarded collider and of cloth that met, by exact detection of all pairs, summed
/// over the substeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AxisCrossings {
    /// In the run.
    pub run: u64,
    /// In the control; none if it was not run.
    pub control: Option<u64>,
}

/// Cases of a scenario that consists of many: cells in which vertices must stay on their side of a collider.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Cases {
    /// Cells in which every vertex stayed on its side in every frame.
    pub passed: usize,
    /// All cells.
    pub total: usize,
    /// The same by the letter of the case.
    pub by_case: BTreeMap<String, Share>,
}

/// How many of some passed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Share {
    /// Those that did.
    pub passed: usize,
    /// All.
    pub total: usize,
}

/// Figures of each frame, for charts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PerFrame {
    /// Intersections after each frame.
    pub intersections: Vec<u64>,
    /// The same of the control.
    pub control_intersections: Vec<u64>,
    /// Time of each frame (ms).
    pub ms: Vec<Figure>,
}

/// A hash as reports write it: 16 lower-case hex digits.
#[must_use]
pub fn hex(hash: u64) -> String {
    format!("{hash:016x}")
}
