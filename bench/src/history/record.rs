//! A line of the history, and the lines that a report becomes.

use serde::{Deserialize, Serialize};

use crate::promise::{PushSum, sums};
use crate::schema::{BenchReport, Measure, Provenance, PushReport, SceneResult};

/// Version of [`Record`]. Adding a field keeps it; a changed meaning raises it.
pub const RECORD_VERSION: u32 = 1;

/// One result of one run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
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
    /// Instructions of a frame; none where they were not counted.
    pub instructions: Option<f64>,
    /// Time of a frame or of a push; none where it did not finish.
    pub time: Option<Time>,
    /// Wall time divided by that of each peer in the same interleaved runs, by the id of the peer.
    pub paired: Vec<Paired>,
    /// Intersections in the worst frame; none where there are no frames.
    pub intersections_max: Option<u64>,
    /// 99th percentile of the stretch; none where there are no frames.
    pub stretch_p99: Option<f64>,
    /// Crossings of a gate, over all cases; none for scenes.
    pub wrong: Option<u64>,
    /// Frames that were finished, of those that were wanted; none where there are no frames.
    pub frames: Option<[usize; 2]>,
}

/// A part of the report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Section {
    /// Scenes: times of frames.
    #[default]
    Scene,
    /// Pushes of one sheet through another: a step.
    Push,
}

impl Section {
    /// All sections.
    pub const ALL: [Self; 2] = [Self::Scene, Self::Push];

    /// The name of the file: `scene`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Scene => "scene",
            Self::Push => "push",
        }
    }
}

/// A wall time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Time {
    /// Median.
    pub value: f64,
    /// `ms`.
    pub unit: String,
}

/// Wall time divided by that of a peer, measured in the same interleaved runs: what slows the machine slows
/// both.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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

/// One record for each result of a report, in its order.
#[must_use]
pub fn records(report: &BenchReport) -> Vec<Record> {
    let blank = blank(&report.provenance);
    report.scenes.iter().map(|r| scene(&blank, r, report)).collect()
}

/// One record for each contender of this project that was pushed.
#[must_use]
pub fn push_records(report: &PushReport) -> Vec<Record> {
    let blank = blank(&report.provenance);
    let record = |s: PushSum<'_>| Record {
        section: Section::Push,
        id: s.first.contender.clone(),
        own: true,
        version: s.first.version.clone(),
        time: s.ms_per_step.map(milliseconds),
        wrong: Some(s.crossings as u64),
        ..blank.clone()
    };
    sums(report).into_iter().filter(|s| s.first.own).map(record).collect()
}

/// A record with the provenance of a report, and no result.
fn blank(made: &Provenance) -> Record {
    Record {
        record_version: RECORD_VERSION,
        date_utc: made.date_utc.clone(),
        commit: made.commit.clone(),
        dirty: made.dirty,
        machine: made.machine.fingerprint.clone(),
        toolchain: made.toolchain.clone(),
        instruction_set: made.instruction_set.clone(),
        ..Record::default()
    }
}

fn milliseconds(value: f64) -> Time {
    Time { value, unit: "ms".into() }
}

fn scene(blank: &Record, r: &SceneResult, report: &BenchReport) -> Record {
    Record {
        id: format!("{}/{}/{}/{}", r.scene, r.side, r.contender.id, r.threads),
        own: r.contender.own,
        version: r.contender.version.clone(),
        instructions: r.instructions_per_frame,
        time: r.wall_ms.as_ref().map(|t| milliseconds(t.median)),
        paired: paired(r, report),
        intersections_max: r.intersections.as_ref().map(|i| i.max),
        stretch_p99: r.stretch.map(|s| s.p99),
        frames: Some([r.frames_done, r.frames_wanted]),
        ..blank.clone()
    }
}

/// The ratios to contenders of other projects: as reported, or inverted where this result is the baseline.
fn paired(result: &SceneResult, report: &BenchReport) -> Vec<Paired> {
    let id = result.contender.id.as_str();
    let is_peer = |peer: &str| report.scenes.iter().any(|r| r.contender.id == peer && !r.contender.own);
    let wall = report.ratios.iter().filter(|r| {
        r.measure == Measure::Wall
            && r.scene == result.scene
            && r.side == result.side
            && r.contender != r.baseline
    });
    let of = |peer: &str, ratio, low, high| Paired { peer: peer.to_owned(), ratio, low, high };
    let found = wall.filter_map(|r| match (r.contender.as_str(), r.baseline.as_str()) {
        (own, peer) if own == id && is_peer(peer) => Some(of(peer, r.ratio, r.low, r.high)),
        (peer, own) if own == id && is_peer(peer) => Some(of(peer, 1.0 / r.ratio, 1.0 / r.high, 1.0 / r.low)),
        _ => None,
    });
    found.filter(|p| [p.ratio, p.low, p.high].iter().all(|x| x.is_finite() && *x > 0.0)).collect()
}
