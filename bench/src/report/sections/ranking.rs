//! Every scene: who is how fast, and whether the cloth is any good.

use cloth_measure::chart::{Axis, Plot, Point, Scale, Series};
use cloth_measure::table::Table;
use maud::{Markup, html};

use super::scene_table::{outcome, ranked, scene_table};
use super::{Markers, distinct};
use crate::report::number::{counted, human, slug};
use crate::schema::{BenchReport, SceneResult, Status};

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

/// The ranking of every scene: the largest side in full, the others folded.
pub(in crate::report) fn ranking(report: &BenchReport, markers: &Markers) -> Markup {
    let mut parts = Vec::new();
    for scene in distinct(&report.scenes, |r| r.scene.as_str()) {
        let mut sides: Vec<u32> = report.scenes.iter().filter(|r| r.scene == scene).map(|r| r.side).collect();
        sides.sort_unstable();
        sides.dedup();
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
    let file = |what: &str| format!("{}-{side}-{what}.csv", slug(scene));
    let charts =
        QUALITIES.iter().map(|quality| scatter(&results, markers, quality, &table, &file(quality.name)));
    let first = results.first();
    html! {
        p.sub {
            "Side " (side)
            @if let Some(first) = first {
                ": " (counted(first.particles, "particle")) ", " (counted(first.triangles, "triangle")) ", "
                (counted(first.frames_wanted, "frame")) " of " (human(1e3 * first.dt_s)) " ms, thickness "
                (human(1e3 * first.thickness_m)) " mm."
            }
        }
        (table.html())
        p.note { (table.download(&file("table"))) }
        div.charts { @for chart in charts { (chart) } }
    }
}

fn scatter(
    results: &[&SceneResult],
    markers: &Markers,
    quality: &Quality,
    data: &Table,
    file: &str,
) -> Markup {
    let series = results.iter().filter_map(|result| {
        let (time, value) = (result.wall_ms.as_ref()?.median, (quality.value)(result)?);
        Some(Series {
            name: result.contender.name.clone(),
            marker: markers.marker(&result.contender.id),
            points: vec![Point { stressed: result.status != Status::Completed, ..Point::new(time, value) }],
            joined: false,
        })
    });
    let spoken = results.iter().map(|r| format!("{}: {}", r.contender.name, outcome(r)));
    let plot = Plot {
        title: format!("Time against {}", quality.name),
        description: format!("Left is faster, lower is better. {}.", spoken.collect::<Vec<_>>().join("; ")),
        x: Axis::new("ms a frame (median, logarithmic)", Scale::Log),
        y: Axis::new(quality.label, quality.scale),
        series: series.collect(),
    };
    plot.figure(data, file)
}
