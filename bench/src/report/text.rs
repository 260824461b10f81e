//! The tables of the page for the terminal.

use cloth_measure::table::Table;

use super::number::count;
use super::{distinct, queries, scenes};
use crate::schema::BenchReport;

/// One table for each scene and side, one for growth, and those of single queries.
#[must_use]
pub fn text(report: &BenchReport) -> String {
    let mut text = String::new();
    let mut add = |title: &str, table: Table| text += &format!("{title}\n{}\n", table.text());
    for first in distinct(&report.scenes, |r| (r.scene.as_str(), r.side, r.particles, r.frames_wanted)) {
        let (scene, side, particles, frames) = first;
        let title = format!("{scene} {side}: {} particles, {frames} frames", count(particles as u64));
        add(&title, scenes::scene_table(report, scene, side));
    }
    if !report.growth.is_empty() {
        add("growth: time ~ particles ^ exponent", scenes::growth_table(report));
    }
    let queries = [queries::kernels(report), queries::ccd(report), queries::broad_phases(report)];
    queries.into_iter().flatten().for_each(|block| add(&block.title, block.table));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_name_every_contender_with_its_end_and_its_ratio() {
        let text = text(&crate::fixture::report());
        for part in [
            "pile 128: 16,384 particles",
            "7 of 12 frames in 120 s",
            "failed after 4 of 12 frames",
            "not supported",
            "undecided: 0.59",
            "growth: time ~ particles",
            "cloth-ccd filtered",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
    }
}
