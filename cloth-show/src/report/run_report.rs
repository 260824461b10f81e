//! What is measured of a run, field by field, as its JSON has it. Adding a field keeps the version of the
//! JSON that contains it; a changed meaning raises it.

use std::collections::BTreeMap;

use cloth_geom::sorted_unique;
use cloth_scene::words::counted;
use cloth_solver::{ByParts, Cut};
use serde::{Deserialize, Serialize};

use super::{Certification, Figure};
use crate::invariants::DeepFace;

/// A run: what was simulated, what was found, and whether that was expected.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunReport {
    /// Name of the scene; of a scenario that which `--scenario` takes.
    pub name: String,
    /// Whether the gate was on.
    pub gate: bool,
    /// How cloth collides with itself: `full`, `particles` or `off`; empty if nothing could be built.
    #[serde(default)]
    pub self_collision: String,
    /// The elastic model, as `--model` takes it; empty if nothing could be built.
    #[serde(default)]
    pub elastic_model: String,
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
    /// The rigid bodies, in the order of the scene.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rigid_bodies: Vec<RigidBodyFigures>,
    /// Hash of the last state: 16 hex digits, see [`hex`].
    pub state_hash: String,
    /// Hash of the state after each frame.
    pub frame_hashes: Vec<String>,
    /// Whether every expectation held.
    pub pass: bool,
    /// Each expectation that did not hold, as a sentence with its figures.
    pub failures: Vec<String>,
}

/// Figures of each frame, for charts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PerFrame {
    /// Intersections after each frame.
    pub intersections: Vec<u64>,
    /// Time of each frame (ms).
    pub ms: Vec<Figure>,
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

impl From<DeepFace> for DeepestFace {
    fn from(found: DeepFace) -> Self {
        let DeepFace { depth: _, face, corners, collider, frame } = found;
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
        sorted_unique(cuts.iter().map(|cut| cut.frame))
    }
}

/// What touches on the straight chords between frames, by exact continuous collision detection.
///
/// Counted are pairs of a vertex and a face, or of two edges, that share no vertex and touch when every
/// vertex moves on the chord from one frame to the next, the start included, and after a cut from where that
/// took it: cloth that crosses cloth, and cloth that only touches. Nothing moves on a chord. Within a frame
/// the substeps move on a broken line, so a pair may be counted whose substeps went around each other, and
/// one be missed that went through and came back within a frame. The path of the substeps is what the gate
/// certifies.
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

/// A hash as reports write it: 16 lower-case hex digits.
#[must_use]
pub fn hex(hash: u64) -> String {
    format!("{hash:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_over_a_sequence() {
        let i = Intersections::from_frames(7, &[1, 0, 5, 2]);
        assert_eq!((i.initial, i.max, i.last, i.frames_with), (7, 7, 2, 3));
        assert_eq!(Peak::from_frames(3, &[]), Peak { max: 3, last: 3 });
    }

    #[test]
    fn times_are_taken_by_nearest_rank() {
        let hundred: Vec<f64> = (1..=100).rev().map(f64::from).collect();
        let ms = MsPerFrame::from_frames(&hundred);
        assert_eq!((ms.median.get(), ms.p95.get()), (Some(50.0), Some(95.0)));
        assert_eq!(MsPerFrame::from_frames(&[3.0]).p95.get(), Some(3.0));
        assert_eq!(MsPerFrame::from_frames(&[]).median.get(), None);
    }

    #[test]
    fn the_frames_of_cuts_are_named_once_and_at_most_eight() {
        let words = |frames: &[usize]| {
            let cuts: Vec<_> =
                frames.iter().map(|&frame| CutFigures { frame, ..CutFigures::default() }).collect();
            CutFigures::frames_in_words(&cuts)
        };
        assert_eq!([words(&[]), words(&[4, 4]), words(&[9, 4])], ["", "frame 4", "frames 4 and 9"]);
        assert_eq!(words(&(1..=10).collect::<Vec<_>>()), "frames 1, 2, 3, 4, 5, 6, 7, 8 and 2 others");
    }
}
