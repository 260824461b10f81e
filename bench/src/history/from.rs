//! The records of a report.

use super::{Paired, RECORD_VERSION, Record, Section, Time};
use crate::schema::{
    BenchReport, BroadPhaseResult, CallTimes, CcdResult, KernelResult, Measure, SceneResult,
};

/// One record for each result of a report, in its order.
#[must_use]
pub fn records(report: &BenchReport) -> Vec<Record> {
    let blank = blank(report);
    let scenes = report.scenes.iter().map(|r| scene(&blank, r, report));
    let kernels = report.kernels.iter().map(|r| kernel(&blank, r));
    let broad_phases = report.broad_phases.iter().map(|r| broad_phase(&blank, r));
    let ccd = report.ccd.iter().filter(|r| r.unsupported.is_empty()).map(|r| query(&blank, r));
    scenes.chain(kernels).chain(broad_phases).chain(ccd).collect()
}

/// A record with the provenance of a report, and no result.
fn blank(report: &BenchReport) -> Record {
    let made = &report.provenance;
    Record {
        record_version: RECORD_VERSION,
        date_utc: made.date_utc.clone(),
        commit: made.commit.clone(),
        dirty: made.dirty,
        machine: made.machine.fingerprint.clone(),
        toolchain: made.toolchain.clone(),
        instruction_set: made.instruction_set.clone(),
        section: Section::Scene,
        id: String::new(),
        own: false,
        version: String::new(),
        instructions: None,
        time: None,
        paired: vec![],
        intersections_max: None,
        stretch_p99: None,
        wrong: None,
        frames: None,
    }
}

fn scene(blank: &Record, r: &SceneResult, report: &BenchReport) -> Record {
    let frames = |value: f64| Time { value, low: None, high: None, unit: "ms".into() };
    Record {
        id: format!("{}/{}/{}/{}", r.scene, r.side, r.contender.id, r.threads),
        own: r.contender.own,
        version: r.contender.version.clone(),
        instructions: r.instructions_per_frame,
        time: r.wall_ms.as_ref().map(|t| frames(t.median)),
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

fn calls(ns: CallTimes) -> Time {
    Time { value: ns.median, low: Some(ns.low), high: Some(ns.high), unit: "ns".into() }
}

fn kernel(blank: &Record, r: &KernelResult) -> Record {
    Record {
        section: Section::Kernel,
        id: format!("{}/{}/{}", r.kernel, r.input, r.contender),
        own: r.own,
        version: r.version.clone(),
        time: r.ns.map(calls),
        wrong: Some(r.wrong),
        ..blank.clone()
    }
}

fn broad_phase(blank: &Record, r: &BroadPhaseResult) -> Record {
    let step = r.refit_ms.unwrap_or(r.build_ms) + r.query_ms;
    Record {
        section: Section::BroadPhase,
        id: format!("{}/{}/{}/{}", r.question, r.input, r.items, r.contender),
        own: r.own,
        version: r.version.clone(),
        time: Some(Time { value: step, low: None, high: None, unit: "ms".into() }),
        wrong: Some(r.missing + r.extra),
        ..blank.clone()
    }
}

fn query(blank: &Record, r: &CcdResult) -> Record {
    Record {
        section: Section::Ccd,
        id: format!("{}/{}", r.input, r.contender),
        own: r.own,
        version: r.version.clone(),
        time: Some(calls(r.ns)),
        wrong: Some(r.false_negatives + r.false_positives + r.late),
        ..blank.clone()
    }
}
