//! A line of the history.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Version of [`Record`]. Adding a field keeps it; a changed meaning raises it.
pub const RECORD_VERSION: u32 = 1;

/// One result of one run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Record {
    /// [`RECORD_VERSION`] when it was written.
    pub record_version: u32,
    /// When the report was written: `2026-01-31T12:00:00Z`.
    pub date_utc: String,
    /// The commit that was measured; none without a repository.
    pub commit: Option<String>,
    /// Whether tracked files differed from that commit.
    pub dirty: bool,
    /// Fingerprint of the machine: times are comparable only between records that have the same.
    pub machine: String,
    /// `rustc --version`: instruction counts are comparable only between records that have the same.
    pub toolchain: String,
    /// The vector instructions that were compiled for.
    pub instruction_set: String,
    /// The part of the report.
    pub section: Section,
    /// Names what was measured within its section: `pile/64/cloth-game/1`.
    pub id: String,
    /// Whether it is a part of this project.
    pub own: bool,
    /// Version of the library.
    pub version: String,
    /// Instructions of a frame or of a query; none where they were not counted.
    pub instructions: Option<f64>,
    /// Time of a frame or of a query; none where it did not finish.
    pub time: Option<Time>,
    /// Wall time divided by that of each peer in the same interleaved runs, by the id of the peer.
    pub paired: Vec<Paired>,
    /// Intersections in the worst frame; none where there are no frames.
    pub intersections_max: Option<u64>,
    /// 99th percentile of the stretch; none where there are no frames.
    pub stretch_p99: Option<f64>,
    /// Wrong answers of a kernel, a broad phase or a CCD method.
    pub wrong: Option<u64>,
    /// Frames that were finished, of those that were wanted; none where there are no frames.
    pub frames: Option<[usize; 2]>,
}

/// A part of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Section {
    /// Scenes: times of frames.
    Scene,
    /// Geometric queries.
    Kernel,
    /// Broad phases: one update and one query.
    BroadPhase,
    /// Continuous collision detection.
    Ccd,
}

impl Section {
    /// All sections.
    pub const ALL: [Self; 4] = [Self::Scene, Self::Kernel, Self::BroadPhase, Self::Ccd];

    /// The name of the file and of the prefix of exports: `scene`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Scene => "scene",
            Self::Kernel => "kernel",
            Self::BroadPhase => "broad-phase",
            Self::Ccd => "ccd",
        }
    }
}

/// A wall time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Time {
    /// Median.
    pub value: f64,
    /// Fastest repetition, or none for the frames of a scene, whose times differ by nature.
    pub low: Option<f64>,
    /// Slowest repetition.
    pub high: Option<f64>,
    /// `ms` or `ns`.
    pub unit: String,
}

/// Wall time divided by that of a peer, measured in the same interleaved runs: what slows the machine slows
/// both.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Paired {
    /// Id of the peer.
    pub peer: String,
    /// The ratio: 0.5 is half the time of the peer.
    pub ratio: f64,
    /// 2.5th percentile.
    pub low: f64,
    /// 97.5th percentile.
    pub high: f64,
}
