//! Runs -> results of the report: the least time of each frame, the worst quality, paired ratios, growth.

use std::collections::BTreeMap;

use cloth_measure::statistics::{FEWEST_PAIRS, least_times, paired_ratio, rank, sorted};

use super::Verdict;
use super::plan::{Job, Plan};
use super::record::{FrameTime, RunRecord};
use crate::contenders::{self, BASELINE};
use crate::scene::Scene;
use crate::schema::{
    BenchReport, FrameTimes, Growth, Measure, PassThroughs, Provenance, Ratio, SCHEMA_VERSION, SceneResult,
    Status, Stretch,
};

/// Fewest frames from which a growth is computed.
const FEWEST_FRAMES: usize = 10;

/// The report of some runs.
pub(super) fn report(
    plan: &Plan,
    records: &[RunRecord],
    provenance: Provenance,
    interrupted: bool,
) -> BenchReport {
    let cells = cells(plan, records);
    let scenes: Vec<SceneResult> = cells.iter().filter_map(result).collect();
    BenchReport {
        schema_version: SCHEMA_VERSION,
        provenance,
        mode: plan.mode,
        interrupted,
        ratios: ratios(&cells),
        growth: growth(&scenes),
        scenes,
    }
}

/// The runs of a contender in a scene.
type Cell<'a> = Vec<&'a RunRecord>;

/// Cells in the order of the scenes, sides and contenders of the plan.
fn cells<'a>(plan: &Plan, records: &'a [RunRecord]) -> Vec<Cell<'a>> {
    let mut found = Vec::new();
    for (scene, &side) in plan.scenes.iter().flat_map(|s| plan.sides.iter().map(move |n| (s, n))) {
        for contender in &plan.contenders {
            let job = Job { scene: scene.clone(), side, contender: contender.clone(), run: 0 };
            let runs: Cell = records.iter().filter(|r| r.job.is_same_cell(&job)).collect();
            found.extend((!runs.is_empty()).then_some(runs));
        }
    }
    found
}

fn result(cell: &Cell) -> Option<SceneResult> {
    let first = cell.first()?;
    let scene = Scene::new(&first.job.scene, first.job.side).ok()?;
    let contender = contenders::by_id(&first.job.contender)?.describe();
    let frames_done = finished(cell);
    let verdicts: Vec<&Verdict> = cell.iter().filter_map(|r| r.verdict.as_ref()).collect();
    let worst =
        |value: fn(&Verdict) -> Option<f64>| verdicts.iter().filter_map(|v| value(v)).reduce(f64::max);
    let drifts: Vec<f64> = verdicts.iter().filter_map(|v| v.energy_drift).collect();
    let stretch = worst(|v| Some(v.stretch?.p99)).zip(worst(|v| Some(v.stretch?.max)));
    Some(SceneResult {
        scene: first.job.scene.clone(),
        side: first.job.side as u32,
        particles: scene.particles(),
        triangles: scene.topology.faces().len(),
        dt_s: f64::from(scene.setup.dt),
        thickness_m: scene.setup.scene.thinnest().map_or(0.0, |t| t.total().into()),
        frames_wanted: first.frames_wanted,
        frames_done,
        contender,
        runs: cell.len(),
        status: worst_status(cell),
        wall_ms: frame_times(cell, frames_done, |f| Some(f.wall)),
        cpu_ms: frame_times(cell, frames_done, |f| f.cpu),
        instructions_per_frame: cell.iter().find_map(|r| r.instructions_per_frame),
        peak_memory_bytes: cell.iter().filter_map(|r| r.peak_memory_bytes).max(),
        energy_drift: drifts.into_iter().reduce(f64::max),
        stretch: stretch.map(|(p99, max)| Stretch { p99, max }),
        intersections: verdicts.iter().map(|v| &v.intersections).max_by_key(|i| i.max).cloned(),
        pass_throughs: pass_throughs(&verdicts),
        penetration_m: worst(|v| Some(v.penetration_m)),
        stage_ms: stages(cell),
        threads: 1,
        picture: None,
    })
}

/// Frames that all runs finished.
fn finished(cell: &Cell) -> usize {
    cell.iter().map(|r| r.frames.len()).min().unwrap_or(0)
}

fn worst_status(cell: &Cell) -> Status {
    let rank = |status: &Status| match status {
        Status::Completed => 0,
        Status::Stopped { .. } => 1,
        Status::Failed { .. } => 2,
        Status::Unsupported { .. } => 3,
    };
    cell.iter().map(|r| &r.status).max_by_key(|s| rank(s)).cloned().unwrap_or(Status::Completed)
}

/// Of each frame the least over the runs; none without frames, or if a run does not know the time.
fn frame_times(cell: &Cell, frames: usize, time: fn(&FrameTime) -> Option<f64>) -> Option<FrameTimes> {
    let times = |r: &&RunRecord| r.frames[..frames].iter().map(time).collect::<Option<Vec<f64>>>();
    let runs: Vec<Vec<f64>> = cell.iter().map(times).collect::<Option<_>>()?;
    let per_frame = least_times(&runs.iter().map(Vec::as_slice).collect::<Vec<_>>());
    let sorted = sorted(per_frame.clone());
    let [median, p95, worst] = [0.5, 0.95, 1.0].map(|share| rank(&sorted, share));
    (!sorted.is_empty()).then_some(FrameTimes { median, p95, worst, per_frame })
}

/// The run with the most; none if one was not judged.
fn pass_throughs(verdicts: &[&Verdict]) -> Option<PassThroughs> {
    let counts: Option<Vec<PassThroughs>> = verdicts.iter().map(|v| v.pass_throughs).collect();
    counts?.into_iter().max_by_key(|p| p.pairs)
}

/// Mean time a frame, of the fastest run.
fn stages(cell: &Cell) -> BTreeMap<String, f64> {
    let per_frame = |r: &&&RunRecord| r.frames.iter().map(|f| f.wall).sum::<f64>() / r.frames.len() as f64;
    let ran = cell.iter().filter(|r| !r.frames.is_empty());
    let Some(fastest) = ran.min_by(|a, b| per_frame(a).total_cmp(&per_frame(b))) else {
        return BTreeMap::new();
    };
    let frames = fastest.frames.len() as f64;
    fastest.stage_ms.iter().map(|(name, sum)| (name.clone(), sum / frames)).collect()
}

/// Ratios of every contender to the baseline, of wall and of CPU time.
fn ratios(cells: &[Cell]) -> Vec<Ratio> {
    let mut found = Vec::new();
    for cell in cells {
        let job = &cell[0].job;
        let base = Job { contender: BASELINE.into(), ..job.clone() };
        let baseline = cells.iter().find(|c| c[0].job.is_same_cell(&base));
        let Some(baseline) = baseline.filter(|_| job.contender != BASELINE) else { continue };
        for measure in [Measure::Wall, Measure::Cpu] {
            found.extend(ratio(cell, baseline, measure));
        }
    }
    found
}

/// The ratio over the frames that both finished in all runs, paired by round.
fn ratio(cell: &Cell, baseline: &Cell, measure: Measure) -> Option<Ratio> {
    let frames = finished(cell).min(finished(baseline));
    let sum = |r: &RunRecord| -> Option<f64> {
        let time = |f: &FrameTime| match measure {
            Measure::Wall => Some(f.wall),
            Measure::Cpu => f.cpu,
        };
        r.frames[..frames].iter().map(time).sum()
    };
    let pair = |r: &&RunRecord| {
        let other = baseline.iter().find(|b| b.job.run == r.job.run)?;
        Some(sum(r)? / sum(other)?)
    };
    let pairs: Vec<f64> = cell.iter().filter_map(pair).collect();
    let found = paired_ratio(&pairs).filter(|_| frames > 0)?;
    Some(Ratio {
        scene: cell[0].job.scene.clone(),
        side: cell[0].job.side as u32,
        contender: cell[0].job.contender.clone(),
        baseline: BASELINE.into(),
        measure,
        frames,
        ratio: found.value,
        low: found.low,
        high: found.high,
        decided: pairs.len() >= FEWEST_PAIRS && found.is_clear(),
    })
}

/// Growth of every contender in every scene of which two sides finished enough frames.
fn growth(results: &[SceneResult]) -> Vec<Growth> {
    let mut found: Vec<Growth> = Vec::new();
    for SceneResult { scene, contender, .. } in results {
        if found.iter().any(|g| g.scene == *scene && g.contender == contender.id) {
            continue;
        }
        let same = results.iter().filter(|r| r.scene == *scene && r.contender.id == contender.id);
        let same: Vec<&SceneResult> = same.filter(|r| r.frames_done >= FEWEST_FRAMES).collect();
        found.extend(exponent(&same).map(|exponent| Growth {
            scene: scene.clone(),
            contender: contender.id.clone(),
            exponent,
            sides: same.iter().map(|r| r.side).collect(),
        }));
    }
    found
}

/// Least squares of the logarithms of the median time over the frames that all sides finished.
fn exponent(results: &[&SceneResult]) -> Option<f64> {
    let frames = results.iter().map(|r| r.frames_done).min()?;
    let point = |r: &&SceneResult| {
        let times = sorted(r.wall_ms.as_ref()?.per_frame.get(..frames)?.to_vec());
        Some([r.particles as f64, rank(&times, 0.5)].map(f64::ln))
    };
    let points: Vec<[f64; 2]> = results.iter().map(point).collect::<Option<_>>()?;
    let mean = |k: usize| points.iter().map(|p| p[k]).sum::<f64>() / points.len() as f64;
    let [x, y] = [mean(0), mean(1)];
    let spread: f64 = points.iter().map(|p| (p[0] - x).powi(2)).sum();
    let slope = points.iter().map(|p| (p[0] - x) * (p[1] - y)).sum::<f64>() / spread;
    (points.len() >= 2 && slope.is_finite()).then_some(slope)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(contender: &str, side: usize, run: usize, times: &[f64]) -> RunRecord {
        RunRecord {
            frames: times.iter().map(|&wall| FrameTime { wall, cpu: Some(0.5 * wall) }).collect(),
            peak_memory_bytes: Some(run as u64),
            instructions_per_frame: (run == 0).then_some(5e6),
            stage_ms: BTreeMap::from([("solve".to_owned(), times.iter().sum())]),
            ..RunRecord::new(Job { scene: "pile".into(), side, contender: contender.into(), run }, 20)
        }
    }

    fn plan() -> Plan {
        Plan { scenes: vec!["pile".into()], sides: vec![12, 24], ..Plan::full() }
    }

    #[test]
    fn frames_have_their_least_time_and_results_their_worst_status() {
        let mut runs = [record("cloth", 12, 0, &[1.0, 5.0, 3.0]), record("cloth", 12, 1, &[2.0, 4.0])];
        runs[1].status = Status::Stopped { after_s: 1.0 };
        let cells = cells(&plan(), &runs);
        let result = result(&cells[0]).expect("a result");
        assert_eq!(result.wall_ms.as_ref().map(|t| t.per_frame.clone()), Some(vec![1.0, 4.0]));
        assert_eq!(result.cpu_ms.map(|t| t.worst), Some(2.0));
        assert_eq!(result.instructions_per_frame, Some(5e6));
        assert_eq!((result.frames_done, result.runs, result.peak_memory_bytes), (2, 2, Some(1)));
        assert_eq!(result.status, Status::Stopped { after_s: 1.0 });
        assert_eq!(result.stage_ms["solve"], 3.0);
    }

    #[test]
    fn ratios_are_paired_by_round() {
        // The second round is on a loaded machine, for both.
        let pairs = [(1.0, 2.0), (10.0, 20.0), (1.0, 2.0)];
        let mut runs = Vec::new();
        for (run, &(own, other)) in pairs.iter().enumerate() {
            runs.push(record(BASELINE, 12, run, &[own, own]));
            runs.push(record("rapier3d", 12, run, &[other, other, 99.0]));
        }
        let found = ratios(&cells(&plan(), &runs));
        assert_eq!(found.len(), 2, "wall and CPU");
        assert!((found[0].ratio - 2.0).abs() < 1e-12 && found[0].frames == 2 && found[0].decided);
        let two_rounds = ratios(&cells(&plan(), &runs[..4]));
        assert!(two_rounds.iter().all(|ratio| !ratio.decided), "two rounds decide nothing");
    }

    #[test]
    fn growth_is_the_slope_of_the_logarithms() {
        let runs = [record("cloth", 12, 0, &[2.0; 12]), record("cloth", 24, 0, &[16.0; 20])];
        let grown =
            |runs: &[RunRecord]| growth(&cells(&plan(), runs).iter().filter_map(result).collect::<Vec<_>>());
        let found = grown(&runs);
        // Four times the particles take eight times as long.
        assert!(found.len() == 1 && (found[0].exponent - 1.5).abs() < 1e-9, "{found:?}");
        let short = [record("cloth", 12, 0, &[2.0; 12]), record("cloth", 24, 0, &[16.0; 3])];
        assert!(grown(&short).is_empty());
    }
}
