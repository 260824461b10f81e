//! The tables of the page for the terminal.

use cloth_measure::table::{Cell, Table, numbers, words};

use super::number::{count, human};
use super::sections::{self, distinct};
use crate::schema::BenchReport;

/// One table for each scene and side, one for growth, and those of single queries.
#[must_use]
pub fn text(report: &BenchReport) -> String {
    let mut text = String::new();
    let mut add = |title: &str, table: Table| text += &format!("{title}\n{}\n", table.text());
    for first in distinct(&report.scenes, |r| (r.scene.as_str(), r.side, r.particles, r.frames_wanted)) {
        let (scene, side, particles, frames) = first;
        let title = format!("{scene} {side}: {} particles, {frames} frames", count(particles as u64));
        add(&title, sections::scene_table(report, scene, side));
    }
    if !report.growth.is_empty() {
        add("growth: time ~ particles ^ exponent", growth(report));
    }
    let queries = [sections::kernels(report), sections::ccd(report), sections::broad_phases(report)];
    queries.into_iter().flatten().for_each(|block| add(&block.title, block.table));
    text
}

fn growth(report: &BenchReport) -> Table {
    let row = |g: &crate::schema::Growth| {
        let sides: Vec<String> = g.sides.iter().map(u32::to_string).collect();
        let exponent = Cell::value(Some(g.exponent), |&e| human(e));
        vec![Cell::words(&g.scene), Cell::words(&g.contender), exponent, Cell::words(sides.join(", "))]
    };
    Table {
        caption: String::new(),
        columns: vec![
            words("scene", "scene"),
            words("contender", "contender"),
            numbers("exponent", "exponent"),
            words("sides", "sides"),
        ],
        rows: report.growth.iter().map(row).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_name_every_contender_with_its_end_and_its_ratio() {
        let text = text(&crate::fixture::report());
        for part in [
            "pile 128: 16,384 particles",
            "73 of 240 frames in 120 s",
            "failed after 41 of 240 frames",
            "not supported",
            "undecided: 0.59",
            "growth: time ~ particles",
            "cloth-ccd filtered",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
    }
}
