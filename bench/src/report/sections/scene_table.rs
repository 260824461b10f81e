//! The table of a scene: speed and quality of every contender side by side.

use std::cmp::Ordering;

use cloth_measure::table::{Cell, Column, Table, numbers, words};

use crate::report::number::{count, human, mebibytes, percent};
use crate::schema::{BenchReport, Measure, Ratio, SceneResult, Status};

/// Intersections from which a contender does not count as clean: none are allowed.
const CLEAN: u64 = 0;

const COLUMNS: [Column; 18] = [
    words("contender", "contender"),
    words("outcome", "outcome"),
    words("certified", "certified").page_only(),
    numbers("ms a frame", "wall_median_ms").short("ms median"),
    numbers("p95", "wall_p95_ms"),
    numbers("worst", "wall_worst_ms"),
    numbers("CPU ms", "cpu_median_ms"),
    numbers("against the baseline", "ratio").short("ratio to cloth"),
    numbers("stretch p99", "stretch_p99"),
    numbers("stretch max", "stretch_max").short("largest"),
    numbers("intersections, worst", "intersections_max").short("intersections"),
    numbers("at the end", "intersections_final"),
    numbers("frames with any", "frames_with_intersections").page_only(),
    numbers("pass-throughs", "pass_through_pairs").short("passed"),
    numbers("penetration", "penetration_m").short("depth"),
    numbers("energy rise", "energy_drift").page_only(),
    numbers("memory", "peak_memory_bytes"),
    numbers("instructions a frame", "instructions_per_frame").page_only(),
];

/// Whether every frame was finished without an intersection.
pub(super) fn is_clean(result: &SceneResult) -> bool {
    result.status == Status::Completed && result.intersections.as_ref().is_some_and(|i| i.max == CLEAN)
}

/// The results of a scene and a side, best first: clean ones by time, then those with intersections, then
/// those that did not finish.
pub(super) fn ranked<'a>(report: &'a BenchReport, scene: &str, side: u32) -> Vec<&'a SceneResult> {
    let mut results: Vec<&SceneResult> =
        report.scenes.iter().filter(|r| r.scene == scene && r.side == side).collect();
    results.sort_by(|a, b| class(a).cmp(&class(b)).then_with(|| by_time(a, b)));
    results
}

fn class(result: &SceneResult) -> u8 {
    match result.status {
        Status::Completed if is_clean(result) => 0,
        Status::Completed => 1,
        Status::Stopped { .. } => 2,
        Status::Failed { .. } => 3,
        Status::Unsupported { .. } => 4,
    }
}

/// By the median; results without one come last.
fn by_time(a: &SceneResult, b: &SceneResult) -> Ordering {
    let time = |r: &SceneResult| r.wall_ms.as_ref().map_or(f64::INFINITY, |t| t.median);
    time(a).total_cmp(&time(b))
}

/// How a contender ended, in words.
pub(super) fn outcome(result: &SceneResult) -> String {
    let (done, wanted) = (result.frames_done, result.frames_wanted);
    match &result.status {
        Status::Completed if is_clean(result) => "clean".into(),
        Status::Completed => "completed, intersects".into(),
        Status::Stopped { after_s } => format!("{done} of {wanted} frames in {} s", human(*after_s)),
        Status::Failed { error } => format!("failed after {done} of {wanted} frames: {error}"),
        Status::Unsupported { reason } => format!("not supported: {reason}"),
    }
}

/// The table of a scene.
pub(in crate::report) fn scene_table(report: &BenchReport, scene: &str, side: u32) -> Table {
    let rows = ranked(report, scene, side).into_iter().map(|result| row(result, &report.ratios)).collect();
    let baseline = report.ratios.iter().find(|r| r.scene == scene && r.side == side);
    let against = baseline.map_or(String::new(), |ratio| {
        format!(
            " Against the baseline: wall time divided by that of {} over the frames that both finished, with the 95 % interval of the \
             interleaved runs; \u{201c}undecided\u{201d} if it includes 1, is wider than the effect, or there are fewer than three runs.",
            ratio.baseline
        )
    });
    let caption = format!(
        "{scene}, side {side}. Clean contenders first, then by time. Times are medians over the frames, judging left out; intersections \
         are counted exactly after every frame.{against}"
    );
    Table { caption, columns: COLUMNS.to_vec(), rows }
}

fn row(result: &SceneResult, ratios: &[Ratio]) -> Vec<Cell> {
    let milliseconds = |value: Option<f64>| Cell::value(value, |&ms| human(ms));
    let wall = result.wall_ms.as_ref();
    let counts = result.intersections.as_ref();
    let counted =
        |n: Option<u64>| Cell::value(n, |&n| count(n)).marked(n.filter(|&n| n > CLEAN).map(|_| "bad"));
    let class = match class(result) {
        0 => "ok",
        1 => "warn",
        _ => "bad",
    };
    vec![
        Cell::words(&result.contender.name),
        Cell::words(outcome(result)).marked(Some(class)),
        Cell::words(if result.contender.certified { "yes" } else { "no" }),
        milliseconds(wall.map(|t| t.median)),
        milliseconds(wall.map(|t| t.p95)),
        milliseconds(wall.map(|t| t.worst)),
        milliseconds(result.cpu_ms.as_ref().map(|t| t.median)),
        against(result, ratios),
        Cell::value(result.stretch.map(|s| s.p99), |&s| percent(s)),
        Cell::value(result.stretch.map(|s| s.max), |&s| percent(s)),
        counted(counts.map(|i| i.max)),
        counted(counts.map(|i| i.last)),
        counted(counts.map(|i| i.frames_with)),
        counted(result.pass_throughs.map(|p| p.pairs)),
        Cell::value(result.penetration_m, |&m| format!("{} mm", human(1e3 * m))),
        Cell::value(result.energy_drift, |&e| percent(e)),
        Cell::value(result.peak_memory_bytes, |&b| mebibytes(b)),
        Cell::value(result.instructions_per_frame, |&n| format!("{} M", human(n / 1e6))),
    ]
}

/// The ratio to the baseline with its interval.
fn against(result: &SceneResult, ratios: &[Ratio]) -> Cell {
    let own = |r: &&Ratio| {
        r.scene == result.scene
            && r.side == result.side
            && r.contender == result.contender.id
            && r.measure == Measure::Wall
    };
    let is_baseline =
        |r: &Ratio| r.scene == result.scene && r.side == result.side && r.baseline == result.contender.id;
    if ratios.iter().any(is_baseline) {
        return Cell { text: "baseline".into(), value: "1".into(), class: None };
    }
    let Some(found) = ratios.iter().find(own) else { return Cell::value(None::<f64>, |_| String::new()) };
    // A single run has no interval.
    let has_interval = found.low < found.high;
    let interval =
        if has_interval { format!(" [{}, {}]", human(found.low), human(found.high)) } else { String::new() };
    let interval = format!("{}\u{d7}{interval}", human(found.ratio));
    let text = if found.decided { interval } else { format!("undecided: {interval}") };
    Cell { text, value: found.ratio.to_string(), class: (!found.decided).then_some("soft") }
}
