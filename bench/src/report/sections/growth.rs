//! How time grows with the size of a scene.

use cloth_measure::chart::{Axis, Plot, Point, Scale, Series};
use cloth_measure::table::{Cell, Table, numbers, words};
use maud::{Markup, html};

use super::{Markers, distinct};
use crate::report::number::{count, human, slug};
use crate::schema::{BenchReport, SceneResult, Status};

/// A chart for every scene that was run at two sides at least.
pub(in crate::report) fn growth(report: &BenchReport, markers: &Markers) -> Markup {
    let mut charts = Vec::new();
    for scene in distinct(&report.scenes, |r| r.scene.as_str()) {
        let results: Vec<&SceneResult> =
            report.scenes.iter().filter(|r| r.scene == scene && r.wall_ms.is_some()).collect();
        let mut sides: Vec<u32> = results.iter().map(|r| r.side).collect();
        sides.dedup();
        if sides.len() < 2 {
            continue;
        }
        let plot = Plot {
            title: scene.to_owned(),
            description: format!(
                "Median time of a frame against the number of particles in {scene}; both axes are logarithmic."
            ),
            x: Axis::new("particles (logarithmic)", Scale::Log),
            y: Axis::new("ms a frame (logarithmic)", Scale::Log),
            series: series(&results, report, markers),
        };
        let file = format!("{}-growth.csv", slug(scene));
        charts.push(plot.figure(&data(scene, &results, report), &file));
    }
    html! { div.charts { @for chart in &charts { (chart) } } }
}

/// A line for each contender, named with its exponent.
fn series(results: &[&SceneResult], report: &BenchReport, markers: &Markers) -> Vec<Series> {
    let mut found: Vec<(&str, Series)> = Vec::new();
    for result in results {
        let Some(time) = &result.wall_ms else { continue };
        let id = result.contender.id.as_str();
        let at = found.iter().position(|(known, _)| *known == id).unwrap_or_else(|| {
            let exponent = exponent(report, &result.scene, id);
            let exponent = exponent.map_or(String::new(), |e| format!(", exponent {}", human(e)));
            let name = format!("{}{exponent}", result.contender.name);
            found.push((id, Series { name, marker: markers.marker(id), points: vec![], joined: true }));
            found.len() - 1
        });
        let stressed = result.status != Status::Completed;
        found[at].1.points.push(Point { stressed, ..Point::new(result.particles as f64, time.median) });
    }
    let mut series: Vec<Series> = found.into_iter().map(|(_, series)| series).collect();
    series.iter_mut().for_each(|s| s.points.sort_by(|a, b| a.x.total_cmp(&b.x)));
    series
}

fn exponent(report: &BenchReport, scene: &str, contender: &str) -> Option<f64> {
    report.growth.iter().find(|g| g.scene == scene && g.contender == contender).map(|g| g.exponent)
}

fn data(scene: &str, results: &[&SceneResult], report: &BenchReport) -> Table {
    let row = |r: &&SceneResult| {
        vec![
            Cell::words(&r.contender.name),
            Cell::value(Some(r.particles as u64), |&n| count(n)),
            Cell::value(r.wall_ms.as_ref().map(|t| t.median), |&ms| human(ms)),
            Cell::value(exponent(report, scene, &r.contender.id), |&e| human(e)),
        ]
    };
    Table {
        caption: format!(
            "{scene}: time ~ particles ^ exponent, by least squares of the logarithms; 1 is linear."
        ),
        columns: vec![
            words("contender", "contender"),
            numbers("particles", "particles"),
            numbers("ms a frame", "wall_median_ms"),
            numbers("exponent", "exponent"),
        ],
        rows: results.iter().map(row).collect(),
    }
}
