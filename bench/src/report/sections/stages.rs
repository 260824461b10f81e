//! Where the time of a frame goes, for contenders that report it.

use cloth_measure::chart::{Bar, Bars};
use cloth_measure::table::{Cell, Table, numbers, words};
use maud::{Markup, html};

use super::distinct;
use super::scene_table::ranked;
use crate::report::number::{human, slug};
use crate::schema::{BenchReport, SceneResult};

/// A chart for every scene at its largest side.
pub(in crate::report) fn stages(report: &BenchReport) -> Markup {
    let mut charts = Vec::new();
    for scene in distinct(&report.scenes, |r| r.scene.as_str()) {
        let side = report.scenes.iter().filter(|r| r.scene == scene).map(|r| r.side).max().unwrap_or(0);
        let results = ranked(report, scene, side);
        let with: Vec<&SceneResult> = results.into_iter().filter(|r| !r.stage_ms.is_empty()).collect();
        let names = names(&with);
        let length = |r: &SceneResult, name: &String| r.stage_ms.get(name).copied().unwrap_or(0.0).max(0.0);
        let bars = Bars {
            title: format!("{scene}, side {side}"),
            description: format!("Mean time of a frame in {scene} by stage: {}.", names.join(", ")),
            label: "ms a frame (mean)".into(),
            bars: with
                .iter()
                .map(|r| Bar {
                    name: r.contender.name.clone(),
                    parts: names.iter().map(|name| length(r, name)).collect(),
                })
                .collect(),
            parts: names,
        };
        let file = format!("{}-{side}-stages.csv", slug(scene));
        charts.push(bars.figure(&data(scene, &with), &file));
    }
    html! { div.charts { @for chart in &charts { (chart) } } }
}

/// All stages, those first that take most time over all contenders.
fn names(results: &[&SceneResult]) -> Vec<String> {
    let mut names: Vec<String> = results.iter().flat_map(|r| r.stage_ms.keys().cloned()).collect();
    names.sort();
    names.dedup();
    let sum = |name: &String| results.iter().filter_map(|r| r.stage_ms.get(name)).sum::<f64>();
    names.sort_by(|a, b| sum(b).total_cmp(&sum(a)));
    names
}

fn data(scene: &str, results: &[&SceneResult]) -> Table {
    let rows = results.iter().flat_map(|r| {
        let total: f64 = r.stage_ms.values().sum();
        r.stage_ms.iter().map(move |(stage, &ms)| {
            vec![
                Cell::words(&r.contender.name),
                Cell::words(stage),
                Cell::value(Some(ms), |&ms| human(ms)),
                Cell::value(Some(ms / total).filter(|s| s.is_finite()), |&s| format!("{:.0} %", 100.0 * s)),
            ]
        })
    });
    Table {
        caption: format!("{scene}: mean time of a frame by stage, as the library reports it."),
        columns: vec![
            words("contender", "contender"),
            words("stage", "stage"),
            numbers("ms a frame", "mean_ms"),
            numbers("share", "share"),
        ],
        rows: rows.collect(),
    }
}
