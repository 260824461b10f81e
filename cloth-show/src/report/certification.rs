//! Figures of the certification gate over a run: certified intersections, tangles, and cost.

use cloth_solver::GateReport;
use serde::{Deserialize, Serialize};

use super::Figure;

/// The figures of the gate over a run; zero where it was off, but for the intersections.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Certification {
    /// Intersections after a frame that belong to no tangle: with the gate on, none may be. With the gate
    /// off, all.
    pub certified_intersections: Certified,
    /// Intersections that were there at the start, or came with a body that could not be held back, until
    /// they are undone.
    pub tangled: Tangled,
    /// Time in the gate, as a share of all time.
    pub gate_share: Figure,
    /// Vertices that stayed where they were, as a share of all, in the worst substep of a frame.
    pub frozen_vertex_share: VertexShare,
    /// Vertices whose motion was changed, the same way; those that stayed are among them.
    pub limited_vertex_share: VertexShare,
    /// Longest run of frames in each of which some vertex was rolled back.
    pub longest_stall_frames: u64,
    /// How far (m) a pinned vertex was behind where it was to be, at most, at the end of a frame.
    pub pin_lag_m: Figure,
    /// Momentum (kg m/s) that the gate took, in magnitude, summed over vertices, substeps and frames.
    pub momentum_lost: Figure,
    /// Cloth-body pairs that were released, summed over the frames.
    pub released_pairs: u64,
    /// The chords between frames.
    pub chords: CertifiedChords,
}

/// Frames whose chord, the straight motion from the frame before, is certified as their substeps are. The
/// other ones may contain crossings, or not: see `frame_chords`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CertifiedChords {
    /// Number of frames whose chord is certified.
    pub certified: u64,
    /// Number of frames in which the gate certified substeps.
    pub frames: u64,
}

/// Intersections that are nobody's but the gate's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Certified {
    /// In the worst frame.
    pub max: u64,
    /// In the last frame.
    #[serde(rename = "final")]
    pub last: u64,
    /// Number of frames that have any.
    pub frames_with: u64,
}

/// Intersections in tangles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Tangled {
    /// At the start.
    pub initial: u64,
    /// In the worst frame, the start included.
    pub max: u64,
    /// In the last frame.
    #[serde(rename = "final")]
    pub last: u64,
    /// Frames until there were none for the first time: 0 if the start had none, none if there always were
    /// some.
    pub frames_to_clean: Option<u64>,
    /// Vertices in tangles, as a share of all, in the worst frame.
    pub vertex_share: Figure,
}

/// A part of the vertices over the frames.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct VertexShare {
    /// Mean.
    pub mean: Figure,
    /// Greatest.
    pub max: Figure,
}

/// What was seen of one frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GatedFrame {
    /// Intersections that belong to no tangle.
    pub certified: u64,
    /// Intersections in tangles.
    pub tangled: u64,
    /// What the gate says of itself.
    pub gate: GateReport,
    /// Time (ms) in the gate, and in all stages.
    pub ms: [f64; 2],
}

impl Certification {
    /// From the tangled intersections at the start, the frames, and the number of vertices.
    #[must_use]
    pub fn from_frames(tangled_at_start: u64, frames: &[GatedFrame], vertices: usize) -> Self {
        let share = |part: fn(&GateReport) -> usize| VertexShare::from_frames(frames, vertices, part);
        let [gate, all] = [0, 1].map(|k| frames.iter().map(|f| f.ms[k]).sum::<f64>());
        Self {
            certified_intersections: Certified {
                max: frames.iter().map(|f| f.certified).max().unwrap_or(0),
                last: frames.last().map_or(0, |f| f.certified),
                frames_with: frames.iter().filter(|f| f.certified > 0).count() as u64,
            },
            tangled: Tangled::from_frames(tangled_at_start, frames, vertices),
            gate_share: if all > 0.0 { gate / all } else { 0.0 }.into(),
            frozen_vertex_share: share(|g| g.frozen_vertices),
            limited_vertex_share: share(|g| g.modified_vertices),
            longest_stall_frames: longest_run(frames.iter().map(|f| f.gate.frozen_vertices > 0)),
            pin_lag_m: frames.iter().map(|f| f64::from(f.gate.pin_lag_m)).fold(0.0, f64::max).into(),
            momentum_lost: frames.iter().map(|f| f64::from(f.gate.momentum_lost)).sum::<f64>().into(),
            released_pairs: frames.iter().map(|f| f.gate.released as u64).sum(),
            chords: CertifiedChords {
                certified: frames.iter().filter(|f| f.gate.certified_chord).count() as u64,
                frames: frames.iter().filter(|f| f.gate.rounds > 0).count() as u64,
            },
        }
    }
}

impl Tangled {
    fn from_frames(initial: u64, frames: &[GatedFrame], vertices: usize) -> Self {
        let clean_after = frames.iter().position(|f| f.tangled == 0).map(|k| k as u64 + 1);
        Self {
            initial,
            max: frames.iter().map(|f| f.tangled).fold(initial, u64::max),
            last: frames.last().map_or(initial, |f| f.tangled),
            frames_to_clean: if initial == 0 { Some(0) } else { clean_after },
            vertex_share: VertexShare::from_frames(frames, vertices, |g| g.tangled_vertices).max,
        }
    }
}

impl VertexShare {
    fn from_frames(frames: &[GatedFrame], vertices: usize, part: impl Fn(&GateReport) -> usize) -> Self {
        let shares = frames.iter().map(|f| part(&f.gate) as f64 / vertices.max(1) as f64);
        let mean = shares.clone().sum::<f64>() / frames.len().max(1) as f64;
        Self { mean: mean.into(), max: shares.fold(0.0, f64::max).into() }
    }
}

fn longest_run(frames: impl Iterator<Item = bool>) -> u64 {
    let runs = frames.scan(0, |run, stalls| {
        *run = if stalls { *run + 1 } else { 0 };
        Some(*run)
    });
    runs.max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(certified: u64, tangled: u64, rolled_back: usize) -> GatedFrame {
        let gate = GateReport {
            frozen_vertices: rolled_back,
            modified_vertices: 2 * rolled_back,
            tangled_vertices: tangled as usize,
            pin_lag_m: 0.25 * rolled_back as f32,
            momentum_lost: 0.5,
            released: 3,
            rounds: rolled_back.min(1) as u32,
            certified_chord: rolled_back == 2,
            ..GateReport::default()
        };
        GatedFrame { certified, tangled, gate, ms: [1.0, 4.0] }
    }

    #[test]
    fn figures_are_those_of_the_frames() {
        let frames = [frame(0, 5, 1), frame(2, 0, 2), frame(1, 1, 0), frame(0, 0, 4)];
        let found = Certification::from_frames(3, &frames, 10);
        assert_eq!(found.certified_intersections, Certified { max: 2, last: 0, frames_with: 2 });
        let Tangled { initial, max, last, frames_to_clean, vertex_share } = found.tangled;
        assert_eq!((initial, max, last, frames_to_clean), (3, 5, 0, Some(2)));
        assert_eq!(vertex_share.get(), Some(0.5));
        assert_eq!(found.gate_share.get(), Some(0.25));
        assert_eq!(
            [found.frozen_vertex_share.mean, found.frozen_vertex_share.max].map(Figure::get),
            [Some(0.175), Some(0.4)]
        );
        assert_eq!(found.limited_vertex_share.max.get(), Some(0.8));
        assert_eq!((found.longest_stall_frames, found.released_pairs), (2, 12));
        assert_eq!(found.chords, CertifiedChords { certified: 1, frames: 3 });
        assert_eq!((found.pin_lag_m.get(), found.momentum_lost.get()), (Some(1.0), Some(2.0)));
    }

    #[test]
    fn a_clean_start_is_clean_at_once_a_lasting_tangle_never() {
        assert_eq!(Certification::from_frames(1, &[frame(0, 1, 0)], 1).tangled.frames_to_clean, None);
        assert_eq!(Certification::from_frames(0, &[frame(0, 1, 0)], 1).tangled.frames_to_clean, Some(0));
        let empty = Certification::from_frames(4, &[], 0).tangled;
        assert_eq!((empty.last, empty.frames_to_clean), (4, None));
    }
}
