//! The report as tables for the terminal.

use std::fmt::Write;

use cloth_verify::report::human;

use super::assemble::counts;
use crate::contenders::BASELINE;
use crate::schema::{BenchReport, FrameTimes, Measure, SceneResult, Status};

/// Heads of the columns of a scene.
const HEADS: [&str; 13] = [
    "contender",
    "ended",
    "ms median",
    "p95",
    "worst",
    "CPU ms",
    "MiB",
    "ratio to cloth",
    "stretch p99",
    "largest",
    "intersections",
    "passed",
    "depth mm",
];

/// One table for each scene and side, and one for growth.
#[must_use]
pub fn tables(report: &BenchReport) -> String {
    let mut text = String::new();
    let mut at = 0;
    while let Some(first) = report.scenes.get(at) {
        let rows =
            report.scenes[at..].iter().take_while(|r| (&r.scene, r.side) == (&first.scene, first.side));
        let rows: Vec<Vec<String>> = rows.map(|r| row(r, report)).collect();
        at += rows.len();
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "{} {}: {} particles, {} frames",
            first.scene, first.side, first.particles, first.frames_wanted
        );
        text += &aligned(&HEADS, &rows);
        text.push('\n');
    }
    let rows: Vec<Vec<String>> = report.growth.iter().map(growth).collect();
    if !rows.is_empty() {
        text += "growth: time ~ particles ^ exponent\n";
        text += &aligned(&["scene", "contender", "exponent", "sides"], &rows);
        text.push('\n');
    }
    text + &crate::micro::tables(report)
}

fn growth(g: &crate::schema::Growth) -> Vec<String> {
    let sides: Vec<String> = g.sides.iter().map(u32::to_string).collect();
    vec![g.scene.clone(), g.contender.clone(), format!("{:.2}", g.exponent), sides.join(", ")]
}

fn row(r: &SceneResult, report: &BenchReport) -> Vec<String> {
    let time =
        |t: &Option<FrameTimes>, of: fn(&FrameTimes) -> f64| t.as_ref().map_or("-".into(), |t| number(of(t)));
    let percent = |x: Option<f64>| x.map_or("-".into(), |x| format!("{} %", number(100.0 * x)));
    let passed = r.pass_throughs.map_or("-".into(), |p| p.pairs.to_string());
    let bytes = r.peak_memory_bytes.map_or("-".into(), |b| number(b as f64 / f64::from(1 << 20)));
    vec![
        r.contender.id.clone(),
        ended(r),
        time(&r.wall_ms, |t| t.median),
        time(&r.wall_ms, |t| t.p95),
        time(&r.wall_ms, |t| t.worst),
        time(&r.cpu_ms, |t| t.median),
        bytes,
        ratio(r, report),
        percent(r.stretch.map(|s| s.p99)),
        percent(r.stretch.map(|s| s.max)),
        r.intersections.as_ref().map_or("-".into(), counts),
        passed,
        r.penetration_m.map_or("-".into(), |m| number(1e3 * m)),
    ]
}

fn number(value: f64) -> String {
    human(value.into(), 1.0)
}

fn ended(r: &SceneResult) -> String {
    let frames = format!("{} of {}", r.frames_done, r.frames_wanted);
    match &r.status {
        Status::Completed => frames,
        Status::Stopped { .. } => format!("{frames}, stopped"),
        Status::Failed { .. } => format!("{frames}, failed"),
        Status::Unsupported { .. } => "unsupported".into(),
    }
}

fn ratio(r: &SceneResult, report: &BenchReport) -> String {
    if r.contender.id == BASELINE {
        return "1".into();
    }
    let same = |x: &&crate::schema::Ratio| {
        (&x.scene, x.side, &x.contender) == (&r.scene, r.side, &r.contender.id) && x.measure == Measure::Wall
    };
    report.ratios.iter().find(same).map_or("-".into(), |x| {
        let verdict = if x.decided { "" } else { ", undecided" };
        // A single run has no interval.
        let interval =
            if x.low < x.high { format!(" [{}, {}]", number(x.low), number(x.high)) } else { String::new() };
        format!("{}{interval}{verdict}", number(x.ratio))
    })
}

/// Columns as wide as their widest cell, two spaces apart; the first is left-aligned.
pub(crate) fn aligned(heads: &[&str], rows: &[Vec<String>]) -> String {
    let length = |cell: &str| cell.chars().count();
    let width = |k: usize| rows.iter().map(|r| length(&r[k])).chain([length(heads[k])]).max().unwrap_or(0);
    let widths: Vec<usize> = (0..heads.len()).map(width).collect();
    let line = |cells: &[String]| {
        let padded = cells.iter().zip(&widths).enumerate().map(|(k, (cell, &width))| {
            if k == 0 { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
        });
        padded.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
    };
    let heads: Vec<String> = heads.iter().map(|&h| h.to_owned()).collect();
    std::iter::once(&heads).chain(rows).map(|cells| line(cells)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn tables_name_every_contender_with_its_end_and_its_ratio() {
        let text = tables(&fixture::report());
        assert!(text.contains("pile 128: 16,384 particles") || text.contains("pile 128: 16384 particles"));
        for part in ["73 of 240, stopped", "41 of 240, failed", "unsupported", ", undecided", "0/9"] {
            assert!(text.contains(part), "{part}\n{text}");
        }
        assert!(text.contains("growth: time ~ particles"));
    }

    #[test]
    fn columns_are_aligned() {
        let rows = vec![vec!["a".to_owned(), "10".to_owned()], vec!["long".to_owned(), "1".to_owned()]];
        assert_eq!(aligned(&["x", "n"], &rows), "x      n\na     10\nlong   1\n");
    }
}
