//! The JSON of a benchmark run, field by field. Adding a field keeps [`SCHEMA_VERSION`]; a changed meaning
//! raises it.
//!
//! Units are in the names: `_ms` milliseconds, `_ns` nanoseconds, `_s` seconds, `_m` metres, `_bytes` bytes.
//! A number that does not exist (no frame was finished, the system does not report it) is `null`, never NaN
//! and never 0.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

/// Of the JSON that [`BenchReport`] writes.
pub const SCHEMA_VERSION: u32 = 1;

/// A benchmark run: every list may be empty, because a run may be restricted to a part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BenchReport {
    /// [`SCHEMA_VERSION`] when it was written.
    pub schema_version: u32,
    /// Program, machine, date and arguments.
    pub provenance: Provenance,
    /// How much was run.
    pub mode: Mode,
    /// Whether the run was ended early: what is missing was not run.
    pub interrupted: bool,
    /// One entry for each scene, side and contender.
    pub scenes: Vec<SceneResult>,
    /// Time of a contender divided by that of the baseline, for each scene and side that both completed.
    pub ratios: Vec<Ratio>,
    /// How time grows with the number of particles.
    pub growth: Vec<Growth>,
}

/// Of the JSON that [`PushReport`] writes.
pub const PUSH_VERSION: u32 = 1;

/// Who keeps the promise: what gates made of motions that push one sheet through another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PushReport {
    /// [`PUSH_VERSION`] when it was written.
    pub push_version: u32,
    /// Program, machine, date and arguments.
    pub provenance: Provenance,
    /// One entry for each contender and case.
    pub results: Vec<PushResult>,
}

/// One contender in one case. Other programs may add theirs: a file with a list of these.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PushResult {
    /// What decides how far a motion goes: any name that the report does not have yet.
    pub contender: String,
    /// Version of its library; empty for a method that is written out for the comparison.
    #[serde(default)]
    pub version: String,
    /// Whether it is a part of this project.
    #[serde(default)]
    pub own: bool,
    /// How it decides, in one line.
    #[serde(default)]
    pub method: String,
    /// What is pushed, where, how far, in which type and at which distance from the origin, for example
    /// `2 sheets, constant, 1 mm, f64, at 0e0 m`.
    pub case: String,
    /// Steps.
    pub steps: usize,
    /// The first step with a crossing, from 1; null if there was none.
    pub first_crossing: Option<usize>,
    /// Number of steps with a crossing.
    pub crossings: usize,
    /// Share of the proposed sideways motion that was kept while sheets were farther apart than 1 mm; null if
    /// none was proposed.
    pub kept_apart: Option<f64>,
    /// The same while they were nearer.
    pub kept_at_contact: Option<f64>,
    /// Mean time (ms) of a call; null where it was not measured.
    pub ms_per_step: Option<f64>,
}

/// How much was run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// `--quick`: 32 vertices a side, few frames, one run.
    Quick,
    /// The whole matrix.
    Full,
    /// A part of it that the arguments name.
    Custom,
}

/// Where a report comes from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Provenance {
    /// Version of the project.
    pub version: String,
    /// The commit that was measured; none without a repository.
    pub commit: Option<String>,
    /// Whether tracked files differed from that commit.
    pub dirty: bool,
    /// When the report was written: `2026-01-31T12:00:00Z`.
    pub date_utc: String,
    /// What the program was called with, its own name left out.
    pub arguments: Vec<String>,
    /// `rustc --version` of the compiler.
    pub toolchain: String,
    /// What it ran on.
    pub machine: Machine,
    /// The widest vector instructions that this project uses (`avx512`, `avx2`, `sse2`, `neon` or
    /// `simd128`); in records before November 2026 those that it is compiled for.
    pub instruction_set: String,
    /// What the caller says about the conditions (`--note`), for example that the machine was not quiet;
    /// empty without.
    pub note: String,
    /// Mean number of processes that were ready to run over the last minute before the start and at the end
    /// (load average); none where the system does not report it.
    pub load_average: Option<[f64; 2]>,
}

/// A machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// The processor, as the system names it.
    pub cpu: String,
    /// Threads that it runs at once.
    pub cores: usize,
    /// Memory; none where the system does not report it.
    pub memory_bytes: Option<u64>,
    /// Operating system and architecture: `linux x86_64`.
    pub os: String,
    /// Hash of the other fields, 16 hex digits: times are comparable only between reports that have the same.
    pub fingerprint: String,
}

/// A library with its settings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contender {
    /// A word that identifies it in this report and in later ones: `cloth-game`.
    pub id: String,
    /// For people: `cloth, Settings::game()`.
    pub name: String,
    /// The crate: `rapier3d`.
    pub library: String,
    /// Its version.
    pub version: String,
    /// Settings that differ from the library's defaults, as text.
    pub settings: String,
    /// Whether it proves its motion intersection-free.
    pub certified: bool,
    /// Whether it is a part of this project.
    pub own: bool,
}

/// One contender in one scene.
///
/// Times, memory and quality are `null` or empty if no run finished a frame. If runs were stopped or failed,
/// figures are those of the frames that were finished.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SceneResult {
    /// `hang`, `drape-sphere`, `pile`, `twist` or `stack`.
    pub scene: String,
    /// Vertices along the longer side of the scene: 32, 64 or 128. A `stack` has five sheets of half as many
    /// each, a `twist` a strip of a comparable number of particles; `particles` is exact.
    pub side: u32,
    /// Particles, over all cloths.
    pub particles: usize,
    /// Triangles, over all cloths.
    pub triangles: usize,
    /// Duration of a frame (s).
    pub dt_s: f64,
    /// Cloth–cloth distance that contenders were asked to keep, 2r + SCR (m).
    pub thickness_m: f64,
    /// Frames of the scene.
    pub frames_wanted: usize,
    /// Frames that every run finished.
    pub frames_done: usize,
    /// The library and its settings.
    pub contender: Contender,
    /// Finished runs.
    pub runs: usize,
    /// How it ended; if runs differ, the worst.
    pub status: Status,
    /// Wall time of a frame, judging left out. Of each frame the least over the runs.
    pub wall_ms: Option<FrameTimes>,
    /// CPU time of the process in a frame (user and system, all its threads), judging left out. Of each frame
    /// the least over the runs.
    pub cpu_ms: Option<FrameTimes>,
    /// Instructions retired in a frame, mean over the first frames of the scene; none where they were not
    /// counted (all sides but the smallest, and machines without valgrind).
    pub instructions_per_frame: Option<f64>,
    /// Largest resident set of the process, judging left out where the system allows to tell it apart
    /// (bytes).
    pub peak_memory_bytes: Option<u64>,
    /// Energy that appeared from nowhere, relative to the energy scale of the scene: the largest rise of
    /// kinetic plus gravitational energy above its least earlier value, divided by `M g L` (mass times 9.81
    /// m/s2 times the height of the scene's cloth above its lowest reachable point, 1 m at least a side).
    /// Null for scenes whose pins are driven, since those do work.
    pub energy_drift: Option<f64>,
    /// Change of length along warp and weft against the rest shape, in the worst frame.
    pub stretch: Option<Stretch>,
    /// Pairs of an edge and a face that share no vertex and have a point in common, counted exactly after
    /// each frame.
    pub intersections: Option<Intersections>,
    /// Pairs that meet on the straight chords from frame to frame; none where it was not judged, or judging
    /// took too long.
    pub pass_throughs: Option<PassThroughs>,
    /// Deepest place of a particle inside a collider over all frames (m), 0 if none was.
    pub penetration_m: Option<f64>,
    /// Mean time a frame by stage (ms), as the library reports it; empty if it reports none.
    pub stage_ms: BTreeMap<String, f64>,
    /// Threads that the contender was allowed.
    pub threads: usize,
    /// Path of a picture of the last frame, relative to the JSON; none if no picture was made.
    pub picture: Option<String>,
}

/// How a contender ended a scene.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Status {
    /// All frames were simulated, and all positions were finite.
    #[default]
    Completed,
    /// The time limit of a run was reached.
    Stopped {
        /// Time since the process started (s).
        after_s: f64,
    },
    /// The library returned an error, crashed, or moved a vertex to a position that is not finite.
    Failed {
        /// What happened, in one line.
        error: String,
    },
    /// The library cannot represent the scene.
    Unsupported {
        /// What it lacks, in one line.
        reason: String,
    },
}

impl Status {
    /// An error of a library, in one line.
    pub(crate) fn failed(error: impl fmt::Display) -> Self {
        Self::Failed { error: one_line(&error) }
    }

    /// What a library lacks, in one line.
    pub(crate) fn unsupported(reason: impl fmt::Display) -> Self {
        Self::Unsupported { reason: one_line(&reason) }
    }
}

fn one_line(text: &dyn fmt::Display) -> String {
    text.to_string().split_whitespace().collect::<Vec<_>>().join(" ")
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Completed => f.write_str("completed"),
            Self::Stopped { after_s } => write!(f, "stopped after {after_s:.0} s"),
            Self::Failed { error } => write!(f, "failed: {error}"),
            Self::Unsupported { reason } => write!(f, "unsupported: {reason}"),
        }
    }
}

/// Times of frames (ms).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FrameTimes {
    /// Median.
    pub median: f64,
    /// 95th percentile (nearest rank).
    pub p95: f64,
    /// Longest.
    pub worst: f64,
    /// Each frame in order.
    pub per_frame: Vec<f64>,
}

/// Change of length against the rest shape, relative to it: 0.01 is 1 %.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Stretch {
    /// 99th percentile of the edges, in the worst frame.
    pub p99: f64,
    /// Largest.
    pub max: f64,
}

/// Intersections over a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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
    /// After each frame.
    pub per_frame: Vec<u64>,
}

/// Pairs of a vertex and a face, or of two edges, that meet while every vertex moves on the straight chord
/// from one frame to the next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PassThroughs {
    /// Summed over the frames.
    pub pairs: u64,
    /// Frames with any.
    pub frames_with: u64,
}

/// What a ratio compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// Wall time of the frames that both finished, summed.
    Wall,
    /// CPU time of the same frames.
    Cpu,
}

/// Time of a contender divided by that of the baseline, over the frames that both finished.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ratio {
    /// As in [`SceneResult`].
    pub scene: String,
    /// As in [`SceneResult`].
    pub side: u32,
    /// Id of the contender.
    pub contender: String,
    /// Id of the baseline.
    pub baseline: String,
    /// What is compared.
    pub measure: Measure,
    /// Frames that were compared.
    pub frames: usize,
    /// Contender over baseline: 2 is twice the time.
    pub ratio: f64,
    /// 2.5th percentile of the bootstrap over the interleaved runs; the least run if there are fewer than
    /// three.
    pub low: f64,
    /// 97.5th percentile, or the greatest run.
    pub high: f64,
    /// Whether the interval excludes 1 and is narrower than the effect (as logarithms:
    /// `ln high - ln low <= |ln ratio|`). Never with fewer than three runs of each.
    pub decided: bool,
}

/// How the median time of a frame grows over the frames that all sides finished:
/// `time ~ particles ^ exponent`, by least squares of the logarithms.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Growth {
    /// As in [`SceneResult`].
    pub scene: String,
    /// Id of the contender.
    pub contender: String,
    /// 1 is linear.
    pub exponent: f64,
    /// The sides it was computed from, two at least.
    pub sides: Vec<u32>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_reads_back_and_names_its_kind() {
        let all = [
            (Status::Completed, "completed"),
            (Status::Stopped { after_s: 120.0 }, "stopped"),
            (Status::Failed { error: "x".into() }, "failed"),
            (Status::Unsupported { reason: "y".into() }, "unsupported"),
        ];
        for (status, kind) in all {
            let text = serde_json::to_value(&status).expect("JSON");
            assert_eq!(text["kind"], kind);
            assert_eq!(serde_json::from_value::<Status>(text).expect("a status"), status);
        }
    }
}
