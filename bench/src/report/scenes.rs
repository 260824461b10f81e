//! What is shown of the scenes: the table of each with its charts, how time grows with size, and where the
//! time of a frame goes.

use std::cmp::Ordering;

use cloth_geom::sorted_unique;
use cloth_measure::chart::{Axis, Bar, Bars, Plot, Point, Scale, Series};
use cloth_measure::table::{Cell, Table, numbers, words};
use maud::{Markup, html};

use super::distinct;
use super::number::{count, counted, human, mebibytes, millions, percent, slug};
use crate::schema::{BenchReport, Growth, Measure, Ratio, SceneResult, Status};

/// Intersections from which a contender does not count as clean: none are allowed.
const CLEAN: u64 = 0;

/// Which contender has which marker: the same in all charts, this project's contenders first.
pub(super) struct Markers(Vec<String>);

impl Markers {
    /// For all contenders of the scenes of a report.
    pub(super) fn new(report: &BenchReport) -> Self {
        let own_first = [true, false].map(|own| report.scenes.iter().filter(move |r| r.contender.own == own));
        let ids: Vec<String> = own_first.into_iter().flatten().map(|r| r.contender.id.clone()).collect();
        Self(distinct(&ids, Clone::clone))
    }

    /// The number of the marker of a contender; a contender that is in no scene gets the last.
    fn marker(&self, id: &str) -> usize {
        self.0.iter().position(|known| known == id).unwrap_or(self.0.len())
    }
}

/// Whether every frame was finished without an intersection.
pub(super) fn is_clean(result: &SceneResult) -> bool {
    result.status == Status::Completed && result.intersections.as_ref().is_some_and(|i| i.max == CLEAN)
}

/// The results of a scene and a side, best first: clean ones by time, then those with intersections, then
/// those that did not finish.
fn ranked<'a>(report: &'a BenchReport, scene: &str, side: u32) -> Vec<&'a SceneResult> {
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

/// Median of a frame (ms); none without frames.
fn median(result: &SceneResult) -> Option<f64> {
    result.wall_ms.as_ref().map(|t| t.median)
}

/// By the median; results without one come last.
fn by_time(a: &SceneResult, b: &SceneResult) -> Ordering {
    let time = |r: &SceneResult| median(r).unwrap_or(f64::INFINITY);
    time(a).total_cmp(&time(b))
}

/// How a contender ended, in words.
fn outcome(result: &SceneResult) -> String {
    let (done, wanted) = (result.frames_done, result.frames_wanted);
    match &result.status {
        Status::Completed if is_clean(result) => "clean".into(),
        Status::Completed => "completed, intersects".into(),
        Status::Stopped { after_s } => format!("{done} of {wanted} frames in {} s", human(*after_s)),
        Status::Failed { error } => format!("failed after {done} of {wanted} frames: {error}"),
        Status::Unsupported { reason } => format!("not supported: {reason}"),
    }
}

/// The table of a scene: speed and quality of every contender side by side.
pub(super) fn scene_table(report: &BenchReport, scene: &str, side: u32) -> Table {
    let rows = ranked(report, scene, side).into_iter().map(|result| row(result, &report.ratios));
    let baseline = report.ratios.iter().find(|r| r.scene == scene && r.side == side);
    let against = baseline.map_or(String::new(), |ratio| {
        format!(
            " Against the baseline: wall time divided by that of {} over the frames that both finished, with \
             the 95 % interval of the interleaved runs; \u{201c}undecided\u{201d} if it includes 1, is wider \
             than the effect, or there are fewer than three runs.",
            ratio.baseline
        )
    });
    let caption = format!(
        "{scene}, side {side}. Clean contenders first, then by time. Times are medians over the frames, \
         judging left out; intersections are counted exactly after every frame.{against}"
    );
    Table::new(caption, rows)
}

fn row(result: &SceneResult, ratios: &[Ratio]) -> Vec<Cell> {
    let wall = result.wall_ms.as_ref();
    let counts = result.intersections.as_ref();
    let counted =
        |name, n: Option<u64>| numbers(name, n, count).marked(n.filter(|&n| n > CLEAN).map(|_| "bad"));
    let class = match class(result) {
        0 => "ok",
        1 => "warn",
        _ => "bad",
    };
    let millimetres = |m: f64| format!("{} mm", human(1e3 * m));
    vec![
        words("contender", &result.contender.name),
        words("outcome", outcome(result)).marked(Some(class)),
        words("certified", if result.contender.certified { "yes" } else { "no" }).page_only(),
        numbers("ms a frame", wall.map(|t| t.median), human).short("ms median"),
        numbers("p95", wall.map(|t| t.p95), human),
        numbers("worst", wall.map(|t| t.worst), human),
        numbers("CPU ms", result.cpu_ms.as_ref().map(|t| t.median), human),
        against(result, ratios).short("ratio to cloth"),
        numbers("stretch p99", result.stretch.map(|s| s.p99), percent),
        numbers("stretch max", result.stretch.map(|s| s.max), percent).short("largest"),
        counted("intersections, worst", counts.map(|i| i.max)).short("intersections"),
        counted("at the end", counts.map(|i| i.last)),
        counted("frames with any", counts.map(|i| i.frames_with)).page_only(),
        counted("pass-throughs", result.pass_throughs.map(|p| p.pairs)).short("passed"),
        numbers("penetration", result.penetration_m, millimetres).short("depth"),
        numbers("energy rise", result.energy_drift, percent).page_only(),
        numbers("memory", result.peak_memory_bytes, mebibytes),
        numbers("instructions a frame", result.instructions_per_frame, millions).page_only(),
    ]
}

/// The ratio to the baseline with its interval.
fn against(result: &SceneResult, ratios: &[Ratio]) -> Cell {
    let cell =
        |text: &str, ratio: Option<f64>| numbers("against the baseline", ratio, |_: f64| text.to_owned());
    let mut same = ratios.iter().filter(|r| r.scene == result.scene && r.side == result.side);
    let id = &result.contender.id;
    if same.clone().any(|r| r.baseline == *id) {
        return cell("baseline", Some(1.0));
    }
    let Some(found) = same.find(|r| r.contender == *id && r.measure == Measure::Wall) else {
        return cell("", None);
    };
    // A single run has no interval.
    let has_interval = found.low < found.high;
    let interval =
        if has_interval { format!(" [{}, {}]", human(found.low), human(found.high)) } else { String::new() };
    let interval = format!("{}\u{d7}{interval}", human(found.ratio));
    let text = if found.decided { interval } else { format!("undecided: {interval}") };
    cell(&text, Some(found.ratio)).marked((!found.decided).then_some("soft"))
}

/// A quality that is drawn against time.
struct Quality {
    name: &'static str,
    label: &'static str,
    scale: Scale,
    value: fn(&SceneResult) -> Option<f64>,
}

const QUALITIES: [Quality; 2] = [
    Quality {
        name: "intersections",
        label: "intersections in the worst frame",
        scale: Scale::LogCount,
        value: |r| r.intersections.as_ref().map(|i| i.max as f64),
    },
    Quality {
        name: "stretch",
        label: "stretch, 99th percentile (%)",
        scale: Scale::Linear,
        value: |r| r.stretch.map(|s| 100.0 * s.p99),
    },
];

/// The ranking of every scene, by which one sees who is how fast and whether the cloth is any good: the
/// largest side in full, the others folded.
pub(super) fn ranking(report: &BenchReport, markers: &Markers) -> Markup {
    let mut parts = Vec::new();
    for scene in distinct(&report.scenes, |r| r.scene.as_str()) {
        let sides = sorted_unique(report.scenes.iter().filter(|r| r.scene == scene).map(|r| r.side));
        let mut blocks = sides.iter().rev().map(|&side| block(report, markers, scene, side));
        let Some(largest) = blocks.next() else { continue };
        let others = sides.iter().rev().skip(1).zip(blocks);
        parts.push(html! {
            section id=(format!("scene-{}", slug(scene))) {
                h3.scene { (scene) }
                (largest)
                @for (side, block) in others { details.side { summary { (scene) ", side " (side) } (block) } }
            }
        });
    }
    html! { @for part in &parts { (part) } }
}

/// A scene at one side.
fn block(report: &BenchReport, markers: &Markers, scene: &str, side: u32) -> Markup {
    let results = ranked(report, scene, side);
    let table = scene_table(report, scene, side);
    let charts = QUALITIES.iter().map(|q| scatter(&results, markers, q).figure(&table));
    html! {
        p.sub {
            "Side " (side)
            @if let Some(first) = results.first() {
                ": " (counted(first.particles, "particle")) ", " (counted(first.triangles, "triangle")) ", "
                (counted(first.frames_wanted, "frame")) " of " (human(1e3 * first.dt_s)) " ms, thickness "
                (human(1e3 * first.thickness_m)) " mm."
            }
        }
        (table.html())
        div.charts { @for chart in charts { (chart) } }
    }
}

/// A point at the time of a result, with a ring if it did not finish.
fn point(result: &SceneResult, x: f64, y: f64) -> Point {
    Point { stressed: result.status != Status::Completed, ..Point::new(x, y) }
}

fn scatter(results: &[&SceneResult], markers: &Markers, quality: &Quality) -> Plot {
    let series = results.iter().filter_map(|result| {
        Some(Series {
            name: result.contender.name.clone(),
            marker: markers.marker(&result.contender.id),
            points: vec![point(result, median(result)?, (quality.value)(result)?)],
            joined: false,
        })
    });
    let spoken = results.iter().map(|r| format!("{}: {}", r.contender.name, outcome(r)));
    Plot {
        title: format!("Time against {}", quality.name),
        description: format!("Left is faster, lower is better. {}.", spoken.collect::<Vec<_>>().join("; ")),
        x: Axis::new("ms a frame (median, logarithmic)", Scale::Log),
        y: Axis::new(quality.label, quality.scale),
        series: series.collect(),
    }
}

/// Time against size: a chart for every scene that was run at two sides at least.
pub(super) fn growth(report: &BenchReport, markers: &Markers) -> Markup {
    let mut charts = Vec::new();
    for scene in distinct(&report.scenes, |r| r.scene.as_str()) {
        let results: Vec<&SceneResult> =
            report.scenes.iter().filter(|r| r.scene == scene && r.wall_ms.is_some()).collect();
        if distinct(&results, |r| r.side).len() < 2 {
            continue;
        }
        let exponent = |r: &SceneResult| {
            let mut found = report.growth.iter().filter(|g| g.scene == scene);
            found.find(|g| g.contender == r.contender.id).map(|g| g.exponent)
        };
        let plot = Plot {
            title: scene.to_owned(),
            description: format!(
                "Median time of a frame against the number of particles in {scene}; both axes are \
                 logarithmic."
            ),
            x: Axis::new("particles (logarithmic)", Scale::Log),
            y: Axis::new("ms a frame (logarithmic)", Scale::Log),
            series: growth_series(&results, markers, exponent),
        };
        let row = |r: &&SceneResult| {
            vec![
                words("contender", &r.contender.name),
                numbers("particles", r.particles as u64, count),
                numbers("ms a frame", median(r), human),
                numbers("exponent", exponent(r), human),
            ]
        };
        let caption =
            format!("{scene}: time ~ particles ^ exponent, by least squares of the logarithms; 1 is linear.");
        let data = Table::new(caption, results.iter().map(row));
        charts.push(plot.figure(&data));
    }
    html! { div.charts { @for chart in &charts { (chart) } } }
}

/// A line for each contender, named with its exponent.
fn growth_series(
    results: &[&SceneResult],
    markers: &Markers,
    exponent: impl Fn(&SceneResult) -> Option<f64>,
) -> Vec<Series> {
    let line = |id: &str| {
        let own = || results.iter().filter(|r| r.contender.id == id);
        let first = own().next()?;
        let exponent = exponent(first).map_or(String::new(), |e| format!(", exponent {}", human(e)));
        let points = own().filter_map(|r| Some(point(r, r.particles as f64, median(r)?)));
        let mut points: Vec<Point> = points.collect();
        points.sort_by(|a, b| a.x.total_cmp(&b.x));
        let name = format!("{}{exponent}", first.contender.name);
        Some(Series { name, marker: markers.marker(id), points, joined: true })
    };
    distinct(results, |r| r.contender.id.as_str()).into_iter().filter_map(line).collect()
}

/// The exponents of all scenes, for the terminal.
pub(super) fn growth_table(report: &BenchReport) -> Table {
    let row = |g: &Growth| {
        let sides: Vec<String> = g.sides.iter().map(u32::to_string).collect();
        vec![
            words("scene", &g.scene),
            words("contender", &g.contender),
            numbers("exponent", g.exponent, human),
            words("sides", sides.join(", ")),
        ]
    };
    Table::new("", report.growth.iter().map(row))
}

/// Where the time of a frame goes, for contenders that report it: a chart for every scene at its largest
/// side.
pub(super) fn stages(report: &BenchReport) -> Markup {
    let mut charts = Vec::new();
    for scene in distinct(&report.scenes, |r| r.scene.as_str()) {
        let side = report.scenes.iter().filter(|r| r.scene == scene).map(|r| r.side).max().unwrap_or(0);
        let mut results = ranked(report, scene, side);
        results.retain(|r| !r.stage_ms.is_empty());
        let names = stage_names(&results);
        let length = |r: &SceneResult, name: &String| r.stage_ms.get(name).copied().unwrap_or(0.0).max(0.0);
        let parts = |r: &SceneResult| names.iter().map(|name| length(r, name)).collect();
        let bars = Bars {
            title: format!("{scene}, side {side}"),
            description: format!("Mean time of a frame in {scene} by stage: {}.", names.join(", ")),
            label: "ms a frame (mean)".into(),
            bars: results.iter().map(|r| Bar { name: r.contender.name.clone(), parts: parts(r) }).collect(),
            parts: names,
        };
        let rows = results.iter().flat_map(|r| {
            let total: f64 = r.stage_ms.values().sum();
            r.stage_ms.iter().map(move |(stage, &ms)| {
                let share = Some(ms / total).filter(|s| s.is_finite());
                vec![
                    words("contender", &r.contender.name),
                    words("stage", stage),
                    numbers("ms a frame", ms, human),
                    numbers("share", share, |s: f64| format!("{:.0} %", 100.0 * s)),
                ]
            })
        });
        let caption = format!("{scene}: mean time of a frame by stage, as the library reports it.");
        charts.push(bars.figure(&Table::new(caption, rows)));
    }
    html! { div.charts { @for chart in &charts { (chart) } } }
}

/// All stages, those first that take most time over all contenders.
fn stage_names(results: &[&SceneResult]) -> Vec<String> {
    let mut names = sorted_unique(results.iter().flat_map(|r| r.stage_ms.keys().cloned()));
    let sum = |name: &String| results.iter().filter_map(|r| r.stage_ms.get(name)).sum::<f64>();
    names.sort_by(|a, b| sum(b).total_cmp(&sum(a)));
    names
}
